/**
 * What holds for every step of one scene: the interfaces between the physics and the solvers.
 *
 * All second derivatives that a solver sees have one form,
 *
 *   ∂²Φ/∂Y² ≈ A ⊗ I₃ + diag(d) + Σ_sets Jᵀ W J
 *
 * A: scalar, n × n, the same for x, y and z (inertia, bending, drag, geometric stiffness of frames);
 * d: per coordinate (foundations); J: rows of constraints, attachments, contact, wind. So whatever is added to
 * the physics is a set of rows, or an entry in A, and the solvers never change.
 */
import type { Allocator, Arena, ReadonlyF64 } from "../linalg/arena.ts";
import type { SparseMatrix, SparsePattern } from "../linalg/sparse.ts";
import type { Pin, Scene } from "../scene/scene.ts";
import type { Neighbourhoods, Sheet } from "../sheet/kinematics.ts";
import type { averagePositions, Pins } from "./attachments.ts";
import type { BodyContact } from "./contact/body-contact.ts";
import type { MeshCollider, SelfContact } from "./contact/self-contact.ts";
import type { Grip } from "./grip.ts";
import type { HardRows } from "./hard.ts";
import type { LimpCloth } from "./limp-cloth.ts";
import type { PointRows } from "./loads.ts";
import type { RestCurvature } from "./rest-curvature.ts";
import type { SeamFrames } from "./seam-frames.ts";
import type { Seams } from "./seams.ts";

/**
 * Rows of Jacobian with an energy ψ(g) each. Blocks of `rowsPer` rows share their points:
 * block b has entries start[b] … start[b+1], entry e the point index[e] and J[3·rowsPer·e …]: xyz of each row.
 */
export interface RowSet {
  readonly rowsPer: number;
  /** May change between steps (contact), never within the products of one Newton iteration. */
  blocks: number;
  readonly start: Int32Array;
  readonly index: Int32Array;
  /** [rows] residuals. */
  readonly g: Float64Array;
  readonly J: Float64Array;
  /** [rows] ψ′(g), the force along the row. */
  readonly sigma: Float64Array;
  /** [rows] ψ″(g) ≥ 0. */
  readonly weight: Float64Array;
  /** Memory for the rows, one to three per block, in single precision (linalg/single.ts), if inner solves may use that. */
  readonly single?: Float32Array;
  /** Holds points to something that is not the sheet (a foundation, flesh, a body): the coarse level must know. */
  readonly anchors?: boolean;
  /** g, J, sigma and weight at Y. */
  evaluate(Y: ReadonlyF64): void;
  /** Σψ at Y, without touching J. Infinity where Y is not allowed (contact). */
  energy(Y: ReadonlyF64): number;
  /** Σψ of the last evaluate, if that came with it and is still true. */
  energyNow?(): number | undefined;
  /** How far along p (0 … 1] the sheet may go from Y; contact stops before anything touches. */
  maxStep?(Y: ReadonlyF64, p: ReadonlyF64): number;
  /**
   * Every point whose motion along p some contact would stop gets the plane that stops it, if that is the tightest so far. A plane leaves
   * nine tenths of the gap, shared between both sides, so that points that stay behind their planes never meet.
   */
  addLimits?(limits: StepLimits, Y: ReadonlyF64, p: ReadonlyF64): void;
  /** Shortens p at the points of every contact that would be passed, each by what that contact allows; how many there were. */
  shorten?(p: Float64Array, Y: ReadonlyF64): number;
  /** After a step that maxStep shortened: stiffens barriers that were too soft (barrier.ts); returns whether there were any. */
  stiffen?(): boolean;
  /** A += geometric stiffness Σ ψ′ ∂²g from the last evaluate; clamped to positive semidefinite if asked. */
  addStress?(A: SparseMatrix, clamp: boolean): void;
  /** y += Jᵀψ′ at the last evaluate, of a set that does not store its rows. */
  addForce?(y: Float64Array): void;
  /** y += JᵀWJ x, geometric stiffness included, of a set that does not store its rows. */
  addProduct?(y: Float64Array, x: ReadonlyF64): void;
  /** Takes what inner solves of the sheet alone read in single precision (step/single-solve.ts). */
  toSingle?(): void;
}

