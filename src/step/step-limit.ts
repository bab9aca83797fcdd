/**
 * How far a Newton step may go where contacts are in its way, point by point.
 *
 * One factor for the whole step would let a single tight contact stop every sheet of the scene. Instead a contact that the step would pass
 * gives each of its points a plane that the point must stay behind (RowSet.addLimits). A point that goes ρ > 1 times too far is made stiffer
 * along the normal n of its plane, in the matrix alone,
 *
 *   A += k nnᵀ at that point,      k = (1.1 ρ − 1) k₀,      k₀ = 1/(nᵀ D⁻¹ n),  D the diagonal block with what was added before
 *
 * and the step is solved again from where it is: its neighbours then follow it, and what has nothing to do with it goes on as before. Energy and
 * gradient never see these rows, so the minimum stays where it is. Points that still go too far after PASSES solves are shortened by
 * themselves (RowSet.shorten). The rows fade by FADE in every further iteration. (Measured against other ways in docs/decisions/0009.)
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import { SPARE } from "../linalg/single.ts";
import type { RowSet, StepLimits } from "../system/system.ts";

/** Solves in one iteration: more hardly ever changes what is left. */
export const PASSES = 3;
/** Of a row's weight that is left in the next iteration. */
const FADE = 0.25;
/** Iterations after which it is dropped: a thousandth is left of it. */
const AGE = 5;
/** Stiffer than asked, so that the next solve ends within the plane. */
const MORE = 1.1;
/** Rows per point at most: planes of three directions hold a point. */
const ROWS = 3;

export interface Stiffening {
  readonly rows: RowSet;
  /** [rows] iterations since it was added. */
  readonly age: Int32Array;
}

export function createLimits(memory: Allocator, n: number): StepLimits {
  return { ratio: memory.f64(n), normal: memory.f64(3 * n) };
}

export function createStiffening(memory: Allocator, n: number): Stiffening {
  const most = ROWS * n;
  const identity = Int32Array.from({ length: most + 1 }, (_, k) => k);
  const rows: RowSet = {
    rowsPer: 1,
    blocks: 0,
    start: memory.copyI32(identity),
    index: memory.i32(most),
    g: memory.f64(most),
    J: memory.f64(3 * most),
    single: memory.f32(3 * most + SPARE),
    anchors: true,
    sigma: memory.f64(most),
    weight: memory.f64(most),
    evaluate() {},
    energy: () => 0,
    energyNow: () => 0,
  };
  return { rows, age: memory.i32(most) };
}

/** Asks all sets which points they stop on the way p; returns whether any. */
export function collectLimits(
  limits: StepLimits,
  sets: readonly RowSet[],
  Y: ReadonlyF64,
  p: ReadonlyF64,
): boolean {
  limits.ratio.fill(0);
  for (let s = 0; s < sets.length; s++) sets[s].addLimits?.(limits, Y, p);
  for (let i = 0; i < limits.ratio.length; i++) if (limits.ratio[i] > 1) return true;
  return false;
}

/**
 * Adds a row for every point that goes too far; false if there is no room or nothing to add.
 *
 * @param blocks  [6n] inverse diagonal blocks of the matrix, what was added before included
 */
export function stiffenPoints(
  { rows, age }: Stiffening,
  { ratio, normal }: StepLimits,
  blocks: ReadonlyF64,
  fixed: Uint8Array,
): boolean {
  const { index, J, weight } = rows;
  let any = false;
  for (let i = 0; i < ratio.length && rows.blocks < weight.length; i++) {
    if (!(ratio[i] > 1)) continue;
    const k = 3 * i;
    if (fixed[k] && fixed[k + 1] && fixed[k + 2]) continue;
    const x = normal[k];
    const y = normal[k + 1];
    const z = normal[k + 2];
    const b = 6 * i; // xx xy xz yy yz zz
    const compliance =
      x * (blocks[b] * x + 2 * (blocks[b + 1] * y + blocks[b + 2] * z)) +
      y * (blocks[b + 3] * y + 2 * blocks[b + 4] * z) +
      z * blocks[b + 5] * z;
    if (!(compliance > 0)) continue;
    const at = rows.blocks++;
    index[at] = i;
    J[3 * at] = x;
    J[3 * at + 1] = y;
    J[3 * at + 2] = z;
    weight[at] = (MORE * ratio[i] - 1) / compliance;
    age[at] = 0;
    any = true;
  }
  return any;
}

/** What was added fades, and goes when it is old. */
export function fade({ rows, age }: Stiffening): void {
  const { index, J, weight } = rows;
  let kept = 0;
  for (let r = 0; r < rows.blocks; r++) {
    if (age[r] >= AGE) continue;
    index[kept] = index[r];
    for (let c = 0; c < 3; c++) J[3 * kept + c] = J[3 * r + c];
    weight[kept] = FADE * weight[r];
    age[kept] = age[r] + 1;
    kept++;
  }
  rows.blocks = kept;
}
