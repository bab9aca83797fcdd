/**
 * The painter: one renderer, and a room for every lane. Runs in a worker of its own wherever a canvas can be handed to
 * one, because without a graphics card drawing is slow, and the page must respond to input meanwhile.
 */

import {
  type Mesh,
  NoToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  SRGBColorSpace,
  WebGLRenderer,
} from "three";
import type { Scene, Vec3 } from "../../../src/index.ts";
import {
  alongGrain,
  type BodiesView,
  COLOR_MAPS,
  createBodiesView,
  createFleshView,
  createMarks,
  createOutside,
  createPoseView,
  createStageView,
  createThreads,
  type FleshView,
  looksOf,
  type Marks,
  type PoseView,
  raySheet,
  type StageView,
  type Threads,
} from "../../../src/view/index.ts";
import { HEAD, type Slot, slotAt } from "../engine/frames.ts";
import type { Opened } from "../engine/protocol.ts";
import type { Counts, Picture } from "./painting.ts";
import { panePlace } from "./painting.ts";
import { boxOf, floorOf, hasOwnFloor, reachOf } from "./subject.ts";

export interface Painter {
  setLanes(lanes: readonly number[]): void;
  setOpened(lane: number, opened: Opened): Promise<void>;
  /** Draws; gives the buffers of the frames back for another time. */
  draw(picture: Picture): ArrayBuffer[];
  counts(): Counts;
  dispose(): void;
}

interface Pane {
  readonly lane: number;
  readonly stage: StageView;
  readonly spokes: Threads;
  readonly hand: Threads;
  views: {
    sheet: PoseView;
    bodies: BodiesView;
    pins: Marks;
    chosen: Marks;
    trouble: Marks;
    flesh?: FleshView;
  } | null;
  opened: Opened | null;
  /** [9n] m, of the samples; positions alone where there are no frames. */
  pose: Float64Array;
  /** [3n] m, its beginning. */
  positions: Float64Array;
  /** Whether `pose` holds frames. */
  framed: boolean;
  /** The grains that the prints lie along. */
  grain: string;
  time: number;
  floor: number | null;
}

/** The renderer and the panes that it draws. */
interface Studio {
  readonly renderer: WebGLRenderer;
  readonly camera: PerspectiveCamera;
  panes: Pane[];
  /** Size and pixel ratio that the renderer has. */
  size: string;
  draws: number;
}

export function createPainter(canvas: OffscreenCanvas | HTMLCanvasElement): Painter {
  const renderer = new WebGLRenderer({
    canvas,
    antialias: true,
    powerPreference: "high-performance",
  });
  renderer.outputColorSpace = SRGBColorSpace;
  renderer.toneMapping = NoToneMapping;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  renderer.autoClear = false;
  const studio: Studio = {
    renderer,
    camera: new PerspectiveCamera(),
    panes: [],
    size: "",
    draws: 0,
  };
  return {
    setLanes(lanes) {
      const old = new Map(studio.panes.map((pane) => [pane.lane, pane]));
      studio.panes = lanes.map((lane) => {
        const pane = old.get(lane) ?? createPane(lane);
        old.delete(lane);
        return pane;
      });
      for (const pane of old.values()) disposePane(pane);
    },
    setOpened(lane, opened) {
      const pane = studio.panes.find((p) => p.lane === lane);
      if (pane === undefined) return Promise.resolve();
      showOpened(pane, opened);
      return layImages(pane, opened);
    },
    draw: (picture) => draw(studio, picture),
    counts: () => ({
      geometries: renderer.info.memory.geometries,
      textures: renderer.info.memory.textures,
      programs: renderer.info.programs?.length ?? 0,
      draws: studio.draws,
    }),
    dispose() {
      for (const pane of studio.panes) disposePane(pane);
      renderer.dispose();
    },
  };
}