/** Half-spaces that contacts leave to the motion of their points: n·Δ ≥ −slack. */
export interface StepLimits {
  /** [points] 1, how many times too far the motion asked about goes; 0: no contact in its way. */
  readonly ratio: Float64Array;
  /** [3·points] 1, n of the plane with that ratio. */
  readonly normal: Float64Array;
}

/** Rows that keep lengths. */
export interface MembraneSet extends RowSet {
  /** [rows or elements] J, K A/4 or a share of it: the stiffness of the material behind them, which statics continues from soft to full. */
  readonly stiffness: Float64Array;
  /** The largest stretch of the last evaluate as a multiple of half a hundredth of length, where samples have frames. */
  excess?(): number;
  /** max |g| of the last evaluate. */
  residual(): number;
}

/** The changing half: what a checkpoint keeps. */
export interface State {
  readonly Y: Float64Array; // [3n] m
  readonly V: Float64Array; // [3n] m/s
  /** At the start of the step before; within a step that is taken in parts, of the part before. */
  readonly Yold: Float64Array; // [3n] m
  readonly Vold: Float64Array; // [3n] m/s
  /** [drivers] s, where each pin and each body is on its path (step/drivers.ts). */
  readonly clock: Float64Array;
  /** [drivers] steps until one that was held back is tried again. */
  readonly wait: Float64Array;
  /** [parts] N/m, the tension of each sheet as it lasts (limp-cloth.ts). */
  readonly tension: Float64Array;
  /** [parts] N/m, K_r of each sheet in the last step. */
  readonly smoothing: Float64Array;
  /** [STATE_NUMBERS] further numbers that the next step reads. */
  readonly numbers: Float64Array;
  /** [sheets with an order of their own] steps since something touched, led or halved it; 0 and less: the next ones are Euler's (second-order.ts). */
  readonly calm: Float64Array;
  /** [the same] J, what it has gained since its energy was lowest. */
  readonly gained: Float64Array;
  steps: number;
  /** Steps in a row that were solved whole. */
  smoothSteps: number;
}

/** Places in State.numbers. */
export const HELD_BEFORE = 0; // how many coordinates the last step held
export const QUIET_STEPS = 1; // steps since anything was accelerated
export const CONTACTS = 2; // active contacts at the end of the last step
export const LAST_STEP = 3; // s, since Yold and Vold
export const STATE_NUMBERS = 4;

/** Everything about one scene that is the same in every step, but for what a program changes while it runs. */
export interface System {
  readonly scene: Scene;
  readonly sheet: Sheet;
  readonly arena: Arena;
  /** Points: those of the sheets, and after them the nodes of a solid coupled two-way. */
  readonly n: number;
  /** Samples with frames, whose vectors are the points from sheet.n to 3·sheet.n; 0 if they have none. */
  readonly framed: number;
  readonly h: number;
  /** [n] kg, hung masses included. */
  readonly m: Float64Array;
  /** [n] N·m and the rest, per point. */
  readonly material: PointMaterial;
  readonly pattern: SparsePattern;
  readonly diagonal: Int32Array;
  /** [entries] N/m, bending stiffness on the pattern. */
  readonly K: Float64Array;
  /** Second rings; across seams once these are closed. */
  rings: Neighbourhoods;
  /** Samples with frames: their natural curvature; null if all are flat by nature. */
  readonly natural: RestCurvature | null;
  /** Samples with frames: keeps their edges from folding, and holds their bending. */
  readonly limp: LimpCloth | null;
  readonly pins: Pins;
  readonly isometry: MembraneSet;
  /** The sets that hold the energy of the membrane. */
  readonly membrane: readonly MembraneSet[];
  /** For samples without frames. */
  readonly positionMethods: PositionMethods | null;
  /** What takes its place in the methods the paper compares with; null for ours. */
  readonly baseline: Baseline | null;
  readonly springs: RowSet | null;
  readonly attachments: ReturnType<typeof averagePositions> | null;
  /** Seams that are pulled together over time. */
  readonly seams: Seams | null;
  /** Of samples with frames, what ties those of a closed seam. */
  readonly seamFrames: SeamFrames | null;
  readonly foundation: PointRows | null;
  readonly wind: PointRows | null;
  readonly bodies: BodyContact | null;
  readonly layers: SelfContact | null;
  /** The bodies that are triangle meshes. */
  readonly meshes: readonly MeshCollider[];
  readonly substrate: Substrate | null;
  readonly grip: Grip;
  /** Adds what a program pushes with at the start of a step, N; null: nothing. */
  outside: ((force: Float64Array, time: number) => void) | null;
  /** All row sets of the physics, in the order in which they are summed. */
  readonly sets: readonly RowSet[];
  /** Those of them that keep energy and give it back, but for contact. */
  readonly stores: readonly RowSet[];
}

