/**
 * What every exporter takes: a mesh whose points move, frame by frame, and rigid bodies beside it.
 *
 * Frames are read one at a time and at random, so an exporter holds one or two of them however long
 * the recording is, and formats that need a number before the data (sizes, bounds) read twice. What a
 * user may choose (range, rate, axes, bodies) is a function from an animation to an animation; the
 * exporters know nothing of it.
 *
 * Names: z is up here. Formats that other programs read as y up get the points turned by −90° about x.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { pointNormals } from "../sheet/normals.ts";

export interface Animation {
  readonly name: string;
  readonly n: number;
  /** [3·triangles] */
  readonly triangles: ReadonlyI32;
  /** [2n] m, material coordinates; null without. */
  readonly uv: ReadonlyF64 | null;
  /** Frames per second. */
  readonly rate: number;
  readonly frames: number;
  /** Writes the points of a frame, [3n] m, into `out`. */
  positions(frame: number, out: Float64Array): void;
  /** Writes the unit normals of a frame, [3n]; without, they are those of the triangles around each point. */
  normals?(frame: number, out: Float64Array): void;
  readonly fields?: readonly Field[];
  /** Sheets that become objects of their own where the format has objects; one whole without. */
  readonly parts?: readonly AnimationPart[];
  readonly bodies?: readonly RigidBody[];
}

/** A number per point or per triangle: strain, curvature, contact. */
export interface Field {
  readonly name: string;
  readonly per: "point" | "triangle";
  values(frame: number, out: Float64Array): void;
}

export interface AnimationPart {
  readonly name: string;
  readonly firstPoint: number;
  readonly points: number;
  readonly firstTriangle: number;
  readonly triangles: number;
  readonly color?: DisplayColor;
}

/** Linear red, green and blue, 0 … 1: what the front of a sheet or a body looks like in our own pictures. */
export type DisplayColor = readonly [number, number, number];

export interface RigidBody {
  readonly name: string;
  readonly color?: DisplayColor;
  /** [3·points] m, in the frame of the body. */
  readonly positions: ReadonlyF64;
  readonly triangles: ReadonlyI32;
  /** Writes position xyz (m) and unit quaternion xyzw, [7]. */
  pose(frame: number, out: Float64Array): void;
  /** Its points in a frame, in the frame of the body, where they move: then it is not rigid, and withBodies makes it a part. */
  vertices?(frame: number): Float64Array;
}

export type Up = "y" | "z";

/** One file of an export. Its chunks must be taken before the next file is asked for. */
export interface OutputFile {
  readonly name: string;
  readonly chunks: Iterable<Uint8Array>;
}

export interface Selection {
  /** First and last frame of the recording, counted from 0. */
  readonly from?: number;
  readonly to?: number;
  /** Frames per second of the result; between recorded frames points move straight. */
  readonly rate?: number;
}

/**
 * The frames from … to of an animation, at another rate if one is given.
 *
 * @example
 * const second = select(animation, { from: 24, to: 48 });
 */
export function select(animation: Animation, { from = 0, to, rate }: Selection): Animation {
  const last = Math.min(to ?? animation.frames - 1, animation.frames - 1);
  if (!(Number.isInteger(from) && Number.isInteger(last) && from >= 0 && from <= last))
    throw new RangeError(
      `frames ${from} … ${to ?? "end"}: needs whole numbers within 0 … ${animation.frames - 1}`,
    );
  if (rate !== undefined && !(rate > 0 && rate < 1e6))
    throw new RangeError(`rate ${rate}: needs a number of frames per second above 0`);
  const ratio = animation.rate / (rate ?? animation.rate);
  // a ratio of whole numbers must end on the last frame in spite of rounding
  const frames = Math.floor((last - from) / ratio + 1e-9) + 1;
  const place = (frame: number): [number, number] => {
    const at = from + frame * ratio;
    const near = Math.round(at);
    const whole = Math.abs(at - near) < 1e-9 * (1 + at) ? near : Math.floor(at);
    return [whole, Math.max(0, at - whole)];
  };

  /** Blends two frames; `other` is scratch of the same length. */
  const blended =
    (read: (frame: number, out: Float64Array) => void) =>
    (frame: number, out: Float64Array): void => {
      const [whole, part] = place(frame);
      read(whole, out);
      if (part < 1e-9 || whole >= last) return;
      const other = new Float64Array(out.length);
      read(whole + 1, other);
      for (let k = 0; k < out.length; k++) out[k] += part * (other[k] - out[k]);
    };
  return {
    ...animation,
    rate: rate ?? animation.rate,
    frames,
    positions: blended((frame, out) => animation.positions(frame, out)),
    ...(animation.normals && {
      normals: unit(blended((frame, out) => animation.normals!(frame, out))),
    }),
    ...(animation.fields && {
      fields: animation.fields.map((field) => ({
        ...field,
        values: blended((frame, out) => field.values(frame, out)),
      })),
    }),
    ...(animation.bodies && {
      bodies: animation.bodies.map((body) => ({
        ...body,
        pose: (frame: number, out: Float64Array) => {
          const [whole, part] = place(frame);
          body.pose(whole, out);
          if (part < 1e-9 || whole >= last) return;
          const other = new Float64Array(7);
          body.pose(whole + 1, other);
          blendPoses(out, other, part);
        },
      })),
    }),
  };
}

