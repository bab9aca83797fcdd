/** The pointer and the sheet: hold and pull, pin, look at a neighbourhood, choose a body. The rest is the camera's. */
import { bodyMesh } from "../../../src/picture/bodies.ts";
import { axes, type Camera } from "../../../src/picture/camera.ts";
import type { Vec3 } from "../../../src/scene/scene.ts";
import { isFloor } from "../../../src/view/floor.ts";
import { type Hit, raySheet } from "../../../src/view/ray.ts";
import * as studio from "../studio.ts";
import { minus, plus, times } from "./orbit.ts";
import type { Picture } from "./painting.ts";
import type { Pane } from "./theatre.ts";

export interface Hands {
  /** Whether a pointer is busy with the sheet. */
  holds(pointer: number): boolean;
  pull(): Picture["hand"];
  spokes(): Picture["spokes"];
  letGo(): void;
  dispose(): void;
}

interface Options {
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

export function createHands(
  canvas: HTMLCanvasElement,
  { camera, panes, paneAt, surface, invalidate }: Options,
): Hands {
  let holding: { pane: Pane; point: number; pointer: number; normal: Vec3; at: Vec3 } | null = null;
  let pressed: { x: number; y: number; pointer: number; picked: Picked | null } | null = null;
  let target: Vec3 | null = null;
  let hovered: Picture["spokes"] = null;
  let sending = 0;

  const pick = (clientX: number, clientY: number): Picked | null => {
    const place = paneAt(clientX, clientY);
    const pane = panes()[place.k];
    if (pane?.opened == null) return null;
    const box = surface.getBoundingClientRect();
    const x = (2 * (clientX - box.left - place.left)) / place.width - 1;
    const y = 1 - (2 * (clientY - box.top - place.top)) / place.height;
    const ray = rayThrough(camera(), x, y, place.width / place.height);
    const hit = raySheet(
      ray.origin,
      ray.direction,
      pane.positions,
      pane.opened.sheet.triangles as Int32Array,
    );
    const body = nearestBody(pane, ray, hit?.distance ?? Number.POSITIVE_INFINITY);
    return { pane, ray, hit: body === null ? hit : null, body };
  };

  const send = (): void => {
    sending = 0;
    if (holding !== null && target !== null) studio.grab(holding.pane.lane, holding.point, target);
    invalidate();
  };

  const letGo = (): void => {
    if (holding === null) return;
    cancelAnimationFrame(sending);
    sending = 0;
    studio.grab(holding.pane.lane, holding.point, null);
    holding = null;
    target = null;
    delete canvas.dataset.holding;
    invalidate();
  };

  const down = (event: PointerEvent): void => {
    if (holding !== null) return;
    const picked = pick(event.clientX, event.clientY);
    pressed = { x: event.clientX, y: event.clientY, pointer: event.pointerId, picked };
    if (event.button !== 0 || event.shiftKey || event.ctrlKey || event.metaKey) return;
    if (picked?.hit == null || studio.tool.value === "pin") return;
    // hold what is under the hand, in the plane that faces the camera
    canvas.setPointerCapture(event.pointerId);
    const at: Vec3 = [...picked.hit.at];
    holding = {
      pane: picked.pane,
      point: picked.hit.point,
      pointer: event.pointerId,
      normal: axes(camera()).f,
      at,
    };
    target = at;
    canvas.dataset.holding = String(picked.hit.point);
    if (!studio.running.value) studio.setRunning(true);
    send();
  };

  const move = (event: PointerEvent): void => {
    if (holding === null || event.pointerId !== holding.pointer) {
      if (event.buttons === 0 && event.pointerType !== "touch") hover(event);
      return;
    }
    const picked = pick(event.clientX, event.clientY);
    if (picked === null) return;
    const { origin, direction } = picked.ray;
    const slope = dot(direction, holding.normal);
    if (Math.abs(slope) < 1e-6) return;
    const t = dot(minus(holding.at, origin), holding.normal) / slope;
    target = plus(origin, times(direction, t));
    if (sending === 0) sending = requestAnimationFrame(send);
  };

  const up = (event: PointerEvent): void => {
    const was = pressed;
    pressed = null;
    if (holding?.pointer === event.pointerId) letGo();
    if (was === null || was.pointer !== event.pointerId || event.button !== 0) return;
    if (
      event.type === "pointercancel" ||
      Math.hypot(event.clientX - was.x, event.clientY - was.y) > CLICK
    )
      return;
    const { picked } = was;
    if (picked?.hit != null && (studio.tool.value === "pin" || event.shiftKey))
      studio.togglePin(picked.pane.lane, picked.hit.point);
    else studio.selectedBody.value = picked?.body ?? null;
  };

  const hover = (event: PointerEvent): void => {
    const picked = pick(event.clientX, event.clientY);
    canvas.style.cursor =
      picked?.hit != null
        ? studio.tool.value === "pin" || event.shiftKey
          ? "crosshair"
          : "grab"
        : picked?.body != null
          ? "pointer"
          : "";
    const before = hovered;
    hovered =
      picked?.hit != null && studio.overlay.value === "neighbourhood"
        ? { lane: picked.pane.id, point: picked.hit.point }
        : null;
    if (before?.point !== hovered?.point) invalidate();
  };

  canvas.addEventListener("pointerdown", down);
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  return {
    holds: (pointer) => holding?.pointer === pointer,
    pull: () =>
      holding === null || target === null
        ? null
        : { lane: holding.pane.id, point: holding.point, target },
    spokes: () => (studio.overlay.peek() === "neighbourhood" ? hovered : null),
    letGo,
    dispose() {
      canvas.removeEventListener("pointerdown", down);
      canvas.removeEventListener("pointermove", move);
      canvas.removeEventListener("pointerup", up);
      canvas.removeEventListener("pointercancel", up);
    },
  };
}

/** The ray through a place of the picture, x and y from −1 to 1. */
export function rayThrough(camera: Camera, x: number, y: number, aspect: number): Ray {
  const { f, r, u } = axes(camera);
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
