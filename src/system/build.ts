/**
 * From a scene and its sheet to the System: everything that is constant, in one memory.
 *
 * In three parts, since the size of the memory must be known before it is made: planSystem works out what needs no memory, layOutSystem
 * asks for the arrays, createSystem joins both.
 */

import type { Allocator, Arena, ReadonlyF64 } from "../linalg/arena.ts";
import { findEntry, patternFromElements, type SparsePattern } from "../linalg/sparse.ts";
import { EARTH } from "../scene/materials.ts";
import type { Scene } from "../scene/scene.ts";
import { secondRings } from "../sheet/curvature.ts";
import {
  type FrameCharts,
  firstRings,
  frameCharts,
  framesOf,
  gradientsOf,
  gradientWeights,
} from "../sheet/frames.ts";
import type { Neighbourhoods, ReadMesh, Sheet } from "../sheet/kinematics.ts";
import { pick } from "../sheet/picks.ts";
import { SheetError } from "../sheet/sheet-error.ts";
import { averagePositions, createPins } from "./attachments.ts";
import { bodyContact } from "./contact/body-contact.ts";
import { bendingMesh } from "./contact/mesh-body.ts";
import type { ContactOperations } from "./contact/operations.ts";
import { type MeshCollider, selfContact } from "./contact/self-contact.ts";
import { edgeResidual, framePattern } from "./frame-bending.ts";
import {
  type ArcSet,
  arcConstraint,
  type FrameOperations,
  type NodeSet,
  nodeConstraint,
} from "./frame-membrane.ts";
import { grip } from "./grip.ts";
import { leastStiffness, limpCloth } from "./limp-cloth.ts";
import { foundation, windRows } from "./loads.ts";
import { restCurvature, setMoments } from "./rest-curvature.ts";
import { seamFrames } from "./seam-frames.ts";
import { type ClosedSheet, closedSheet, createSeams, sewnRings } from "./seams.ts";
import { bendingOf } from "./stiffness.ts";
import type {
  Baseline,
  MembraneSet,
  PointMaterial,
  PositionMethods,
  RowSet,
  Substrate,
  SubstratePoints,
  System,
} from "./system.ts";

/** Positions and velocities. */
interface Motion {
  readonly Y: ReadonlyF64; // [3·points] m
  readonly V: ReadonlyF64; // [3·points] m/s
}

/** What a system takes from the folders after it. */
export interface SystemExtras {
  readonly readMesh: ReadMesh | undefined;
  readonly solid: SubstratePoints | null;
  /** Null if the scene needs none. */
  readonly positionMethods: PositionMethods | null;
}

/** What of a system can be worked out before there is a memory. */
export interface SystemPlan {
  readonly scene: Scene;
  readonly sheet: Sheet;
  /** Where all points start: those of the sheet, its frames, the nodes of a solid. */
  readonly start: Motion;
  /** All points, and those that belong to the sheet: positions, and frames if it has them. */
  readonly n: number;
  readonly ofSheet: number;
  readonly solid: SubstratePoints | null;
  /** Second rings of every sample. */
  readonly near: Neighbourhoods;
  readonly frames: FrameCharts | null;
  /** [2·entries of near] 1/m, weights of gradients that are exact on quadratics; null without frames. */
  readonly gradients: Float64Array | null;
  readonly material: PointMaterial;
  readonly m: Float64Array; // [n] kg
  /** A garment that is still to be sewn: its mesh as if it were, and second rings across its seams. */
  readonly closed: ClosedSheet | null;
  readonly across: Neighbourhoods | null;
  readonly pattern: SparsePattern;
  readonly positionMethods: PositionMethods | null;
  readonly baseline: Baseline | null;
  readonly stiffness: Float64Array; // [sheet.n] N/m, of isometry
  readonly meshes: readonly MeshCollider[];
}

