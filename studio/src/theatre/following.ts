/**
 * The camera follows what leaves the picture, for as long as no hand has moved it: a scarf that is pulled aside, a sheet that
 * settles lower than it was framed. It only ever goes where all of it is seen, and stays there.
 */
import type { Vec3 } from "../../../src/index.ts";
import { type Camera, cameraAxes } from "../../../src/view/index.ts";

/** A way of the camera, with the time at which it began. */
export interface Glide {
  readonly from: Camera;
  readonly to: Camera;
  /** ms */
  readonly began: number;
}

/** ms that the camera takes. */
const WAY = 700;

/** Whether a point, xyz of each in m, is outside of a picture of that size. */
export function leavesPicture(
  camera: Camera,
  P: ArrayLike<number>,
  size: { readonly width: number; readonly height: number },
): boolean {
  const { f, r, u } = cameraAxes(camera);
  const [ex, ey, ez] = camera.eye;
  const up = Math.tan(camera.fov / 2);
  const across = (up * size.width) / size.height;
  for (let k = 0; k < P.length; k += 3) {
    const [x, y, z] = [P[k] - ex, P[k + 1] - ey, P[k + 2] - ez];
    const depth = f[0] * x + f[1] * y + f[2] * z;
    if (Math.abs(r[0] * x + r[1] * y + r[2] * z) > across * depth) return true;
    if (Math.abs(u[0] * x + u[1] * y + u[2] * z) > up * depth) return true;
  }
  return false;
}

/** The camera on its way at a time (ms), and whether it has arrived. */
export function glideAt(
  { from, to, began }: Glide,
  now: number,
): { camera: Camera; arrived: boolean } {
  const s = Math.min(1, Math.max(0, (now - began) / WAY));
  if (s === 1) return { camera: to, arrived: true };
  const share = s * s * (3 - 2 * s);
  const between = (a: Vec3, b: Vec3): Vec3 => a.map((x, c) => x + share * (b[c] - x)) as Vec3;
  const camera = {
    ...to,
    eye: between(from.eye, to.eye),
    target: between(from.target, to.target),
    fov: from.fov + share * (to.fov - from.fov),
  };
  return { camera, arrived: false };
}
