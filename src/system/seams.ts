/**
 * Seams that are pulled together while the sheet moves: panels start apart and end as one garment.
 *
 * Sewn points stay two, a and b, all the time; so a recording has one topology. Between them is a rope that gets shorter,
 *
 *   d = Yₐ − Y_b,   x = |d| − ℓ(t),   ℓ = |d₀| (1 − s(t/T)),   s(τ) = 3τ² − 2τ³
 *   ψ = F²/k (√(1 + (k x/F)²) − 1)  for x > 0, else 0            about ½ k x², and F x from a knee of F/k on
 *
 * It only pulls, along any direction, and never harder than F: panels slide around a body that is in the way, and a garment that is too
 * small stays open rather than being torn or stretched; the run then says which seam. Rows are d's direction and two across it,
 * with weights ψ′/x (the secant: its parabola lies above ψ, so that Newton's method cannot overshoot) and ψ′/|d|.
 *
 * From T on, once all gaps are under CLOSED spacings, the seams are closed: the rope is a spring of the membrane's stiffness in all
 * directions, ½ k |d|² + λ·d, with multipliers λ that take over its force step by step (a tenfold stiffness instead of them costs ten times the
 * iterations where the sheet is taut), and points bend over second rings that reach across
 * the seam, as in a welded sheet. Until then, or 2T at most, the weight of the garment is taken off: else panels around a body would lie on the floor
 * before they are sewn. All of this is a function of the state, the time, and a few numbers that a checkpoint keeps.
 */

