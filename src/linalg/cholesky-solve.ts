/**
 * Solves L Lᵀ x = b by substitution, for one right-hand side or four interleaved ones.
 */
import { type Cholesky, STREAM } from "./cholesky.ts";
import { panelStart, roundUp4 } from "./symbolic.ts";

// ------------------------------------------------------------------------------------------- solve

/**
 * x = A⁻¹ x in place, for `rhsCount` right-hand sides one after the other.
 *
 * @param x  [rhsCount][block·n]
 */
export function solve(cholesky: Cholesky, x: Float64Array, rhsCount = 1): void {
  if (cholesky.kernels !== null) {
    cholesky.kernels.solve(cholesky, x, rhsCount);
    return;
  }
  const { analysis, y, structure } = cholesky;
  const { n, block } = analysis;
  const { order } = structure;
  const size = block * n;
  for (let first = 0; first < rhsCount; first += 4) {
    const lanes = Math.min(4, rhsCount - first);
    const stride = lanes === 1 ? 1 : 4;
    // a missing lane repeats the last one
    for (let lane = 0; lane < stride; lane++) {
      const rhs = size * (first + Math.min(lane, lanes - 1));
      for (let k = 0; k < n; k++) {
        for (let a = 0; a < block; a++) {
          y[stride * (block * k + a) + lane] = x[rhs + block * order[k] + a];
        }
      }
    }
    if (stride === 1) substituteOne(cholesky);
    else substituteFour(cholesky);
    for (let lane = 0; lane < lanes; lane++) {
      const rhs = size * (first + lane);
      for (let k = 0; k < n; k++) {
        for (let a = 0; a < block; a++) {
          x[rhs + block * order[k] + a] = y[stride * (block * k + a) + lane];
        }
      }
    }
  }
}

/**
 * x = (A⁻¹ ⊗ I₃) x in place: a scalar factor applied to the x, y and z of every point at once.
 *
 * @param x  [3n] xyz per point
 */
export function solveXyz(cholesky: Cholesky, x: Float64Array): void {
  if (cholesky.kernels !== null) {
    cholesky.kernels.solveXyz(cholesky, x);
    return;
  }
  const { analysis, y, structure } = cholesky;
  const { n } = analysis;
  const { order } = structure;
  for (let k = 0; k < n; k++) {
    const i = 3 * order[k];
    y[4 * k] = x[i];
    y[4 * k + 1] = x[i + 1];
    y[4 * k + 2] = x[i + 2];
    y[4 * k + 3] = 0;
  }
  substituteFour(cholesky);
  for (let k = 0; k < n; k++) {
    const i = 3 * order[k];
    x[i] = y[4 * k];
    x[i + 1] = y[4 * k + 1];
    x[i + 2] = y[4 * k + 2];
  }
}

/**
 * y = L⁻ᵀ L⁻¹ y for one right-hand side in elimination order.
 *
 * Reading L takes all the time, so the kernels read STREAM panels at once, as many streams of memory;
 * this twin adds in the order that this gives.
 */
