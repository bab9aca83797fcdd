/**
 * Contact of layers, of the sheet with triangle meshes, and with the edges and corners of other bodies: barriers on point–triangle and
 * edge–edge distances.
 *
 *   gap = |δ| − ξ,  δ = Σ wₖ Yₖ (distance.ts),    ψ = a p₀ d̂ B(gap/d̂),    row = wₖ δ/|δ|
 *
 * ξ is the thickness (of a layer and a body half of it, and the body's offset), or nine tenths of the distance where a pair starts the step closer than
 * that, so that every state is allowed and layers that start too near are pushed apart step by step. maxStep stops every candidate
 * pair before it touches (ccd.ts): a state without intersections stays without. Which pairs are looked at: layer-lists.ts.
 *
 * Friction between layers: layer-friction.ts.
 */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import type { Scene } from "../../scene/scene.ts";
import type { Sheet } from "../../sheet/kinematics.ts";
import type { RowSet } from "../system.ts";
import { closePressure, openPressure } from "./barrier.ts";
import type { BodyTimes } from "./body-contact.ts";
import { resolveImpacts } from "./impacts.ts";
import {
  closeFriction,
  type LayerFriction,
  layerFriction,
  openFriction,
} from "./layer-friction.ts";
import { coveredShare, findCrossings, makeLists, updateDisplacements } from "./layer-lists.ts";
import {
  createLayers,
  fadesOtherPairs,
  isEvaluated,
  type Layers,
  layerRows,
  longestSweep,
  measure,
  multiplesOf4,
  safeMotion,
  touchedBy,
} from "./layer-rows.ts";
import type { ContactOperations } from "./operations.ts";
import { markStopped } from "./pair-limits.ts";
import {
  type ContactSurface,
  contactSurface,
  gather,
  type MeshCollider,
  placeBodies,
} from "./surface.ts";

export type { MeshCollider } from "./surface.ts";

export interface SelfContact {
  readonly barrier: RowSet;
  readonly friction: RowSet;
  /** Candidates around Y, what each pair keeps, friction of this step. Bodies stand where they are at its start. */
  beginStep(Y: ReadonlyF64, V: ReadonlyF64, h: number, times: BodyTimes): void;
  endStep(Y: ReadonlyF64): void;
  /**
   * Moves bodies to the end of the step while the sheet moves from where it starts to Y; points that are in the way are pushed aside in Y. False if
   * that fails.
   */
  moveBodies(Y: Float64Array, fixed: Uint8Array): boolean;
  /** Bodies stand where they are at the start of the step again. */
  moveBack(): void;
  /** [colliders] 1: stopped by the sheet; [vertices] 1: stopped by anything. Both in the last moveBodies, before points were pushed aside. */
  readonly inWay: Uint8Array;
  readonly isStopped: Uint8Array;
  /** Pairs within reach at the last evaluate, and the deepest loss of thickness, m. */
  measure(Y: ReadonlyF64): { penetration: number; contacts: number; point: number };
  /** The distance that layers keep, m; less than asked where the mesh is too fine for it. */
  readonly thickness: number;
  /** Points of triangles that intersect, as found at the start of the last step. */
  readonly crossings: number[];
  /** From now on its loops run in the kernels. */
  attach(kernels: ContactOperations): void;
  /** Names of what point i touched at the last evaluate: bodies, and "layers". */
  touchedBy(i: number): string[];
  /** State for checkpoints: friction contacts of the last step. */
  readonly memory: Float64Array[];
}

