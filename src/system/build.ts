/**
 * From a scene and its sheet to the System: everything that is constant, in one memory.
 */

import { type Baseline, baselineOf } from "../baselines/baseline.ts";
import { instantiate, type Kernels } from "../kernels/kernels.ts";
import { type Allocator, type Arena, inOneMemory, type ReadonlyF64 } from "../linalg/arena.ts";
import {
  createSparse,
  findEntry,
  patternFromElements,
  type SparseMatrix,
  type SparsePattern,
} from "../linalg/sparse.ts";
import type { Scene } from "../scene/scene.ts";
import { frameCharts, framesOf, gradientsOf, gradientWeights } from "../sheet/frames.ts";
import type { Neighbourhoods, ReadMesh, Sheet } from "../sheet/kinematics.ts";
import { pick } from "../sheet/picks.ts";
import { SheetError } from "../sheet/sheet-error.ts";
import { createDrivers, type Drivers } from "../step/drivers.ts";
import { frameJacobi } from "../step/frame-blocks.ts";
import {
  blockJacobi,
  type MinimiseWork,
  type Preconditioner,
  prepareMinimise,
} from "../step/minimise.ts";
import {
  COARSENING,
  type CoarseMembrane,
  FRAME_COARSENING,
  frameInterpolation,
  type Interpolation,
  interpolation,
  planTwoLevel,
  type TwoLevel,
  type TwoLevelPlan,
  twoLevel,
} from "../step/two-level.ts";
import {
  createSubstrate,
  type Substrate,
  type SubstrateModel,
  substrateModel,
} from "../substrate/substrate.ts";
import { averagePositions, createPins, type Pins } from "./attachments.ts";
import { type Bending, secondRings } from "./bending.ts";
import { type BodyContact, bodyContact } from "./contact/body-contact.ts";
import { bendingMesh } from "./contact/mesh-body.ts";
import { type MeshCollider, type SelfContact, selfContact } from "./contact/self-contact.ts";
import { edgeResidual, framePattern } from "./frame-bending.ts";
import {
  type ArcSet,
  arcConstraint,
  arcForms,
  nodeConstraint,
  trussStiffness,
} from "./frame-membrane.ts";
import { type Grip, grip } from "./grip.ts";
import { averagedFConstraint, metricConstraint, metricGroups } from "./isometry.ts";
import { type LimpCloth, limpCloth } from "./limp-cloth.ts";
import { foundation, type PointRows, windRows } from "./loads.ts";
import { type ClosedSheet, closedSheet, createSeams, type Seams, sewnRings } from "./seams.ts";
import { bendingOf } from "./stiffness.ts";
import { type ConstraintSet, type RowSet, STATE_NUMBERS, type State } from "./system.ts";

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
  bending: Bending;
  /** Samples with frames: keeps their edges from folding, and holds their bending. */
  readonly limp: LimpCloth | null;
  readonly pins: Pins;
  readonly isometry: ConstraintSet;
  /** The sets that hold the energy of the membrane. */
  readonly membrane: readonly RowSet[];
  /** What takes its place in the methods the paper compares with; null for ours. */
  readonly baseline: Baseline | null;
  readonly springs: RowSet | null;
  readonly attachments: ReturnType<typeof averagePositions> | null;
  /** Seams that are pulled together over time. */
  readonly seams: Seams | null;
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
  /** All row sets, in the order in which they are summed. */
  readonly sets: readonly RowSet[];
  /** [3n] m, where the points start: what clamps remember. */
  readonly startPose: Float64Array;
  readonly state: State;
  readonly work: StepWork;
}

/** Material at every point: sheets of a scene may differ. */
export interface PointMaterial {
  readonly D: Float64Array; // [n] N·m
  readonly poisson: Float64Array; // [n] 1
  readonly membrane: Float64Array; // [n] N/m
  readonly damping: Float64Array; // [n] s
  readonly thickness: Float64Array; // [n] m
}

/** Scratch of a step. */
export interface StepWork {
  readonly minimise: MinimiseWork;
  readonly twoLevel: TwoLevel;
  /** The fine level of it by itself. */
  readonly fine: Preconditioner;
  readonly base: SparseMatrix; // N/m: K + diag(a)
  readonly b: Float64Array; // [3n] N
  readonly force: Float64Array; // [3n] N: gravity, pressure, clamps
  readonly predicted: Float64Array; // [3n] m
  readonly start: Float64Array; // [3n] m: Y at the start of the step
  readonly startV: Float64Array; // [3n] m/s
  readonly startY: Float64Array; // [3n] m: before sub-steps
  readonly normals: Float64Array; // [3n] m²
  /** m, mean spacing. */
  readonly spacing: number;
  readonly drivers: Drivers;
  /** ms spent in contact detection so far. */
  readonly clock: { predict: number; contact: number };
}