/** Material at every point: sheets of a scene may differ. */
export interface PointMaterial {
  readonly D: Float64Array; // [n] N·m
  readonly poisson: Float64Array; // [n] 1
  readonly membrane: Float64Array; // [n] N/m
  readonly damping: Float64Array; // [n] s
  readonly thickness: Float64Array; // [n] m
}

/** What samples without frames have in the place of frame-membrane.ts and frame-bending.ts; `isoplate/methods` brings it. */
export interface PositionMethods {
  /** What the method of the scene replaces; null: nothing. */
  baselineOf(
    scene: Scene,
    sheet: Sheet,
    poisson: Float64Array,
    pattern: SparsePattern,
  ): Baseline | null;
  /** `constraint: paper`. */
  membrane(
    memory: Allocator,
    sheet: Sheet,
    stiffness: ReadonlyF64,
    pattern: SparsePattern,
  ): MembraneSet;
  /** [entries of the pattern] N/m. @param near second rings, across closed seams too */
  bending(
    sheet: Sheet,
    D: Float64Array,
    near: Neighbourhoods,
    pattern: SparsePattern,
    /** Rows of L: one per interior edge, or one per point. */
    rows: Scene["projection"]["bending"],
  ): Float64Array;
}

/** A method that the paper compares with, as what it replaces in a system (baselines/). */
export interface Baseline {
  /** In place of the isometry constraints. */
  readonly membrane?: (memory: Allocator) => MembraneSet;
  /** Beside them. */
  readonly springs?: (memory: Allocator) => RowSet;
  /** What is projected; the isometry constraints then have no stiffness. */
  readonly hard?: (memory: Allocator) => HardRows;
}

/** A solid under the sheet before there is memory for it (substrate/). Coupled two-way its nodes are points of the system. */
export interface SubstratePoints {
  /** [3·points] m */
  readonly rest: Float64Array;
  /** [points] kg */
  readonly m: Float64Array;
  /** Its held faces as pins on those points, of which the first has this number. */
  pins(first: number): { pin: Pin; points: Int32Array; origin: Float64Array }[];
}

/** A solid under the sheet, as the rest of the system sees it. */
export interface Substrate {
  /** Its row sets, in order. */
  readonly sets: readonly RowSet[];
  /** Coupled one-way: brings the solid, and with it the targets of the skin, to this time. */
  setTime(time: number): void;
  /** [3·nodes] m, where the solid is now; Y are the points of the system. */
  positions(Y: Float64Array): Float64Array;
  /** J: elastic energy of the solid and of the springs that couple it. */
  energy(Y: ReadonlyF64): number;
  /** What a checkpoint must keep. */
  readonly memory: Float64Array[];
  readonly warnings: string[];
}
