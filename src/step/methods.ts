/**
 * What a scene may ask for beyond our own method: the projections of the paper, the methods that it compares with, a solid under a skin.
 *
 * A page that drapes a cloth needs none of them, and they would be a tenth of what it loads (19 of 181 kB, compressed). So nothing that
 * runs a scene imports them: `isoplate/methods` registers them here when it is imported.
 */
import type { Allocator, Arena, ReadonlyF64 } from "../linalg/arena.ts";
import type { CholeskyKernels } from "../linalg/cholesky.ts";
import type { Scene } from "../scene/scene.ts";
import type { ReadMesh, Sheet } from "../sheet/kinematics.ts";
import { SheetError } from "../sheet/sheet-error.ts";
import type { PositionMethods, Substrate, SubstratePoints } from "../system/system.ts";
import type { Operations, Preconditioner } from "./minimise.ts";
import type { StepReport } from "./outcome.ts";
import type { SingleLoops } from "./single-solve.ts";
import type { Compile, Stepper } from "./stepper.ts";

export interface Methods extends PositionMethods {
  /** The solid under the sheet; null if the scene has none. */
  solidOf(
    scene: Scene,
    readMesh: ReadMesh | undefined,
    compile: CompileSolid | null,
  ): PlannedSolid | null;
  /** The projections of a scene that asks for them by its solver or its method; null if step.ts is to step it. */
  projectionsOf(system: Stepper, partnered: Compile | undefined): Projections | null;
  /** What inner solves do where kernels are not wanted. */
  readonly singleLoops: SingleLoops;
  /** For membranes that are too stiff for conjugate gradients. */
  directPreconditioner(system: Stepper): Preconditioner;
}

/** Compiles all loops that a solid needs for a memory of its own. */
export type CompileSolid = (arena: Arena) => Operations & CholeskyKernels;

/** A solid before there is memory for it. */
export interface PlannedSolid extends SubstratePoints {
  /** Asks for its arrays; runs twice (linalg/arena.ts). @param first number of points of the sheets */
  create(memory: Allocator, scene: Scene, sheet: Sheet, Y: ReadonlyF64, first: number): SolvedSolid;
}

/** A solid with its solver. */
export interface SolvedSolid extends Substrate {
  /** Coupled two-way: solves for the points of the solid itself and leaves all others to the given preconditioner. */
  precondition(others: Preconditioner): Preconditioner;
  attach(kernels: CholeskyKernels): void;
}

/** Steps a scene by predicting and projecting, in the place of step.ts. */
export interface Projections {
  /** Advances the state by h. */
  step(report: StepReport): void;
  /** J in the membrane at the end of the last step. */
  membraneEnergy(): number;
  /** What a checkpoint must keep beside the state. */
  readonly memory: readonly Float64Array[];
}

let registered: Methods | null = null;

export function registerMethods(methods: Methods): void {
  registered = methods;
}

/**
 * The methods that a scene asks for; null if it asks for ours alone.
 *
 * @throws SheetError if they were not registered
 */
export function methodsOf({ method, constraint, solver, substrate }: Scene): Methods | null {
  const asked = [
    method !== "isometry" && `method: ${method}`,
    constraint === "paper" && "constraint: paper",
    solver === "paper" && "solver: paper",
    substrate !== null && "substrate",
  ].filter((field) => field !== false);
  if (asked.length === 0) return null;
  return registeredFor(asked.join(", "));
}

/** The loops of inner solves in TypeScript, for simulations without kernels. */
export function loopsWithoutKernels(): SingleLoops {
  return registeredFor("kernels: false").singleLoops;
}

function registeredFor(asked: string): Methods {
  if (registered !== null) return registered;
  throw new SheetError(asked, [
    'this is not part of the core; add the line  import "isoplate/methods";  to the program',
  ]);
}