/** Vectors of length 1, also between frames. */
function unit(
  read: (frame: number, out: Float64Array) => void,
): (frame: number, out: Float64Array) => void {
  return (frame, out) => {
    read(frame, out);
    makeUnit(out);
  };
}

/** a += part·(b − a), the quaternion along the shorter way and made a unit again. */
function blendPoses(a: Float64Array, b: Float64Array, part: number): void {
  let dot = 0;
  for (let k = 3; k < 7; k++) dot += a[k] * b[k];
  const sign = dot < 0 ? -1 : 1;
  for (let k = 0; k < 7; k++) a[k] += part * ((k < 3 ? b[k] : sign * b[k]) - a[k]);
  const length = Math.hypot(a[3], a[4], a[5], a[6]);
  for (let k = 3; k < 7; k++) a[k] /= length;
}

/**
 * The animation with y up: (x, y, z) becomes (x, z, −y).
 *
 * @example
 * const forMaya = turned(animation, "y");
 */
export function turned(animation: Animation, up: Up): Animation {
  if (up === "z") return animation;
  return {
    ...animation,
    positions: (frame, out) => {
      animation.positions(frame, out);
      turn(out);
    },
    ...(animation.normals && {
      normals: (frame, out) => {
        animation.normals!(frame, out);
        turn(out);
      },
    }),
    ...(animation.bodies && {
      bodies: animation.bodies.map((body) => {
        const positions = Float64Array.from(
          { length: body.positions.length },
          (_, k) => body.positions[k],
        );
        turn(positions);
        return {
          ...body,
          positions,
          // the axis of a rotation turns as a point does
          pose: (frame: number, out: Float64Array) => {
            body.pose(frame, out);
            [out[1], out[2], out[4], out[5]] = [out[2], -out[1], out[5], -out[4]];
          },
        };
      }),
    }),
  };
}

/** In place: (x, y, z) → (x, z, −y), from z up to y up. */
export function turn(positions: Float64Array): void {
  for (let k = 0; k < positions.length; k += 3) {
    const y = positions[k + 1];
    positions[k + 1] = positions[k + 2];
    positions[k + 2] = 0 - y; // not −y: no negative zeros
  }
}

/** In place: (x, y, z) → (x, −z, y), from y up to z up. */
export function turnBack(positions: Float64Array): void {
  for (let k = 0; k < positions.length; k += 3) {
    const y = positions[k + 1];
    positions[k + 1] = 0 - positions[k + 2];
    positions[k + 2] = y;
  }
}

/**
 * Bodies made into moving points, as further parts, for formats that know no rigid motion.
 *
 * @example
 * const points = withBodies(recordedAnimation(recording)); // no rigid bodies left
 */
export function withBodies(
  animation: Animation,
  which: (body: RigidBody) => boolean = () => true,
): Animation {
  const bodies = (animation.bodies ?? []).filter(which);
  const others = (animation.bodies ?? []).filter((body) => !which(body));
  if (bodies.length === 0) return animation;
  const corners = bodies.reduce((sum, body) => sum + body.triangles.length, 0);
  const triangles = new Int32Array(animation.triangles.length + corners);
  for (let k = 0; k < animation.triangles.length; k++) triangles[k] = animation.triangles[k];
  const parts = [...partsOf(animation)];
  let n = animation.n;
  let t = animation.triangles.length;
  for (const { name, positions, triangles: own } of bodies) {
    const points = positions.length / 3;
    parts.push({ name, firstPoint: n, points, firstTriangle: t / 3, triangles: own.length / 3 });
    for (let k = 0; k < own.length; k++) triangles[t++] = n + own[k];
    n += points;
  }
  let uv: Float64Array | null = null;
  if (animation.uv !== null) {
    uv = new Float64Array(2 * n);
    uv.set(animation.uv as Float64Array);
  }
  const pose = new Float64Array(7);
  const ownNormals = bodies.map((body) => {
    const normals = new Float64Array(body.positions.length);
    pointNormals(normals, body.positions, body.triangles);
    return normals;
  });
  const { bodies: _, fields = [], ...rest } = animation;
  return {
    ...rest,
    ...(others.length > 0 ? { bodies: others } : {}),
    n,
    triangles,
    uv,
    parts,
    fields: fields.map((field) => ({
      ...field,
      values: (frame, out) => {
        out.fill(0);
        const count = field.per === "point" ? animation.n : animation.triangles.length / 3;
        field.values(frame, out.subarray(0, count));
      },
    })),
    positions: (frame, out) => {
      animation.positions(frame, out.subarray(0, 3 * animation.n));
      let at = 3 * animation.n;
      for (const body of bodies) {
        body.pose(frame, pose);
        at = placePoints(out, at, body.vertices?.(frame) ?? body.positions, pose);
      }
    },
    ...(animation.normals && {
      normals: (frame, out) => {
        animation.normals!(frame, out.subarray(0, 3 * animation.n));
        let at = 3 * animation.n;
        for (const [k, body] of bodies.entries()) {
          body.pose(frame, pose);
          pose.fill(0, 0, 3); // turned only
          const bent = body.vertices?.(frame);
          if (bent) pointNormals(ownNormals[k], bent, body.triangles);
          at = placePoints(out, at, ownNormals[k], pose);
        }
      },
    }),
  };
}

