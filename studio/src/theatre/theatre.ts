/**
 * The canvas as the page sees it: the camera, the newest frame of every lane (for the hand to find the sheet), and a
 * painter elsewhere that is sent one picture at a time. Draws only when something changed.
 *
 * Without a graphics card drawing is slow, so while things move the picture has as many pixels as the machine manages,
 * and is drawn sharp when they rest.
 */
import { effect } from "@preact/signals";
import { axes, type Camera, fitCamera } from "../../../src/picture/camera.ts";
import { MAPS } from "../../../src/picture/color.ts";
import type { Vec3 } from "../../../src/scene/scene.ts";
import { copySlot, HEAD, slotAt, slotBytes } from "../engine/frames.ts";
import type { Opened } from "../engine/protocol.ts";
import type { Lane } from "../lane.ts";
import * as studio from "../studio.ts";
import { createHands, type Hands } from "./hands.ts";
import { createOrbit, minus } from "./orbit.ts";
import {
  type Counts,
  type FromPainter,
  type Picture,
  panePlace,
  type ToPainter,
} from "./painting.ts";
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
  /** s, of the frame that is seen. */
  time(pane?: number): number;
  /** [12 per collider] */
  poses(pane?: number): Float64Array;
  range(): { low: number; high: number; clipped: boolean };
  /** Takes the newest frames of the lanes; called when all stand at the same time. */
  take(): void;
  dispose(): void;
}

/** One lane as the page knows it. */
export interface Pane {
  readonly lane: Lane;
  readonly id: number;
  opened: Opened | null;
  positions: Float32Array;
  poses: Float64Array;
  /** s */
  time: number;
  high: number;
  clipped: boolean;
  /** A copy of the newest slot that the painter does not have yet. */
  fresh: ArrayBuffer | null;
}

const FOV = (28 * Math.PI) / 180;
/** Shares of the screen's pixels that are tried while things move. */
const QUALITY = [1, 0.75, 0.5];
/** ms a picture may take before fewer pixels are drawn, and below which more are tried. */
const SLOW = 45;
const QUICK = 18;
/** ms of rest after which the picture is drawn sharp. */
const REST = 250;

let ids = 0;