export function planSystem(
  scene: Scene,
  sheet: Sheet,
  start: Motion,
  { readMesh, solid, positionMethods }: SystemExtras,
): SystemPlan {
  const near = secondRings(sheet);
  const frames = isFramed(scene) ? frameCharts(sheet) : null;
  const gradients = frames && gradientWeights(sheet, near);
  if (gradients) start = withFrames(start, sheet, near, gradients);
  const ofSheet = start.Y.length / 3;
  if (solid) start = withSolid(start, solid);
  const n = start.Y.length / 3;
  for (const { name, curvature } of scene.sheets)
    if (curvature !== null && !frames)
      throw new SheetError(name, ["a natural curvature needs samples with frames"]);
  if (sheet.seamPairs && scene.static)
    throw new SheetError("sewing", [
      "takes time, and a static scene has none: place the panels so that sewn edges meet, or set seconds to 0",
    ]);
  const closed = sheet.seamPairs ? closedSheet(sheet) : null;
  const across = closed && sewnRings(sheet, near, closed);
  const pattern = frames
    ? framePattern(sheet, n)
    : couplings(n, [firstRings(sheet), sheet.near, ...(across ? [across] : [])]);
  const material = pointMaterial(scene, sheet);
  const baseline = positionMethods?.baselineOf(scene, sheet, material.poisson, pattern) ?? null;
  const stiffness = baseline?.hard ? new Float64Array(n) : material.membrane;
  return {
    scene,
    sheet,
    start,
    n,
    ofSheet,
    solid,
    near,
    frames,
    gradients,
    material,
    m: masses(scene, sheet, n, solid, ofSheet),
    closed,
    across,
    pattern,
    positionMethods,
    baseline,
    stiffness,
    meshes: meshColliders(scene, readMesh),
  };
}

/** [n] kg: of the sheet, of what hangs on it, of a solid. */
function masses(
  scene: Scene,
  sheet: Sheet,
  n: number,
  solid: SubstratePoints | null,
  firstOfSolid: number,
): Float64Array {
  const m = new Float64Array(n);
  m.set(sheet.m as Float64Array);
  if (solid) m.set(solid.m, firstOfSolid);
  for (const { at, mass } of scene.masses) {
    const points = pick(sheet, at);
    for (const i of points) m[i] += mass / points.length;
  }
  return m;
}

/** The part of a System that is in its memory. */
export type SystemArrays = Pick<
  System,
  | "m"
  | "diagonal"
  | "K"
  | "pins"
  | "isometry"
  | "membrane"
  | "springs"
  | "attachments"
  | "seams"
  | "seamFrames"
  | "foundation"
  | "wind"
  | "grip"
  | "bodies"
  | "layers"
> & {
  /** Of samples with frames: the isometry of the frames, and that of the arcs between them. */
  readonly nodes: NodeSet | null;
  readonly arcs: ArcSet | null;
};

/** Asks for the arrays of a system; runs twice (linalg/arena.ts). */
export function layOutSystem(memory: Allocator, plan: SystemPlan): SystemArrays {
  const { scene, sheet, start, frames, pattern, stiffness, material, m, near, across } = plan;
  const diagonal = new Int32Array(plan.n);
  for (let i = 0; i < plan.n; i++) diagonal[i] = findEntry(pattern, i, i);
  const heldSolid = plan.solid?.pins(plan.ofSheet);
  const pins = createPins(memory, scene, sheet, start.Y, frames !== null, heldSolid);
  const nodes = frames && nodeConstraint(memory, sheet, stiffness, pattern);
  const arcs = frames && arcConstraint(memory, sheet, frames, stiffness);
  const isometry = arcs ?? membraneOf(memory, plan);
  const hung = EARTH * m.reduce((sum, mass) => sum + mass, 0);
  return {
    m: memory.copyF64(m),
    diagonal: memory.copyI32(diagonal),
    K: memory.f64(pattern.index.length),
    pins,
    nodes,
    arcs,
    isometry,
    membrane: nodes ? [nodes, isometry] : [isometry],
    springs: plan.baseline?.springs?.(memory) ?? null,
    attachments: scene.attachments.length
      ? averagePositions(memory, scene.attachments, sheet, start.Y, 10 * mean(material.membrane))
      : null,
    seams: across
      ? createSeams(memory, sheet, pins, near, across, start.Y, m, material.membrane, scene.gravity)
      : null,
    seamFrames:
      frames && plan.closed
        ? seamFrames(memory, sheet, near, plan.closed, material.D, leastStiffness(sheet))
        : null,
    foundation: scene.foundation ? foundation(memory, sheet, scene.foundation, start.Y) : null,
    wind: scene.air.density > 0 ? windRows(memory, sheet) : null,
    grip: grip(memory, hung),
    bodies: bodyContact(memory, scene, sheet, material.thickness),
    layers: selfContact(memory, scene, sheet, material.thickness, plan.meshes),
  };
}

