/**
 * Silhouettes: the shadow of a shape along an axis, and how far two outlines are apart.
 *
 * Two runs that agree but for the mesh have folds at the same places only as far as buckling is determined, and an experiment
 * with symmetries may choose any of its mirror images. So shapes are compared by their outlines from three sides, up to
 * the symmetries of the experiment, which the caller names.
 *
 * Shadows are drawn into a grid of `cells` along the larger side of the box around both; distances are good to a cell.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";

export interface Shape {
  /** [3n] m */
  readonly Y: ReadonlyF64;
  readonly triangles: ReadonlyI32;
}

export interface OutlineDistance {
  /** m: of the points of either outline from the other one. */
  mean: number;
  /** m: 95 % of them are nearer than this. */
  most: number;
  max: number;
}

/** Axes of the picture: x and y of the view in space. */
const VIEWS = { front: [0, 2], side: [1, 2], top: [0, 1] } as const;
export type View = keyof typeof VIEWS;

/** The eight turns and mirrors of a square about the z axis. */
export const SQUARE: readonly (readonly [number, number, number, number])[] = [
  [1, 0, 0, 1],
  [0, -1, 1, 0],
  [-1, 0, 0, -1],
  [0, 1, -1, 0],
  [-1, 0, 0, 1],
  [1, 0, 0, -1],
  [0, 1, 1, 0],
  [0, -1, -1, 0],
];

/**
 * Distance of the outlines of two shapes, averaged over front, side and top, for the symmetry that makes it least.
 *
 * @param symmetries maps [a b; c d] of (x, y) that leave the experiment as it is
 */
export function silhouetteDistance(
  first: Shape,
  second: Shape,
  {
    symmetries = [[1, 0, 0, 1]],
    cells = 220,
  }: { symmetries?: readonly (readonly [number, number, number, number])[]; cells?: number } = {},
): OutlineDistance {
  let best: OutlineDistance | null = null;
  for (const [a, b, c, d] of symmetries) {
    const Y = Float64Array.from(second.Y as Float64Array);
    for (let k = 0; k < Y.length; k += 3) {
      const [x, y] = [Y[k], Y[k + 1]];
      Y[k] = a * x + b * y;
      Y[k + 1] = c * x + d * y;
    }
    const views = (Object.keys(VIEWS) as View[]).map((view) =>
      outlineDistance(first, { Y, triangles: second.triangles }, view, cells),
    );
    const found = {
      mean: views.reduce((sum, v) => sum + v.mean, 0) / views.length,
      most: Math.max(...views.map((v) => v.most)),
      max: Math.max(...views.map((v) => v.max)),
    };
    if (best === null || found.mean < best.mean) best = found;
  }
  return best!;
}

/** The same from one side, as the shapes are. */
export function outlineDistance(
  first: Shape,
  second: Shape,
  view: View,
  cells = 220,
): OutlineDistance {
  const [h, v] = VIEWS[view];
  const min = [Infinity, Infinity];
  const max = [-Infinity, -Infinity];
  for (const { Y } of [first, second])
    for (let k = 0; k < Y.length; k += 3) {
      min[0] = Math.min(min[0], Y[k + h]);
      max[0] = Math.max(max[0], Y[k + h]);
      min[1] = Math.min(min[1], Y[k + v]);
      max[1] = Math.max(max[1], Y[k + v]);
    }
  const cell = Math.max(max[0] - min[0], max[1] - min[1]) / cells;
  const grid: Grid = {
    width: Math.ceil((max[0] - min[0]) / cell) + 3,
    height: Math.ceil((max[1] - min[1]) / cell) + 3,
    cell,
    left: min[0] - 1.5 * cell,
    bottom: min[1] - 1.5 * cell,
  };
  const [a, b] = [first, second].map((shape) => outline(shadow(shape, h, v, grid), grid));
  const gaps = [...gapsTo(a, b), ...gapsTo(b, a)].sort((p, q) => p - q);
  if (gaps.length === 0) return { mean: 0, most: 0, max: 0 };
  return {
    mean: (cell * gaps.reduce((sum, gap) => sum + gap, 0)) / gaps.length,
    most: cell * gaps[Math.floor(0.95 * (gaps.length - 1))],
    max: cell * gaps[gaps.length - 1],
  };
}

interface Grid {
  width: number;
  height: number;
  /** m */
  cell: number;
  left: number;
  bottom: number;
}

/** Cells whose middle some triangle covers. */
function shadow({ Y, triangles }: Shape, h: number, v: number, grid: Grid): Uint8Array {
  const covered = new Uint8Array(grid.width * grid.height);
  const x = (i: number): number => (Y[3 * i + h] - grid.left) / grid.cell - 0.5;
  const y = (i: number): number => (Y[3 * i + v] - grid.bottom) / grid.cell - 0.5;
  for (let t = 0; t < triangles.length; t += 3) {
    const px = [x(triangles[t]), x(triangles[t + 1]), x(triangles[t + 2])];
    const py = [y(triangles[t]), y(triangles[t + 1]), y(triangles[t + 2])];
    const low = Math.max(0, Math.ceil(Math.min(...py)));
    const high = Math.min(grid.height - 1, Math.floor(Math.max(...py)));
    for (let j = low; j <= high; j++) {
      let [from, to] = [Infinity, -Infinity];
      for (let k = 0; k < 3; k++) {
        const [ax, ay, bx, by] = [px[k], py[k], px[(k + 1) % 3], py[(k + 1) % 3]];
        if (Math.min(ay, by) > j || Math.max(ay, by) < j) continue;
        const s = ay === by ? 0 : (j - ay) / (by - ay);
        for (const at of ay === by ? [ax, bx] : [ax + s * (bx - ax)]) {
          from = Math.min(from, at);
          to = Math.max(to, at);
        }
      }
      for (let i = Math.max(0, Math.ceil(from)); i <= Math.min(grid.width - 1, to); i++)
        covered[j * grid.width + i] = 1;
    }
  }
  return covered;
}

/** Covered cells with an empty one beside them: [i, j, i, j, …]. */
function outline(covered: Uint8Array, { width, height }: Grid): number[] {
  const cells: number[] = [];
  for (let j = 1; j < height - 1; j++)
    for (let i = 1; i < width - 1; i++) {
      const at = j * width + i;
      if (!covered[at]) continue;
      if (covered[at - 1] && covered[at + 1] && covered[at - width] && covered[at + width])
        continue;
      cells.push(i, j);
    }
  return cells;
}

/** Distance of every cell of `from` to the nearest of `to`, in cells. */
function gapsTo(from: readonly number[], to: readonly number[]): number[] {
  const gaps: number[] = [];
  for (let p = 0; p < from.length; p += 2) {
    let least = Infinity;
    for (let q = 0; q < to.length; q += 2) {
      const [dx, dy] = [from[p] - to[q], from[p + 1] - to[q + 1]];
      least = Math.min(least, dx * dx + dy * dy);
    }
    gaps.push(Math.sqrt(least));
  }
  return gaps;
}