export function selfContact(
  memory: Allocator,
  scene: Scene,
  sheet: Sheet,
  asked: ReadonlyF64,
  meshes: readonly MeshCollider[],
): SelfContact | null {
  const surface = contactSurface(scene, sheet, meshes);
  if (!scene.contact.self && surface.bodies.length === 0) return null;
  const C = createLayers(memory, scene, sheet, asked, surface);
  const { L, X, contacts, ends, evaluated, pressure } = C;
  const { n } = surface;
  const rows = layerRows(memory, C);
  const mayHaveFriction = scene.contact.friction > 0 || surface.bodies.length > 0; // a program may change the friction of bodies
  const friction = createFriction(memory, scene, C, mayHaveFriction);
  const inWay = new Uint8Array(scene.colliders.length);
  const isStopped = new Uint8Array(surface.total);
  return {
    barrier: rows,
    friction: friction.rows,
    thickness: L.thickness,
    memory: [friction.kept, pressure.now],
    inWay,
    isStopped,
    attach(kernels) {
      L.kernels = kernels;
      friction.rows.attach(kernels);
    },
    get crossings() {
      return [...L.crossing].filter((i) => i < n);
    },
    beginStep(Y, V, h, times) {
      openLists(C, Y, V, h, times);
      openPressure(pressure, longestSweep(C), h);
      if (fadesOtherPairs(C)) evaluated.pressure = Number.NaN; // the gaps of the last evaluate are still right, its rows are not
      openFriction(friction, X, C.sweep);
    },
    moveBodies: (Y, fixed) => moveBodies(C, Y, fixed, inWay, isStopped),
    moveBack: () => X.set(C.origin),
    endStep(Y) {
      gather(X, surface, Y);
      if (!isEvaluated(C)) rows.evaluate(Y);
      if (hasFriction(scene, surface)) closeFriction(friction, X, contacts, ends, L.lists);
      else friction.kept[0] = 0;
      closePressure(pressure, Math.min(1, evaluated.gap / L.reach));
    },
    measure(Y) {
      gather(X, surface, Y);
      return measure(C);
    },
    touchedBy: (i) => touchedBy(C, rows.blocks, i),
  };
}

function hasFriction({ contact }: Scene, { bodies }: ContactSurface): boolean {
  if (contact.friction > 0) return true;
  for (let b = 0; b < bodies.length; b++) if (bodies[b].collider.friction > 0) return true;
  return false;
}

function createFriction(
  memory: Allocator,
  { contact, h }: Scene,
  { surface, most }: Layers,
  mayHaveFriction: boolean,
): LayerFriction {
  const room = mayHaveFriction ? most : 1;
  const start = multiplesOf4(memory, room);
  const slip = contact.slipSpeed * h;
  return layerFriction(memory, room, start, surface, slip);
}

/** Places the bodies at the start of the step; makes lists for the motion of the last step unless the last ones cover it. */
function openLists(
  { L, X, P, sweep, origin, surface }: Layers,
  Y: ReadonlyF64,
  V: ReadonlyF64,
  h: number,
  times: BodyTimes,
): void {
  const { n, total } = surface;
  gather(X, surface, Y);
  placeBodies(X, sweep, surface, times);
  for (let k = 0; k < 3 * n; k++) P[k] = h * V[k];
  for (let k = 3 * n; k < 3 * total; k++) P[k] = sweep[k];
  if (L.mayIntersect) findCrossings(L, X);
  origin.set(X);
  if (!L.isReusable || coveredShare(L, X, P) < 1) makeLists(L, X, P);
}

/** See SelfContact.moveBodies. */
function moveBodies(
  C: Layers,
  Y: Float64Array,
  fixed: Uint8Array,
  inWay: Uint8Array,
  isStopped: Uint8Array,
): boolean {
  const { L, X, P, sweep, origin, surface } = C;
  const { n, total, bodies, group } = surface;
  X.set(origin);
  for (let k = 0; k < 3 * n; k++) P[k] = Y[k] - X[k];
  for (let k = 3 * n; k < 3 * total; k++) P[k] = sweep[k];
  isStopped.fill(0);
  inWay.fill(0);
  if (safeMotion(C) < 1) {
    updateDisplacements(L, X, P, 1);
    for (const list of L.lists) markStopped(isStopped, list, X, P, L.reach);
    for (let i = n; i < total; i++) if (isStopped[i]) inWay[bodies[group[i] - 1].number] = 1;
    if (!resolveImpacts(L, X, P, fixed) || safeMotion(C) < 1) return false;
    for (let k = 0; k < 3 * n; k++) if (!fixed[k]) Y[k] = X[k] + P[k];
  }
  for (let k = 3 * n; k < 3 * total; k++) X[k] += sweep[k];
  return true;
}
