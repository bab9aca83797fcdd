/**
 * Friction on bodies: every touching sample keeps the weights of its material point that stuck, and an anchor on the body, in the body's coordinates.
 * The slip u between the two is smoothed over a hundredth of the thickness, and a sliding contact moves both along. So a sheet at rest on a slope
 * does not creep, however long it lies there.
 * The normal force is that of the step before.
 */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import { tangents } from "./barrier.ts";
import type { BodyPairs } from "./body-pairs.ts";
import type { BodyRows } from "./body-rows.ts";
import { worldDistance } from "./colliders.ts";
import { type Friction, frictionRows } from "./friction.ts";

export interface BodyAnchors {
  readonly friction: Friction;
  /** [pairs] N, 0: does not touch; [3·pairs] m; [3·pairs] weights of the point that stuck. All part of the state. */
  readonly normalForce: Float64Array;
  readonly anchor: Float64Array;
  readonly stuck: Float64Array;
  readonly capacity: number;
  /** m, the slip from which on friction slides: 1 % of the thickness. */
  readonly epsilon: number;
}

/** Share of the reach, which is half the thickness, up to which a slip counts as sticking. */
const SLIP = 0.02;

export function createAnchors(memory: Allocator, { pairs, rows, capacity }: BodyRows): BodyAnchors {
  const epsilon = SLIP * pairs.reach;
  return {
    friction: frictionRows(memory, 3, capacity, rows.start, epsilon, true),
    normalForce: memory.f64(pairs.count),
    anchor: memory.f64(3 * pairs.count),
    stuck: memory.f64(3 * pairs.count),
    capacity,
    epsilon,
  };
}

const basis = new Float64Array(6);
const x = new Float64Array(3);

/** World position of the anchor of a pair at the end pose, into x. */
function anchorAt({ anchor }: BodyAnchors, B: BodyPairs, pair: number, b: number): void {
  const R = B.to[b];
  const u = anchor[3 * pair];
  const v = anchor[3 * pair + 1];
  const w = anchor[3 * pair + 2];
  x[0] = R[0] * u + R[1] * v + R[2] * w + R[9];
  x[1] = R[3] * u + R[4] * v + R[5] * w + R[10];
  x[2] = R[6] * u + R[7] * v + R[8] * w + R[11];
}

/** The rows of friction of a step, with the tangents at the anchors, where the bodies will be. */
export function setFriction(A: BodyAnchors, B: BodyPairs): void {
  const { friction, normalForce, capacity, stuck } = A;
  const { points: P } = B.samples;
  const { answer } = B;
  let k = 0;
  for (let q = 0; q < B.near && k < capacity; q++) {
    const pair = B.nearList[q];
    if (!(normalForce[pair] > 0)) continue;
    const s = Math.floor(pair / B.colliders.length);
    const b = pair - s * B.colliders.length;
    const mu = B.colliders[b].friction;
    if (!(mu > 0)) continue;
    anchorAt(A, B, pair, b);
    worldDistance(answer, 0, B.table, b, B.to[b], x, 0);
    tangents(basis, 0, answer[1], answer[2], answer[3]);
    for (let c = 0; c < 3; c++) {
      friction.index[3 * k + c] = P[3 * s + c];
      for (let r = 0; r < 6; r++) friction.J[18 * k + 6 * c + r] = stuck[3 * pair + c] * basis[r];
    }
    friction.base[2 * k] = basis[0] * x[0] + basis[1] * x[1] + basis[2] * x[2];
    friction.base[2 * k + 1] = basis[3] * x[0] + basis[4] * x[1] + basis[5] * x[2];
    friction.force[k] = mu * normalForce[pair];
    k++;
  }
  friction.blocks = k;
}

const u = new Float64Array(3);

/** Normal forces and anchors after a step; returns the least gap over the reach. */
export function updateAnchors(A: BodyAnchors, R: BodyRows, Y: ReadonlyF64): number {
  const { pairs: B, rows, pairOf } = R;
  const { normalForce } = A;
  let least = 1;
  if (B.isNewList) for (let k = 0; k < B.count; k++) if (!B.isListed[k]) normalForce[k] = 0;
  B.isNewList = false;
  let row = 0; // rows are in the order of the list
  for (let k = 0; k < B.near; k++) {
    const pair = B.nearList[k];
    if (row === rows.blocks || pairOf[row] !== pair) {
      normalForce[pair] = 0;
      continue;
    }
    least = Math.min(least, rows.g[row] / B.samples.reach[Math.floor(pair / B.colliders.length)]);
    const wasTouching = normalForce[pair] > 0;
    normalForce[pair] = -rows.sigma[row];
    moveAnchor(A, R, pair, row, wasTouching, Y);
    row++;
  }
  return least;
}

/** Moves the anchor of a pair: a new contact sticks where it touches, an old one moves only as far as it slid. */
function moveAnchor(
  A: BodyAnchors,
  { pairs: B, normalOf, weightsOf }: BodyRows,
  pair: number,
  row: number,
  wasTouching: boolean,
  Y: ReadonlyF64,
): void {
  const { stuck } = A;
  const { points: P } = B.samples;
  const s = Math.floor(pair / B.colliders.length);
  const b = pair - s * B.colliders.length;
  const R = B.to[b];
  let keep = 0; // share of where it stuck; the rest is of where it touches now
  u.fill(0);
  if (wasTouching) {
    anchorAt(A, B, pair, b);
    for (let c = 0; c < 3; c++) u[c] = weighted(stuck, pair, P, s, Y, c) - x[c];
    const nx = normalOf[3 * row];
    const ny = normalOf[3 * row + 1];
    const nz = normalOf[3 * row + 2];
    const along = u[0] * nx + u[1] * ny + u[2] * nz;
    u[0] -= along * nx;
    u[1] -= along * ny;
    u[2] -= along * nz;
    const l = Math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    keep = l > A.epsilon ? A.epsilon / l : 1;
  }
  for (let c = 0; c < 3; c++) {
    const now = weightsOf[3 * row + c];
    if (keep < 1) stuck[3 * pair + c] = now + keep * (stuck[3 * pair + c] - now);
  }
  const wx = weighted(stuck, pair, P, s, Y, 0) - keep * u[0] - R[9];
  const wy = weighted(stuck, pair, P, s, Y, 1) - keep * u[1] - R[10];
  const wz = weighted(stuck, pair, P, s, Y, 2) - keep * u[2] - R[11];
  A.anchor[3 * pair] = R[0] * wx + R[3] * wy + R[6] * wz;
  A.anchor[3 * pair + 1] = R[1] * wx + R[4] * wy + R[7] * wz;
  A.anchor[3 * pair + 2] = R[2] * wx + R[5] * wy + R[8] * wz;
}

/** Coordinate c of the point of sample s with the weights of a pair. */
function weighted(
  w: ReadonlyF64,
  pair: number,
  P: Int32Array,
  s: number,
  Y: ReadonlyF64,
  c: number,
): number {
  const at = 3 * pair;
  return (
    w[at] * Y[3 * P[3 * s] + c] +
    w[at + 1] * Y[3 * P[3 * s + 1] + c] +
    w[at + 2] * Y[3 * P[3 * s + 2] + c]
  );
}
