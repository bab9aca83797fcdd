/**
 * Rows of the barrier between layers: where all vertices of the contact surface are, which contacts are active, and which share of a motion keeps all
 * pairs apart.
 */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import { SPARE } from "../../linalg/single.ts";
import type { Scene } from "../../scene/scene.ts";
import type { Sheet } from "../../sheet/kinematics.ts";
import type { RowSet } from "../system.ts";
import { type BarrierPressure, createPressure, pressHarder } from "./barrier.ts";
import type { ContactRows } from "./contact-rows.ts";
import { edgeEdge, isSame, longestVector, parallelFactor, pointTriangle } from "./distance.ts";
import {
  coveredShare,
  createLayerLists,
  type LayerLists,
  makeLists,
  updateDisplacements,
} from "./layer-lists.ts";
import { addPairLimits, shortenAtPairs } from "./pair-limits.ts";
import { operationsOf, type PairList, pairsOf } from "./pair-lists.ts";
import { type ContactSurface, gather } from "./surface.ts";

/** More contacts at once than there is room for. */
export class ContactError extends Error {
  constructor(most: number) {
    super(
      `more than ${most} contacts at once: layers lie closer than their thickness nearly everywhere; give them room at the start, less thickness, or fewer points`,
    );
    this.name = "ContactError";
  }
}

/** Layers of a mesh keep at most this share of its shortest edge apart: neighbours must not repel each other. */
const SPACING_SHARE = 0.25;
/** Reach of the barrier beyond the thickness, as a share of it. */
const REACH = 0.5;
/** Contacts a point that there is room for; more is an error. */
const MOST = 16;

/** The state that the functions of layer contact share. */
export interface Layers {
  readonly surface: ContactSurface;
  readonly L: LayerLists;
  /** [3·total] m, positions and displacements of all vertices. */
  readonly X: Float64Array;
  readonly P: Float64Array;
  /** [3·total] m, how far the bodies' vertices go in this step. */
  readonly sweep: Float64Array;
  /** [3·total] m, where the step starts. */
  readonly origin: Float64Array;
  readonly contacts: ContactRows;
  /** [lists] where the contacts of each list end. */
  readonly ends: Int32Array;
  /** The last evaluate: positions, number of the lists, pressure, energy, and the least gap of all pairs, listed or not. */
  readonly evaluated: {
    X: Float64Array;
    list: number;
    pressure: number;
    energy: number;
    gap: number;
  };
  readonly pressure: BarrierPressure;
  /** m², that a contact stands for. */
  readonly share: number;
  readonly most: number;
}

/** The rows of the barrier, and how far they let a motion go. */
export function layerRows(memory: Allocator, C: Layers): RowSet {
  const { L, X, P, contacts, ends, evaluated, pressure, most, surface } = C;
  const { n } = surface;
  const rows: RowSet = {
    rowsPer: 1,
    blocks: 0,
    start: multiplesOf4(memory, most),
    index: contacts.index,
    g: contacts.g,
    J: contacts.J,
    single: memory.f32(12 * most + SPARE),
    sigma: contacts.sigma,
    weight: contacts.weight,
    evaluate(Y) {
      gather(X, surface, Y);
      if (evaluated.pressure === pressure.now[0] && isEvaluated(C)) return; // the start of a step is the end of the last
      sumPairs(C, 0);
      rows.blocks = ends[3];
      if (rows.blocks >= most) throw new ContactError(most);
      evaluated.energy = contacts.sums[0];
      evaluated.gap = contacts.sums[1];
      evaluated.X.set(X);
      evaluated.list = L.number;
      evaluated.pressure = pressure.now[0];
    },
    energyNow: () => (evaluated.list === L.number ? evaluated.energy : undefined),
    energy(Y) {
      gather(X, surface, Y);
      sumPairs(C, most);
      return contacts.sums[0];
    },
    maxStep(Y, p) {
      load(C, Y, p);
      return safeMotion(C);
    },
    addLimits(limits, Y, p) {
      load(C, Y, p);
      updateDisplacements(L, X, P, 1);
      for (const list of L.lists) addPairLimits(limits, list, X, P, n, L.reach);
    },
    shorten(p, Y) {
      load(C, Y, p);
      updateDisplacements(L, X, P, 1);
      let cuts = 0;
      for (const list of L.lists) cuts += shortenAtPairs(P, list, X, n, L.reach);
      if (cuts > 0) for (let k = 0; k < 3 * n; k++) p[k] = P[k];
      return cuts;
    },
    stiffen: () => pressHarder(pressure, rows),
  };
  return rows;
}