export async function createTheatre(canvas: HTMLCanvasElement): Promise<Theatre> {
  const surface = canvas.parentElement as HTMLElement;
  let panes: Pane[] = [];
  let counts: Counts = { geometries: 0, textures: 0, programs: 0, draws: 0 };
  let failed = "";
  let shown = false;

  /* ─── the painter ─── */

  let busy = false;
  let dirty = false;
  let scheduled = 0;
  let sentAt = 0;
  let quality = 0;
  let slowness = (SLOW + QUICK) / 2;
  let patience = 0;
  let resting: ReturnType<typeof setTimeout> | undefined;
  let sharpNext = false;
  const spare: ArrayBuffer[] = [];
  const shots = new Map<number, (result: Blob | ImageBitmap) => void>();
  let shotSerial = 0;

  const hear = (message: FromPainter): void => {
    switch (message.type) {
      case "drawn": {
        counts = message.counts;
        if (!shown) {
          shown = true;
          performance.mark("first-picture");
          studio.firstPicture();
        }
        for (const buffer of message.buffers) if (spare.length < 6) spare.push(buffer);
        adapt(performance.now() - sentAt);
        busy = false;
        if (dirty) invalidate();
        else if (quality > 0) {
          clearTimeout(resting);
          resting = setTimeout(() => {
            sharpNext = true;
            invalidate();
          }, REST);
        }
        break;
      }
      case "snapshot":
        shots.get(message.id)?.(message.result);
        shots.delete(message.id);
        break;
      case "failed":
        failed = message.message;
        studio.drawingFailed.value = failed;
        studio.firstPicture();
        break;
    }
  };
  const painter = await paintElsewhere(canvas, hear);

  const adapt = (milliseconds: number): void => {
    slowness += 0.2 * (milliseconds - slowness);
    const step = slowness > SLOW ? 1 : slowness < QUICK ? -1 : 0;
    const to = Math.max(0, Math.min(QUALITY.length - 1, quality + step));
    if (step === 0 || to === quality) patience = 0;
    else if (++patience > (step > 0 ? 5 : 90)) {
      quality = to;
      patience = 0;
      slowness = (SLOW + QUICK) / 2;
    }
  };

  const invalidate = (): void => {
    dirty = true;
    if (busy || scheduled !== 0 || failed !== "") return;
    scheduled = requestAnimationFrame(() => {
      scheduled = 0;
      draw();
    });
  };

  const size = { width: 1, height: 1 };
  const picture = (
    width: number,
    height: number,
    ratio: number,
    frames: Picture["frames"],
  ): Picture => {
    const legend = panes[0]?.lane.legend.peek() ?? null;
    const colored = studio.overlay.peek() !== "none" && legend !== null && legend.map in MAPS;
    return {
      width,
      height,
      ratio,
      camera: orbit.camera,
      theme: studio.theme.peek(),
      colors: colored ? { map: legend.map, high: range().high } : null,
      wire: studio.wire.peek(),
      pins: studio.showPins.peek(),
      frames,
      hand: hands.pull(),
      spokes: hands.spokes(),
      trouble: panes.map(({ id, lane }) => ({
        lane: id,
        points: lane.warnings
          .peek()
          .flatMap(({ points }) => points)
          .slice(0, 200),
      })),
    };
  };
  const freshFrames = (): { lane: number; buffer: ArrayBuffer }[] =>
    panes.flatMap((pane) => {
      const buffer = pane.fresh;
      pane.fresh = null;
      return buffer === null ? [] : [{ lane: pane.id, buffer }];
    });

  const draw = (): void => {
    if (busy || !panes.some(({ opened }) => opened !== null)) return;
    if (studio.together()) take();
    dirty = false;
    busy = true;
    sentAt = performance.now();
    clearTimeout(resting);
    const pixels = Math.min(2, globalThis.devicePixelRatio || 1);
    const ratio = pixels * (sharpNext ? 1 : QUALITY[quality]);
    sharpNext = false;
    const frames = freshFrames();
    // the legend says what this picture shows, and no other
    const [was, now] = [studio.colourRange.peek(), range()];
    if (now.high !== was?.high || now.low !== was.low || now.clipped !== was.clipped)
      studio.colourRange.value = now;
    painter.send(
      { type: "draw", picture: picture(size.width, size.height, ratio, frames) },
      frames.map(({ buffer }) => buffer),
    );
  };

  /** Copies the newest frames of the lanes. */
  const take = (): void => {
    for (const pane of panes) {
      const slot = pane.lane.next();
      const { opened } = pane;
      if (slot === null || opened === null || slot.positions.length !== 3 * opened.sheet.n)
        continue;
      pane.positions.set(slot.positions);
      pane.poses.set(slot.poses);
      pane.time = slot.head[HEAD.time];
      pane.high = slot.head[HEAD.high];
      pane.clipped = slot.head[HEAD.clipped] === 1;
      const layout = { n: opened.sheet.n, bodies: opened.scene.colliders.length };
      const bytes = slotBytes(layout);
      const at = spare.findIndex((buffer) => buffer.byteLength === bytes);
      const buffer = pane.fresh ?? (at >= 0 ? spare.splice(at, 1)[0] : new ArrayBuffer(bytes));
      copySlot(slotAt(buffer, 0, layout), slot);
      pane.fresh = buffer;
    }
  };
  const range = (): { low: number; high: number; clipped: boolean } => {
    // colours must mean the same in every pane
    const high = Math.max(0, ...panes.map((pane) => pane.high)) || 1;
    const signed = MAPS[panes[0]?.lane.legend.peek()?.map ?? ""]?.signed ?? false;
    return { low: signed ? -high : 0, high, clipped: panes.some(({ clipped }) => clipped) };
  };

  /* ─── the camera ─── */

  const paneAt = (
    clientX: number,
    clientY: number,
  ): { k: number } & ReturnType<typeof panePlace> => {
    const box = surface.getBoundingClientRect();
    for (let k = 0; k < panes.length; k++) {
      const place = panePlace(k, panes.length, size.width, size.height);
      const x = clientX - box.left - place.left;
      const y = clientY - box.top - place.top;
      if (x >= 0 && y >= 0 && x <= place.width && y <= place.height) return { k, ...place };
    }
    return { k: 0, ...panePlace(0, Math.max(1, panes.length), size.width, size.height) };
  };
  /** Whether the hand moved the camera; if not, it follows what is opened. */
  let moved = false;
  let framing = false;
  const hands: Hands = createHands(canvas, {
    camera: () => orbit.camera,
    panes: () => panes,
    paneAt,
    surface,
    invalidate,
  });
  const orbit = createOrbit(canvas, {
    taken: (event) => hands.holds(event.pointerId),
    view: paneAt,
    onChange() {
      if (!framing) moved = true;
      studio.lookAgain();
      invalidate();
    },
  });

  const frame = (): void => {
    const pane = panes.find(({ opened }) => opened !== null);
    if (pane?.opened == null) return;
    const place = panePlace(0, panes.length, size.width, size.height);
    const { scene } = pane.opened;
    const own = scene.view.camera;
    const subject = subjectOf(scene, pane.positions, !moved);
    framing = true;
    if (own !== "auto" && !moved)
      orbit.set({ eye: own.eye, target: own.target, up: [0, 0, 1], fov: own.fov });
    else
      orbit.set(
        fitCamera(subject.points, {
          from: moved ? minus(orbit.camera.eye, orbit.camera.target) : subject.from,
          aspect: place.width / place.height,
          fov: FOV,
          margin: 0.1,
        }),
      );
    framing = false;
  };

  const resize = (): void => {
    const box = surface.getBoundingClientRect();
    size.width = Math.max(2, Math.round(box.width));
    size.height = Math.max(2, Math.round(box.height));
    if (!moved) frame();
    studio.lookAgain();
    invalidate();
  };
  const observer = new ResizeObserver(resize);
  observer.observe(surface);

  /* ─── what the signals say ─── */

  const stops = [
    effect(() => {
      const lanes = studio.lanes.value;
      const old = new Map(panes.map((pane) => [pane.lane, pane]));
      panes = lanes.map(
        (lane) =>
          old.get(lane) ?? {
            lane,
            id: ++ids,
            opened: null,
            positions: new Float32Array(0),
            poses: new Float64Array(0),
            time: 0,
            high: 1,
            clipped: false,
            fresh: null,
          },
      );
      painter.send({ type: "lanes", lanes: panes.map(({ id }) => id) });
      if (panes.length !== old.size) moved = false;
      resize();
    }),
    effect(() => {
      for (const lane of studio.lanes.value) {
        const opened = lane.opened.value;
        const pane = panes.find((p) => p.lane === lane);
        if (pane === undefined || opened === null || pane.opened === opened) continue;
        const other = pane.opened?.scene.name !== opened.scene.name;
        pane.opened = opened;
        if (opened.taken === "restart") {
          pane.positions = Float32Array.from(opened.start);
          pane.poses = Float64Array.from(opened.startPoses);
          pane.time = 0;
          pane.high = 0;
          pane.fresh = null;
          hands.letGo();
        }
        painter.send({ type: "opened", lane: pane.id, opened: { ...opened, frames: null } });
        if (other) moved = false;
        if (opened.taken === "restart" && !moved) frame();
        invalidate();
      }
    }),
    effect(() => {
      studio.theme.value;
      studio.overlay.value;
      studio.wire.value;
      studio.showPins.value;
      for (const lane of studio.lanes.value) {
        lane.legend.value;
        lane.warnings.value;
      }
      invalidate();
    }),
    studio.onBeat(invalidate),
  ];

  const theatre: Theatre = {
    frame,
    invalidate,
    snapshot(width: number, height: number, as: "png" | "bitmap"): Promise<never> {
      const id = ++shotSerial;
      take();
      const frames = freshFrames();
      return new Promise((resolve) => {
        shots.set(id, (result) => {
          resolve(result as never);
          if (shots.size === 0) invalidate(); // the canvas has the size of the picture now
        });
        painter.send(
          { type: "snapshot", id, as, picture: picture(width, height, 1, frames) },
          frames.map(({ buffer }) => buffer),
        );
      });
    },
    turn: orbit.turn,
    zoom: orbit.zoom,
    counts: () => counts,
    get camera() {
      return orbit.camera;
    },
    project(place, k = 0) {
      const box = surface.getBoundingClientRect();
      const view = panePlace(k, panes.length, size.width, size.height);
      const { f, r, u } = axes(orbit.camera);
      const d = minus(place, orbit.camera.eye);
      const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      const depth = dot(f, d);
      const s = view.height / 2 / Math.tan(orbit.camera.fov / 2);
      return {
        x: box.left + view.left + view.width / 2 + (s * dot(r, d)) / depth,
        y: box.top + view.top + view.height / 2 - (s * dot(u, d)) / depth,
        depth,
      };
    },
    scaleAt(place) {
      const view = panePlace(0, panes.length, size.width, size.height);
      const d = minus(place, orbit.camera.eye);
      return (2 * Math.hypot(...d) * Math.tan(orbit.camera.fov / 2)) / view.height;
    },
    positions: (k = 0) => panes[k]?.positions ?? new Float32Array(0),
    time: (k = 0) => panes[k]?.time ?? 0,
    poses: (k = 0) => panes[k]?.poses ?? new Float64Array(0),
    range,
    take,
    dispose() {
      for (const stop of stops) stop();
      cancelAnimationFrame(scheduled);
      clearTimeout(resting);
      observer.disconnect();
      hands.dispose();
      orbit.dispose();
      painter.end();
    },
  };
  return theatre;
}

