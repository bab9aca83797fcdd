/**
 * A camera that turns about a target: one finger turns, two fingers (or the right button, or Shift) shift, wheel and
 * pinch go nearer towards what is under them. z is up and stays up.
 */
import type { Vec3 } from "../../../src/index.ts";
import { axes, type Camera } from "../engine/core.ts";
export interface Orbit {
  readonly camera: Camera;
  set(camera: Camera): void;
  /** Turns by angles in radians. */
  turn(right: number, up: number): void;
  /** Goes nearer (< 1) or farther (> 1). */
  zoom(factor: number): void;
  dispose(): void;
}

interface Options {
  /** Whether this pointer is busy with something else. */
  taken(event: PointerEvent): boolean;
  /** The part of the element that a pointer is over, in CSS pixels from its upper left corner. */
  view(
    clientX: number,
    clientY: number,
  ): { left: number; top: number; width: number; height: number };
  onChange(): void;
}

/** Radians from straight above: the picture's upright would be lost there. */
const POLE = 0.02;
/** m between eye and target. */
const NEAREST = 0.03;
const FARTHEST = 80;

export function createOrbit(element: HTMLElement, { taken, view, onChange }: Options): Orbit {
  let camera: Camera = { eye: [2, -3, 1.5], target: [0, 0, 0], up: [0, 0, 1], fov: 0.5 };
  const fingers = new Map<number, { x: number; y: number; shift: boolean }>();

  const offset = (): Vec3 => minus(camera.eye, camera.target);
  const place = (target: Vec3, from: Vec3): void => {
    camera = { ...camera, target, eye: plus(target, from) };
    onChange();
  };

  const turn = (right: number, up: number): void => {
    const [x, y, z] = offset();
    const flat = Math.hypot(x, y);
    const d = Math.hypot(flat, z);
    const azimuth = Math.atan2(y, x) - right;
    const most = Math.PI / 2 - POLE;
    const elevation = Math.max(-most, Math.min(most, Math.atan2(z, flat) + up));
    const c = d * Math.cos(elevation);
    place(camera.target, [c * Math.cos(azimuth), c * Math.sin(azimuth), d * Math.sin(elevation)]);
  };

  /** m per CSS pixel at the distance of the target. */
  const scale = (height: number): number =>
    (2 * Math.hypot(...offset()) * Math.tan(camera.fov / 2)) / height;

  const shift = (dx: number, dy: number, height: number): void => {
    const { r, u } = axes(camera);
    const s = scale(height);
    place(plus(camera.target, plus(times(r, -dx * s), times(u, dy * s))), offset());
  };

  const zoom = (factor: number, at?: { clientX: number; clientY: number }): void => {
    const from = offset();
    const d = Math.hypot(...from);
    const to = Math.max(NEAREST, Math.min(FARTHEST, d * factor));
    const k = to / d;
    let { target } = camera;
    if (at !== undefined) {
      // what is under the pointer stays there
      const { left, top, width, height } = view(at.clientX, at.clientY);
      const box = element.getBoundingClientRect();
      const { r, u } = axes(camera);
      const s = scale(height) * (1 - k);
      const dx = at.clientX - box.left - left - width / 2;
      const dy = at.clientY - box.top - top - height / 2;
      target = plus(target, plus(times(r, dx * s), times(u, -dy * s)));
    }
    place(target, times(from, k));
  };

  const down = (event: PointerEvent): void => {
    if (taken(event)) return;
    element.setPointerCapture(event.pointerId);
    const shifting = event.button === 2 || event.button === 1 || event.shiftKey;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY, shift: shifting });
  };
  const move = (event: PointerEvent): void => {
    const finger = fingers.get(event.pointerId);
    if (finger === undefined) return;
    const dx = event.clientX - finger.x;
    const dy = event.clientY - finger.y;
    const { height } = view(event.clientX, event.clientY);
    if (fingers.size === 2) {
      const other = [...fingers.entries()].find(([id]) => id !== event.pointerId)![1];
      const before = Math.hypot(finger.x - other.x, finger.y - other.y);
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      finger.x = event.clientX;
      finger.y = event.clientY;
      shift(dx / 2, dy / 2, height);
      if (before > 4 && after > 4)
        zoom(before / after, {
          clientX: (finger.x + other.x) / 2,
          clientY: (finger.y + other.y) / 2,
        });
      return;
    }
    finger.x = event.clientX;
    finger.y = event.clientY;
    if (finger.shift) shift(dx, dy, height);
    else turn((dx * Math.PI) / height, (dy * Math.PI) / height);
  };
  const up = (event: PointerEvent): void => {
    fingers.delete(event.pointerId);
  };
  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 24 : 1;
    zoom(Math.exp(Math.max(-80, Math.min(80, event.deltaY * lines)) * 0.002), event);
  };
  const menu = (event: Event): void => event.preventDefault();

  element.addEventListener("pointerdown", down);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", up);
  element.addEventListener("wheel", wheel, { passive: false });
  element.addEventListener("contextmenu", menu);
  return {
    get camera() {
      return camera;
    },
    set(next) {
      camera = next;
      onChange();
    },
    turn,
    zoom: (factor) => zoom(factor),
    dispose() {
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", up);
      element.removeEventListener("wheel", wheel);
      element.removeEventListener("contextmenu", menu);
    },
  };
}

export const plus = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const minus = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s];