export function multiplesOf4(memory: Allocator, count: number): Int32Array {
  return memory.copyI32(Int32Array.from({ length: count + 1 }, (_, k) => 4 * k));
}

export function createLayers(
  memory: Allocator,
  scene: Scene,
  { n, edgeLength, area, spacing }: Sheet,
  asked: ReadonlyF64,
  surface: ContactSurface,
): Layers {
  let shortest = Number.POSITIVE_INFINITY;
  for (let e = 0; e < edgeLength.length; e++) shortest = Math.min(shortest, edgeLength[e]);
  let thickness = 0;
  for (let i = 0; i < n; i++) thickness = Math.max(thickness, asked[i]);
  thickness = Math.min(thickness, SPACING_SHARE * shortest);
  const half = Float64Array.from({ length: n }, (_, i) => Math.min(0.5 * asked[i], thickness));
  const reach = REACH * thickness;
  const most = MOST * n + 64;
  const { total } = surface;
  return {
    surface,
    L: createLayerLists(memory, surface, half, thickness, reach, shortest),
    X: memory.f64(3 * total),
    P: memory.f64(3 * total),
    sweep: memory.f64(3 * total),
    origin: memory.f64(3 * total),
    contacts: {
      index: memory.i32(4 * most),
      J: memory.f64(12 * most),
      g: memory.f64(most),
      sigma: memory.f64(most),
      weight: memory.f64(most),
      pair: memory.i32(most),
      weights: memory.f64(4 * most),
      factor: memory.f64(most),
      sums: memory.f64(2),
    },
    ends: new Int32Array(4),
    evaluated: { X: new Float64Array(3 * total), list: -1, pressure: 0, energy: 0, gap: 0 },
    pressure: createPressure(memory, scene, reach, mean(spacing)),
    share: mean(area) / 3, // a point touches a triangle and some edges: they share its area
    most,
  };
}

function mean(values: ReadonlyF64): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] / values.length;
  return sum;
}

/** m: how far the vertices of bodies go in this step that are on some list. */
export function longestSweep({ L, sweep, surface: { n } }: Layers): number {
  let most = 0;
  for (const { candidates } of L.lists)
    for (let k = 0; k < 4 * candidates.found[0]; k++) {
      const i = candidates.points[k];
      if (i < n) continue;
      const x = sweep[3 * i];
      const y = sweep[3 * i + 1];
      const z = sweep[3 * i + 2];
      most = Math.max(most, x * x + y * y + z * z);
    }
  return Math.sqrt(most);
}

/** X and P of the sheets; bodies stand still. */
function load(
  { X, P, surface: { n, total }, surface }: Layers,
  Y: ReadonlyF64,
  p: ReadonlyF64,
): void {
  gather(X, surface, Y);
  for (let k = 0; k < 3 * n; k++) P[k] = p[k];
  for (let k = 3 * n; k < 3 * total; k++) P[k] = 0;
}

/** Energy and least gap at X into sums, and the rows from `first` on into `ends`. */
function sumPairs(
  { L, X, P, origin, contacts, share, pressure, most, surface, ends }: Layers,
  first: number,
): void {
  const { sums } = contacts;
  updateDisplacements(L, X, P, 0);
  sums[0] = 0;
  sums[1] = L.reach;
  const scale = share * pressure.now[0];
  let block = first;
  for (let s = 0; s < L.lists.length; s++) {
    const list = L.lists[s];
    const { contactRows } = operationsOf(list, L.kernels);
    block = contactRows(contacts, block, most, pairsOf(list), X, origin, surface.n, L.reach, scale);
    if (first === 0) ends[s] = block;
  }
}