/** Share of the membrane stiffness that acts on each triangle by itself (see docs/decisions). */
export const TRIANGLE_SHARE = 0.1;

export function createSystem(
  scene: Scene,
  sheet: Sheet,
  start: { Y: ReadonlyF64; V: ReadonlyF64 },
  { kernels = true, readMesh }: { kernels?: boolean; readMesh?: ReadMesh } = {},
): System {
  const solid = substrateModel(scene, readMesh);
  const near = secondRings(sheet);
  const frames = isFramed(scene) ? frameCharts(sheet) : null;
  const gradients = frames && gradientWeights(sheet, near);
  if (gradients) start = withFrames(start, sheet, near, gradients);
  const ofSheet = start.Y.length / 3; // points of the sheet: positions, and frames if it has them
  if (solid) start = withSolid(start, solid);
  const n = start.Y.length / 3;
  const material = pointMaterial(scene, sheet);
  const m = new Float64Array(n);
  m.set(sheet.m as Float64Array);
  if (solid) m.set(solid.m, ofSheet);
  for (const { at, mass } of scene.masses) {
    const points = pick(sheet, at);
    for (const i of points) m[i] += mass / points.length;
  }
  if (sheet.seamPairs && scene.static)
    throw new SheetError("sewing", [
      "takes time, and a static scene has none: place the panels so that sewn edges meet, or set seconds to 0",
    ]);
  const closed = sheet.seamPairs ? closedSheet(sheet) : null;
  const across = closed && sewnRings(sheet, near, closed);
  const pattern = frames
    ? framePattern(sheet, n)
    : couplings(n, across ? [near, sheet.near, across] : [near, sheet.near]);
  const diagonal = new Int32Array(n);
  for (let i = 0; i < n; i++) diagonal[i] = findEntry(pattern, i, i);
  const baseline = baselineOf(scene, sheet, material.poisson, pattern);
  const stiffness = baseline?.hard ? new Float64Array(n) : material.membrane;
  const groups =
    !frames && scene.constraint !== "paper" && scene.constraint !== "strain"
      ? metricGroups(sheet, stiffness, TRIANGLE_SHARE)
      : null;
  const membrane = mean(material.membrane);
  const coarsening = frames ? FRAME_COARSENING : COARSENING;
  const positions = closed
    ? sewnInterpolation(sheet, closed, coarsening)
    : interpolation(sheet, coarsening);
  const plan = gradients
    ? planTwoLevel(
        sheet,
        frameInterpolation(sheet, positions, near, gradients),
        pattern,
        arcForms(sheet, frames),
      )
    : planTwoLevel(sheet, positions, pattern);
  const meshes = meshColliders(scene, readMesh);
  const weight = 9.81 * m.reduce((sum, mass) => sum + mass, 0);

  const { arena, value } = inOneMemory((memory) => {
    const pins = createPins(memory, scene, sheet, start.Y, frames !== null, solid?.pins(ofSheet));
    const nodes = frames && nodeConstraint(memory, sheet, stiffness, pattern);
    const arcs = frames && arcConstraint(memory, sheet, frames, stiffness);
    const isometry = arcs
      ? arcs
      : baseline?.membrane
        ? baseline.membrane(memory)
        : groups
          ? metricConstraint(memory, sheet, groups, pattern, scene.tolerance)
          : averagedFConstraint(
              memory,
              scene.constraint as "paper" | "strain",
              sheet,
              stiffness,
              pattern,
              scene.tolerance,
            );
    return {
      m: memory.copyF64(m),
      diagonal: memory.copyI32(diagonal),
      K: memory.f64(pattern.index.length),
      pins,
      isometry,
      membrane: nodes ? [nodes, isometry] : [isometry],
      springs: baseline?.springs?.(memory) ?? null,
      attachments: scene.attachments.length
        ? averagePositions(memory, scene.attachments, sheet, start.Y, 10 * membrane)
        : null,
      seams: across
        ? createSeams(
            memory,
            sheet,
            pins,
            near,
            across,
            start.Y,
            m,
            material.membrane,
            scene.gravity,
          )
        : null,
      foundation: scene.foundation ? foundation(memory, sheet, scene.foundation, start.Y) : null,
      wind: scene.air.density > 0 ? windRows(memory, sheet) : null,
      substrate: solid && createSubstrate(memory, solid, scene, sheet, start.Y, ofSheet),
      grip: grip(memory, weight),
      bodies: bodyContact(memory, scene, sheet, material.thickness),
      layers: selfContact(memory, scene, sheet, material.thickness, meshes),
      state: {
        Y: memory.copyF64(start.Y),
        V: memory.copyF64(start.V),
        Yold: memory.copyF64(start.Y),
        Vold: memory.copyF64(start.V),
        clock: memory.f64(pins.drivers + scene.colliders.length),
        numbers: memory.f64(STATE_NUMBERS),
        steps: 0,
        smoothSteps: 0,
      },
      work: {
        ...prepareWork(
          memory,
          sheet,
          plan,
          nodes && arcs
            ? coarseFrames(memory, sheet, pattern, nodes, arcs)
            : { rows: isometry, share: groups ? 1 - TRIANGLE_SHARE : 1, fine: blockJacobi },
        ),
        drivers: createDrivers(pins.drivers, scene.colliders.length),
      },
    };
  });
  const sets: RowSet[] = [...value.membrane];
  const { springs, attachments, seams } = value;
  for (const set of [springs, attachments, seams, seams?.hands, value.foundation, value.wind])
    if (set) sets.push(set);
  if (value.substrate) sets.push(...value.substrate.sets);
  for (const contact of [value.bodies, value.layers])
    if (contact) sets.push(contact.barrier, contact.friction);
  if (value.bodies || value.layers) sets.push(value.work.minimise.stiffening.rows);
  sets.push(value.grip.rows);
  const framed = frames ? sheet.n : 0;
  const bend = bendingOf(
    { scene, sheet, material, pattern, baseline, framed },
    near,
    value.pins.clampsAt(0),
  );
  const residual = frames && edgeResidual(sheet, frames, pattern);
  const limp = residual && limpCloth(sheet, frames, bend.K, residual, pattern.start);
  value.K.set(bend.K);
  if (kernels) attach(instantiate(arena), value);
  const startPose = new Float64Array(start.Y as Float64Array);
  return {
    scene,
    sheet,
    arena,
    n,
    framed,
    startPose,
    h: scene.h,
    material,
    pattern,
    bending: bend,
    limp,
    baseline,
    sets,
    outside: null,
    meshes,
    ...value,
  };
}

