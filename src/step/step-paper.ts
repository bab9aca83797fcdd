/**
 * One step of the paper's own scheme (§5): predict, project, and project truly if that fails.
 *
 *   (M/h² + K) Ỹ = M/h²(Y + hV) + f;    Y ← projection of Ỹ onto g = 0;    V = (Y − Y₀)/h
 *
 * When neither projection meets the tolerance (a pin torn away) the step is halved, at most five deep, as in step.ts.
 * Loads that are rows (foundation, wind) join the prediction, which then is one Newton step of the minimiser instead of
 * one substitution; mean-position attachments are more rows of the projection (§6 Skin). Contact is not among them: what
 * is projected after contact penetrates again, so scenes with contact are stepped by step.ts.
 */

import { type Allocator, type Arena, inOneMemory } from "../linalg/arena.ts";
import { attachKernels, type Cholesky } from "../linalg/cholesky.ts";
import { SheetError } from "../sheet/sheet-error.ts";
import { hold } from "../system/attachments.ts";
import { type HardRows, hardIsometry } from "../system/hard.ts";
import { LAST_STEP, type RowSet } from "../system/system.ts";
import {
  type AugmentedLagrangian,
  augmentedLagrangian,
  prepareAugmentedLagrangian,
} from "./augmented-lagrangian.ts";
import { fastProjection, slackEnergy, type Target } from "./fast-projection.ts";
import { prepare } from "./incremental-potential.ts";
import type { Projections } from "./methods.ts";
import {
  blockJacobi,
  type MinimiseOptions,
  type MinimiseWork,
  minimise,
  type Potential,
  type Preconditioner,
  prepareMinimise,
} from "./minimise.ts";
import { clearReport, SimulationError, type StepReport, worsen } from "./outcome.ts";
import { type Prediction, planPrediction, predict } from "./predict.ts";
import { type Projection, planProjection } from "./projection-plan.ts";
import type { Compile, Stepper } from "./stepper.ts";

interface PaperWork {
  readonly arena: Arena;
  readonly prediction: Prediction;
  readonly projection: Projection;
  readonly augmented: AugmentedLagrangian;
  /** The minimiser of the fallback, in this memory; the system's own works on the system's. */
  readonly minimise: MinimiseWork;
  /** The potential of the prediction where loads are rows. */
  readonly loads: Potential;
  readonly loadOptions: MinimiseOptions;
  readonly preconditioner: Preconditioner;
  /** [3n] m */
  readonly predicted: Float64Array;
  /** What the projection aims at; h changes with sub-steps. */
  readonly target: Target & { h: number; tolerance: number };
}

const MAX_DEPTH = 5;

/** Everything a scene with `solver: paper` needs beyond its System. `hard` replaces the isometry constraints. */
function preparePaper(
  system: Stepper,
  hard: (memory: Allocator) => HardRows = (memory) =>
    hardIsometry(memory, system.sheet, system.pattern),
  partnered?: Compile,
): PaperWork {
  const { n, sheet, pattern, diagonal, scene, pins, m } = system;
  const { attachments, isometry } = system;
  const sets = (memory: Allocator): HardRows[] =>
    attachments ? [hard(memory), hardAttachments(attachments)] : [hard(memory)];
  const shapes = inOneMemory(sets).value;
  const axesDiffer = scene.pins.some(({ axes }) => axes.x !== axes.y || axes.y !== axes.z);
  const layPrediction = planPrediction(pattern, sheet.rest, axesDiffer);
  const layProjection = planProjection(shapes, {
    n,
    coordinates: sheet.rest,
    compliance: scene.projection.slack ? firstCompliance(system) : new Float64Array(n),
    pattern,
    geometricStiffness: scene.projection.geometricStiffness,
    threads: partnered ? 2 : 1,
  });
  const lay = (memory: Allocator) => {
    const rows = sets(memory);
    return {
      prediction: layPrediction(memory),
      projection: { ...layProjection(memory, rows), clock: system.work.minimise.clock },
      augmented: prepareAugmentedLagrangian(
        memory,
        rows,
        shapes.map((set) => set.J.length),
        diagonal,
        pattern,
        pins.fixed,
      ),
      minimise: prepareMinimise(memory, pattern),
      predicted: memory.f64(3 * n),
    };
  };
  const { arena, value } = inOneMemory(lay, { shared: partnered !== undefined });
  accelerate(
    arena,
    [...value.prediction.factors, value.projection.form.cholesky],
    partnered ?? system.work.compile,
  );
  const loads = system.sets.filter((set) => set !== isometry && set !== (attachments as RowSet));
  let l = 0;
  for (let i = 0; i < n; i++) l += sheet.spacing[i] / n;
  return {
    arena,
    ...value,
    loads: {
      n,
      base: system.work.base,
      b: system.work.b,
      diagonal,
      sets: loads,
      fixed: pins.fixed,
    },
    loadOptions: {
      moveTolerance: 1e-9 * l,
      energyTolerance: Infinity,
      maxIterations: 20,
      cgTolerance: 1e-6,
      cgMax: 2000,
    },
    preconditioner: blockJacobi,
    target: {
      m,
      h: scene.h,
      fixed: pins.fixed,
      tolerance: scene.tolerance,
      shift: scene.projection.shift,
      maxRounds: scene.projection.maxRounds,
      everyStep: scene.projection.everyStep,
      longestMove: LONGEST_MOVE * l,
    },
  };
}

