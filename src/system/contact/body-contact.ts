/**
 * Contact with bodies: barriers and friction as rows of the same minimisation that holds the sheet isometric.
 *
 * Samples are the points, the middles of edges and the centres of triangles; each is a weighted mean of at most three points.
 * For a sample s and a body with signed distance φ at the end of the step
 *
 *   gap = φ(xₛ) − ξ,    ψ = aₛ p₀ d̂ B(gap/d̂),    row = Σ wₖ n
 *
 * ξ is half the sheet's thickness and the body's offset, or less where a sample starts closer (bad starts): then the barrier pushes
 * it out a little every step. Nothing passes: the line search asks maxStep, which advances every near sample conservatively, and a start that the moved
 * body has swept over is carried along with the body first (makeFeasible).
 *
 * Between samples a sharp corner could still poke through a triangle. So bodies bring their edges and corners as features into the lists of
 * layers (body-features.ts), which hold them off triangles and edges.
 *
 * Friction sticks: every touching sample remembers an anchor on the body. The slip u from it is smoothed over a hundredth of
 * the thickness, and a sliding contact drags its anchor behind. So a sheet at rest on a slope does not creep, however long it lies there.
 * The normal force is that of the step before.
 */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import { SPARE } from "../../linalg/single.ts";
import { colliderAt, createRigid, type Rigid } from "../../scene/motion.ts";
import type { Body, Collider, Scene } from "../../scene/scene.ts";
import type { Sheet } from "../../sheet/kinematics.ts";
import type { RowSet } from "../system.ts";
import {
  adaptedPressure,
  barrierParts,
  contactPressure,
  MOST_PRESSURE,
  pressHarder,
  tangents,
} from "./barrier.ts";
import {
  createSweep,
  poseAt,
  prepareBodies,
  setSweep,
  sweptPointTime,
  worldDistance,
} from "./colliders.ts";
import { isSame, longestWay } from "./distance.ts";
import { type Friction, frictionRows } from "./friction.ts";
import { limitPoint } from "./step-limits.ts";

/** [colliders] s, where each body is on its path at the start and at the end of a step. */
export interface BodyTimes {
  readonly from: ReadonlyF64;
  readonly to: ReadonlyF64;
}

export interface BodyContact {
  readonly barrier: RowSet;
  readonly friction: Friction;
  /** [samples·bodies] N and [3·samples·bodies] m in body coordinates: part of the state. */
  readonly normalForce: Float64Array;
  readonly anchor: Float64Array;
  /** [samples·bodies] m, the distance that each pair keeps. */
  readonly xi: Float64Array;
  /** [1] Pa, p₀ of the barrier: part of the state. */
  readonly pressure: Float64Array;
  /** m: how far the fastest body moves in this step, if the sheet is within twice that of one; 0 if not. */
  readonly reach: Float64Array;
  /** Poses at t0 and t1, gaps that samples may keep, friction of this step. Y: positions at t0. */
  beginStep(Y: ReadonlyF64, times: BodyTimes, h: number, fixed: Uint8Array): void;
  /** Moves the points along with the bodies in this step, less the farther they are from them: whatever lies in layers stays in their order. */
  squeeze(Y: Float64Array, fixed: Uint8Array): void;
  /** Moves what the bodies have run into out of them; false if that fails. */
  makeFeasible(Y: Float64Array, Yold: ReadonlyF64, fixed: Uint8Array): boolean;
  /** Normal forces and anchors after the step. */
  endStep(Y: ReadonlyF64): void;
  /** [colliders] 1: some sample could not be brought out of it, by the last makeFeasible. */
  readonly inWay: Uint8Array;
  /** Names of the bodies that point i touched at the last evaluate. */
  touchedBy(i: number): string[];
  /** Points inside each body at its current pose, deepest first; `held`: some of them are pinned. */
  measureDeep(Y: ReadonlyF64): { name: string; points: number[]; depth: number; held: boolean }[];
  /** Deepest penetration of a point into a body (its thickness included), m; touching contacts. */
  measure(Y: ReadonlyF64): { penetration: number; contacts: number; point: number };
}

const NORMAL_SLOTS = 3;
/** Share of its gap that a sample may use in one step. */
const ROOM = 0.9;
/** How deep a body that moves squeezes the layers before it, in longest edges: of its way they give up as little of their gaps as that is long. */
const SQUEEZED = 5;
/** Cosine between normals from which on they are of the same side of a body: thin rods take along what they hit. */
const SAME_SIDE = 0.9;