function draw(studio: Studio, picture: Picture): ArrayBuffer[] {
  const { renderer, camera, panes } = studio;
  const { width, height, ratio } = picture;
  const wanted = `${width} ${height} ${ratio}`;
  if (wanted !== studio.size) {
    studio.size = wanted;
    renderer.setPixelRatio(ratio);
    renderer.setSize(width, height, false);
  }
  for (const { lane, buffer } of picture.frames) {
    const pane = panes.find((p) => p.lane === lane);
    const opened = pane?.opened;
    if (pane === undefined || opened == null) continue;
    const layout = { n: opened.sheet.n, bodies: opened.scene.colliders.length };
    showSlot(pane, slotAt(buffer, 0, layout));
  }
  placeCamera(camera, picture.camera);
  renderer.setScissorTest(false);
  renderer.clear();
  renderer.setScissorTest(panes.length > 1);
  panes.forEach((pane, k) => {
    const place = panePlace(k, panes.length, width, height);
    const bottom = height - place.top - place.height;
    renderer.setViewport(place.left, bottom, place.width, place.height);
    renderer.setScissor(place.left, bottom, place.width, place.height);
    camera.aspect = place.width / place.height;
    camera.updateProjectionMatrix();
    pane.stage.setTheme(picture.theme);
    showPicture(pane, picture, k === 0);
    renderer.render(pane.stage.scene, camera);
  });
  studio.draws++;
  return picture.frames.map(({ buffer }) => buffer);
}

function placeCamera(camera: PerspectiveCamera, { eye, target, up, fov }: Picture["camera"]): void {
  camera.up.set(...up);
  camera.position.set(...eye);
  camera.lookAt(...target);
  camera.fov = (fov * 180) / Math.PI;
  const far = Math.hypot(eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]);
  camera.near = far / 80;
  camera.far = far * 12;
}

/** Colours, marks and lines of one pane as a picture wants them. */
function showPicture(pane: Pane, picture: Picture, first: boolean): void {
  const { views } = pane;
  if (views === null) return;
  const { colors } = picture;
  const n = pane.opened?.sheet.n ?? 0;
  const P = pane.positions;
  const map = colors === null ? undefined : COLOR_MAPS[colors.map];
  const high = colors?.high ?? 1;
  views.sheet.setColors(map === undefined ? null : { map, min: map.signed ? -high : 0, max: high });
  views.sheet.setWire(picture.wire);
  views.pins.object.visible = picture.pins;
  const trouble = picture.trouble.find((t) => t.lane === pane.lane)?.points ?? [];
  views.trouble.setPoints(trouble.filter((i) => i < n));
  views.trouble.follow(P);
  views.chosen.setPoints(first ? picture.chosen.filter((i) => i < n) : []);
  views.chosen.follow(P);
  drawLines(pane, picture);
  clearSight(pane, picture.camera.eye);
}

function createPane(lane: number): Pane {
  const stage = createStageView();
  stage.setFloor(null);
  const spokes = createThreads("#0e8c99");
  const hand = createThreads("#0e8c99");
  stage.scene.add(spokes.object, hand.object);
  const empty = new Float64Array(0);
  return {
    ...{ lane, stage, spokes, hand, views: null, opened: null, time: 0, floor: null },
    ...{ pose: empty, positions: empty, framed: false, grain: "" },
  };
}

function disposePane(pane: Pane): void {
  clearViews(pane);
  pane.spokes.dispose();
  pane.hand.dispose();
  pane.stage.dispose();
}

function clearViews(pane: Pane): void {
  if (pane.views === null) return;
  for (const view of Object.values(pane.views)) {
    pane.stage.scene.remove(view.object);
    view.dispose();
  }
  pane.views = null;
}

/** Makes the views of what was opened; a change that kept the sheet keeps them. */
function showOpened(pane: Pane, opened: Opened): void {
  const { scene, sheet } = opened;
  const grain = grainsOf(scene);
  pane.opened = opened;
  if (opened.taken === "restart" || pane.views === null) {
    clearViews(pane);
    const { centre, size } = boxOf(opened.start);
    const radius = 0.0065 * size;
    const views = {
      sheet: sheetView(opened),
      bodies: createBodiesView(scene.colliders, { extent: 1.8 * size, shapes: opened.bodyShapes }),
      pins: createMarks("#c9973f", radius),
      chosen: createMarks("#0e8c99", 1.25 * radius),
      trouble: createMarks("#d4351c", 1.6 * radius),
    };
    pane.pose = new Float64Array(9 * sheet.n);
    pane.positions = pane.pose.subarray(0, 3 * sheet.n);
    pane.positions.set(opened.start);
    views.sheet.setPose(pane.positions, undefined, opened.startPoses);
    views.bodies.setPoses(seenPoses(scene, opened.startPoses, opened.start));
    const flesh = createFleshView(scene, views.sheet.mesh);
    flesh?.follow(views.sheet.frame.positions);
    pane.views = { ...views, ...(flesh ? { flesh } : {}) };
    for (const view of Object.values(pane.views)) pane.stage.scene.add(view.object);
    pane.framed = false;
    pane.time = 0;
    pane.stage.setSubject([centre[0], centre[1], centre[2] - 0.15 * size], size);
    pane.floor = scene.view.ground && flesh ? flesh.bottom : floorOf(opened);
    pane.stage.setFloor(pane.floor);
  } else if (pane.grain !== grain) turnGrain(pane, pane.views, opened);
  pane.grain = grain;
  looksOf(scene).forEach((look, p) => {
    pane.views?.sheet.setLook(p, look);
  });
  followPins(pane);
}

