/**
 * Solves L Lᵀ x = b by substitution.
 */
import { type Cholesky, STREAM } from "./cholesky.ts";
import { panelStart, roundUp4 } from "./symbolic.ts";

// ------------------------------------------------------------------------------------------- solve

/**
 * x = A⁻¹ x in place.
 *
 * @param x  [block·n]
 */
export function solve(cholesky: Cholesky, x: Float64Array): void {
  if (cholesky.kernels !== null) {
    cholesky.kernels.solve(cholesky, x);
    return;
  }
  const { analysis, y, structure } = cholesky;
  const { n, block } = analysis;
  const { order } = structure;
  for (let k = 0; k < n; k++)
    for (let a = 0; a < block; a++) y[block * k + a] = x[block * order[k] + a];
  substitute(cholesky);
  for (let k = 0; k < n; k++)
    for (let a = 0; a < block; a++) x[block * order[k] + a] = y[block * k + a];
}

/**
 * y = L⁻ᵀ L⁻¹ y for a right-hand side in elimination order.
 *
 * Reading L takes all the time, so the kernels read STREAM panels at once, as many streams of memory;
 * this twin adds in the order that this gives.
 */
function substitute(cholesky: Cholesky): void {
  const { analysis, L, y, w, structure } = cholesky;
  const { block, supernodes } = analysis;
  const { firstPlace, columns, rows, factorStart } = structure;
  const group = 4 * STREAM;

  // L y' = y, supernode by supernode: y₁ = G⁻¹ y₁, then y₂ −= B y₁ with y₂ scattered over y
  for (let s = 0; s < supernodes; s++) {
    const width = roundUp4(columns[s]);
    const l = factorStart[s];
    const first = block * firstPlace[s];
    for (let from = 0; from < columns[s]; from += group) {
      const to = Math.min(from + group, columns[s]);
      panelsTimesVector(w, L, l, width, from, to, y, first, from);
      for (let i = from; i < to; i++) {
        let t = y[first + i] - w[i - from];
        const at = l + panelStart(i >> 2, width) + (i & 3);
        for (let j = from; j < i; j++) t -= L[at + 4 * j] * y[first + j];
        y[first + i] = t * L[at + 4 * i];
      }
    }
    panelsTimesVector(w, L, l, width, width, width + rows[s], y, first, columns[s]);
    scatterBelow(cholesky, s);
  }

  // Lᵀ y' = y, from the root down: y₁ = G⁻ᵀ (y₁ − Bᵀ y₂)
  for (let s = supernodes - 1; s >= 0; s--) {
    const width = roundUp4(columns[s]);
    const l = factorStart[s];
    const first = block * firstPlace[s];
    gatherBelow(cholesky, s);
    subtractPanelsTransposed(y, first, L, l, width, width, width + rows[s], w, columns[s]);
    for (let from = Math.floor((columns[s] - 1) / group) * group; from >= 0; from -= group) {
      const to = Math.min(from + group, columns[s]);
      w.fill(0, 0, group);
      for (let k = (to - 1) & ~3; k >= from; k -= 4) {
        const row = l + panelStart(k >> 2, width);
        const tile = row + 4 * k;
        const used = Math.min(4, to - k);
        for (let i = used - 1; i >= 0; i--) {
          let t = y[first + k + i];
          for (let j = i + 1; j < used; j++) t -= L[tile + 4 * i + j] * w[k - from + j];
          t *= L[tile + 5 * i];
          w[k - from + i] = t;
          y[first + k + i] = t;
        }
        // from the columns of this group; those before it wait until the group is done
        for (let c = from; c < k; c++) {
          const p = row + 4 * c;
          const q = k - from;
          const even = L[p] * w[q] + L[p + 2] * w[q + 2];
          const odd = L[p + 1] * w[q + 1] + L[p + 3] * w[q + 3];
          y[first + c] -= even + odd;
        }
      }
      subtractPanelsTransposed(y, first, L, l, width, from, to, w, from);
    }
  }
}

/** w = P y over K columns of the rows from … to of a front, which start a panel. */
function panelsTimesVector(
  w: Float64Array,
  L: Float64Array,
  l: number,
  width: number,
  from: number,
  to: number,
  y: Float64Array,
  first: number,
  K: number,
): void {
  for (let r = from; r < to; r++) {
    const at = l + panelStart(r >> 2, width) + (r & 3);
    let sum = 0;
    for (let k = 0; k < K; k++) sum += L[at + 4 * k] * y[first + k];
    w[r - from] = sum;
  }
}

/**
 * y −= Pᵀ w over K columns of the rows from … to of a front: STREAM panels at a time, then one by one;
 * rows of even and odd number are summed apart.
 */
function subtractPanelsTransposed(
  y: Float64Array,
  first: number,
  L: Float64Array,
  l: number,
  width: number,
  from: number,
  to: number,
  w: Float64Array,
  K: number,
): void {
  const end = roundUp4(to);
  for (let r = from; r < end; ) {
    const next = end - r >= 4 * STREAM ? r + 4 * STREAM : r + 4;
    for (let k = 0; k < K; k++) {
      let even = 0;
      let odd = 0;
      for (let q = r; q < next; q += 2) {
        const entry = l + panelStart(q >> 2, width) + 4 * k + (q & 3);
        even += L[entry] * w[q - from];
        odd += L[entry + 1] * w[q - from + 1];
      }
      y[first + k] -= even + odd;
    }
    r = next;
  }
}

/** y at the rows below s −= w. */
function scatterBelow(cholesky: Cholesky, s: number): void {
  const { analysis, y, w, structure } = cholesky;
  const { rowStart, rowPlace } = structure;
  const run = analysis.block;
  let from = 0;
  for (let q = rowStart[s]; q < rowStart[s + 1]; q++) {
    const to = run * rowPlace[q];
    for (let a = 0; a < run; a++) y[to + a] -= w[from++];
  }
}

/** w = y at the rows below s, and zeros up to a whole tile. */
function gatherBelow(cholesky: Cholesky, s: number): void {
  const { analysis, y, w, structure } = cholesky;
  const { rows, rowStart, rowPlace } = structure;
  const run = analysis.block;
  let to = 0;
  for (let q = rowStart[s]; q < rowStart[s + 1]; q++) {
    const from = run * rowPlace[q];
    for (let a = 0; a < run; a++) w[to++] = y[from + a];
  }
  w.fill(0, to, roundUp4(rows[s]));
}
