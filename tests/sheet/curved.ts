/** Poses of sheets with frames that can be written down: what arcs and patches are tested on. */
import type { ReadonlyF64 } from "../../src/linalg/arena.ts";
import { type FramedSheet, withTangents } from "../../src/sheet/frames.ts";
import type { Sheet } from "../../src/sheet/kinematics.ts";
import { sheetOf } from "../support.ts";

/** Place, and the two derivatives, of a map of material coordinates. */
export type Embedding = (u: number, v: number) => { y: number[]; du: number[]; dv: number[] };

/** u around a cylinder of radius R about y, v along it. */
export function rolled(R: number): Embedding {
  return (u, v) => ({
    y: [R * Math.sin(u / R), v, R * (1 - Math.cos(u / R))],
    du: [Math.cos(u / R), 0, Math.sin(u / R)],
    dv: [0, 1, 0],
  });
}

/** A plane, turned and moved, with stretches along u and v. */
export function plane(stretch = 1, other: number = stretch): Embedding {
  const [a, b] = [
    [2 / 3, 2 / 3, 1 / 3],
    [-2 / 3, 1 / 3, 2 / 3],
  ];
  return (u, v) => ({
    y: [0, 1, 2].map((c) => 0.3 + stretch * u * a[c] + other * v * b[c]),
    du: a.map((x) => stretch * x),
    dv: b.map((x) => other * x),
  });
}

/** A pose of a flat sheet, whose charts all are its uv up to a turn. */
export function poseOf(sheet: FramedSheet<Sheet>, at: Embedding): Float64Array {
  const { n, uv, edges } = sheet;
  return posed(
    sheet,
    (i) => at(uv[2 * i], uv[2 * i + 1]),
    (e) => [
      uv[2 * edges[2 * e + 1]] - uv[2 * edges[2 * e]],
      uv[2 * edges[2 * e + 1] + 1] - uv[2 * edges[2 * e] + 1],
    ],
    n,
  );
}

/** The rest shape of a tube about z: around and along, closed at its seam. */
export function tubePose(sheet: FramedSheet<Sheet>): Float64Array {
  const { rest, edges, n } = sheet;
  const R = Math.hypot(rest[0], rest[1]);
  const angle = (i: number): number => Math.atan2(rest[3 * i + 1], rest[3 * i]);
  return posed(
    sheet,
    (i) => ({
      y: [rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]],
      du: [-Math.sin(angle(i)), Math.cos(angle(i)), 0],
      dv: [0, 0, 1],
    }),
    (e) => {
      let turn = angle(edges[2 * e + 1]) - angle(edges[2 * e]);
      turn -= 2 * Math.PI * Math.round(turn / (2 * Math.PI));
      return [R * turn, rest[3 * edges[2 * e + 1] + 2] - rest[3 * edges[2 * e] + 2]];
    },
    n,
  );
}

/** F of each sample from the derivatives, turned into its chart: t of an edge there and its direction in the material tell how. */
function posed(
  { spacing, edges, tangent }: FramedSheet<Sheet>,
  at: (i: number) => { y: number[]; du: number[]; dv: number[] },
  direction: (e: number) => [number, number],
  n: number,
): Float64Array {
  const Y = new Float64Array(9 * n);
  for (let k = 0; k < edges.length; k++) {
    const [i, e] = [edges[k], k >> 1];
    const [x, y] = direction(e);
    const length = Math.hypot(x, y);
    const [tx, ty] = [tangent[2 * k], tangent[2 * k + 1]];
    const [cos, sin] = [(tx * x + ty * y) / length, (tx * y - ty * x) / length];
    const { y: place, du, dv } = at(i);
    Y.set(place, 3 * i);
    for (let c = 0; c < 3; c++) {
      Y[3 * n + 6 * i + c] = spacing[i] * (cos * du[c] + sin * dv[c]);
      Y[3 * n + 6 * i + 3 + c] = spacing[i] * (cos * dv[c] - sin * du[c]);
    }
  }
  return Y;
}

export function framedSheet(sheet: Parameters<typeof sheetOf>[0] = {}): FramedSheet<Sheet> {
  return withTangents(sheetOf(sheet));
}

export function point(Y: ReadonlyF64 | Float32Array, i: number): number[] {
  return [Y[3 * i], Y[3 * i + 1], Y[3 * i + 2]];
}