/** Colliders that are triangle meshes, read and cleaned. */
function meshColliders(scene: Scene, readMesh: ReadMesh | undefined): MeshCollider[] {
  return scene.colliders.flatMap((collider, number) => {
    const { body } = collider;
    if (body.type !== "mesh") return [];
    if (!readMesh) throw new SheetError(collider.name, [`no reader for ${body.file}`]);
    const mesh = bendingMesh(collider.name, body, readMesh);
    if (mesh.triangles.length === 0)
      throw new SheetError(collider.name, [`${body.file} has no triangles`]);
    return [{ collider, number, mesh }];
  });
}

/** From now on the hot loops of this system run in the kernels. */
function attach(
  kernels: Kernels,
  {
    work,
    membrane,
    substrate,
    bodies,
    layers,
  }: Pick<System, "work" | "membrane" | "substrate" | "bodies" | "layers">,
): void {
  substrate?.factor?.attach(kernels);
  work.minimise.ops = kernels;
  work.twoLevel.attach(kernels);
  for (const set of membrane) if ("operations" in set) set.operations = kernels;
  if ("operations" in work.fine) work.fine.operations = kernels;
  bodies?.friction.attach(kernels);
  layers?.attach(kernels);
}

function prepareWork(
  memory: Allocator,
  sheet: Sheet,
  plan: TwoLevelPlan,
  membrane: CoarseMembrane,
): Omit<StepWork, "drivers"> {
  const { pattern } = plan;
  const n = pattern.rows;
  return {
    minimise: prepareMinimise(memory, pattern),
    twoLevel: twoLevel(memory, plan, membrane),
    fine: membrane.fine,
    base: createSparse(memory, pattern),
    b: memory.f64(3 * n),
    force: memory.f64(3 * n),
    predicted: memory.f64(3 * n),
    start: memory.f64(3 * n),
    startV: memory.f64(3 * n),
    startY: memory.f64(3 * n),
    normals: memory.f64(3 * n),
    spacing: mean(sheet.spacing),
    clock: { predict: 0, contact: 0 },
  };
}

