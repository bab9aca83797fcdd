/**
 * The canvas: one renderer, one camera, and a room for every lane beside the next. Draws only when something changed.
 *
 * Without a graphics card drawing is slow, so while things move the picture is drawn with as many pixels as the machine
 * manages, and sharp again when they rest. Everything heavier than copying happens in the workers: the page must answer
 * the hand at once.
 */
import { effect } from "@preact/signals";
import {
  NoToneMapping,
  Object3D,
  PCFShadowMap,
  PerspectiveCamera,
  Quaternion,
  Raycaster,
  SRGBColorSpace,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { fitCamera } from "../../src/picture/camera.ts";
import { MAPS } from "../../src/picture/color.ts";
import type { Vec3 } from "../../src/scene/scene.ts";
import { type BodiesView, createBodiesView } from "../../src/view/bodies-view.ts";
import { setFrame } from "../../src/view/frame.ts";
import { createMarks, createThreads, type Marks, type Threads } from "../../src/view/marks.ts";
import { type Hit, raySheet } from "../../src/view/ray.ts";
import { createSheetView, type SheetView } from "../../src/view/sheet-view.ts";
import { createStageView, type StageView } from "../../src/view/stage-view.ts";
import { HEAD, type Slot } from "./engine/frames.ts";
import type { Opened } from "./engine/protocol.ts";
import type { Lane } from "./lane.ts";
import * as studio from "./studio.ts";

export interface Theatre {
  readonly canvas: HTMLCanvasElement;
  /** Moves the camera so that it holds everything. */
  frame(): void;
  invalidate(): void;
  /** Draws now at that size (pixels) and gives the canvas to a reader before anything else is drawn. */
  snapshot<T>(width: number, height: number, read: (canvas: HTMLCanvasElement) => T): T;
  /** Numbers for tests and for the curious. */
  counts(): { geometries: number; textures: number; programs: number; draws: number };
  /** Where a point of the sheet is on the page, in CSS pixels. */
  project(point: number, pane?: number): { x: number; y: number; world: Vec3 } | null;
  range(pane: number): { low: number; high: number; clipped: boolean };
  dispose(): void;
}

/** One lane's room. */
interface Pane {
  readonly lane: Lane;
  readonly stage: StageView;
  sheet: SheetView | null;
  bodies: BodiesView | null;
  pins: Marks | null;
  trouble: Marks | null;
  readonly near: Threads;
  readonly hand: Threads;
  opened: Opened | null;
  low: number;
  high: number;
  clipped: boolean;
  time: number;
  floor: number | null;
  poses: Float64Array;
  dispose(): void;
}

const FOV = 28;
/** Shares of the screen's pixels that are tried while things move. */
const QUALITY = [1, 0.75, 0.5];
/** ms a frame may take before fewer pixels are drawn, and below which more are tried. */
const SLOW = 42;
const QUICK = 15;
/** ms of rest after which the picture is drawn sharp. */
const REST = 220;

export function createTheatre(canvas: HTMLCanvasElement): Theatre {
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
  renderer.info.autoReset = false;
  const camera = new PerspectiveCamera(FOV, 1, 0.01, 100);
  camera.up.set(0, 0, 1);

  let panes: Pane[] = [];
  let size = { width: 1, height: 1 };
  let quality = 0;
  let scheduled = 0;
  let resting: ReturnType<typeof setTimeout> | undefined;
  let lastDraw = 0;
  let draws = 0;
  let framed = false;
  /** Whether the hand moved the camera; if not, it follows what is opened. */
  let moved = false;

  const invalidate = (): void => {
    if (scheduled === 0) scheduled = requestAnimationFrame(draw);
  };

  // the hand comes first: what it does with the sheet must not turn the camera
  const hands = handle(canvas, {
    pick,
    controls: () => controls,
    camera,
    invalidate,
    panes: () => panes,
  });
  const controls = new OrbitControls(camera, canvas);
  controls.enableDamping = false;
  controls.zoomToCursor = true;
  controls.minDistance = 0.05;
  controls.maxDistance = 60;
  controls.addEventListener("change", invalidate);
  controls.addEventListener("start", () => {
    moved = true;
  });

  /* ─── panes ─── */

  const setLanes = (lanes: readonly Lane[]): void => {
    const kept = new Map(panes.map((pane) => [pane.lane, pane]));
    panes = lanes.map((lane, k) => {
      const old = kept.get(lane);
      if (old !== undefined) {
        kept.delete(lane);
        return old;
      }
      return createPane(lane, k, invalidate);
    });
    for (const pane of kept.values()) pane.dispose();
    resize();
  };

  /** Copies the newest frames into the views. */
  const take = (): boolean => {
    let some = false;
    for (const pane of panes) {
      const slot = pane.lane.next();
      if (
        slot === null ||
        pane.sheet === null ||
        slot.positions.length !== pane.sheet.frame.positions.length
      )
        continue;
      showSlot(pane, slot);
      some = true;
    }
    return some;
  };
  studio.theatre.take = () => {
    if (take()) invalidate();
  };

  /* ─── drawing ─── */

  const resize = (): void => {
    const box = canvas.getBoundingClientRect();
    size = { width: Math.max(1, box.width), height: Math.max(1, box.height) };
    setPixels();
    if (!moved || !framed) frame();
    invalidate();
  };
  const setPixels = (): void => {
    const ratio = Math.min(2, globalThis.devicePixelRatio || 1) * QUALITY[quality];
    renderer.setPixelRatio(ratio);
    renderer.setSize(size.width, size.height, false);
  };
  const observer = new ResizeObserver(resize);
  observer.observe(canvas);

  /** The part of the canvas of a pane, CSS pixels from the lower left. */
  const place = (k: number, width: number, height: number): [number, number, number, number] => {
    const upright = height > 1.2 * width;
    const n = Math.max(1, panes.length);
    return upright
      ? [0, Math.round(((n - 1 - k) * height) / n), width, Math.ceil(height / n)]
      : [Math.round((k * width) / n), 0, Math.ceil(width / n), height];
  };

  const paint = (width: number, height: number): void => {
    renderer.info.reset();
    renderer.setScissorTest(false);
    renderer.clear();
    renderer.setScissorTest(panes.length > 1);
    // colours must mean the same in every pane
    const high = Math.max(...panes.map((pane) => pane.high));
    panes.forEach((pane, k) => {
      const [x, y, w, h] = place(k, width, height);
      renderer.setViewport(x, y, w, h);
      renderer.setScissor(x, y, w, h);
      camera.aspect = w / h;
      camera.updateProjectionMatrix();
      const map = MAPS[pane.lane.legend.peek()?.map ?? ""];
      const show = studio.overlay.peek() !== "none" && map !== undefined;
      pane.sheet?.setColors(show ? { map, min: map.signed ? -high : 0, max: high } : null);
      pane.sheet?.setWire(studio.wire.peek());
      if (pane.pins) pane.pins.object.visible = studio.showPins.peek();
      renderer.render(pane.stage.scene, camera);
    });
    draws++;
  };

  function draw(now: number): void {
    scheduled = 0;
    if (panes.length === 0) return;
    if (studio.together()) take();
    const gap = now - lastDraw;
    lastDraw = now;
    if (gap < 400) {
      slowness += 0.12 * (gap - slowness);
      if (slowness > SLOW && quality < QUALITY.length - 1 && ++patience > 6)
        changeQuality(quality + 1);
      else if (slowness < QUICK && quality > 0 && ++patience > 90) changeQuality(quality - 1);
      else if (slowness <= SLOW && slowness >= QUICK) patience = 0;
    }
    if (sharp) {
      sharp = false;
      setPixels();
    }
    paint(size.width, size.height);
    clearTimeout(resting);
    if (quality > 0)
      resting = setTimeout(() => {
        // sharp for as long as nothing moves; the next frame is quick again
        const quick = quality;
        quality = 0;
        setPixels();
        paint(size.width, size.height);
        quality = quick;
        sharp = true;
      }, REST);
  }
  let slowness = 16;
  let patience = 0;
  let sharp = false;
  const changeQuality = (to: number): void => {
    quality = to;
    patience = 0;
    slowness = (SLOW + QUICK) / 2;
    setPixels();
  };

  /* ─── camera ─── */

  function frame(): void {
    const pane = panes.find(({ opened }) => opened !== null);
    if (pane?.opened == null) return;
    const [, , w, h] = place(0, size.width, size.height);
    const { scene } = pane.opened;
    const subject = subjectOf(pane, !moved);
    const own = scene.view.camera;
    const view =
      own !== "auto" && !moved
        ? { eye: own.eye, target: own.target }
        : fitCamera(subject.points, {
            from: moved ? towards() : subject.from,
            aspect: w / h,
            fov: (FOV * Math.PI) / 180,
            margin: 0.1,
          });
    camera.fov = own !== "auto" && !moved ? (own.fov * 180) / Math.PI : FOV;
    camera.position.set(...view.eye);
    controls.target.set(...view.target);
    const far = camera.position.distanceTo(controls.target);
    camera.near = far / 60;
    camera.far = far * 12;
    controls.update();
    framed = true;
    invalidate();
  }
  const towards = (): Vec3 => {
    const d = camera.position.clone().sub(controls.target);
    return d.lengthSq() > 0 ? [d.x, d.y, d.z] : [0.5, -0.8, 0.34];
  };

  /* ─── the pointer and the sheet ─── */

  const raycaster = new Raycaster();
  function pick(clientX: number, clientY: number): Picked | null {
    const box = canvas.getBoundingClientRect();
    const x = clientX - box.left;
    const y = clientY - box.top;
    for (let k = 0; k < panes.length; k++) {
      const [left, bottom, w, h] = place(k, box.width, box.height);
      const top = box.height - bottom - h;
      if (x < left || x > left + w || y < top || y > top + h) continue;
      const at = new Vector2((2 * (x - left)) / w - 1, 1 - (2 * (y - top)) / h);
      camera.aspect = w / h;
      camera.updateProjectionMatrix();
      camera.updateMatrixWorld();
      raycaster.setFromCamera(at, camera);
      const { origin, direction } = raycaster.ray;
      const pane = panes[k];
      const hit =
        pane.sheet && pane.opened
          ? raySheet(
              [origin.x, origin.y, origin.z],
              [direction.x, direction.y, direction.z],
              pane.sheet.frame.positions,
              pane.opened.sheet.triangles as Int32Array,
            )
          : null;
      const bodies = pane.bodies?.bodies.filter((body) => body !== null) ?? [];
      const solid = raycaster.intersectObjects(bodies, false)[0];
      const body =
        solid !== undefined && (hit === null || solid.distance < hit.distance)
          ? (solid.object.userData.collider as number)
          : null;
      return { pane, hit: body === null ? hit : null, body, ray: raycaster.ray.clone() };
    }
    return null;
  }

  /* ─── what the signals say ─── */

  const stops = [
    effect(() => setLanes(studio.lanes.value)),
    effect(() => {
      for (const lane of studio.lanes.value) {
        const opened = lane.opened.value;
        const pane = panes.find((p) => p.lane === lane);
        if (pane === undefined || opened === null || pane.opened === opened) continue;
        const first = pane.opened;
        showOpened(pane, opened);
        if (opened.taken === "restart" && first?.scene.name !== opened.scene.name) moved = false;
        if (!moved) frame();
        invalidate();
      }
    }),
    effect(() => {
      const theme = studio.theme.value;
      for (const pane of panes) pane.stage.setTheme(theme);
      invalidate();
    }),
    effect(() => {
      studio.overlay.value;
      studio.wire.value;
      studio.showPins.value;
      for (const lane of studio.lanes.value) lane.legend.value;
      invalidate();
    }),
    effect(() => {
      for (const lane of studio.lanes.value) {
        const pane = panes.find((p) => p.lane === lane);
        const points = lane.warnings.value.flatMap((warning) => warning.points).slice(0, 200);
        if (pane?.trouble) {
          pane.trouble.setPoints(points.filter((i) => i < (pane.opened?.sheet.n ?? 0)));
          if (pane.sheet) pane.trouble.follow(pane.sheet.frame.positions);
        }
      }
      invalidate();
    }),
    studio.onBeat(invalidate),
  ];

  return {
    canvas,
    frame() {
      frame();
    },
    invalidate,
    snapshot(width, height, read) {
      renderer.setPixelRatio(1);
      renderer.setSize(width, height, false);
      take();
      paint(width, height);
      const result = read(canvas);
      setPixels();
      paint(size.width, size.height);
      return result;
    },
    counts: () => ({
      geometries: renderer.info.memory.geometries,
      textures: renderer.info.memory.textures,
      programs: renderer.info.programs?.length ?? 0,
      draws,
    }),
    project(point, k = 0) {
      const pane = panes[k];
      if (!pane?.sheet) return null;
      const P = pane.sheet.frame.positions;
      const world: Vec3 = [P[3 * point], P[3 * point + 1], P[3 * point + 2]];
      const box = canvas.getBoundingClientRect();
      const [left, bottom, w, h] = place(k, box.width, box.height);
      camera.aspect = w / h;
      camera.updateProjectionMatrix();
      camera.updateMatrixWorld();
      const at = new Vector3(...world).project(camera);
      return {
        x: box.left + left + ((at.x + 1) / 2) * w,
        y: box.top + (box.height - bottom - h) + ((1 - at.y) / 2) * h,
        world,
      };
    },
    range: (k) => ({
      low: panes[k]?.low ?? 0,
      high: Math.max(...panes.map((p) => p.high)),
      clipped: panes.some((p) => p.clipped),
    }),
    dispose() {
      for (const stop of stops) stop();
      observer.disconnect();
      hands.dispose();
      controls.dispose();
      for (const pane of panes) pane.dispose();
      renderer.dispose();
    },
  };
}

function createPane(lane: Lane, _place: number, invalidate: () => void): Pane {
  const stage = createStageView();
  stage.setTheme(studio.theme.peek());
  stage.setFloor(null);
  const near = createThreads("#1f6f78");
  const hand = createThreads("#b4472f");
  stage.scene.add(near.object, hand.object);
  const pane: Pane = {
    lane,
    stage,
    sheet: null,
    bodies: null,
    pins: null,
    trouble: null,
    near,
    hand,
    opened: null,
    low: 0,
    high: 1,
    clipped: false,
    time: 0,
    floor: null,
    poses: new Float64Array(0),
    dispose() {
      clearPane(pane);
      near.dispose();
      hand.dispose();
      stage.dispose();
      invalidate();
    },
  };
  return pane;
}

function clearPane(pane: Pane): void {
  for (const view of [pane.sheet, pane.bodies, pane.pins, pane.trouble]) {
    if (view === null) continue;
    pane.stage.scene.remove(view.object);
    view.dispose();
  }
  pane.sheet = null;
  pane.bodies = null;
  pane.pins = null;
  pane.trouble = null;
}

/** Makes the views of what was opened; a change that kept the sheet keeps them. */
function showOpened(pane: Pane, opened: Opened): void {
  const { scene, sheet } = opened;
  const before = pane.opened;
  pane.opened = opened;
  if (opened.taken === "restart" || before === null || pane.sheet === null) {
    clearPane(pane);
    const view = createSheetView(sheet);
    setFrame(view.frame, opened.start, sheet.triangles);
    view.changed();
    pane.sheet = view;
    const { centre, size } = boxOf(opened.start);
    pane.bodies = createBodiesView(scene.colliders, {
      extent: 1.8 * size,
      shapes: opened.bodyShapes,
    });
    const radius = 0.009 * size;
    pane.pins = createMarks("#2b2926", radius);
    pane.trouble = createMarks("#d4351c", 1.3 * radius);
    pane.stage.scene.add(
      pane.sheet.object,
      pane.bodies.object,
      pane.pins.object,
      pane.trouble.object,
    );
    pane.stage.setSubject([centre[0], centre[1], centre[2] - 0.15 * size], size);
    pane.floor = floorOf(scene, opened.start);
    pane.stage.setFloor(pane.floor);
    pane.high = 1;
  }
  followPins(pane);
}

function followPins(pane: Pane): void {
  const { opened, pins, sheet, time } = pane;
  if (!opened || !pins || !sheet) return;
  const points = opened.pins.flatMap((pin) =>
    pin.release !== null && time > pin.release ? [] : marked(pin.points),
  );
  pins.setPoints(points);
  pins.follow(sheet.frame.positions);
}

/** A pin that holds many points (an edge) shows some of them: a row of beads would hide the sheet. */
function marked(points: Int32Array): number[] {
  if (points.length <= 40) return [...points];
  const step = points.length / 40;
  return Array.from({ length: 40 }, (_, k) => points[Math.floor(k * step)]);
}

function showSlot(pane: Pane, slot: Slot): void {
  const { sheet } = pane;
  if (sheet === null) return;
  sheet.setFrame(slot);
  pane.bodies?.setPoses(slot.poses);
  pane.poses = Float64Array.from(slot.poses);
  pane.low = slot.head[HEAD.low];
  pane.high = slot.head[HEAD.high];
  pane.clipped = slot.head[HEAD.clipped] === 1;
  pane.time = slot.head[HEAD.time];
  followPins(pane);
  pane.trouble?.follow(sheet.frame.positions);

  // a floor that is only there to be stood on gives way
  if (pane.floor !== null && !hasLevelPlane(pane.opened)) {
    let lowest = Number.POSITIVE_INFINITY;
    const P = slot.positions;
    for (let k = 2; k < P.length; k += 3) if (P[k] < lowest) lowest = P[k];
    if (lowest < pane.floor + 0.01) {
      pane.floor = lowest - 0.02;
      pane.stage.setFloor(pane.floor);
    }
  }
}

function hasLevelPlane(opened: Opened | null): boolean {
  return (
    opened?.scene.colliders.some(({ body }) => body.type === "plane" && body.normal[2] > 0.999) ??
    false
  );
}

/** Height of the floor: the scene's own, or far enough below what hangs. */
function floorOf(scene: Opened["scene"], start: ArrayLike<number>): number | null {
  if (!scene.view.ground) return null;
  for (const { body, position } of scene.colliders)
    if (body.type === "plane" && body.normal[2] > 0.999) return position[2];
  const { min, max, size } = boxOf(start);
  let lowest = min[2];
  for (const { body, position } of scene.colliders)
    if (body.type !== "plane") lowest = Math.min(lowest, position[2] - reachOf(body));
  const hangs = max[2] - min[2] < 0.3 * size;
  return lowest - (hangs ? 0.48 : 0.12) * size;
}

function reachOf(body: Opened["scene"]["colliders"][number]["body"]): number {
  switch (body.type) {
    case "sphere":
      return body.radius;
    case "box":
      return body.size[2] / 2;
    case "capsule":
      return body.length / 2 + body.radius;
    case "cylinder":
    case "cone":
      return body.length / 2;
    case "torus":
      return body.minor;
    default:
      return 0;
  }
}

function boxOf(P: ArrayLike<number>): { min: Vec3; max: Vec3; centre: Vec3; size: number } {
  const min: Vec3 = [Infinity, Infinity, Infinity];
  const max: Vec3 = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < P.length; k++) {
    const c = k % 3;
    if (P[k] < min[c]) min[c] = P[k];
    if (P[k] > max[c]) max[c] = P[k];
  }
  const centre: Vec3 = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2, (min[2] + max[2]) / 2];
  const size = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) || 1;
  return { min, max, centre, size };
}

