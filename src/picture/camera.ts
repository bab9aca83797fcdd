/**
 * Where a picture is taken from: a pinhole at `eye` that looks at `target`.
 *
 * With f the unit vector from eye to target, r = f × up to the right and u = r × f upwards, a point p
 * lands on the pixel
 *
 *   w = f·(p − eye)                              depth in metres
 *   x = width/2  + s r·(p − eye) / w             s = (height/2) / tan(fov/2), pixels
 *   y = height/2 − s u·(p − eye) / w             y runs down; (0, 0) is the corner of the first pixel
 *
 * so that (x w, y w, w) is affine in p: `projection` gives those twelve numbers.
 *
 * Fitting is exact and needs no iteration. For a fixed direction, in the plane of one screen axis
 * with half-angle slope t, every point with coordinates (a across, b towards the camera) asks of a
 * camera at (c, d) that ±(a − c) ≤ t (d − b). Both sides are tight at
 *
 *   d = (A + B) / 2t,   c = (A − B) / 2,   A = max(a + t b),  B = max(−a + t b),
 *
 * and the picture takes the larger d of the two axes.
 */
import type { Vec3 } from "../scene/scene.ts";

export interface Camera {
  /** m */
  eye: Vec3;
  /** m; also the point that a turntable turns about. */
  target: Vec3;
  /** Any vector that is not along the view; the picture's vertical. */
  up: Vec3;
  /** Vertical opening angle, rad. */
  fov: number;
}

/** Directions that have a name; `auto` is three-quarter. */
export const PRESETS = ["auto", "front", "side", "top", "three-quarter", "back", "below"] as const;
export type Preset = (typeof PRESETS)[number];

/** 24°: a short telephoto lens, close to parallel lines yet with depth. */
export const FOV: number = (24 * Math.PI) / 180;

/** From the subject towards the camera. Front looks along +y at the xz plane; top has +y upwards. */
const TOWARDS: Record<Preset, Vec3> = {
  auto: [0.5, -0.8, 0.34],
  front: [0, -1, 0],
  back: [0, 1, 0],
  side: [1, 0, 0],
  top: [0, 0, 1],
  below: [0, 0, -1],
  "three-quarter": [0.5, -0.8, 0.34],
};

/**
 * The camera of a named direction (or any direction towards the camera) that just holds all points.
 *
 * @param points  [3n] m, xyz; what must be in the picture
 *
 * @example
 * const camera = fitCamera(simulation.Y);
 */
export function fitCamera(
  points: ArrayLike<number>,
  {
    from = "auto",
    aspect = 16 / 9,
    fov = FOV,
    margin = 0.08,
  }: {
    from?: Preset | Vec3;
    /** Width over height. */
    aspect?: number;
    /** rad, vertical opening angle. */
    fov?: number;
    /** Part of the half width and half height that stays free on each side. */
    margin?: number;
  } = {},
): Camera {
  const towards = unit(typeof from === "string" ? TOWARDS[from] : from);
  // Straight from above or below there is no "z up" in the picture; y takes its place.
  const up: Vec3 = Math.hypot(towards[0], towards[1]) < 1e-6 ? [0, 1, 0] : [0, 0, 1];
  const right = unit(cross(up, towards));
  const rise = cross(towards, right);

  const ty = Math.tan(fov / 2) * (1 - margin);
  const tx = Math.tan(fov / 2) * aspect * (1 - margin);
  let left = -Infinity;
  let rightmost = -Infinity;
  let top = -Infinity;
  let bottom = -Infinity;
  let near = -Infinity;
  let far = Infinity;
  for (let i = 0; i + 2 < points.length; i += 3) {
    const p: Vec3 = [points[i], points[i + 1], points[i + 2]];
    const a = dot(right, p);
    const b = dot(rise, p);
    const d = dot(towards, p);
    if (!Number.isFinite(a + b + d)) continue;
    rightmost = Math.max(rightmost, a + tx * d);
    left = Math.max(left, -a + tx * d);
    top = Math.max(top, b + ty * d);
    bottom = Math.max(bottom, -b + ty * d);
    near = Math.max(near, d);
    far = Math.min(far, d);
  }
  if (near === -Infinity) return { eye: [3, -5, 2], target: [0, 0, 0], up, fov };

  // A single point has no size: stand a metre away from it.
  const least = near + Math.max(0.05 * (near - far), near === far ? 1 : 1e-6);
  const distance = Math.max((rightmost + left) / (2 * tx), (top + bottom) / (2 * ty), least);
  const across = (rightmost - left) / 2;
  const along = (top - bottom) / 2;
  const middle = (near + far) / 2;
  const at = (d: number): Vec3 => [
    right[0] * across + rise[0] * along + towards[0] * d,
    right[1] * across + rise[1] * along + towards[1] * d,
    right[2] * across + rise[2] * along + towards[2] * d,
  ];
  return { eye: at(distance), target: at(middle), up, fov };
}