function sheetView({ scene, sheet }: Opened): PoseView {
  return createPoseView(alongGrain(sheet, scene.sheets), { outside: createOutside(scene, sheet) });
}

/** The grains of all panels, to be compared. */
function grainsOf({ sheets }: Scene): string {
  return sheets
    .flatMap(({ shape }) => (shape.type === "garment" ? shape.panels : []))
    .map(({ grain = 0 }) => grain)
    .join(" ");
}

/** Lays the prints anew on the sheet as it is: its vertices part where panels disagree about their coordinates. */
function turnGrain(pane: Pane, views: NonNullable<Pane["views"]>, opened: Opened): void {
  pane.stage.scene.remove(views.sheet.object);
  views.sheet.dispose();
  views.sheet = sheetView(opened);
  views.sheet.setPose(pane.framed ? pane.pose : pane.positions);
  pane.stage.scene.add(views.sheet.object);
}

/** Puts the images on the sheets, unless another scene has been opened meanwhile. */
async function layImages(pane: Pane, { images, serial }: Opened): Promise<void> {
  for (const [p, bytes] of images.entries()) {
    const bitmap =
      bytes === null
        ? null
        : await createImageBitmap(new Blob([bytes as Uint8Array<ArrayBuffer>]), {
            imageOrientation: "flipY",
          });
    if (pane.opened?.serial === serial) pane.views?.sheet.setImage(p, bitmap);
  }
}

function followPins({ opened, views, time, positions }: Pane): void {
  if (opened === null || views === null) return;
  views.pins.setPoints(
    opened.pins.flatMap((pin) =>
      pin.release !== null && time > pin.release ? [] : marked(pin.points),
    ),
  );
  views.pins.follow(positions);
}

/** A pin that holds many points (an edge) shows some of them: a row of beads would hide the sheet. */
function marked(points: Int32Array): number[] {
  if (points.length <= 40) return [...points];
  const step = points.length / 40;
  return Array.from({ length: 40 }, (_, k) => points[Math.floor(k * step)]);
}

function showSlot(pane: Pane, slot: Slot): void {
  const { views } = pane;
  if (views === null || slot.pose.length !== pane.pose.length) return;
  pane.pose.set(slot.pose);
  pane.framed = slot.head[HEAD.framed] === 1;
  views.sheet.setPose(pane.framed ? pane.pose : pane.positions, slot.values, slot.poses);
  views.flesh?.follow(views.sheet.frame.positions);
  if (pane.opened !== null)
    views.bodies.setPoses(seenPoses(pane.opened.scene, slot.poses, slot.positions));
  pane.time = slot.head[HEAD.time];
  followPins(pane);

  // a floor that is only decoration moves down
  const isOwn = pane.opened !== null && (hasOwnFloor(pane.opened.scene) || views.flesh);
  if (pane.floor !== null && pane.opened !== null && !isOwn) {
    let lowest = Number.POSITIVE_INFINITY;
    const P = slot.positions;
    for (let k = 2; k < P.length; k += 3) if (P[k] < lowest) lowest = P[k];
    if (lowest < pane.floor + 0.01) {
      pane.floor = lowest - 0.02;
      pane.stage.setFloor(pane.floor);
    }
  }
}

/** The unit normal of a plane in the world; R(row, column) is its rotation. */
function planeNormal([x, y, z]: Vec3, R: (row: number, column: number) => number): Vec3 {
  const length = Math.hypot(x, y, z);
  return [0, 1, 2].map((r) => (R(r, 0) * x + R(r, 1) * y + R(r, 2) * z) / length) as Vec3;
}