export function bodyContact(
  memory: Allocator,
  scene: Scene,
  sheet: Sheet,
  thickness: ReadonlyF64,
): BodyContact | null {
  const colliders = scene.colliders.filter((c) => c.body.type !== "mesh");
  if (colliders.length === 0) return null;
  const which = colliders.map((c) => scene.colliders.indexOf(c));
  const { n, edges, triangles, triangleArea, area } = sheet;
  const E = edges.length / 2;
  const T = triangles.length / 3;
  const S = n + E + T;
  const nb = colliders.length;
  const table = prepareBodies(
    memory,
    colliders.map((c) => c.body) as Exclude<Body, { type: "mesh" }>[],
  );

  // samples: three points, three weights, the area they stand for
  const points = new Int32Array(3 * S);
  const weights = new Float64Array(3 * S);
  const share = new Float64Array(S);
  const edgeArea = edgeAreas(sheet);
  for (let i = 0; i < n; i++) {
    points.fill(i, 3 * i, 3 * i + 3);
    weights[3 * i] = 1;
    share[i] = area[i] / 3;
  }
  for (let e = 0; e < E; e++) {
    const s = n + e;
    points.set([edges[2 * e], edges[2 * e + 1], edges[2 * e]], 3 * s);
    weights.set([0.5, 0.5, 0], 3 * s);
    share[s] = edgeArea[e] / 9;
  }
  for (let t = 0; t < T; t++) {
    const s = n + E + t;
    points.set([triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]], 3 * s);
    weights.fill(1 / 3, 3 * s, 3 * s + 3);
    share[s] = triangleArea[t] / 3;
  }
  const half = new Float64Array(S); // half the thickness at each sample
  for (let s = 0; s < S; s++) half[s] = 0.5 * thickness[points[3 * s]];
  let longest = 0; // m, of a triangle's sides
  for (let e = 0; e < E; e++) longest = Math.max(longest, sheet.edgeLength[e]);
  const [gx, gy, gz] = scene.gravity;
  const g = Math.sqrt(gx * gx + gy * gy + gz * gz);
  const density = scene.sheets.reduce((most, s) => Math.max(most, s.material.density), 0);

  const pressure = memory.f64(1); // p₀, Pa: follows what presses (adaptedPressure)

  const capacity = S * Math.min(nb, NORMAL_SLOTS);
  const P = memory.copyI32(points);
  const W = memory.copyF64(weights);
  const pairs = S * nb;
  const xi = memory.f64(pairs); // distance that each pair keeps, m
  xi.fill(Number.NEGATIVE_INFINITY);
  const normalForce = memory.f64(pairs);
  const anchor = memory.f64(3 * pairs);
  const nearList = memory.i32(pairs); // pairs s·nb + b that may touch in this step
  const isSkipped = memory.u8(S); // all three points held
  const start0 = new Int32Array(capacity + 1);
  for (let k = 0; k <= capacity; k++) start0[k] = 3 * k;
  const blockStart = memory.copyI32(start0);

  const poses0: Rigid[] = colliders.map(() => createRigid());
  const poses1: Rigid[] = colliders.map(() => createRigid());
  const sweeps = colliders.map(() => createSweep());
  const still = colliders.map(() => createSweep());
  const answer = new Float64Array(10);
  const poseThen = createRigid();
  const met = new Float64Array(3);
  const left = new Float64Array(3);
  const x = new Float64Array(3);
  const dx = new Float64Array(3);
  const time = new Float64Array(1);
  const reach = new Float64Array(1);
  const inWay = new Uint8Array(scene.colliders.length);
  const begin = memory.f64(3 * n); // positions when the near list was made,
  const phi0 = memory.f64(pairs); // and what the distances of all pairs there are at least: slopes of φ are 1, so most are never looked at again
  const measured: Rigid[] = colliders.map(() => createRigid()); // where the bodies were for them,
  let isMeasured = false; // if there are any yet
  const strayed = memory.f64(n); // m, from begin
  const moved = new Float64Array(nb); // m, of the bodies in this step; Infinity if they turn
  const came = new Float64Array(nb); // m, from where they were measured to the start of this step
  const wasFixed = new Uint8Array(3 * n);
  const isListed = new Uint8Array(pairs);
  let isNewList = true; // since forces were written last
  const basis = new Float64Array(6);
  const nearEnd = new Int32Array(nb); // where the pairs of each body end in the list
  let near = 0;
  let margin = 0;
  let dHat = 0;
  let epsilon = 0;
  for (let s = 0; s < S; s++) dHat = Math.max(dHat, half[s]);
  epsilon = 0.02 * dHat; // 1 % of the thickness
  const startPressure = contactPressure(density, g, dHat, scene.h);
  pressure[0] = startPressure;

  const at = (out: Float64Array, s: number, Y: ReadonlyF64) => {
    const a = 3 * P[3 * s];
    const b = 3 * P[3 * s + 1];
    const c = 3 * P[3 * s + 2];
    const u = W[3 * s];
    const v = W[3 * s + 1];
    const w = W[3 * s + 2];
    out[0] = u * Y[a] + v * Y[b] + w * Y[c];
    out[1] = u * Y[a + 1] + v * Y[b + 1] + w * Y[c + 1];
    out[2] = u * Y[a + 2] + v * Y[b + 2] + w * Y[c + 2];
  };
  const distance = (s: number, b: number, Y: ReadonlyF64, pose: Rigid): number => {
    at(x, s, Y);
    worldDistance(answer, 0, table, b, pose, x, 0);
    return answer[0];
  };

  /** How far Y is from where the list was made, for atLeast. */
  const stray = (Y: ReadonlyF64) => {
    for (let i = 0; i < n; i++) strayPoint(i, Y);
  };
  const strayPoint = (i: number, Y: ReadonlyF64) => {
    const u = Y[3 * i] - begin[3 * i];
    const v = Y[3 * i + 1] - begin[3 * i + 1];
    const w = Y[3 * i + 2] - begin[3 * i + 2];
    strayed[i] = Math.sqrt(u * u + v * v + w * w);
  };
  const longestStray = (): number => {
    let most = 0;
    for (let i = 0; i < n; i++) if (!(strayed[i] <= most)) most = strayed[i];
    return most;
  };
  /** Not more than the distance of the pair at the pose that was measured and the last Y of stray. */
  const atLeast = (s: number, b: number): number =>
    phi0[s * nb + b] -
    (W[3 * s] * strayed[P[3 * s]] +
      W[3 * s + 1] * strayed[P[3 * s + 1]] +
      W[3 * s + 2] * strayed[P[3 * s + 2]]);

  /** What the last evaluate saw: where, with which pressure, the energy, and the least gap (none is smaller). */
  const seen = {
    isTrue: false, // until what a pair keeps has changed
    Y: new Float64Array(3 * n),
    poses: colliders.map(() => createRigid()),
    pressure: 0,
    energy: 0,
    gap: 0,
  };
  const parts = new Float64Array(3);
  const pairOf = new Int32Array(capacity); // of the rows of samples, in the order of the list,
  const normalOf = new Float64Array(3 * capacity); // with their normals
  let touching = 0; // how many
  const J = memory.f64(9 * capacity);
  const index = memory.i32(3 * capacity);
  const rows: RowSet = {
    rowsPer: 1,
    blocks: 0,
    start: blockStart,
    index,
    g: memory.f64(capacity),
    J,
    single: memory.f32(9 * capacity + SPARE),
    anchors: true,
    sigma: memory.f64(capacity),
    weight: memory.f64(capacity),
    evaluate(Y) {
      if (isSeen(Y)) return; // the start of a step is the end of the last
      seen.gap = 0.5 * dHat;
      seen.energy = sumUp(Y, true);
      seen.isTrue = true;
      seen.pressure = pressure[0];
      for (let k = 0; k < 3 * n; k++) seen.Y[k] = Y[k];
      for (let b = 0; b < nb; b++) seen.poses[b].set(poses1[b]);
    },
    energyNow: () => seen.energy,
    energy: (Y) => sumUp(Y, false),
    stiffen: () => pressHarder(pressure, startPressure, rows, dHat),
    maxStep(Y, p) {
      // samples that are not on the list were farther than margin. Who goes farther asks for a new one: how far a step may go must not depend
      // on how old the list is, which a resumed run has just made
      const farthest = longestWay(p, n);
      stray(Y);
      if (!(longestStray() + farthest <= margin - dHat))
        makeList(Y, Math.max(margin, 2 * farthest + 2 * dHat));
      if (isShort(Y, farthest)) return 1;
      time[0] = 1;
      for (let k = 0; k < near; k++) {
        const pair = nearList[k];
        const s = Math.floor(pair / nb);
        const b = pair - s * nb;
        at(dx, s, p);
        const way = Math.sqrt(dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2]) * time[0];
        if (atLeast(s, b) - xi[pair] > way + dHat) continue;
        at(x, s, Y);
        sweptPointTime(time, 0, table, b, poses1[b], still[b], x, dx, 0, xi[pair], dHat, time[0]);
      }
      return time[0];
    },
    addLimits(limits, Y, p) {
      stray(Y);
      for (let k = 0; k < near; k++) {
        const pair = nearList[k];
        if (timeOf(pair, Y, p) === 1) continue;
        const s = Math.floor(pair / nb);
        const gap = distance(s, pair - s * nb, Y, poses1[pair - s * nb]) - xi[pair];
        for (let c = 0; c < 3; c++)
          if (W[3 * s + c] !== 0)
            limitPoint(limits, P[3 * s + c], answer[1], answer[2], answer[3], ROOM * gap, p);
      }
    },
    shorten(p, Y) {
      stray(Y);
      let cuts = 0;
      for (let k = 0; k < near; k++) {
        const t = timeOf(nearList[k], Y, p);
        if (t === 1) continue;
        cuts++;
        const s = Math.floor(nearList[k] / nb);
        for (let c = 0; c < 3; c++) {
          if (W[3 * s + c] === 0 || (c > 0 && P[3 * s + c] === P[3 * s])) continue;
          for (let q = 3 * P[3 * s + c]; q < 3 * P[3 * s + c] + 3; q++) p[q] *= t;
        }
      }
      return cuts;
    },
  };

  /** The share of the motion p from Y (of the last stray) that a pair allows. */
  function timeOf(pair: number, Y: ReadonlyF64, p: ReadonlyF64): number {
    const s = Math.floor(pair / nb);
    const b = pair - s * nb;
    at(dx, s, p);
    const way = Math.sqrt(dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2]);
    if (atLeast(s, b) - xi[pair] > way + dHat) return 1;
    at(x, s, Y);
    time[0] = 1;
    sweptPointTime(time, 0, table, b, poses1[b], still[b], x, dx, 0, xi[pair], dHat, 1);
    return time[0];
  }

  /** Σψ at Y; with the rows if they are asked for. */
  function sumUp(Y: ReadonlyF64, writes: boolean): number {
    let energy = 0;
    let block = 0;
    stray(Y);
    for (let k = 0; k < near; k++) {
      const pair = nearList[k];
      const s = Math.floor(pair / nb);
      const b = pair - s * nb;
      if (atLeast(s, b) - xi[pair] >= dHat) continue;
      const gap = distance(s, b, Y, poses1[b]) - xi[pair];
      if (gap >= dHat) continue;
      energy += barrierAt(block, gap, dHat, share[s] * pressure[0], writes);
      if (!writes) continue;
      if (block === capacity)
        throw new Error(`more than ${NORMAL_SLOTS} bodies touch every sample: nothing can move`);
      pairOf[block] = pair;
      for (let c = 0; c < 3; c++) {
        index[3 * block + c] = P[3 * s + c];
        normalOf[3 * block + c] = answer[1 + c];
        const w = W[3 * s + c];
        const j = 9 * block + 3 * c;
        J[j] = w * answer[1];
        J[j + 1] = w * answer[2];
        J[j + 2] = w * answer[3];
      }
      block++;
    }
    if (writes) {
      touching = block;
      rows.blocks = block;
    }
    return energy;
  }

  /** ψ of a contact with that gap, reach and area × p₀; if asked, with what its row has besides J. */
  function barrierAt(
    block: number,
    gap: number,
    reach: number,
    scale: number,
    writes: boolean,
  ): number {
    barrierParts(parts, gap / reach);
    if (writes) {
      rows.g[block] = gap;
      rows.sigma[block] = scale * parts[1];
      rows.weight[block] = (scale / reach) * parts[2];
      if (gap < seen.gap) seen.gap = gap;
    }
    return scale * reach * parts[0];
  }

  /** Whether the last evaluate was at Y, and nothing has changed since. */
  function isSeen(Y: ReadonlyF64): boolean {
    if (!seen.isTrue || seen.pressure !== pressure[0]) return false;
    for (let b = 0; b < nb; b++) if (!isSame(seen.poses[b], poses1[b], 12)) return false;
    return isSame(seen.Y, Y, 3 * n);
  }

  /** Whether a motion of that length from Y leaves every pair half of the least gap; a sheet at rest needs no more. */
  function isShort(Y: ReadonlyF64, way: number): boolean {
    return way < 0.5 * seen.gap && isSeen(Y);
  }

  const friction = frictionRows(memory, 3, capacity, blockStart, epsilon, true);

  /** Pairs within `reach` of a body at its end pose, body by body. */
  function makeList(Y: ReadonlyF64, reach: number): void {
    margin = Math.max(reach, 2 * dHat);
    near = 0;
    isListed.fill(0);
    isNewList = true;
    stray(Y);
    for (let b = 0; b < nb; b++) {
      const way = isMeasured ? wayBetween(measured[b], poses1[b]) : Number.POSITIVE_INFINITY;
      for (let s = 0; s < S; s++) {
        const pair = s * nb + b;
        let phi = atLeast(s, b) - way;
        if (!(phi - xi[pair] >= margin + longest)) phi = distance(s, b, Y, poses1[b]);
        phi0[pair] = phi;
        if (isSkipped[s] || phi - xi[pair] >= margin) continue;
        isListed[pair] = 1;
        nearList[near++] = pair;
      }
      nearEnd[b] = near;
      measured[b].set(poses1[b]);
    }
    isMeasured = true;
    for (let k = 0; k < 3 * n; k++) begin[k] = Y[k];
    stray(Y);
  }

  /** World position of the anchor of a pair at the end pose, into x. */
  function anchorAt(pair: number, b: number): void {
    const R = poses1[b];
    const u = anchor[3 * pair];
    const v = anchor[3 * pair + 1];
    const w = anchor[3 * pair + 2];
    x[0] = R[0] * u + R[1] * v + R[2] * w + R[9];
    x[1] = R[3] * u + R[4] * v + R[5] * w + R[10];
    x[2] = R[6] * u + R[7] * v + R[8] * w + R[11];
  }

  function setFriction(): void {
    let k = 0;
    for (let q = 0; q < near && k < capacity; q++) {
      const pair = nearList[q];
      if (!(normalForce[pair] > 0)) continue;
      const s = Math.floor(pair / nb);
      const b = pair - s * nb;
      const mu = colliders[b].friction;
      if (!(mu > 0)) continue;
      // tangents at the anchor, where the body will be
      anchorAt(pair, b);
      const ax = x[0];
      const ay = x[1];
      const az = x[2];
      worldDistance(answer, 0, table, b, poses1[b], x, 0);
      tangents(basis, 0, answer[1], answer[2], answer[3]);
      for (let c = 0; c < 3; c++) {
        friction.index[3 * k + c] = P[3 * s + c];
        for (let r = 0; r < 6; r++) friction.J[18 * k + 6 * c + r] = W[3 * s + c] * basis[r];
      }
      friction.base[2 * k] = basis[0] * ax + basis[1] * ay + basis[2] * az;
      friction.base[2 * k + 1] = basis[3] * ax + basis[4] * ay + basis[5] * az;
      friction.force[k] = mu * normalForce[pair];
      k++;
    }
    friction.blocks = k;
  }

  return {
    barrier: rows,
    friction,
    normalForce,
    anchor,
    xi,
    pressure,
    reach,
    inWay,
    touchedBy(i) {
      const names = new Set<string>();
      for (let k = 0; k < touching; k++) {
        const s = Math.floor(pairOf[k] / nb);
        for (let c = 0; c < 3; c++)
          if (W[3 * s + c] !== 0 && P[3 * s + c] === i)
            names.add(colliders[pairOf[k] - s * nb].name);
      }
      return [...names];
    },
    beginStep(Y, times, h, fixed) {
      for (let b = 0; b < nb; b++) {
        colliderAt(poses0[b], colliders[b] as Collider, times.from[which[b]]);
        colliderAt(poses1[b], colliders[b] as Collider, times.to[which[b]]);
        setSweep(sweeps[b], poses0[b], poses1[b]);
        setSweep(still[b], poses1[b], poses1[b]);
      }
      let fastest = 0;
      let serves = !skipHeld(fixed) && isMeasured;
      for (let b = 0; b < nb; b++) {
        fastest = Math.max(fastest, wayOf(b));
        moved[b] = wayBetween(poses0[b], poses1[b]);
        came[b] = isMeasured ? wayBetween(measured[b], poses0[b]) : Number.POSITIVE_INFINITY;
        if (came[b] + moved[b] > 0) serves = false;
      }
      const listed = 20 * dHat + 2 * fastest;
      stray(Y);
      if (!(margin - longestStray() >= listed)) serves = false;
      setSeparations(Y, serves);
      if (!serves) makeList(Y, listed + 0.5 * longest);
      reach[0] = 0;
      for (let b = 0; b < nb; b++)
        if (nearEnd[b] > (b > 0 ? nearEnd[b - 1] : 0)) reach[0] = Math.max(reach[0], wayOf(b));
      // whoever is hit takes on the body's speed within the step: the pressure for that is there from the start
      const hit = (density * reach[0]) / (h * h);
      if (h > 0 && hit > pressure[0]) pressure[0] = Math.min(hit, MOST_PRESSURE * startPressure);
      setFriction();
    },
    squeeze(Y, fixed) {
      const depth = SQUEEZED * longest;
      for (let i = 0; i < n; i++) {
        left.fill(0);
        for (let b = 0; b < nb; b++) {
          if (moved[b] === 0) continue;
          const share = Math.min(1, 1 - distance(i, b, Y, poses0[b]) / depth);
          if (!(share > 0)) continue;
          taken(met, b, x[0], x[1], x[2]);
          for (let c = 0; c < 3; c++) left[c] += share * (met[c] - x[c]);
        }
        shift(Y, i, left[0], left[1], left[2], fixed);
      }
    },
    makeFeasible(Y, Yold, fixed) {
      inWay.fill(0);
      stray(Y);
      let most = 0;
      for (let i = 0; i < n; i++) {
        // on the way from Yold nobody is farther from begin than at one of its ends
        const to = strayed[i];
        strayPoint(i, Yold);
        if (!(strayed[i] > to)) strayed[i] = to;
        if (!(strayed[i] <= most)) most = strayed[i];
      }
      let way = 0;
      for (let b = 0; b < nb; b++) way = Math.max(way, moved[b]);
      // who is not on the list is farther away than anybody went: as a rule the list is enough
      let listed = most + way < margin;
      let carried = false;

      // 1. points that the body has swept over ride on it from the moment of contact
      for (let k = 0; k < (listed ? near : pairs); k++) {
        const pair = pairAt(k, listed);
        const s = Math.floor(pair / nb);
        const b = pair - s * nb;
        if (isSkipped[s] || atLeast(s, b) - moved[b] > xi[pair]) continue; // it cannot have come near
        at(x, s, Yold);
        at(dx, s, Y);
        for (let c = 0; c < 3; c++) dx[c] -= x[c];
        const own = Math.sqrt(dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2]);
        const phi1 = distance(s, b, Y, poses1[b]) - xi[pair];
        if (moved[b] === 0 && phi1 > 0) {
          // a way that is shorter than both its ends are far touches nothing between; a fast sheet may have jumped over the body
          if (own < phi1 || own < phi1 + distance(s, b, Yold, poses0[b]) - xi[pair]) continue;
        }
        at(x, s, Yold);
        time[0] = 1;
        sweptPointTime(time, 0, table, b, poses0[b], sweeps[b], x, dx, 0, xi[pair], dHat, 1);
        if (time[0] >= 1 && phi1 > 0) continue;
        if (!(phi1 > 0) && comesOutWhereItWentIn(s, b, Y, time[0])) continue; // pushed out below, which moves it less
        carried = true;
        at(x, s, Yold);
        carry(Y, s, b, pair, time[0], fixed);
      }
      if (carried) listed = false; // neighbours went along
      // 2. push what is still inside along the normal, sample by sample
      for (let pass = 0; pass < 40; pass++) {
        let clear = true;
        stray(Y);
        for (let k = 0; k < (listed ? near : pairs); k++) {
          const pair = pairAt(k, listed);
          const s = Math.floor(pair / nb);
          const b = pair - s * nb;
          if (isSkipped[s] || atLeast(s, b) > xi[pair]) continue;
          const gap = distance(s, b, Y, poses1[b]) - xi[pair];
          if (gap > 0) continue;
          clear = false;
          pushOut(Y, s, 0.3 * dHat - gap, fixed);
        }
        listed = false;
        if (clear) {
          if (pass > 0 || carried || !(most < 0.25 * margin)) makeList(Y, margin);
          return true;
        }
      }
      markInWay(Y);
      return false;
    },
    endStep(Y) {
      rows.evaluate(Y);
      let least = 1;
      if (isNewList) for (let k = 0; k < pairs; k++) if (!isListed[k]) normalForce[k] = 0;
      isNewList = false;
      let row = 0; // rows are in the order of the list
      for (let k = 0; k < near; k++) {
        const pair = nearList[k];
        const s = Math.floor(pair / nb);
        const b = pair - s * nb;
        if (row === touching || pairOf[row] !== pair) {
          normalForce[pair] = 0;
          continue;
        }
        least = Math.min(least, rows.g[row] / dHat);
        const wasTouching = normalForce[pair] > 0;
        normalForce[pair] = -rows.sigma[row];
        const nx = normalOf[3 * row];
        const ny = normalOf[3 * row + 1];
        const nz = normalOf[3 * row + 2];
        row++;
        at(dx, s, Y);
        const R = poses1[b];
        if (wasTouching) {
          // a sliding contact drags its anchor
          anchorAt(pair, b);
          let ux = dx[0] - x[0];
          let uy = dx[1] - x[1];
          let uz = dx[2] - x[2];
          const along = ux * nx + uy * ny + uz * nz;
          ux -= along * nx;
          uy -= along * ny;
          uz -= along * nz;
          const l = Math.sqrt(ux * ux + uy * uy + uz * uz);
          const keep = l > epsilon ? epsilon / l : 1;
          dx[0] -= keep * ux;
          dx[1] -= keep * uy;
          dx[2] -= keep * uz;
        }
        const wx = dx[0] - R[9];
        const wy = dx[1] - R[10];
        const wz = dx[2] - R[11];
        anchor[3 * pair] = R[0] * wx + R[3] * wy + R[6] * wz;
        anchor[3 * pair + 1] = R[1] * wx + R[4] * wy + R[7] * wz;
        anchor[3 * pair + 2] = R[2] * wx + R[5] * wy + R[8] * wz;
      }
      pressure[0] = adaptedPressure(pressure[0], startPressure, least);
    },
    measureDeep(Y) {
      return colliders.flatMap((collider, b) => {
        const inside: { i: number; depth: number }[] = [];
        for (let i = 0; i < n; i++) {
          const depth = -distance(i, b, Y, poses1[b]);
          if (depth > 0) inside.push({ i, depth });
        }
        if (inside.length === 0) return [];
        inside.sort((p, q) => q.depth - p.depth);
        const points = inside.map(({ i }) => i);
        const held = points.some((i) => isSkipped[i]);
        return [{ name: collider.name, points, depth: inside[0].depth, held }];
      });
    },
    measure(Y) {
      let penetration = 0;
      let contacts = 0;
      let point = -1;
      for (let b = 0; b < nb; b++)
        for (let s = 0; s < n; s++) {
          if (isSkipped[s]) continue;
          const depth = half[s] + colliders[b].offset - distance(s, b, Y, poses1[b]);
          if (depth > -dHat) contacts++;
          if (depth > penetration) {
            penetration = depth;
            point = s;
          }
        }
      return { penetration, contacts, point };
    },
  };

  /** Bodies that some sample is still inside of. */
  function markInWay(Y: ReadonlyF64): void {
    for (let k = 0; k < pairs; k++) {
      const pair = pairAt(k, false);
      const s = Math.floor(pair / nb);
      const b = pair - s * nb;
      if (!isSkipped[s] && !(distance(s, b, Y, poses1[b]) > xi[pair])) inWay[which[b]] = 1;
    }
  }

  /** Samples whose points are all held need no contact; says whether others are held than before. */
  function skipHeld(fixed: Uint8Array): boolean {
    let isOther = false;
    for (let k = 0; k < 3 * n; k++) if (fixed[k] !== wasFixed[k]) isOther = true;
    if (!isOther) return false;
    for (let k = 0; k < 3 * n; k++) wasFixed[k] = fixed[k];
    for (let s = 0; s < S; s++) {
      let held = 1;
      for (let c = 0; c < 3; c++) {
        if (W[3 * s + c] === 0) continue;
        const i = 3 * P[3 * s + c];
        if (!(fixed[i] && fixed[i + 1] && fixed[i + 2])) held = 0;
      }
      if (isSkipped[s] !== held) seen.isTrue = false;
      isSkipped[s] = held;
    }
    return true;
  }

  /**
   * What each pair, or each of the list, keeps in this step: the full distance; a sample that starts closer what it has but a tenth of the reach, and
   * never less than before.
   */
  function setSeparations(Y: ReadonlyF64, listed: boolean): void {
    for (let k = 0; k < (listed ? near : pairs); k++) {
      const pair = pairAt(k, listed);
      const s = Math.floor(pair / nb);
      const b = pair - s * nb;
      const full = half[s] + colliders[b].offset;
      let allowed = full;
      if (!(atLeast(s, b) - came[b] > full)) {
        const phi = distance(s, b, Y, poses0[b]);
        if (!(phi > full)) allowed = phi - 0.1 * dHat;
        if (xi[pair] >= allowed && xi[pair] < phi) continue;
      }
      if (xi[pair] !== allowed) seen.isTrue = false;
      xi[pair] = allowed;
    }
  }

  /** m, of the middle of the body in this step. */
  function wayOf(b: number): number {
    const sweep = sweeps[b];
    return Math.sqrt(sweep[3] ** 2 + sweep[4] ** 2 + sweep[5] ** 2);
  }

  /** The k-th pair of the near list, or of all, body by body. */
  function pairAt(k: number, listed: boolean): number {
    return listed ? nearList[k] : (k % S) * nb + Math.floor(k / S);
  }

  /** Whether the side of the body that a sample is nearest to at the end is the one that it met at time t of the sweep, x and dx its way. */
  function comesOutWhereItWentIn(s: number, b: number, Y: ReadonlyF64, t: number): boolean {
    for (let c = 0; c < 3; c++) met[c] = x[c] + t * dx[c];
    poseAt(poseThen, poses0[b], sweeps[b], t);
    worldDistance(answer, 0, table, b, poseThen, met, 0);
    turnBack(met, poseThen);
    distance(s, b, Y, poses1[b]);
    turnBack(left, poses1[b]);
    return met[0] * left[0] + met[1] * left[1] + met[2] * left[2] > SAME_SIDE;
  }

  /** The normal of the last distance in the body's own directions. */
  function turnBack(out: Float64Array, R: Readonly<Rigid>): void {
    for (let c = 0; c < 3; c++)
      out[c] = R[c] * answer[1] + R[3 + c] * answer[2] + R[6 + c] * answer[3];
  }

  /** Where a place on the body at its start pose is at its end pose. */
  function taken(out: Float64Array, b: number, px: number, py: number, pz: number): void {
    const Q = poses0[b];
    const R = poses1[b];
    const wx = px - Q[9];
    const wy = py - Q[10];
    const wz = pz - Q[11];
    const u = Q[0] * wx + Q[3] * wy + Q[6] * wz;
    const v = Q[1] * wx + Q[4] * wy + Q[7] * wz;
    const w = Q[2] * wx + Q[5] * wy + Q[8] * wz;
    out[0] = R[0] * u + R[1] * v + R[2] * w + R[9];
    out[1] = R[3] * u + R[4] * v + R[5] * w + R[10];
    out[2] = R[6] * u + R[7] * v + R[8] * w + R[11];
  }

  /** From time t of the sweep on, the sample keeps its place on the body. */
  function carry(
    Y: Float64Array,
    s: number,
    b: number,
    pair: number,
    t: number,
    fixed: Uint8Array,
  ): void {
    // where it is on the body at t: poses between are rigid, so go through the start pose of the sweep
    // taken at the nearer of both poses: exact for pure translation
    taken(
      met,
      b,
      x[0] + t * (dx[0] - sweeps[b][3]),
      x[1] + t * (dx[1] - sweeps[b][4]),
      x[2] + t * (dx[2] - sweeps[b][5]),
    );
    at(x, s, Y);
    shift(Y, s, met[0] - x[0], met[1] - x[1], met[2] - x[2], fixed);
    const gap = distance(s, b, Y, poses1[b]) - xi[pair];
    if (gap < 0.3 * dHat) pushOut(Y, s, 0.3 * dHat - gap, fixed);
  }

  /** Moves the sample by `depth` along the normal of the last distance. */
  function pushOut(Y: Float64Array, s: number, depth: number, fixed: Uint8Array): void {
    shift(Y, s, depth * answer[1], depth * answer[2], depth * answer[3], fixed);
  }

  function shift(
    Y: Float64Array,
    s: number,
    dx: number,
    dy: number,
    dz: number,
    fixed: Uint8Array,
  ): void {
    for (let c = 0; c < 3; c++) {
      if (W[3 * s + c] === 0) continue;
      const i = 3 * P[3 * s + c];
      if (!fixed[i]) Y[i] += dx;
      if (!fixed[i + 1]) Y[i + 1] += dy;
      if (!fixed[i + 2]) Y[i + 2] += dz;
      const before = strayed[P[3 * s + c]];
      strayPoint(P[3 * s + c], Y);
      if (!(strayed[P[3 * s + c]] > before)) strayed[P[3 * s + c]] = before;
    }
  }
}

/** m: how far a body moves from one pose to the other, Infinity if it turns. */
function wayBetween(from: Readonly<Rigid>, to: Readonly<Rigid>): number {
  for (let m = 0; m < 9; m++) if (from[m] !== to[m]) return Number.POSITIVE_INFINITY;
  return Math.sqrt((to[9] - from[9]) ** 2 + (to[10] - from[10]) ** 2 + (to[11] - from[11]) ** 2);
}

/** [edges] m², the triangles on both sides of each edge. */
function edgeAreas({ n, edges, triangles, triangleArea }: Sheet): Float64Array {
  const key = new Map<number, number>();
  for (let e = 0; 2 * e < edges.length; e++) key.set(edges[2 * e] * n + edges[2 * e + 1], e);
  const out = new Float64Array(edges.length / 2);
  for (let t = 0; 3 * t < triangles.length; t++)
    for (let k = 0; k < 3; k++) {
      const a = triangles[3 * t + k];
      const b = triangles[3 * t + ((k + 1) % 3)];
      out[key.get(Math.min(a, b) * n + Math.max(a, b))!] += triangleArea[t];
    }
  return out;
}
