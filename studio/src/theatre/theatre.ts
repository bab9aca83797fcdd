/**
 * The canvas as the page sees it: the camera, the newest frame of every lane (for the hand to find the sheet), and a
 * painter elsewhere that is sent one picture at a time. Draws only when something changed.
 */

import { effect } from "@preact/signals";
import type { Vec3 } from "../../../src/index.ts";
import { type Camera, COLOR_MAPS, fitCamera } from "../../../src/view/index.ts";
import type { Opened } from "../engine/protocol.ts";
import * as studio from "../studio.ts";
import { type Glide, glideAt, leavesPicture } from "./following.ts";
import { createHands, type Hands, letGo, listen, pullOf } from "./hands.ts";
import { createOrbit, minus, type Orbit } from "./orbit.ts";
import { beginDraw, createPacing, endDraw, endPacing, type Pacing, requestDraw } from "./pacing.ts";
import { type PainterPort, paintElsewhere } from "./painter-port.ts";
import { type Counts, type FromPainter, type Picture, panePlace } from "./painting.ts";
import {
  createPane,
  freshFrames,
  openPane,
  type Pane,
  paneAt,
  projected,
  rangeOf,
  type Size,
  takeFrames,
} from "./panes.ts";
import { subjectOf } from "./subject.ts";

export interface Theatre {
  /** Moves the camera so that it holds everything. */
  frame(): void;
  invalidate(): void;
  /** The picture at that size in pixels. */
  snapshot(width: number, height: number, as: "png"): Promise<Blob>;
  snapshot(width: number, height: number, as: "bitmap"): Promise<ImageBitmap>;
  /** Turns the camera (radians) or goes nearer, for keys. */
  turn(right: number, up: number): void;
  zoom(factor: number): void;
  /** Objects on the graphics card and pictures drawn. */
  counts(): Counts;
  /** Where a place is on the page, in CSS pixels of the viewport. */
  project(place: Vec3, pane?: number): { x: number; y: number; depth: number };
  /** m per CSS pixel at a place. */
  scaleAt(place: Vec3): number;
  readonly camera: Camera;
  /** Positions of a lane as they are seen, [3n] m. */
  positions(pane?: number): Float32Array;
  /** The same with frames, [9n]; those are 0 where there are none. */
  pose(pane?: number): Float32Array;
  /** s, of the frame that is seen. */
  time(pane?: number): number;
  /** [12 per collider] */
  poses(pane?: number): Float64Array;
  range(): { low: number; high: number; clipped: boolean };
  /** Takes the newest frames of the lanes; called when all stand at the same time. */
  take(): void;
  dispose(): void;
}

/** All that belongs to one canvas. */
interface House {
  readonly surface: HTMLElement;
  readonly size: Size;
  readonly pacing: Pacing;
  readonly painter: PainterPort;
  readonly hands: Hands;
  stopHands(): void;
  readonly orbit: Orbit;
  panes: Pane[];
  counts: Counts;
  /** Why nothing can be drawn; empty if it can. */
  failed: string;
  /** Whether a picture has been seen. */
  shown: boolean;
  /** Name of the scene in the picture that was last asked for. */
  asked: string | null;
  /** Whether the hand moved the camera; if not, it follows what is opened. */
  moved: boolean;
  /** Whether the camera is being moved by the page itself. */
  framing: boolean;
  /** Where the camera is going by itself; null: it stands. */
  glide: Glide | null;
  /** Buffers that came back from the painter. */
  readonly spare: ArrayBuffer[];
  readonly shots: Map<number, (result: Blob | ImageBitmap) => void>;
  shotSerial: number;
}

const FOV = (28 * Math.PI) / 180;

