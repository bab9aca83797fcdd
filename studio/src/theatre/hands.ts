/** The pointer and the sheet: hold and pull, pin, look at a neighbourhood, choose a body. The rest is the camera's. */
import type { Vec3 } from "../../../src/index.ts";
import {
  bodyMesh,
  type Camera,
  cameraAxes,
  type Hit,
  isFloor,
  raySheet,
} from "../../../src/view/index.ts";
import * as studio from "../studio.ts";
import { minus, plus, times } from "./orbit.ts";
import type { Picture } from "./painting.ts";
import type { Pane } from "./panes.ts";

/** What the pointer is busy with. */
export interface Hands {
  readonly canvas: HTMLCanvasElement;
  readonly view: HandsView;
  /** The point that is held, and the plane in which it is led. */
  holding: { pane: Pane; point: number; pointer: number; normal: Vec3; at: Vec3 } | null;
  pressed: { x: number; y: number; pointer: number; picked: Picked | null } | null;
  /** m, where the held point is led. */
  target: Vec3 | null;
  /** The point whose neighbourhood is shown. */
  hovered: Picture["spokes"];
  /** The frame in which the next target is sent; 0: none. */
  sending: number;
}

/** What hands need of the picture that they reach into. */
export interface HandsView {
  camera(): Camera;
  panes(): readonly Pane[];
  paneAt(
    clientX: number,
    clientY: number,
  ): { k: number; left: number; top: number; width: number; height: number };
  readonly surface: HTMLElement;
  invalidate(): void;
}

interface Ray {
  readonly origin: Vec3;
  readonly direction: Vec3;
}

interface Picked {
  readonly pane: Pane;
  readonly ray: Ray;
  readonly hit: Hit | null;
  readonly body: number | null;
}

/** px that a pointer may move and still have clicked. */
const CLICK = 5;

export function createHands(canvas: HTMLCanvasElement, view: HandsView): Hands {
  return {
    canvas,
    view,
    holding: null,
    pressed: null,
    target: null,
    hovered: null,
    sending: 0,
  };
}

/** Listens to the pointer; gives what stops it. */
export function listen(hands: Hands): () => void {
  const { canvas } = hands;
  const listeners: [string, (event: PointerEvent) => void][] = [
    ["pointerdown", (event) => down(hands, event)],
    ["pointermove", (event) => move(hands, event)],
    ["pointerup", (event) => up(hands, event)],
    ["pointercancel", (event) => up(hands, event)],
    ["pointerleave", () => aim(hands, null)],
  ];
  for (const [type, listener] of listeners)
    canvas.addEventListener(type, listener as EventListener);
  return () => {
    for (const [type, listener] of listeners)
      canvas.removeEventListener(type, listener as EventListener);
  };
}

/** What pulls at the sheet: the pointer, or the keyboard. */
export function pullOf({ holding, target, view }: Hands): Picture["hand"] {
  if (holding !== null && target !== null)
    return { lane: holding.pane.id, point: holding.point, target };
  const grip = studio.grip.peek();
  const pane = view.panes()[0];
  return grip === null || pane === undefined
    ? null
    : { lane: pane.id, point: grip.point, target: grip.at };
}

export function letGo(hands: Hands): void {
  const { holding, canvas, view } = hands;
  if (holding === null) return;
  cancelAnimationFrame(hands.sending);
  hands.sending = 0;
  studio.grab(holding.pane.lane, holding.point, null);
  hands.holding = null;
  hands.target = null;
  delete canvas.dataset.holding;
  view.invalidate();
}

function pick({ view }: Hands, clientX: number, clientY: number): Picked | null {
  const place = view.paneAt(clientX, clientY);
  const pane = view.panes()[place.k];
  if (pane?.opened == null) return null;
  const box = view.surface.getBoundingClientRect();
  const x = (2 * (clientX - box.left - place.left)) / place.width - 1;
  const y = 1 - (2 * (clientY - box.top - place.top)) / place.height;
  const ray = rayThrough(view.camera(), x, y, place.width / place.height);
  const hit = raySheet(
    ray.origin,
    ray.direction,
    pane.positions,
    pane.opened.sheet.triangles as Int32Array,
  );
  const body = nearestBody(pane, ray, hit?.distance ?? Number.POSITIVE_INFINITY);
  return { pane, ray, hit: body === null ? hit : null, body };
}

function send(hands: Hands): void {
  const { holding, target, view } = hands;
  hands.sending = 0;
  if (holding !== null && target !== null) studio.grab(holding.pane.lane, holding.point, target);
  view.invalidate();
}

function down(hands: Hands, event: PointerEvent): void {
  if (hands.holding !== null) return;
  const { canvas, view } = hands;
  const picked = pick(hands, event.clientX, event.clientY);
  hands.pressed = { x: event.clientX, y: event.clientY, pointer: event.pointerId, picked };
  if (event.button !== 0 || event.shiftKey || event.ctrlKey || event.metaKey) return;
  if (picked?.hit == null || studio.tool.value !== "hand") return;
  // hold what is under the hand, in the plane that faces the camera
  canvas.setPointerCapture(event.pointerId);
  const at: Vec3 = [...picked.hit.at];
  hands.holding = {
    pane: picked.pane,
    point: picked.hit.point,
    pointer: event.pointerId,
    normal: cameraAxes(view.camera()).f,
    at,
  };
  hands.target = at;
  canvas.dataset.holding = String(picked.hit.point);
  if (!studio.running.value) studio.setRunning(true);
  send(hands);
}

