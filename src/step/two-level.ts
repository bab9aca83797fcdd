/**
 * Two-level preconditioner of samples with frames: z = D⁻¹ r + Z A_c⁻¹ Zᵀ r.
 *
 * The fine level sees one sample at a time; a hanging sheet also moves in the large. Z interpolates from coarse points some three spacings apart
 * (coarse-points.ts), and
 *
 *   A_c = Zᵀ (A ⊗ I₃ + JᵀWJ) Z          3×3 blocks, sparse, factored once a step (coarse-matrix.ts)
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import {
  attachKernels,
  type Cholesky,
  type CholeskyKernels,
  prepareCholesky,
} from "../linalg/cholesky.ts";
import { factor } from "../linalg/cholesky-factor.ts";
import { solve } from "../linalg/cholesky-solve.ts";
import type { RowSet } from "../system/system.ts";
import {
  addPointBlocks,
  type CoarseForms,
  createLevel,
  type Level,
  type ScalarScratch,
  setCoarseScalar,
  setForms,
  setScalar,
  shiftDiagonal,
  type TwoLevelOperations,
  twoLevelOperations,
} from "./coarse-matrix.ts";
import type { TwoLevelPlan } from "./coarse-plan.ts";
import type { FrameJacobi } from "./frame-blocks.ts";
import type { MinimiseWork, Potential, Preconditioner } from "./minimise.ts";
import { takeBlocks } from "./single-solve.ts";
import { createTransfers, type Transfers } from "./transfers.ts";

export interface TwoLevel extends Preconditioner {
  readonly coarse: number;
  /** Forgets the coarse matrix; call when a step begins. */
  startStep(): void;
  attach(kernels: TwoLevelOperations & CholeskyKernels): void;
}

/** No coarse level: what samples without frames have. */
export function oneLevel(fine: Preconditioner): TwoLevel {
  return { ...fine, coarse: 0, startStep() {}, attach() {} };
}

/** What a two-level preconditioner is made for. */
export interface CoarseMembrane {
  /** Isometry of the frames, one block per sample. */
  readonly rows: RowSet;
  /** The fine level. */
  readonly fine: FrameJacobi;
  /** Writes the stiffness of every edge along the form of its arc into out, six numbers each. */
  readonly stiffness: (out: Float64Array) => void;
}

/** What the coarse level holds between steps. */
interface CoarseState {
  readonly plan: TwoLevelPlan;
  readonly membrane: CoarseMembrane;
  readonly level: Level;
  readonly transfers: Transfers;
  readonly cholesky: Cholesky;
  ops: TwoLevelOperations;
  /** [blocks of the coarse matrix] N/m: ZᵀKZ and Zᵀdiag Z, which change with the step size and the held points alone. */
  readonly constant: Float64Array;
  readonly forms: CoarseForms;
  readonly edgeStiffness: Float64Array; // [6·edges] N/m
  readonly anchors: Float64Array; // [6·points] N/m, 3×3 blocks
  readonly scratch: ScalarScratch;
  readonly row: Float64Array; // [coarse]
  /** Fingerprints of what `constant` and `forms` were made for: sums over the diagonal and over the held points. */
  constantFor: number;
  heldFor: number;
  /** Whether the factor is of this step, and whether the matrix could be factored. */
  isFresh: boolean;
  isUsable: boolean;
  fixed: Uint8Array | null;
}

export function twoLevel(
  memory: Allocator,
  plan: TwoLevelPlan,
  membrane: CoarseMembrane,
): TwoLevel {
  const state = createCoarse(memory, plan, membrane);
  return {
    coarse: plan.Z.coarse,
    parts: {
      blocks: membrane.fine.blocks,
      transfers: state.transfers,
      cholesky: state.cholesky,
      hasCoarse: () => state.isUsable && state.fixed !== null,
    },
    startStep() {
      state.isFresh = false;
    },
    attach(kernels) {
      attachKernels(state.cholesky, kernels);
      state.ops = kernels;
    },
    update: (work, potential) => update(state, work, potential),
    apply: (z, r, work) => apply(state, z, r, work),
  };
}