export async function createTheatre(canvas: HTMLCanvasElement): Promise<Theatre> {
  const house = await createHouse(canvas);
  const { surface, orbit, pacing, painter } = house;
  const invalidate = (): void => askForPicture(house);
  const observer = new ResizeObserver(() => resize(house));
  observer.observe(surface);
  const stops = [house.stopHands, ...followSignals(house), studio.onBeat(invalidate)];
  return {
    frame: () => frame(house),
    invalidate,
    snapshot: (width: number, height: number, as: "png" | "bitmap"): Promise<never> =>
      snapshot(house, width, height, as),
    turn: orbit.turn,
    zoom: orbit.zoom,
    counts: () => house.counts,
    get camera() {
      return orbit.camera;
    },
    project(place, k = 0) {
      const box = surface.getBoundingClientRect();
      const view = panePlace(k, house.panes.length, house.size.width, house.size.height);
      const { x, y, depth } = projected(orbit.camera, place, view);
      return { x: box.left + view.left + x, y: box.top + view.top + y, depth };
    },
    scaleAt(place) {
      const view = panePlace(0, house.panes.length, house.size.width, house.size.height);
      const d = minus(place, orbit.camera.eye);
      return (2 * Math.hypot(...d) * Math.tan(orbit.camera.fov / 2)) / view.height;
    },
    pose: (k = 0) => house.panes[k]?.pose ?? new Float32Array(0),
    positions: (k = 0) => house.panes[k]?.positions ?? new Float32Array(0),
    time: (k = 0) => house.panes[k]?.time ?? 0,
    poses: (k = 0) => house.panes[k]?.poses ?? new Float64Array(0),
    range: () => rangeOf(house.panes),
    take: () => takeFrames(house.panes, house.spare),
    dispose() {
      for (const stop of stops) stop();
      endPacing(pacing);
      observer.disconnect();
      orbit.dispose();
      painter.end();
    },
  };
}

async function createHouse(canvas: HTMLCanvasElement): Promise<House> {
  const surface = canvas.parentElement as HTMLElement;
  const size: Size = { width: 1, height: 1 };
  // the parts below are given the theatre that they belong to
  const house = {} as { -readonly [K in keyof House]: House[K] };
  const under = (x: number, y: number): ReturnType<typeof paneAt> =>
    paneAt(surface, house.panes.length, size, x, y);
  const hands = createHands(canvas, {
    camera: () => house.orbit.camera,
    panes: () => house.panes,
    paneAt: under,
    surface,
    invalidate: () => askForPicture(house),
  });
  Object.assign(house, {
    surface,
    size,
    pacing: createPacing(),
    hands,
    panes: [],
    counts: { geometries: 0, textures: 0, programs: 0, draws: 0 },
    failed: "",
    shown: false,
    asked: null,
    moved: false,
    framing: false,
    glide: null,
    spare: [],
    shots: new Map(),
    shotSerial: 0,
  } satisfies Omit<House, "painter" | "orbit" | "stopHands">);
  // before the camera's listeners: what the hand holds does not turn the camera
  house.stopHands = listen(hands);
  house.painter = await paintElsewhere(canvas, (message) => hear(house, message));
  house.orbit = createOrbit(canvas, {
    taken: (event) => hands.holding?.pointer === event.pointerId,
    view: under,
    onChange() {
      if (!house.framing) house.moved = true;
      studio.lookAgain();
      askForPicture(house);
    },
  });
  return house;
}

/* ─── pictures ─── */

function hear(house: House, message: FromPainter): void {
  switch (message.type) {
    case "changed":
      askForPicture(house);
      break;
    case "drawn":
      house.counts = message.counts;
      studio.pictured.value = house.asked;
      if (!house.shown) {
        house.shown = true;
        performance.mark("first-picture");
        studio.firstPicture();
      }
      for (const buffer of message.buffers) if (house.spare.length < 6) house.spare.push(buffer);
      endDraw(house.pacing, () => askForPicture(house));
      break;
    case "snapshot":
      house.shots.get(message.id)?.(message.result);
      house.shots.delete(message.id);
      break;
    case "failed":
      house.failed = message.message;
      studio.drawingFailed.value = house.failed;
      studio.firstPicture();
      break;
  }
}