import type { Allocator, ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { EARTH } from "../scene/materials.ts";
import type { Vec3 } from "../scene/scene.ts";
import { secondRings } from "../sheet/curvature.ts";
import { type Mesh, meshEdges, type Neighbourhoods, type Sheet } from "../sheet/kinematics.ts";
import { SheetError } from "../sheet/sheet-error.ts";
import { hold, type Pins } from "./attachments.ts";
import type { RowSet } from "./system.ts";

export interface Seams extends RowSet {
  /** Second rings across the seams: how points bend once these are closed. */
  readonly rings: Neighbourhoods;
  /** Second rings within the panels. */
  readonly open: Neighbourhoods;
  /** Whether they are closed. */
  readonly closed: boolean;
  /** Ropes for a step from Y that ends at `time`; says whether the seams opened or closed. */
  beginStep(Y: ReadonlyF64, time: number): boolean;
  /** m, the widest gap at Y, and where it is: two points. */
  widest(Y: ReadonlyF64): { gap: number; points: [number, number] };
  /** s, when the last rope is down to nothing. */
  readonly until: number;
  /** Carry what is being sewn: the opposite of gravity. */
  readonly hands: RowSet;
  /** For checkpoints: [1] N/m, stiffness of the closed seams, 0 while they are open; then [3·blocks] N, λ. */
  readonly memory: Float64Array;
}

/** All ropes together pull with at most so many times the weight of what they sew: of a tunic, 14 N per metre of seam. */
const PULL = 20;
/** m: a rope pulls with about its full force when it is this much too long. */
const KNEE = 5e-4;
/** Seams are closed when no gap is wider than this share of the spacing there. */
const CLOSED = 0.02;
/** A closed seam opens again (after a program has moved its points) when a gap is wider than this share. */
const TORN = 0.5;

/** The seams of a sheet that has any to be pulled together. */
export function createSeams(
  memory: Allocator,
  sheet: Sheet,
  pins: Pins,
  open: Neighbourhoods,
  rings: Neighbourhoods,
  Y: ReadonlyF64,
  m: ReadonlyF64,
  membrane: ReadonlyF64,
  gravity: Vec3,
): Seams {
  const pairs = sheet.seamPairs as ReadonlyI32;
  const ropes = createRopes(memory, sheet, pairs, Y, m, membrane);
  const until = ropes.seconds.reduce((a, b) => Math.max(a, b), 0);
  refuseHeldApart(sheet, pins, until);
  const { blocks, kept } = ropes;
  const start = memory.copyI32(Int32Array.from({ length: blocks + 1 }, (_, b) => 2 * b));
  const hands = carrying(memory, sheet, m, gravity);
  const carried = hands.blocks;
  return {
    rowsPer: 3,
    blocks,
    start,
    index: memory.copyI32(pairs),
    g: ropes.g,
    J: ropes.J,
    sigma: ropes.sigma,
    weight: ropes.weight,
    rings,
    open,
    until,
    hands,
    memory: kept,
    get closed() {
      return kept[0] > 0;
    },
    evaluate: (Y) => evaluateRopes(ropes, Y),
    energy: (Y) => ropeEnergy(ropes, Y),
    beginStep(Y, time) {
      const before = kept[0] > 0;
      shorten(ropes, time);
      renewStiffness(ropes, widestGap(ropes, Y, sheet), Y, time >= until);
      hands.blocks = kept[0] > 0 || time > 2 * until ? 0 : carried;
      return before !== kept[0] > 0;
    },
    widest: (Y) => widestPair(ropes, Y),
  };
}

/** The rows of the seams, and the ropes that pull them together until they are closed. */
interface Ropes {
  readonly blocks: number;
  readonly pairs: ReadonlyI32; // [2·blocks]
  readonly length: Float64Array; // [blocks] m, |d₀|
  readonly seconds: Float64Array; // [blocks] s, T
  readonly limit: Float64Array; // [blocks] N, F
  readonly hard: Float64Array; // [blocks] N/m, of the closed seam
  readonly rope: Float64Array; // [blocks] m, ℓ now
  readonly g: Float64Array;
  readonly J: Float64Array;
  readonly sigma: Float64Array;
  readonly weight: Float64Array;
  /** Part of the state: stiffness of the closed seams, N/m (0: open), then their multipliers, N. */
  readonly kept: Float64Array;
  readonly frame: Float64Array; // [9] scratch
}

function createRopes(
  memory: Allocator,
  sheet: Sheet,
  pairs: ReadonlyI32,
  Y: ReadonlyF64,
  m: ReadonlyF64,
  membrane: ReadonlyF64,
): Ropes {
  const blocks = pairs.length / 2;
  const ropes: Ropes = {
    blocks,
    pairs,
    length: new Float64Array(blocks),
    seconds: new Float64Array(blocks),
    limit: new Float64Array(blocks),
    hard: new Float64Array(blocks),
    rope: new Float64Array(blocks),
    g: memory.f64(3 * blocks),
    J: memory.f64(18 * blocks),
    sigma: memory.f64(3 * blocks),
    weight: memory.f64(3 * blocks),
    kept: memory.f64(1 + 3 * blocks),
    frame: new Float64Array(9),
  };
  for (const part of sheet.parts) {
    const end = part.firstPoint + part.points;
    const own: number[] = [];
    for (let b = 0; b < blocks; b++)
      if (pairs[2 * b] >= part.firstPoint && pairs[2 * b] < end) own.push(b);
    let mass = 0;
    for (let i = part.firstPoint; i < end; i++) mass += m[i];
    for (const b of own) {
      ropes.seconds[b] = part.sewing ?? 0;
      ropes.limit[b] = (PULL * EARTH * mass) / own.length;
    }
  }
  for (let b = 0; b < blocks; b++) {
    const [i, j] = [pairs[2 * b], pairs[2 * b + 1]];
    ropes.length[b] = apart(Y, i, j);
    ropes.hard[b] = (membrane[i] + membrane[j]) / 2;
  }
  return ropes;
}

/** N/m: of the closed seam at b, 0 while it is open. Doubles in each step: all of it at once would be an impact. */
function spring({ kept, hard }: Ropes, b: number): number {
  return kept[0] > 0 ? Math.min(kept[0], hard[b]) : 0;
}

function evaluateRopes(ropes: Ropes, Y: ReadonlyF64): void {
  const { blocks, pairs, frame, g, J, sigma, weight, kept, rope, limit } = ropes;
  for (let b = 0; b < blocks; b++) {
    const i = 3 * pairs[2 * b];
    const j = 3 * pairs[2 * b + 1];
    const x = Y[i] - Y[j];
    const y = Y[i + 1] - Y[j + 1];
    const z = Y[i + 2] - Y[j + 2];
    const d = Math.sqrt(x * x + y * y + z * z);
    const k = spring(ropes, b);
    if (k > 0) for (let c = 0; c < 9; c++) frame[c] = AXES[c];
    else setFrame(frame, x, y, z);
    for (let c = 0; c < 9; c++) {
      J[18 * b + c] = frame[c];
      J[18 * b + 9 + c] = -frame[c];
    }
    for (let r = 0; r < 3; r++) {
      const along = frame[3 * r] * x + frame[3 * r + 1] * y + frame[3 * r + 2] * z;
      g[3 * b + r] = along;
      sigma[3 * b + r] = k * along + kept[1 + 3 * b + r];
      weight[3 * b + r] = k;
    }
    if (k > 0) continue;
    const over = d - rope[b];
    const stiff = over > 0 ? secant(over, limit[b]) : 0; // ψ′/x
    sigma[3 * b] = stiff * Math.max(0, over);
    sigma[3 * b + 1] = 0;
    sigma[3 * b + 2] = 0;
    weight[3 * b] = stiff;
    weight[3 * b + 1] = over > 0 ? (stiff * over) / d : 0;
    weight[3 * b + 2] = weight[3 * b + 1];
  }
}

function ropeEnergy(ropes: Ropes, Y: ReadonlyF64): number {
  const { blocks, pairs, kept, rope, limit } = ropes;
  let sum = 0;
  for (let b = 0; b < blocks; b++) {
    const d = apart(Y, pairs[2 * b], pairs[2 * b + 1]);
    const k = spring(ropes, b);
    if (k > 0) {
      sum += 0.5 * k * d * d;
      for (let c = 0; c < 3; c++)
        sum += kept[1 + 3 * b + c] * (Y[3 * pairs[2 * b] + c] - Y[3 * pairs[2 * b + 1] + c]);
    } else if (d > rope[b]) {
      const bent = (d - rope[b]) / KNEE;
      sum += limit[b] * KNEE * (Math.sqrt(1 + bent * bent) - 1);
    }
  }
  return sum;
}

/** Ropes as long as they are at that time. */
function shorten({ blocks, rope, length, seconds }: Ropes, time: number): void {
  for (let b = 0; b < blocks; b++) {
    const tau = Math.min(1, time / seconds[b]);
    rope[b] = length[b] * (1 - tau * tau * (3 - 2 * tau));
  }
}

/** The widest gap of a seam, in units of the spacing there. */
function widestGap({ blocks, pairs }: Ropes, Y: ReadonlyF64, { spacing }: Sheet): number {
  let widest = 0;
  for (let b = 0; b < blocks; b++) {
    const i = pairs[2 * b];
    const j = pairs[2 * b + 1];
    widest = Math.max(widest, apart(Y, i, j) / ((spacing[i] + spacing[j]) / 2));
  }
  return widest;
}

/** Closes seams that have met, makes closed ones stiffer, opens torn ones. */
function renewStiffness(ropes: Ropes, widest: number, Y: ReadonlyF64, isTime: boolean): void {
  const { blocks, pairs, kept, limit } = ropes;
  const isClosed = kept[0] > 0;
  if (isClosed && widest > TORN) kept.fill(0);
  else if (isClosed) {
    // what the springs still gave way, the next step takes back
    for (let b = 0; b < blocks; b++)
      for (let c = 0; c < 3; c++)
        kept[1 + 3 * b + c] +=
          spring(ropes, b) * (Y[3 * pairs[2 * b] + c] - Y[3 * pairs[2 * b + 1] + c]);
    kept[0] = Math.min(2 * kept[0], 1e12);
  } else if (isTime && widest < CLOSED) kept[0] = softest(limit) / KNEE;
}

/** The pair that is farthest apart, and how far, m. */
function widestPair(
  { blocks, pairs }: Ropes,
  Y: ReadonlyF64,
): { gap: number; points: [number, number] } {
  let gap = -1;
  let points: [number, number] = [0, 0];
  for (let b = 0; b < blocks; b++) {
    const d = apart(Y, pairs[2 * b], pairs[2 * b + 1]);
    if (d <= gap) continue;
    gap = d;
    points = [pairs[2 * b], pairs[2 * b + 1]];
  }
  return { gap, points };
}

/** ψ = m |g| ĝ·Y at every point of sheets that are sewn. */
function carrying(memory: Allocator, sheet: Sheet, m: ReadonlyF64, [x, y, z]: Vec3): RowSet {
  const g = Math.sqrt(x * x + y * y + z * z);
  const points: number[] = [];
  for (const { sewing, firstPoint, points: count } of g > 0 ? sheet.parts : [])
    for (let i = 0; i < (sewing === undefined ? 0 : count); i++) points.push(firstPoint + i);
  const count = points.length;
  const index = memory.copyI32(Int32Array.from(points));
  const force = new Float64Array(points.map((i) => g * m[i]));
  const height = memory.f64(count);
  const along = (k: number, Y: ReadonlyF64): number =>
    (x * Y[3 * points[k]] + y * Y[3 * points[k] + 1] + z * Y[3 * points[k] + 2]) / g;
  return {
    rowsPer: 1,
    blocks: count,
    start: memory.copyI32(Int32Array.from({ length: count + 1 }, (_, k) => k)),
    index,
    g: height,
    J: memory.copyF64(Float64Array.from(points.flatMap(() => [x / g, y / g, z / g]))),
    sigma: memory.copyF64(force),
    weight: memory.f64(count),
    evaluate(Y) {
      for (let k = 0; k < this.blocks; k++) height[k] = along(k, Y);
    },
    energy(Y) {
      let sum = 0;
      for (let k = 0; k < this.blocks; k++) sum += force[k] * along(k, Y);
      return sum;
    },
  };
}

/** Rows x, y, z. */
const AXES = [1, 0, 0, 0, 1, 0, 0, 0, 1] as const;

/** k/√(1 + (kx/F)²) with k = F/KNEE. */
function secant(x: number, F: number): number {
  const bent = x / KNEE;
  return F / KNEE / Math.sqrt(1 + bent * bent);
}

function softest(values: ReadonlyF64): number {
  let least = Number.POSITIVE_INFINITY;
  for (let b = 0; b < values.length; b++) least = Math.min(least, values[b]);
  return least;
}

function apart(Y: ReadonlyF64, i: number, j: number): number {
  const x = Y[3 * i] - Y[3 * j];
  const y = Y[3 * i + 1] - Y[3 * j + 1];
  const z = Y[3 * i + 2] - Y[3 * j + 2];
  return Math.sqrt(x * x + y * y + z * z);
}

/** m: a rope of less has no direction. */
const NO_LENGTH = 1e-12;
/** |z| of a unit vector under which the z axis is far enough from it to take the normal part of; else x is. */
const UPRIGHT = 0.6;

/** Rows: (x, y, z) as a unit vector and two across it; the axes where it has no length. */
function setFrame(frame: Float64Array, x: number, y: number, z: number): void {
  const d = Math.sqrt(x * x + y * y + z * z);
  const none = !(d > NO_LENGTH);
  const a = none ? 1 : x / d;
  const b = none ? 0 : y / d;
  const c = none ? 0 : z / d;
  // across: the normal part of the axis that (a, b, c) is farthest from
  const flat = Math.abs(c) < UPRIGHT;
  const dot = flat ? c : a;
  let u = (flat ? 0 : 1) - dot * a;
  let v = -dot * b;
  let w = (flat ? 1 : 0) - dot * c;
  const l = Math.sqrt(u * u + v * v + w * w);
  u /= l;
  v /= l;
  w /= l;
  frame[0] = a;
  frame[1] = b;
  frame[2] = c;
  frame[3] = u;
  frame[4] = v;
  frame[5] = w;
  frame[6] = b * w - c * v;
  frame[7] = c * u - a * w;
  frame[8] = a * v - b * u;
}

/** m: pinned points of a seam that are nearer than this are together. */
const TOGETHER = 1e-4;

/** Pins that hold both sides of a seam apart for good leave nothing to sew. */
function refuseHeldApart(sheet: Sheet, pins: Pins, time: number): void {
  const pairs = sheet.seamPairs as ReadonlyI32;
  hold(pins, time);
  const { fixed, target } = pins;
  const held = (i: number): boolean =>
    fixed[3 * i] === 1 && fixed[3 * i + 1] === 1 && fixed[3 * i + 2] === 1;
  const faults: string[] = [];
  for (let b = 0; b < pairs.length / 2 && faults.length === 0; b++) {
    const [i, j] = [pairs[2 * b], pairs[2 * b + 1]];
    if (!held(i) || !held(j) || apart(target, i, j) < TOGETHER) continue;
    const names = pins.held.filter(({ points }) => points.includes(i) || points.includes(j));
    const who = names.map(({ pin }) => `"${pin.name}"`).join(" and ");
    const gap = `${(1000 * apart(target, i, j)).toPrecision(3)} mm apart`;
    faults.push(
      `${seamName(sheet, i, j)}: pinned on both sides by ${who}, ${gap}; hold one side, or release it before ${time} s`,
    );
  }
  hold(pins, 0);
  if (faults.length > 0) throw new SheetError("sewing", faults);
}

/** The seam that joins two points: "front:side to back:side". */
export function seamName({ parts }: Sheet, i: number, j: number): string {
  for (const { edges, seams = [] } of parts) {
    const on = (name: string, point: number): boolean =>
      (edges[name] as Int32Array).includes(point);
    for (const [from, to] of seams)
      if ((on(from, i) && on(to, j)) || (on(from, j) && on(to, i))) return `${from} to ${to}`;
  }
  return `of points ${i} and ${j}`; // joined through a third, where several seams meet
}

/** The sheet with its seams closed. */
export interface ClosedSheet {
  readonly mesh: Mesh & ReturnType<typeof meshEdges>;
  /** [n] number in it of each point of the open sheet. */
  readonly number: Int32Array;
  /** Point of the open sheet that each of its points is, the first of its copies. */
  readonly first: readonly number[];
}

export function closedSheet(sheet: Sheet): ClosedSheet {
  const sewn = sheet.sewn as ReadonlyI32;
  const number = new Int32Array(sheet.n);
  const copies: number[][] = [];
  for (let i = 0; i < sheet.n; i++) {
    if (sewn[i] === i) {
      number[i] = copies.length;
      copies.push([i]);
    } else {
      number[i] = number[sewn[i]];
      copies[number[i]].push(i);
    }
  }
  const first = copies.map(([i]) => i);
  const middle = (all: number[], c: number): number =>
    all.reduce((sum, i) => sum + sheet.rest[3 * i + c], 0) / all.length;
  const mesh: Mesh = {
    n: first.length,
    rest: Float64Array.from(copies.flatMap((all) => [0, 1, 2].map((c) => middle(all, c)))),
    uv: Float64Array.from(first.flatMap((i) => [sheet.uv[2 * i], sheet.uv[2 * i + 1]])),
    triangles: Int32Array.from(sheet.triangles as Int32Array, (i) => number[i]),
    corners: sheet.corners,
  };
  return { mesh: { ...mesh, ...meshEdges(mesh) }, number, first };
}

/**
 * Second rings of the closed sheet on the points of the open one: those of the welded point, each neighbour by its copy in the same panel
 * if there is one. Copies of a point share its energy by their areas.
 */
export function sewnRings(
  sheet: Sheet,
  open: Neighbourhoods,
  { mesh, number, first }: ClosedSheet,
): Neighbourhoods {
  const welded = secondRings(mesh);
  const start = new Int32Array(sheet.n + 1);
  const index: number[] = [];
  const X: number[] = [];
  for (let i = 0; i < sheet.n; i++) {
    const own = new Map<number, number>();
    for (let e = open.start[i]; e < open.start[i + 1]; e++)
      own.set(number[open.index[e]], open.index[e]);
    const w = number[i];
    for (let e = welded.start[w]; e < welded.start[w + 1]; e++) {
      const j = welded.index[e];
      index.push(j === w ? i : (own.get(j) ?? first[j]));
      X.push(welded.X[2 * e], welded.X[2 * e + 1]);
    }
    start[i + 1] = index.length;
  }
  return { start, index: Int32Array.from(index), X: Float64Array.from(X) };
}
