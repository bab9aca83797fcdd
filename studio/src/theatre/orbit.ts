/**
 * A camera that turns about a target: one finger turns, two fingers (or the right button, or Shift) shift, wheel and
 * pinch go nearer towards what is under them. z is up and stays up.
 */

import type { Vec3 } from "../../../src/index.ts";
import { type Camera, cameraAxes } from "../../../src/view/index.ts";

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

  const show = (next: Camera): void => {
    camera = next;
    onChange();
  };

  const turn = (right: number, up: number): void => show(turned(camera, right, up));
  const shift = (dx: number, dy: number, height: number): void =>
    show(shifted(camera, dx * scale(camera, height), dy * scale(camera, height)));
  const zoom = (factor: number, at?: { clientX: number; clientY: number }): void => {
    if (at === undefined) {
      show(zoomed(camera, factor, 0, 0));
      return;
    }
    const { left, top, width, height } = view(at.clientX, at.clientY);
    const box = element.getBoundingClientRect();
    const s = scale(camera, height);
    const dx = at.clientX - box.left - left - width / 2;
    const dy = at.clientY - box.top - top - height / 2;
    show(zoomed(camera, factor, dx * s, dy * s));
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

  const listening = new AbortController();
  const { signal } = listening;
  element.addEventListener("pointerdown", down, { signal });
  element.addEventListener("pointermove", move, { signal });
  element.addEventListener("pointerup", up, { signal });
  element.addEventListener("pointercancel", up, { signal });
  element.addEventListener("wheel", wheel, { passive: false, signal });
  element.addEventListener("contextmenu", menu, { signal });
  return {
    get camera() {
      return camera;
    },
    set: show,
    turn,
    zoom: (factor) => zoom(factor),
    dispose: () => listening.abort(),
  };
}

/** The camera about the same target, turned to the right and up by angles in radians. */
function turned(camera: Camera, right: number, up: number): Camera {
  const [x, y, z] = minus(camera.eye, camera.target);
  const flat = Math.hypot(x, y);
  const d = Math.hypot(flat, z);
  const azimuth = Math.atan2(y, x) - right;
  const most = Math.PI / 2 - POLE;
  const elevation = Math.max(-most, Math.min(most, Math.atan2(z, flat) + up));
  const c = d * Math.cos(elevation);
  const from: Vec3 = [c * Math.cos(azimuth), c * Math.sin(azimuth), d * Math.sin(elevation)];
  return { ...camera, eye: plus(camera.target, from) };
}

/** The camera and its target shifted so that what it shows moves by dx to the right and dy down, m. */
function shifted(camera: Camera, dx: number, dy: number): Camera {
  const { r, u } = cameraAxes(camera);
  const by = plus(times(r, -dx), times(u, dy));
  return { ...camera, target: plus(camera.target, by), eye: plus(camera.eye, by) };
}

/** The camera at `factor` times its distance; what is dx to the right of the target and dy below it, m, stays where it is in the picture. */
function zoomed(camera: Camera, factor: number, dx: number, dy: number): Camera {
  const from = minus(camera.eye, camera.target);
  const d = Math.hypot(...from);
  const k = Math.max(NEAREST, Math.min(FARTHEST, d * factor)) / d;
  const { r, u } = cameraAxes(camera);
  const target = plus(camera.target, plus(times(r, dx * (1 - k)), times(u, -dy * (1 - k))));
  return { ...camera, target, eye: plus(target, times(from, k)) };
}

/** m per CSS pixel at the distance of the target. */
function scale({ eye, target, fov }: Camera, height: number): number {
  return (2 * Math.hypot(...minus(eye, target)) * Math.tan(fov / 2)) / height;
}

export const plus = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const minus = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s];