/** Isometry of samples without frames, or what a baseline has in its place. */
function membraneOf(memory: Allocator, plan: SystemPlan): MembraneSet {
  const { sheet, pattern, baseline, stiffness, positionMethods } = plan;
  return (
    baseline?.membrane?.(memory) ?? positionMethods!.membrane(memory, sheet, stiffness, pattern)
  );
}

/** @param substrate the solid that plan.solid is about */
export function createSystem(
  arena: Arena,
  plan: SystemPlan,
  arrays: SystemArrays,
  substrate: Substrate | null,
): System {
  const { scene, sheet, material, pattern, positionMethods, baseline, frames } = plan;
  const framed = frames ? sheet.n : 0;
  const bending = bendingOf(
    { scene, sheet, material, pattern, framed, positionMethods },
    plan.near,
  );
  const residual = frames && edgeResidual(sheet, frames, pattern);
  const natural = frames && restCurvature(sheet, frames, scene.sheets, plan.start.Y);
  if (natural) setMoments(natural, sheet, material.D, material.poisson);
  arrays.K.set(bending);
  return {
    scene,
    sheet,
    arena,
    n: plan.n,
    framed,
    h: scene.h,
    material,
    pattern,
    rings: plan.near,
    natural,
    limp: residual && limpCloth(sheet, frames, bending, residual, pattern.start),
    positionMethods,
    baseline,
    sets: rowSets(arrays, substrate),
    stores: storesOf(arrays),
    outside: null,
    meshes: plan.meshes,
    substrate,
    ...arrays,
  };
}

/** All row sets in the order in which they are summed. */
function rowSets(arrays: SystemArrays, substrate: Substrate | null): RowSet[] {
  const { springs, attachments, seams, seamFrames, foundation, wind, bodies, layers } = arrays;
  const sets: RowSet[] = [...arrays.membrane];
  for (const set of [springs, attachments, seams, seamFrames, seams?.hands, foundation, wind])
    if (set) sets.push(set);
  if (substrate) sets.push(...substrate.sets);
  for (const contact of [bodies, layers]) if (contact) sets.push(contact.barrier, contact.friction);
  if (bodies) sets.push(bodies.rocking);
  sets.push(arrays.grip.rows);
  return sets;
}

/** What keeps energy and gives it back. */
function storesOf({ membrane, springs, seamFrames, foundation }: SystemArrays): RowSet[] {
  const stores: RowSet[] = [...membrane];
  for (const set of [springs, seamFrames, foundation]) if (set) stores.push(set);
  return stores;
}

/** From now on the hot loops of this system run in the kernels. */
export function attachSystem(
  kernels: FrameOperations & ContactOperations,
  { membrane, bodies, layers }: System,
): void {
  for (const set of membrane) if ("operations" in set) set.operations = kernels;
  bodies?.friction.attach(kernels);
  layers?.attach(kernels);
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

/** The nodes of a solid that is coupled two-way are points as well, after those of the sheets. */
function withSolid(
  { Y, V }: Motion,
  { rest }: SubstratePoints,
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

function pointMaterial(scene: Scene, sheet: Sheet): PointMaterial {
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
  { Y, V }: Motion,
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