/** Whether the factors that fade out nearly parallel edges differ from those of the last evaluate. */
export function fadesOtherPairs({ L, contacts, ends, evaluated, X }: Layers): boolean {
  const { pair, factor } = contacts;
  if (evaluated.list !== L.number) return false;
  for (let s = 1; s < 4; s += 2)
    for (let b = ends[s - 1]; b < ends[s]; b++) {
      const at = 4 * pair[b];
      const p = L.lists[s].candidates.points;
      if (parallelFactor(X, p[at], p[at + 1], p[at + 2], p[at + 3]) !== factor[b]) return true;
    }
  return false;
}

/** Whether the last evaluate was at X with the lists that are in use. */
export function isEvaluated({ evaluated, L, X }: Layers): boolean {
  return evaluated.list === L.number && isSame(X, evaluated.X, X.length);
}

/** Of positions of this size, m per m: some hundred units in the last place. */
const ROUNDING = 1e-13;

/** Whether the motion from X by P leaves every pair half of the least gap, rounding included; a sheet at rest needs no search. */
function isShort(C: Layers): boolean {
  const { X, P, evaluated, surface } = C;
  let size = 0;
  for (let k = 0; k < X.length; k++) size = Math.max(size, Math.abs(X[k]));
  return (
    2 * longestVector(P, surface.total) + ROUNDING * size < 0.5 * evaluated.gap && isEvaluated(C)
  );
}

/** Share of the motion from X by P that keeps all pairs apart. */
export function safeMotion(C: Layers): number {
  const { L, X, P } = C;
  let limit = coveredShare(L, X, P);
  if (limit < 1) {
    makeLists(L, X, P);
    limit = coveredShare(L, X, P);
  }
  if (limit === 1 && isShort(C)) return 1;
  updateDisplacements(L, X, P, limit);
  for (const list of L.lists) {
    const { candidates, first, keep, before } = list;
    const { safeTime } = operationsOf(list, L.kernels);
    limit = safeTime(
      candidates.points,
      candidates.found[0],
      first,
      keep,
      X,
      P,
      L.reach,
      limit,
      before,
    );
  }
  return limit;
}

const d2 = new Float64Array(1);
const w = new Float64Array(4);

/** Distance of pair k at X; its weights in w. */
function distance({ first, candidates }: PairList, k: number, X: ReadonlyF64): number {
  const q = candidates.points;
  const at = 4 * k;
  if (first === 2) edgeEdge(d2, w, 0, X, q[at], q[at + 1], q[at + 2], q[at + 3]);
  else pointTriangle(d2, w, 0, X, q[at], q[at + 1], q[at + 2], q[at + 3]);
  return Math.sqrt(d2[0]);
}

export function measure({ L, X }: Layers): {
  penetration: number;
  contacts: number;
  point: number;
} {
  let penetration = 0;
  let contacts = 0;
  let point = -1;
  for (let s = 0; s < 2; s++) {
    const list = L.lists[s];
    const { points, found } = list.candidates;
    for (let k = 0; k < found[0]; k++) {
      const d = distance(list, k, X);
      if (d < L.thickness + L.reach) contacts++;
      if (list.keep[k] >= 0 && list.keep[k] - d > penetration) {
        penetration = list.keep[k] - d;
        point = Math.min(points[4 * k], points[4 * k + list.first]);
      }
    }
  }
  return { penetration, contacts, point };
}

/** What point i touched at the last evaluate. */
export function touchedBy(
  { L, contacts, ends, surface }: Layers,
  count: number,
  i: number,
): string[] {
  const names = new Set<string>();
  let s = 0;
  for (let b = 0; b < count; b++) {
    while (b >= ends[s]) s++;
    const q = L.lists[s].candidates.points;
    const at = 4 * contacts.pair[b];
    let isOf = false;
    for (let m = at; m < at + 4; m++) if (q[m] === i) isOf = true;
    if (!isOf) continue;
    for (let m = at; m < at + 4; m++)
      if (q[m] !== i)
        names.add(
          q[m] < surface.n ? "layers" : surface.bodies[surface.group[q[m]] - 1].collider.name,
        );
  }
  if (names.size > 1) names.delete("layers");
  return [...names];
}