function askForPicture(house: House): void {
  if (house.failed === "") requestDraw(house.pacing, () => draw(house));
}

function draw(house: House): void {
  const { panes, pacing, painter, size } = house;
  if (pacing.busy || !panes.some(({ opened }) => opened !== null)) return;
  if (studio.together()) takeFrames(panes, house.spare);
  follow(house);
  const ratio = beginDraw(pacing);
  house.asked = panes[0]?.opened?.scene.name ?? null;
  const frames = freshFrames(panes);
  // the legend says what this picture shows, and no other
  const [was, now] = [studio.colourRange.peek(), rangeOf(panes)];
  if (now.high !== was?.high || now.low !== was.low || now.clipped !== was.clipped)
    studio.colourRange.value = now;
  painter.send(
    { type: "draw", picture: pictureOf(house, size.width, size.height, ratio, frames) },
    frames.map(({ buffer }) => buffer),
  );
  if (house.glide !== null) askForPicture(house); // on its way there is always a next picture
}

function snapshot(
  house: House,
  width: number,
  height: number,
  as: "png" | "bitmap",
): Promise<never> {
  const id = ++house.shotSerial;
  takeFrames(house.panes, house.spare);
  const frames = freshFrames(house.panes);
  return new Promise((resolve) => {
    house.shots.set(id, (result) => {
      resolve(result as never);
      if (house.shots.size === 0) askForPicture(house); // the canvas has the size of the picture now
    });
    house.painter.send(
      { type: "snapshot", id, as, picture: pictureOf(house, width, height, 1, frames) },
      frames.map(({ buffer }) => buffer),
    );
  });
}

function pictureOf(
  { panes, orbit, hands }: House,
  width: number,
  height: number,
  ratio: number,
  frames: Picture["frames"],
): Picture {
  const legend = panes[0]?.lane.legend.peek() ?? null;
  const overlay = studio.overlay.peek();
  const colored = overlay !== "none" && legend !== null && legend.map in COLOR_MAPS;
  return {
    width,
    height,
    ratio,
    camera: orbit.camera,
    theme: studio.theme.peek(),
    colors: colored ? { map: legend.map, high: rangeOf(panes).high } : null,
    wire: studio.wire.peek(),
    pins: studio.showPins.peek(),
    frames,
    hand: pullOf(hands),
    spokes: overlay === "neighbourhood" ? hands.hovered : null,
    chosen: chosenPoints(panes[0]),
    trouble: panes.map(({ id, lane }) => ({
      lane: id,
      points: lane.warnings
        .peek()
        .flatMap(({ points }) => points)
        .slice(0, 200),
    })),
  };
}

/** What a click would hold, else what is measured, else the points of the chosen pin. */
function chosenPoints(pane: Pane | undefined): readonly number[] {
  const aimed = studio.aimed.peek();
  const pin = studio.selectedPin.peek();
  const probed = studio.probed.peek();
  const held = pin === null ? [] : [...(pane?.opened?.pins[pin]?.points ?? [])];
  return [...new Set([...aimed, ...probed, ...held])];
}

/* ─── the camera ─── */

/** Moves the camera so that it holds everything. */
function frame(house: House): void {
  const { panes, moved } = house;
  const pane = panes.find(({ opened }) => opened !== null);
  if (pane?.opened == null) return;
  const own = pane.opened.scene.view.camera;
  house.glide = null;
  if (own !== "auto" && !moved)
    lead(house, { eye: own.eye, target: own.target, up: [0, 0, 1], fov: own.fov });
  else lead(house, fitted(house, pane, pane.opened, !moved));
}

/** Moves the camera without a hand. */
function lead(house: House, camera: Camera): void {
  house.framing = true;
  house.orbit.set(camera);
  house.framing = false;
}