function move(hands: Hands, event: PointerEvent): void {
  const { holding } = hands;
  if (holding === null || event.pointerId !== holding.pointer) {
    if (event.buttons === 0 && event.pointerType !== "touch") hover(hands, event);
    return;
  }
  const picked = pick(hands, event.clientX, event.clientY);
  if (picked === null) return;
  const { origin, direction } = picked.ray;
  const slope = dot(direction, holding.normal);
  if (Math.abs(slope) < 1e-6) return;
  const t = dot(minus(holding.at, origin), holding.normal) / slope;
  hands.target = plus(origin, times(direction, t));
  if (hands.sending === 0) hands.sending = requestAnimationFrame(() => send(hands));
}

function up(hands: Hands, event: PointerEvent): void {
  const was = hands.pressed;
  hands.pressed = null;
  if (hands.holding?.pointer === event.pointerId) letGo(hands);
  if (was === null || was.pointer !== event.pointerId || event.button !== 0) return;
  if (
    event.type === "pointercancel" ||
    Math.hypot(event.clientX - was.x, event.clientY - was.y) > CLICK
  )
    return;
  click(was.picked, event.shiftKey);
}

/** What a click on the sheet, on a body or beside them does, by the tool. */
function click(picked: Picked | null, shift: boolean): void {
  const tool = studio.tool.value;
  const hit = picked?.hit ?? null;
  if (picked === null || hit === null) {
    studio.select({ body: picked?.body ?? null });
    if (picked?.body != null) studio.tab.value = "make";
    return;
  }
  const { opened } = picked.pane;
  if (tool === "edge" && opened !== null) {
    const edge = studio.nearestEdge(opened, hit.point);
    if (edge !== null) studio.pinPlace(edge);
  } else if (tool === "probe") studio.probeAt(hit.point);
  else if (tool === "pin" || shift) studio.togglePin(picked.pane.lane, hit.point);
  else studio.select({});
}

function hover(hands: Hands, event: PointerEvent): void {
  const picked = pick(hands, event.clientX, event.clientY);
  const hand = studio.tool.value === "hand" && !event.shiftKey;
  hands.canvas.style.cursor =
    picked?.hit != null ? (hand ? "grab" : "crosshair") : picked?.body != null ? "pointer" : "";
  aim(hands, picked);
  const before = hands.hovered;
  hands.hovered =
    picked?.hit != null && studio.overlay.value === "neighbourhood"
      ? { lane: picked.pane.id, point: picked.hit.point }
      : null;
  if (before?.point !== hands.hovered?.point) hands.view.invalidate();
}

/** Marks what a click would hold. */
function aim(hands: Hands, picked: Picked | null): void {
  const hit = picked?.hit ?? null;
  const opened = picked?.pane.opened ?? null;
  let points: readonly number[] = [];
  if (hit !== null && opened !== null && studio.tool.value === "edge")
    points = [...(studio.nearestEdge(opened, hit.point)?.points ?? [])];
  else if (hit !== null && /pin|probe/.test(studio.tool.value)) points = [hit.point];
  const before = studio.aimed.peek();
  if (before.length === points.length && before[0] === points[0]) return;
  studio.aimed.value = points;
  hands.view.invalidate();
}

/** The ray through a place of the picture, x and y from −1 to 1. */
function rayThrough(camera: Camera, x: number, y: number, aspect: number): Ray {
  const { f, r, u } = cameraAxes(camera);
  const t = Math.tan(camera.fov / 2);
  const d = plus(f, plus(times(r, x * t * aspect), times(u, y * t)));
  return { origin: camera.eye, direction: times(d, 1 / Math.hypot(...d)) };
}

function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** Triangles of bodies, made once per opened scene. */
const meshes = new WeakMap<
  object,
  { positions: ArrayLike<number>; triangles: ArrayLike<number> }
>();

/** The body that a ray meets first, nearer than `most`; floors do not count. */
function nearestBody(pane: Pane, { origin, direction }: Ray, most: number): number | null {
  let best: number | null = null;
  let least = most;
  pane.opened!.scene.colliders.forEach((collider, b) => {
    const { body } = collider;
    if (isFloor(collider)) return;
    let mesh = meshes.get(collider);
    if (mesh === undefined) {
      const shape = body.type === "mesh" ? pane.opened!.bodyShapes[b] : bodyMesh(body);
      if (shape === null) return;
      mesh = shape;
      meshes.set(collider, mesh);
    }
    // the ray in the body's own coordinates: Rᵀ (x − c)
    const p = pane.poses.subarray(12 * b, 12 * b + 12);
    const from = minus(origin, [p[9], p[10], p[11]]);
    const turned = (v: Vec3): Vec3 => [
      p[0] * v[0] + p[3] * v[1] + p[6] * v[2],
      p[1] * v[0] + p[4] * v[1] + p[7] * v[2],
      p[2] * v[0] + p[5] * v[1] + p[8] * v[2],
    ];
    const hit = raySheet(turned(from), turned(direction), mesh.positions, mesh.triangles);
    if (hit !== null && hit.distance < least) {
      least = hit.distance;
      best = b;
    }
  });
  return best;
}
