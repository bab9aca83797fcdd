/**
 * Analysis of patterns whose points have places, large ones by nested dissection. Apart from cholesky.ts: pages that drape cloth factor
 * the coarse level only, whose few points minimum degree orders as well, and do not load it (2 kB, compressed).
 */
import type { ReadonlyF64 } from "./arena.ts";
import { analyse } from "./cholesky.ts";
import { nestedDissection } from "./ordering.ts";
import { type BlockPattern, type BlockSize, graphOf } from "./sparse.ts";
import type { Analysis } from "./symbolic.ts";

/**
 * Up to this many points minimum degree gives as few operations as nested dissection, in a tenth of the
 * time; at 2716 it gives 6 % more, at 15 039 28 %.
 */
const SMALL = 1000;

/**
 * Orders and analyses a pattern.
 *
 * @param coordinates [2n] or [3n] rest positions
 * @param threads 2 plans for kernels with a partner (kernels/partner.ts): some more memory, the same bits
 */
export function analyseInSpace(
  pattern: BlockPattern,
  block: BlockSize,
  coordinates: ReadonlyF64,
  threads: 1 | 2 = 1,
): Analysis {
  if (pattern.n <= SMALL) return analyse(pattern, block, { threads });
  const order = nestedDissection(graphOf(pattern), coordinates);
  return analyse(pattern, block, { order, threads });
}