function createCoarse(
  memory: Allocator,
  plan: TwoLevelPlan,
  membrane: CoarseMembrane,
): CoarseState {
  const { Z, pattern, lower, forms, formsRoom } = plan;
  const n = Z.start.length - 1;
  const edges = forms.points.length / forms.per;
  return {
    plan,
    membrane,
    cholesky: prepareCholesky(memory, plan.analysis),
    level: createLevel(memory, plan, membrane.rows.rowsPer),
    transfers: createTransfers(memory, Z),
    ops: twoLevelOperations,
    constant: new Float64Array(lower.index.length),
    anchors: memory.f64(6 * pattern.rows),
    forms: {
      edges,
      start: memory.i32(edges + 1),
      node: new Int32Array(formsRoom.nodes),
      weight: memory.f64(formsRoom.nodes),
      at: memory.i32(formsRoom.pairs),
    },
    edgeStiffness: memory.f64(6 * edges),
    scratch: {
      held: new Uint8Array(n),
      value: new Float64Array(n),
      mark: new Int32Array(n).fill(-1),
      touched: new Int32Array(n),
    },
    row: new Float64Array(Z.coarse),
    constantFor: Number.NaN,
    heldFor: -1,
    isFresh: false,
    isUsable: false,
    fixed: null,
  };
}

function update(state: CoarseState, work: MinimiseWork, potential: Potential): void {
  state.membrane.fine.update(work, potential);
  if (potential.single && work.sheet) takeBlocks(work.sheet);
  state.fixed = potential.fixed;
  if (state.isFresh) return;
  assemble(state, work, potential);
  const t = performance.now();
  state.isUsable = factor(state.cholesky, state.level.values) === 0;
  const took = performance.now() - t;
  work.clock.factor += took;
  work.clock.assemble -= took; // the caller counts all of this as assembling
  state.isFresh = true;
}

function apply(
  { membrane, isUsable, fixed, ops, transfers, cholesky }: CoarseState,
  z: Float64Array,
  r: ReadonlyF64,
  work: MinimiseWork,
): void {
  membrane.fine.apply(z, r, work);
  if (!isUsable || fixed === null) return;
  ops.restrict(transfers, r);
  solve(cholesky, transfers.rhs);
  ops.prolong(z, transfers, fixed);
}

function assemble(state: CoarseState, work: MinimiseWork, potential: Potential): void {
  const { level, membrane, forms, edgeStiffness, constant, ops } = state;
  renewConstants(state, potential);
  setScalar(level, constant);
  membrane.stiffness(edgeStiffness);
  ops.addCoarseForms(level.values, forms, edgeStiffness);
  ops.addCoarseRows(level, membrane.rows, potential.fixed);
  addAnchors(state, work, potential);
  shiftDiagonal(level);
}

/** Works out anew what a new step size or pins that were let go have changed. */
function renewConstants(state: CoarseState, { fixed, base, diagonal }: Potential): void {
  const { plan, scratch, constant, row, forms } = state;
  const { held } = scratch;
  const n = held.length;
  let trace = 0;
  let heldSum = 0;
  for (let i = 0; i < n; i++) {
    held[i] = fixed[3 * i] & fixed[3 * i + 1] & fixed[3 * i + 2];
    trace += base.values[diagonal[i]] * (held[i] ? 1 : 1 + (i + 1) / n);
    if (held[i]) heldSum += i + 1;
  }
  if (trace !== state.constantFor) {
    setCoarseScalar(constant, plan.lower, base, plan.Z, row, plan.transposed, scratch);
    state.constantFor = trace;
  }
  if (heldSum !== state.heldFor) {
    setForms(forms, plan.Z, plan.forms, plan.lower, held);
    state.heldFor = heldSum;
  }
}

/**
 * The 3×3 diagonal blocks of what anchors the sheet. Without them a skin on flesh looks ten thousand times too soft to the coarse level, whose
 * corrections then drown those that matter.
 */
function addAnchors(
  { level, anchors }: CoarseState,
  { ops }: MinimiseWork,
  { sets, fixed }: Potential,
): void {
  let any = false;
  for (let s = 0; s < sets.length; s++) {
    const set = sets[s];
    if (!set.anchors) continue;
    if (!any) anchors.fill(0);
    any = true;
    ops.addNormalDiagonal(anchors, set, set.weight);
  }
  if (any) addPointBlocks(level, anchors, fixed);
}