/** The nodes of a solid that is coupled two-way are points as well, after those of the sheets. */
function withSolid(
  { Y, V }: { Y: ReadonlyF64; V: ReadonlyF64 },
  { rest }: SubstrateModel,
): { Y: Float64Array; V: Float64Array } {
  const all = {
    Y: new Float64Array(Y.length + rest.length),
    V: new Float64Array(Y.length + rest.length),
  };
  all.Y.set(Y as Float64Array);
  all.Y.set(rest, Y.length);
  all.V.set(V as Float64Array);
  return all;
}

/** Coarse points of the closed sheet: those that stop at seams would leave the stiff ropes to the fine level, at five times the iterations. */
function sewnInterpolation(
  sheet: Sheet,
  { mesh, number }: ClosedSheet,
  coarsening: number,
): Interpolation {
  const Z = interpolation({ ...sheet, ...mesh }, coarsening);
  const start = new Int32Array(sheet.n + 1);
  const index: number[] = [];
  const weight: number[] = [];
  for (let i = 0; i < sheet.n; i++) {
    for (let q = Z.start[number[i]]; q < Z.start[number[i] + 1]; q++) {
      index.push(Z.index[q]);
      weight.push(Z.weight[q]);
    }
    start[i + 1] = index.length;
  }
  return {
    coarse: Z.coarse,
    start,
    index: Int32Array.from(index),
    weight: Float64Array.from(weight),
  };
}

/** Points that share a neighbourhood of any of these lists: the pattern of everything scalar. Points beyond the lists are coupled by rows alone. */
function couplings(n: number, lists: readonly Neighbourhoods[]): SparsePattern {
  const elements = lists.reduce((sum, { start }) => sum + start.length - 1, 0);
  const entries = lists.reduce((sum, { index }) => sum + index.length, 0);
  const start = new Int32Array(elements + 1);
  const points = new Int32Array(entries);
  let element = 0;
  let before = 0;
  for (const list of lists) {
    points.set(list.index as Int32Array, before);
    for (let i = 1; i < list.start.length; i++) start[++element] = before + list.start[i];
    before += list.index.length;
  }
  return patternFromElements(n, start, points);
}

export function pointMaterial(scene: Scene, sheet: Sheet): PointMaterial {
  const { n } = sheet;
  const out = {
    D: new Float64Array(n),
    poisson: new Float64Array(n),
    membrane: new Float64Array(n),
    damping: new Float64Array(n),
    thickness: new Float64Array(n),
  };
  sheet.parts.forEach((part, s) => {
    const { material } = scene.sheets[s];
    const [from, to] = [part.firstPoint, part.firstPoint + part.points];
    out.D.fill(material.D, from, to);
    out.poisson.fill(material.poisson, from, to);
    out.membrane.fill(material.membraneStiffness, from, to);
    out.damping.fill(material.damping, from, to);
    out.thickness.fill(material.thickness, from, to);
  });
  return out;
}

function mean(values: ReadonlyF64): number {
  let s = 0;
  for (let i = 0; i < values.length; i++) s += values[i];
  return s / values.length;
}

/** Samples have frames in our own method; the methods that it is compared with have positions alone. */
export function isFramed({ constraint, method }: Scene): boolean {
  return constraint === "frames" && method === "isometry";
}

/** Positions, then two vectors of a frame per sample, as they follow from the positions. */
function withFrames(
  { Y, V }: { Y: ReadonlyF64; V: ReadonlyF64 },
  sheet: Sheet,
  near: Neighbourhoods,
  B: ReadonlyF64,
): { Y: Float64Array; V: Float64Array } {
  const all = { Y: new Float64Array(9 * sheet.n), V: new Float64Array(9 * sheet.n) };
  all.Y.set(Y as Float64Array);
  all.Y.set(framesOf(sheet, near, Y, B), 3 * sheet.n);
  all.V.set(V as Float64Array);
  all.V.set(gradientsOf(sheet, near, V, B), 3 * sheet.n);
  return all;
}

/** The coarse level sees the membrane as a truss of arcs, which has about its stiffness, and their tension. */
function coarseFrames(
  memory: Allocator,
  { n }: Sheet,
  pattern: SparsePattern,
  nodes: RowSet,
  { arcs }: ArcSet,
): CoarseMembrane {
  return {
    rows: nodes,
    share: 1,
    fine: frameJacobi(memory, n, pattern, nodes, arcs),
    stiffness: (out) => trussStiffness(out, arcs),
  };
}