/** What the camera must hold, and from where it looks best. */
function subjectOf(pane: Pane, begins: boolean): { points: number[]; from: Vec3 } {
  const opened = pane.opened!;
  const P = pane.sheet!.frame.positions;
  const points: number[] = [];
  for (let k = 0; k < P.length; k++) points.push(P[k]);
  const { min, max, size } = boxOf(P);
  const flat = max[2] - min[2] < 0.3 * size;
  if (begins && flat && opened.scene.pins.length > 0) {
    // it will hang: leave room below its middle
    const middle = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2];
    points.push(middle[0], middle[1], min[2] - 0.4 * size);
  }
  for (const { body, position } of opened.scene.colliders) {
    if (body.type === "plane" || body.type === "edge" || body.type === "mesh") continue;
    const r = reachOf(body);
    for (const s of [-1, 1])
      for (let c = 0; c < 3; c++) {
        const p = [...position];
        p[c] += s * (c < 2 && "radius" in body ? body.radius : r);
        points.push(...p);
      }
  }
  return { points, from: flat ? [0.45, -0.75, 0.4] : [0.5, -0.8, 0.3] };
}

/* ─── hands ─────────────────────────────────────────────────────────────── */

interface Picked {
  readonly pane: Pane;
  readonly hit: Hit | null;
  readonly body: number | null;
  readonly ray: Raycaster["ray"];
}