function substituteOne(cholesky: Cholesky): void {
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
    scatterBelow(cholesky, s, 1);
  }

  // Lᵀ y' = y, from the root down: y₁ = G⁻ᵀ (y₁ − Bᵀ y₂)
  for (let s = supernodes - 1; s >= 0; s--) {
    const width = roundUp4(columns[s]);
    const l = factorStart[s];
    const first = block * firstPlace[s];
    gatherBelow(cholesky, s, 1);
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

/** The same for four interleaved right-hand sides, which keep the processor busy panel by panel. */
function substituteFour(cholesky: Cholesky): void {
  const { analysis, L, y, w, structure } = cholesky;
  const { block, supernodes } = analysis;
  const { firstPlace, columns, rows, factorStart } = structure;

  for (let s = 0; s < supernodes; s++) {
    const width = roundUp4(columns[s]);
    const l = factorStart[s];
    const first = block * firstPlace[s];
    for (let k = 0; k < columns[s]; k += 4) {
      const row = l + panelStart(k >> 2, width);
      panelTimesFour(w, 0, L, row, y, 4 * first, k);
      const tile = row + 4 * k;
      for (let i = 0; i < Math.min(4, columns[s] - k); i++) {
        for (let lane = 0; lane < 4; lane++) {
          const at = 4 * (first + k) + lane;
          let t = y[at + 4 * i] - w[4 * i + lane];
          for (let j = 0; j < i; j++) t -= L[tile + 4 * j + i] * y[at + 4 * j];
          y[at + 4 * i] = t * L[tile + 5 * i];
        }
      }
    }
    for (let r = 0; r < rows[s]; r += 4) {
      const row = l + panelStart((width + r) >> 2, width);
      panelTimesFour(w, 4 * r, L, row, y, 4 * first, columns[s]);
    }
    scatterBelow(cholesky, s, 4);
  }

  for (let s = supernodes - 1; s >= 0; s--) {
    const width = roundUp4(columns[s]);
    const l = factorStart[s];
    const first = block * firstPlace[s];
    gatherBelow(cholesky, s, 4);
    for (let r = 0; r < rows[s]; r += 4) {
      const row = l + panelStart((width + r) >> 2, width);
      subtractPanelFour(y, 4 * first, L, row, w, 4 * r, columns[s]);
    }
    for (let k = width - 4; k >= 0; k -= 4) {
      const row = l + panelStart(k >> 2, width);
      const tile = row + 4 * k;
      const used = Math.min(4, columns[s] - k);
      w.fill(0, 0, 16);
      for (let i = used - 1; i >= 0; i--) {
        for (let lane = 0; lane < 4; lane++) {
          const at = 4 * (first + k + i) + lane;
          let t = y[at];
          for (let j = i + 1; j < used; j++) t -= L[tile + 4 * i + j] * w[4 * j + lane];
          w[4 * i + lane] = t * L[tile + 5 * i];
          y[at] = w[4 * i + lane];
        }
      }
      subtractPanelFour(y, 4 * first, L, row, w, 0, k);
    }
  }
}

/** w[at … at+15] = P y, one row of four right-hand sides after the other. */
function panelTimesFour(
  w: Float64Array,
  at: number,
  L: Float64Array,
  panel: number,
  y: Float64Array,
  first: number,
  K: number,
): void {
  for (let r = 0; r < 4; r++) {
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let k = 0; k < K; k++) {
      const a = L[panel + 4 * k + r];
      const q = first + 4 * k;
      s0 += a * y[q];
      s1 += a * y[q + 1];
      s2 += a * y[q + 2];
      s3 += a * y[q + 3];
    }
    w[at + 4 * r] = s0;
    w[at + 4 * r + 1] = s1;
    w[at + 4 * r + 2] = s2;
    w[at + 4 * r + 3] = s3;
  }
}

/** y −= Pᵀ w for four interleaved right-hand sides. */
function subtractPanelFour(
  y: Float64Array,
  first: number,
  L: Float64Array,
  panel: number,
  w: Float64Array,
  at: number,
  K: number,
): void {
  for (let k = 0; k < K; k++) {
    const a0 = L[panel + 4 * k];
    const a1 = L[panel + 4 * k + 1];
    const a2 = L[panel + 4 * k + 2];
    const a3 = L[panel + 4 * k + 3];
    for (let lane = 0; lane < 4; lane++) {
      const q = at + lane;
      y[first + 4 * k + lane] -= a0 * w[q] + a1 * w[q + 4] + a2 * w[q + 8] + a3 * w[q + 12];
    }
  }
}

/** y at the rows below s −= w. */
function scatterBelow(cholesky: Cholesky, s: number, lanes: number): void {
  const { analysis, y, w, structure } = cholesky;
  const { rowStart, rowPlace } = structure;
  const run = lanes * analysis.block;
  let from = 0;
  for (let q = rowStart[s]; q < rowStart[s + 1]; q++) {
    const to = run * rowPlace[q];
    for (let a = 0; a < run; a++) y[to + a] -= w[from++];
  }
}

/** w = y at the rows below s, and zeros up to a whole tile. */
function gatherBelow(cholesky: Cholesky, s: number, lanes: number): void {
  const { analysis, y, w, structure } = cholesky;
  const { rows, rowStart, rowPlace } = structure;
  const run = lanes * analysis.block;
  let to = 0;
  for (let q = rowStart[s]; q < rowStart[s + 1]; q++) {
    const from = run * rowPlace[q];
    for (let a = 0; a < run; a++) w[to++] = y[from + a];
  }
  w.fill(0, to, lanes * roundUp4(rows[s]));
}