/** Planes have no end: the piece of one that is drawn stays under the sheet. */
function seenPoses(scene: Scene, poses: Float64Array, P: ArrayLike<number>): Float64Array {
  if (!scene.colliders.some(({ body }) => body.type === "plane")) return poses;
  const { centre } = boxOf(P);
  const seen = Float64Array.from(poses);
  scene.colliders.forEach(({ body }, b) => {
    if (body.type !== "plane") return;
    const p = seen.subarray(12 * b, 12 * b + 12);
    const n = planeNormal(body.normal, (r, c) => p[3 * r + c]);
    const d = [centre[0] - p[9], centre[1] - p[10], centre[2] - p[11]];
    const off = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
    for (let c = 0; c < 3; c++) p[9 + c] += d[c] - off * n[c];
  });
  return seen;
}

/**
 * Bodies that hide the sheet turn to glass: planes seen from behind (the walls of a press), and bodies as large as the
 * sheet that stand before most of it. One that the sheet lies on hides some of it and stays as it is.
 */
function clearSight({ views, opened, positions: P }: Pane, eye: Vec3): void {
  if (views === null || opened === null || views.bodies.bodies.length === 0) return;
  const { size } = boxOf(P);
  views.bodies.bodies.forEach((mesh, k) => {
    const { body } = opened.scene.colliders[k];
    if (mesh === null) return;
    const e = mesh.matrix.elements; // column by column
    if (body.type === "plane") {
      const [x, y, z] = planeNormal(body.normal, (r, c) => e[4 * c + r]);
      const behind = x * (eye[0] - e[12]) + y * (eye[1] - e[13]) + z * (eye[2] - e[14]) < 0;
      views.bodies.setGlass(k, behind);
      return;
    }
    if (reachOf(body, opened.bodyShapes[k]) < 0.35 * size) return;
    views.bodies.setGlass(k, hiddenShare(P, eye, mesh) > 0.5);
  });
}

/** Points of the sheet that are looked for behind a body; each costs 0.1 ms for 5000 triangles. */
const LOOKS = 16;

/** The share of the sheet's points that a body stands before, 0 … 1. */
function hiddenShare(P: Float64Array, eye: Vec3, mesh: Mesh): number {
  const e = mesh.matrix.elements;
  const turned = (v: Vec3): Vec3 => [
    e[0] * v[0] + e[1] * v[1] + e[2] * v[2],
    e[4] * v[0] + e[5] * v[1] + e[6] * v[2],
    e[8] * v[0] + e[9] * v[1] + e[10] * v[2],
  ];
  const from = turned([eye[0] - e[12], eye[1] - e[13], eye[2] - e[14]]);
  const n = P.length / 3;
  const looks = Math.min(LOOKS, n);
  let hidden = 0;
  for (let k = 0; k < looks; k++) {
    const i = Math.floor(((k + 0.5) * n) / looks);
    const to: Vec3 = [P[3 * i] - eye[0], P[3 * i + 1] - eye[1], P[3 * i + 2] - eye[2]];
    const far = Math.hypot(...to);
    const d = turned([to[0] / far, to[1] / far, to[2] / far]);
    const { position } = mesh.geometry.attributes;
    const hit = raySheet(from, d, position.array, mesh.geometry.index!.array);
    // what lies on the body is not behind it
    if (hit !== null && hit.distance < 0.99 * far) hidden++;
  }
  return hidden / looks;
}

function drawLines(pane: Pane, { hand, spokes }: Picture): void {
  const { views, opened } = pane;
  if (views === null || opened === null) return;
  const P = pane.positions;
  const at = (i: number): Vec3 => [P[3 * i], P[3 * i + 1], P[3 * i + 2]];
  pane.hand.setLines(hand?.lane === pane.lane ? [...at(hand.point), ...hand.target] : []);
  const lines: number[] = [];
  if (spokes?.lane === pane.lane && spokes.point < opened.sheet.n) {
    const { start, index } = opened.near;
    for (let e = start[spokes.point]; e < start[spokes.point + 1]; e++)
      if (index[e] !== spokes.point) lines.push(...at(spokes.point), ...at(index[e]));
  }
  pane.spokes.setLines(lines);
}