/** A body as an animation of its own, for formats whose files hold one mesh; one frame if it never moves. */
export function bodyAnimation(animation: Animation, body: RigidBody): Animation {
  const pose = new Float64Array(7);
  const alone: Animation = {
    name: `${animation.name}_${body.name}`,
    n: body.positions.length / 3,
    triangles: body.triangles,
    uv: null,
    rate: animation.rate,
    frames: animation.frames,
    positions: (frame, out) => {
      body.pose(frame, pose);
      placePoints(out, 0, body.positions, pose);
    },
  };
  return isStill(body, animation.frames) ? select(alone, { from: 0, to: 0 }) : alone;
}

function isStill(body: RigidBody, frames: number): boolean {
  const [first, pose] = [new Float64Array(7), new Float64Array(7)];
  body.pose(0, first);
  for (let frame = 1; frame < frames; frame++) {
    body.pose(frame, pose);
    if (pose.some((x, k) => x !== first[k])) return false;
  }
  return true;
}

/** Writes R p + x of every point from `at` on; returns where it ended. */
function placePoints(
  out: Float64Array,
  at: number,
  points: ReadonlyF64,
  pose: Float64Array,
): number {
  const [x, y, z, a, b, c, w] = pose;
  for (let k = 0; k < points.length; k += 3) {
    const px = points[k];
    const py = points[k + 1];
    const pz = points[k + 2];
    // p + 2w (q × p) + 2 q × (q × p)
    const tx = 2 * (b * pz - c * py);
    const ty = 2 * (c * px - a * pz);
    const tz = 2 * (a * py - b * px);
    out[at++] = x + px + w * tx + (b * tz - c * ty);
    out[at++] = y + py + w * ty + (c * tx - a * tz);
    out[at++] = z + pz + w * tz + (a * ty - b * tx);
  }
  return at;
}

/** The parts of an animation; the whole of it if it names none. */
export function partsOf(animation: Animation): readonly AnimationPart[] {
  if (animation.parts && animation.parts.length > 0) return animation.parts;
  return [
    {
      name: animation.name,
      firstPoint: 0,
      points: animation.n,
      firstTriangle: 0,
      triangles: animation.triangles.length / 3,
    },
  ];
}

/** Triangles of a part, counted from its first point; uv likewise. */
export function partMesh(
  animation: Animation,
  part: AnimationPart,
): { triangles: Int32Array; uv: Float64Array | null } {
  const triangles = new Int32Array(3 * part.triangles);
  for (let k = 0; k < triangles.length; k++)
    triangles[k] = animation.triangles[3 * part.firstTriangle + k] - part.firstPoint;
  if (animation.uv === null) return { triangles, uv: null };
  const uv = new Float64Array(2 * part.points);
  for (let k = 0; k < uv.length; k++) uv[k] = animation.uv[2 * part.firstPoint + k];
  return { triangles, uv };
}

/** Normals of a frame whose points were read: the animation's own, or those of the triangles around each point. */
export function frameNormals(
  normals: Float64Array,
  animation: Animation,
  frame: number,
  P: ReadonlyF64,
): void {
  if (animation.normals) animation.normals(frame, normals);
  else pointNormals(normals, P, animation.triangles);
}

function makeUnit(normals: Float64Array): void {
  for (let i = 0; i < normals.length; i += 3) {
    const [x, y, z] = [normals[i], normals[i + 1], normals[i + 2]];
    const length = Math.sqrt(x * x + y * y + z * z);
    if (length > 0) for (let c = 0; c < 3; c++) normals[i + c] /= length;
    else normals[i + 2] = 1; // a point without triangles: any unit vector will do
  }
}

/** Frame numbers in file names: 0001, 0002, …; wide enough that names sort as numbers do. */
export function frameNumber(frame: number, last: number): string {
  const digits = Math.max(4, String(Math.abs(last)).length);
  const text = String(Math.abs(frame)).padStart(digits, "0");
  return frame < 0 ? `-${text}` : text;
}

/** A name that every format and file system takes. */
export function plainName(name: string, fallback: string = "sheet"): string {
  const plain = name.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^_+|_+$/g, "");
  if (plain === "") return fallback;
  return /^[0-9]/.test(plain) ? `_${plain}` : plain;
}

/** A plain name that was not used before; notes it as used. */
export function uniqueName(name: string, used: Set<string>): string {
  let plain = plainName(name);
  for (let k = 2; used.has(plain); k++) plain = `${plainName(name)}_${k}`;
  used.add(plain);
  return plain;
}