interface PainterPort {
  send(message: ToPainter, transfer?: Transferable[]): void;
  end(): void;
}

/** A painter in a worker; on the page itself where a canvas cannot be handed over. */
async function paintElsewhere(
  canvas: HTMLCanvasElement,
  hear: (message: FromPainter) => void,
): Promise<PainterPort> {
  if (typeof canvas.transferControlToOffscreen === "function") {
    const offscreen = canvas.transferControlToOffscreen();
    const worker = new Worker(new URL("./painter-worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<FromPainter>) => hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      hear({ type: "failed", message: event.message || "the painter stopped" });
    };
    worker.postMessage({ type: "canvas", canvas: offscreen } satisfies ToPainter, [offscreen]);
    return {
      send: (message, transfer = []) => worker.postMessage(message, transfer),
      end: () => worker.terminate(),
    };
  }
  const { createPainter } = await import("./painter.ts");
  const painter = createPainter(canvas);
  return {
    send(message) {
      if (message.type === "lanes") painter.setLanes(message.lanes);
      else if (message.type === "opened") painter.setOpened(message.lane, message.opened);
      else if (message.type === "draw") {
        const buffers = painter.draw(message.picture);
        requestAnimationFrame(() => hear({ type: "drawn", counts: painter.counts(), buffers }));
      } else if (message.type === "snapshot") {
        painter.draw(message.picture);
        const { id } = message;
        if (message.as === "png")
          canvas.toBlob((blob) => blob && hear({ type: "snapshot", id, result: blob }));
        else
          void createImageBitmap(canvas).then((result) => hear({ type: "snapshot", id, result }));
      }
    },
    end: () => painter.dispose(),
  };
}