interface Hands {
  dispose(): void;
}

/** px that a pointer may move and still have clicked. */
const CLICK = 5;

/** Grabbing, pinning, choosing bodies; everything else is the camera's. */
function handle(
  canvas: HTMLCanvasElement,
  {
    pick,
    controls,
    camera,
    invalidate,
    panes,
  }: {
    pick(x: number, y: number): Picked | null;
    controls(): OrbitControls;
    camera: PerspectiveCamera;
    invalidate(): void;
    panes(): readonly Pane[];
  },
): Hands {
  let holding: { pane: Pane; point: number; pointer: number; plane: Vector3; at: Vector3 } | null =
    null;
  let pressed: { x: number; y: number; picked: Picked | null; pointer: number } | null = null;
  let target: Vec3 | null = null;
  let sending = 0;
  let gizmo: Gizmo | null = null;

  const send = (): void => {
    sending = 0;
    if (holding === null || target === null) return;
    studio.grab(holding.pane.lane, holding.point, target);
    drawPull();
  };
  const drawPull = (): void => {
    for (const pane of panes()) pane.hand.setLines([]);
    if (holding !== null && target !== null && holding.pane.sheet) {
      const P = holding.pane.sheet.frame.positions;
      const i = 3 * holding.point;
      holding.pane.hand.setLines([P[i], P[i + 1], P[i + 2], ...target]);
    }
    invalidate();
  };

  const down = (event: PointerEvent): void => {
    if (holding !== null) return;
    const picked = pick(event.clientX, event.clientY);
    pressed = { x: event.clientX, y: event.clientY, picked, pointer: event.pointerId };
    if (gizmo?.busy()) return;
    if (event.button !== 0 || event.shiftKey || event.ctrlKey || event.metaKey) return;
    if (picked?.hit == null || studio.tool.value === "pin" || studio.scrubbing.value) return;
    // hold what is under the hand, in the plane that faces the camera
    controls().enabled = false;
    canvas.setPointerCapture(event.pointerId);
    holding = {
      pane: picked.pane,
      point: picked.hit.point,
      pointer: event.pointerId,
      plane: camera.getWorldDirection(new Vector3()),
      at: new Vector3(...picked.hit.at),
    };
    target = [...picked.hit.at] as Vec3;
    canvas.dataset.holding = String(picked.hit.point);
    if (!studio.running.value) studio.setRunning(true);
    send();
  };

  const move = (event: PointerEvent): void => {
    if (holding === null || event.pointerId !== holding.pointer) {
      if (event.buttons === 0) hover(event);
      return;
    }
    const picked = pick(event.clientX, event.clientY);
    if (picked === null) return;
    const { origin, direction } = picked.ray;
    const slope = direction.dot(holding.plane);
    if (Math.abs(slope) < 1e-6) return;
    const t = holding.at.clone().sub(origin).dot(holding.plane) / slope;
    const to = origin.clone().addScaledVector(direction, t);
    target = [to.x, to.y, to.z];
    if (sending === 0) sending = requestAnimationFrame(send);
  };

  const up = (event: PointerEvent): void => {
    const click =
      pressed !== null &&
      pressed.pointer === event.pointerId &&
      Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < CLICK;
    const picked = pressed?.picked ?? null;
    pressed = null;
    if (holding !== null && event.pointerId === holding.pointer) {
      cancelAnimationFrame(sending);
      sending = 0;
      studio.grab(holding.pane.lane, holding.point, null);
      holding = null;
      target = null;
      delete canvas.dataset.holding;
      controls().enabled = true;
      drawPull();
    }
    if (!click || event.button !== 0 || gizmo?.busy()) return;
    if (picked?.hit != null && (studio.tool.value === "pin" || event.shiftKey))
      studio.togglePin(picked.pane.lane, picked.hit.point);
    else studio.selectedBody.value = picked?.body ?? null;
  };

  const hover = (event: PointerEvent): void => {
    if (event.pointerType === "touch") return;
    const picked = pick(event.clientX, event.clientY);
    canvas.style.cursor =
      picked?.hit != null
        ? studio.tool.value === "pin"
          ? "crosshair"
          : "grab"
        : picked?.body != null
          ? "pointer"
          : "";
    for (const pane of panes()) {
      const show =
        studio.overlay.value === "neighbourhood" && pane === picked?.pane && picked.hit !== null;
      pane.near.setLines(show ? spokes(pane, picked.hit!.point) : []);
    }
    if (studio.overlay.value === "neighbourhood") invalidate();
  };

  canvas.addEventListener("pointerdown", down);
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);

  // handles on the chosen body; their code is only loaded when a body is chosen
  const stop = effect(() => {
    const body = studio.selectedBody.value;
    const mode = studio.bodyMode.value;
    if (body === null) {
      gizmo?.detach();
      invalidate();
      return;
    }
    void (async () => {
      gizmo ??= await createGizmo(canvas, camera, controls, invalidate);
      const pane = panes()[0];
      if (pane !== undefined && studio.selectedBody.peek() === body) gizmo.attach(pane, body, mode);
      invalidate();
    })();
  });

  return {
    dispose() {
      stop();
      gizmo?.dispose();
      canvas.removeEventListener("pointerdown", down);
      canvas.removeEventListener("pointermove", move);
      canvas.removeEventListener("pointerup", up);
      canvas.removeEventListener("pointercancel", up);
    },
  };
}