/**
 * Share of the tolerance that rows use where the whole sheet hangs across its own width. Four times as much and blocks must
 * stiffen while they are stretched, which gains energy (0.09 J on pinned-cloth at 0.001, against none).
 */
const BULK = 0.005;

/** [n] 1/J: c = BULK·τ over the area of the point and the weight per width. The projection stiffens it where loads gather. */
function firstCompliance({ scene, sheet, m, n }: Stepper): Float64Array {
  const [x, y, z] = scene.gravity;
  let mass = 0;
  let area = 0;
  for (let i = 0; i < n; i++) {
    mass += m[i];
    area += sheet.area[i];
  }
  // without gravity, loads of 1 m/s² set the scale
  const load = (mass * (1 + Math.sqrt(x * x + y * y + z * z))) / Math.sqrt(area);
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = (BULK * scene.tolerance) / (load * sheet.area[i]);
  return out;
}

/** @param partnered compiles for two threads, on a shared memory */
export function projectionsOf(system: Stepper, partnered?: Compile): Projections | null {
  const { scene, baseline, bodies, layers, substrate } = system;
  const hard = baseline?.hard;
  if (baseline?.membrane || (scene.solver !== "paper" && !hard)) return null;
  const beyond = bodies || layers || substrate;
  if (hard && (beyond || scene.static))
    throw new SheetError(`method ${scene.method}`, [
      beyond ? "it has no contact and no substrate" : "it has no static mode; let it come to rest",
    ]);
  if (beyond || scene.static) return null;
  const work = preparePaper(system, hard, partnered);
  const { projection } = work;
  return {
    step: (report) => stepPaper(system, work, report),
    // the slack of the constraints, and springs
    membraneEnergy: () => slackEnergy(projection) + (system.springs?.energy(system.state.Y) ?? 0),
    memory: [...projection.lambda, projection.compliance[0]],
  };
}

/** Spacings: a round that moves a point further has left the range in which g is nearly linear. */
const LONGEST_MOVE = 10;

/** The kernels where they can be had at once; the TypeScript gives the same bits. */
function accelerate(arena: Arena, factors: readonly Cholesky[], compile: Compile | null): void {
  if (!compile) return;
  try {
    const kernels = compile(arena);
    for (const cholesky of factors) attachKernels(cholesky, kernels);
  } catch {
    // a page's main thread may not compile while it waits
  }
}

function hardAttachments(set: NonNullable<Stepper["attachments"]>): HardRows {
  const { rowsPer, blocks, start, index, g, J } = set;
  return {
    rowsPer,
    blocks,
    start,
    index,
    g,
    J,
    evaluate: (Y) => set.evaluate(Y),
    evaluateInto(out, jacobian, Y) {
      set.evaluate(Y);
      out.set(g);
      jacobian.set(J);
    },
  };
}

