/**
 * Friction on bodies: every touching sample remembers an anchor on the body, in the body's coordinates. The slip u from it is smoothed over a hundredth of
 * the thickness, and a sliding contact drags its anchor behind. So a sheet at rest on a slope does not creep, however long it lies there.
 * The normal force is that of the step before.
 */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import { tangents } from "./barrier.ts";
import type { BodyPairs } from "./body-pairs.ts";
import type { BodyRows } from "./body-rows.ts";
import { sampleAt } from "./body-samples.ts";
import { worldDistance } from "./colliders.ts";
import { type Friction, frictionRows } from "./friction.ts";

export interface BodyAnchors {
  readonly friction: Friction;
  /** [pairs] N, 0: does not touch; [3·pairs] m. Both part of the state. */
  readonly normalForce: Float64Array;
  readonly anchor: Float64Array;
  readonly capacity: number;
  /** m, the slip from which on friction slides: 1 % of the thickness. */
  readonly epsilon: number;
}

export function createAnchors(memory: Allocator, { pairs, rows, capacity }: BodyRows): BodyAnchors {
  const epsilon = 0.02 * pairs.reach;
  return {
    friction: frictionRows(memory, 3, capacity, rows.start, epsilon, true),
    normalForce: memory.f64(pairs.count),
    anchor: memory.f64(3 * pairs.count),
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
  const { friction, normalForce, capacity } = A;
  const { points: P, weights: W } = B.samples;
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
      for (let r = 0; r < 6; r++) friction.J[18 * k + 6 * c + r] = W[3 * s + c] * basis[r];
    }
    friction.base[2 * k] = basis[0] * x[0] + basis[1] * x[1] + basis[2] * x[2];
    friction.base[2 * k + 1] = basis[3] * x[0] + basis[4] * x[1] + basis[5] * x[2];
    friction.force[k] = mu * normalForce[pair];
    k++;
  }
  friction.blocks = k;
}

const y = new Float64Array(3);

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
    least = Math.min(least, rows.g[row] / B.reach);
    const wasTouching = normalForce[pair] > 0;
    normalForce[pair] = -rows.sigma[row];
    moveAnchor(A, R, pair, row, wasTouching, Y);
    row++;
  }
  return least;
}

/** The anchor of a pair is where it touches; one that touched before is dragged behind only as far as it slid. */
function moveAnchor(
  A: BodyAnchors,
  { pairs: B, normalOf }: BodyRows,
  pair: number,
  row: number,
  wasTouching: boolean,
  Y: ReadonlyF64,
): void {
  const s = Math.floor(pair / B.colliders.length);
  const b = pair - s * B.colliders.length;
  const R = B.to[b];
  sampleAt(y, B.samples, s, Y);
  if (wasTouching) {
    anchorAt(A, B, pair, b);
    const nx = normalOf[3 * row];
    const ny = normalOf[3 * row + 1];
    const nz = normalOf[3 * row + 2];
    let ux = y[0] - x[0];
    let uy = y[1] - x[1];
    let uz = y[2] - x[2];
    const along = ux * nx + uy * ny + uz * nz;
    ux -= along * nx;
    uy -= along * ny;
    uz -= along * nz;
    const l = Math.sqrt(ux * ux + uy * uy + uz * uz);
    const keep = l > A.epsilon ? A.epsilon / l : 1;
    y[0] -= keep * ux;
    y[1] -= keep * uy;
    y[2] -= keep * uz;
  }
  const wx = y[0] - R[9];
  const wy = y[1] - R[10];
  const wz = y[2] - R[11];
  A.anchor[3 * pair] = R[0] * wx + R[3] * wy + R[6] * wz;
  A.anchor[3 * pair + 1] = R[1] * wx + R[4] * wy + R[7] * wz;
  A.anchor[3 * pair + 2] = R[2] * wx + R[5] * wy + R[8] * wz;
}