/**
 * The camera turned about the vertical axis through its target; positive angles (rad) walk to its right.
 *
 * @example
 * const fromBehind = turned(camera, Math.PI);
 */
export function turned(camera: Camera, angle: number): Camera {
  const { eye, target } = camera;
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  const spin = ([x, y, z]: Vec3): Vec3 => [c * x - s * y, s * x + c * y, z];
  const [x, y, z] = spin([eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]]);
  return { ...camera, eye: [target[0] + x, target[1] + y, target[2] + z], up: spin(camera.up) };
}

/**
 * The camera's axes: f forwards, r to the right, u upwards; an orthonormal, right-handed r, u, −f.
 *
 * @example
 * const { r, u } = cameraAxes(camera); // a drag by (dx, dy) pixels moves along dx·r − dy·u
 */
export function axes(camera: Camera): { f: Vec3; r: Vec3; u: Vec3 } {
  const { eye, target, up } = camera;
  const f = unit([target[0] - eye[0], target[1] - eye[1], target[2] - eye[2]]);
  let across = cross(f, up);
  // Looking along `up`: any upright will do, but it must be the same one every time.
  if (Math.hypot(...across) < 1e-9) across = cross(f, Math.abs(f[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]);
  const r = unit(across);
  return { f, r, u: cross(r, f) };
}

/**
 * The rows of (x w, y w, w) as affine functions of p, for a picture of that size in pixels.
 * @returns [12] rows of (px, py, pz, 1)
 */
export function projection(camera: Camera, width: number, height: number): Float64Array {
  const { f, r, u } = axes(camera);
  const s = height / 2 / Math.tan(camera.fov / 2);
  const rows = new Float64Array(12);
  for (let c = 0; c < 3; c++) {
    rows[c] = s * r[c] + (width / 2) * f[c];
    rows[4 + c] = -s * u[c] + (height / 2) * f[c];
    rows[8 + c] = f[c];
  }
  for (let row = 0; row < 12; row += 4)
    rows[row + 3] = -(
      rows[row] * camera.eye[0] +
      rows[row + 1] * camera.eye[1] +
      rows[row + 2] * camera.eye[2]
    );
  return rows;
}

/** Pixel coordinates and depth of one point: [x, y, w]; behind the camera w ≤ 0. */
export function projected(rows: Float64Array, [x, y, z]: Vec3): Vec3 {
  const w = rows[8] * x + rows[9] * y + rows[10] * z + rows[11];
  return [
    (rows[0] * x + rows[1] * y + rows[2] * z + rows[3]) / w,
    (rows[4] * x + rows[5] * y + rows[6] * z + rows[7]) / w,
    w,
  ];
}

export function dot(a: Vec3, b: Vec3): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

export function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function unit(a: Vec3): Vec3 {
  const length = Math.hypot(a[0], a[1], a[2]);
  return [a[0] / length, a[1] / length, a[2] / length];
}