/** Advances the state by h. Allocates nothing but when a clamp is let go. */
function stepPaper(system: Stepper, work: PaperWork, report: StepReport): void {
  const { state, h } = system;
  clearReport(report);
  const t0 = state.steps * h;
  const t1 = (state.steps + 1) * h;
  system.work.startY.set(state.Y);
  system.work.startV.set(state.V);
  const smooth = system.scene.integrator === "bdf2" && state.smoothSteps > 0;
  system.work.second.smooth.fill(1);
  state.numbers[LAST_STEP] = h;
  advance(system, work, t0, t1, h, smooth, 0, report);
  state.Yold.set(system.work.startY);
  state.Vold.set(system.work.startV);
  state.smoothSteps = report.outcome !== "solved" ? 0 : state.smoothSteps + 1;
  state.steps += 1;
  state.clock.fill(state.steps * h);
}

function advance(
  system: Stepper,
  work: PaperWork,
  t0: number,
  t1: number,
  h: number,
  smooth: boolean,
  depth: number,
  report: StepReport,
): void {
  const { state, pins, n } = system;
  const { Y, V, Yold } = state;
  const { start } = system.work;
  const { projection, augmented, target, predicted } = work;
  start.set(Y);
  hold(pins, t1);
  const potential = prepare(system, h, smooth, t1);

  // bending and loads
  const clock = performance.now();
  let sound = true;
  if (anyRows(work.loads)) {
    const ahead = system.work.predicted;
    for (let k = 0; k < 3 * n; k++) ahead[k] = pins.fixed[k] ? pins.target[k] : Y[k];
    const result = minimise(
      ahead,
      work.loads,
      system.work.minimise,
      work.preconditioner,
      work.loadOptions,
    );
    predicted.set(ahead);
    report.cgIterations += result.cgIterations;
    sound = result.finite;
  } else sound = predict(predicted, potential, pins.target, work.prediction);
  system.work.clock.predict += performance.now() - clock;

  // constraints
  target.h = smooth ? (2 * h) / 3 : h;
  Y.set(predicted);
  fastProjection(Y, projection, target);
  report.rounds += projection.report.rounds;
  let converged = sound && projection.report.converged;
  if (sound && !converged) {
    worsen(report, "substeps");
    projection.report.rounds = 0;
    Y.set(start);
    for (let k = 0; k < 3 * n; k++) if (pins.fixed[k]) Y[k] = pins.target[k];
    augmentedLagrangian(
      Y,
      predicted,
      augmented,
      projection,
      target,
      work.minimise,
      work.preconditioner,
    );
    report.rounds += projection.report.rounds;
    converged = projection.report.converged;
  }
  const points = firstNotFinite(Y);
  if ((!converged || points >= 0) && depth < MAX_DEPTH) {
    worsen(report, "substeps");
    report.substeps += report.substeps === 0 ? 2 : 1;
    Y.set(start);
    const middle = 0.5 * (t0 + t1);
    advance(system, work, t0, middle, 0.5 * h, false, depth + 1, report);
    advance(system, work, middle, t1, 0.5 * h, false, depth + 1, report);
    return;
  }
  if (points >= 0) throw new SimulationError("positions are no longer finite", t1, [points]);
  if (!converged) {
    worsen(report, "unsolved");
  }
  report.residual = Math.max(report.residual, projection.report.residual);

  if (smooth) for (let k = 0; k < 3 * n; k++) V[k] = (3 * Y[k] - 4 * start[k] + Yold[k]) / (2 * h);
  else for (let k = 0; k < 3 * n; k++) V[k] = (Y[k] - start[k]) / h;
}

/** Whether any load is a row now; a hand holds points only at times. */
function anyRows({ sets }: Potential): boolean {
  for (let s = 0; s < sets.length; s++) if (sets[s].blocks > 0) return true;
  return false;
}

function firstNotFinite(Y: Float64Array): number {
  for (let k = 0; k < Y.length; k++) if (!(Y[k] < 1e12 && Y[k] > -1e12)) return Math.floor(k / 3);
  return -1;
}