/** Lines from a point to its neighbours. */
function spokes(pane: Pane, point: number): number[] {
  const { near } = pane.opened!;
  const P = pane.sheet!.frame.positions;
  const lines: number[] = [];
  for (let e = near.start[point]; e < near.start[point + 1]; e++) {
    const j = near.index[e];
    if (j === point) continue;
    for (const i of [point, j]) lines.push(P[3 * i], P[3 * i + 1], P[3 * i + 2]);
  }
  return lines;
}

interface Gizmo {
  attach(pane: Pane, body: number, mode: "translate" | "rotate"): void;
  detach(): void;
  busy(): boolean;
  dispose(): void;
}

async function createGizmo(
  canvas: HTMLCanvasElement,
  camera: PerspectiveCamera,
  orbit: () => OrbitControls,
  invalidate: () => void,
): Promise<Gizmo> {
  const { TransformControls } = await import("three/addons/controls/TransformControls.js");
  const control = new TransformControls(camera, canvas);
  control.setSize(0.8);
  const proxy = new Object3D();
  let at: { pane: Pane; body: number } | null = null;
  control.addEventListener("change", invalidate);
  control.addEventListener("dragging-changed", (event) => {
    orbit().enabled = event.value !== true;
    if (event.value !== true && at !== null) keep(at.body);
  });
  control.addEventListener("objectChange", () => {
    if (at !== null) push(at.body);
  });
  /** Motion from the place that the scene gives the body. */
  const fromScene = (body: number): { translate: Vec3; rotate: Vec3 } => {
    const collider = at!.pane.opened!.scene.colliders[body];
    const [x, y, z] = collider.position;
    const [rx, ry, rz] = collider.rotation;
    const angle = Math.hypot(rx, ry, rz);
    const base = new Quaternion();
    if (angle > 0) base.setFromAxisAngle(new Vector3(rx, ry, rz).divideScalar(angle), angle);
    const turn = proxy.quaternion.clone().multiply(base.invert());
    if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
    const half = Math.acos(Math.min(1, turn.w));
    const s = half > 1e-9 ? (2 * half) / Math.sin(half) : 2;
    return {
      translate: [proxy.position.x - x, proxy.position.y - y, proxy.position.z - z],
      rotate: [turn.x * s, turn.y * s, turn.z * s],
    };
  };
  const push = (body: number): void => {
    const { translate, rotate } = fromScene(body);
    studio.moveBody(body, translate, rotate, 0);
  };
  /** The scene's next start has the body where it was put. */
  const keep = (body: number): void => {
    const p = proxy.position;
    const round = (v: number): number => Math.round(v * 1e4) / 1e4;
    studio.noteChange((scene) => ({
      ...scene,
      colliders: (scene.colliders ?? []).map((c, k) =>
        k === body ? { ...c, position: [round(p.x), round(p.y), round(p.z)] } : c,
      ),
    }));
  };
  return {
    attach(pane, body, mode) {
      if (at !== null && at.pane !== pane) at.pane.stage.scene.remove(proxy, control.getHelper());
      at = { pane, body };
      pane.stage.scene.add(proxy, control.getHelper());
      const mesh = pane.bodies?.bodies[body];
      if (mesh == null) return;
      mesh.matrix.decompose(proxy.position, proxy.quaternion, proxy.scale);
      control.setMode(mode);
      control.attach(proxy);
    },
    detach() {
      control.detach();
      if (at !== null) at.pane.stage.scene.remove(proxy, control.getHelper());
      at = null;
    },
    busy: () => control.dragging || control.axis !== null,
    dispose() {
      control.detach();
      control.dispose();
    },
  };
}