/** The camera that holds everything: from where it looks best if it `begins`, else from where it looks now. */
function fitted(house: House, pane: Pane, opened: Opened, begins: boolean): Camera {
  const { panes, size, orbit } = house;
  const place = panePlace(0, panes.length, size.width, size.height);
  const subject = subjectOf(opened, pane.positions, pane.poses, begins);
  return fitCamera(subject.points, {
    from: begins ? subject.from : minus(orbit.camera.eye, orbit.camera.target),
    aspect: place.width / place.height,
    fov: FOV,
    margin: 0.1,
  });
}

/** Keeps the sheets in the picture, unless a hand is at work, is about to pick a place, or has moved the camera. */
function follow(house: House): void {
  const { panes, size, orbit, hands } = house;
  const pane = panes.find(({ opened }) => opened !== null);
  const busy = hands.holding !== null || studio.tool.peek() !== "hand";
  if (pane?.opened == null || house.moved || busy) {
    house.glide = null;
    return;
  }
  if (house.glide === null) {
    if (pane.opened.scene.view.camera !== "auto") return;
    const place = panePlace(0, panes.length, size.width, size.height);
    const left = panes.find(
      ({ fresh, positions }) => fresh !== null && leavesPicture(orbit.camera, positions, place),
    );
    if (left?.opened == null) return;
    const to = fitted(house, left, left.opened, false);
    house.glide = { from: orbit.camera, to, began: performance.now() };
  }
  const began = studio.reducedMotion ? 0 : house.glide.began;
  const { camera, arrived } = glideAt({ ...house.glide, began }, performance.now());
  if (arrived) house.glide = null;
  lead(house, camera);
}

function resize(house: House): void {
  const box = house.surface.getBoundingClientRect();
  house.size.width = Math.max(2, Math.round(box.width));
  house.size.height = Math.max(2, Math.round(box.height));
  if (!house.moved) frame(house);
  studio.lookAgain();
  askForPicture(house);
}

/** Where keyframes lead pins and bodies, to be compared; a pin that stays where it is leads nowhere. */
function motionsOf({ scene }: Opened): string {
  const motions = [...scene.pins, ...scene.colliders].map(({ motion }) => motion);
  return JSON.stringify(motions.filter((motion) => motion !== null));
}

/* ─── signals ─── */

function followSignals(house: House): (() => void)[] {
  return [
    effect(() => {
      const lanes = studio.lanes.value;
      const old = new Map(house.panes.map((pane) => [pane.lane, pane]));
      house.panes = lanes.map((lane) => old.get(lane) ?? createPane(lane));
      house.painter.send({ type: "lanes", lanes: house.panes.map(({ id }) => id) });
      if (house.panes.length !== old.size) house.moved = false;
      resize(house);
    }),
    effect(() => {
      for (const lane of studio.lanes.value) {
        const opened = lane.opened.value;
        const pane = house.panes.find((p) => p.lane === lane);
        if (pane === undefined || opened === null || pane.opened === opened) continue;
        const bodies = pane.opened?.scene.colliders.length ?? 0;
        const motions = pane.opened && motionsOf(pane.opened);
        const other = openPane(pane, opened);
        if (opened.taken === "restart") letGo(house.hands);
        house.painter.send({ type: "opened", lane: pane.id, opened: { ...opened, frames: null } });
        if (other || opened.scene.colliders.length > bodies) house.moved = false;
        const led = opened.taken === "live" && motions !== motionsOf(opened);
        if ((opened.taken === "restart" || led) && !house.moved) frame(house);
        askForPicture(house);
      }
    }),
    effect(() => {
      studio.theme.value;
      studio.overlay.value;
      studio.wire.value;
      studio.showPins.value;
      studio.selectedPin.value;
      studio.aimed.value;
      studio.probed.value;
      studio.grip.value;
      for (const lane of studio.lanes.value) {
        lane.legend.value;
        lane.warnings.value;
      }
      askForPicture(house);
    }),
  ];
}
