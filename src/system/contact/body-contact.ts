/**
 * Contact with bodies that have a formula: barriers and friction as rows of the same minimisation that holds the sheet isometric.
 *
 * For a sample s (body-samples.ts) and a body with signed distance φ at the end of the step
 *
 *   gap = φ(xₛ) − ξ,    ψ = aₛ p₀ d̂ B(gap/d̂),    row = Σ wₖ n
 *
 * ξ is half the sheet's thickness and the body's offset, or less where a sample starts closer (bad starts): then the barrier pushes
 * it out a little every step. Nothing passes: the line search asks maxStep, which advances every near sample conservatively, and a start that the moved
 * body has swept over is carried along with the body first (body-start.ts).
 *
 * Samples are points, and triangles where a body is round. A sharp corner could still poke through a triangle. So bodies bring their edges and corners as features into the lists of
 * layers (body-features.ts), which hold them off triangles and edges. Friction: body-anchors.ts.
 */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import type { Scene } from "../../scene/scene.ts";
import type { Sheet } from "../../sheet/kinematics.ts";
import type { RowSet } from "../system.ts";
import { closePressure, createPressure, openPressure } from "./barrier.ts";
import { createAnchors, setFriction, updateAnchors } from "./body-anchors.ts";
import {
  type BodyPairs,
  type BodyTimes,
  createBodyPairs,
  fullSeparation,
  nearestMotion,
  openBodyPairs,
  pairDistance,
} from "./body-pairs.ts";
import { type BodyRows, createBodyRows } from "./body-rows.ts";
import { makeFeasible, markEntered, markInWay, squeeze } from "./body-start.ts";
import type { Friction } from "./friction.ts";

export type { BodyTimes } from "./body-pairs.ts";

export interface BodyContact {
  readonly barrier: RowSet;
  readonly friction: Friction;
  /** Stiffness of triangles that rock on round bodies, without force. */
  readonly rocking: RowSet;
  /** [samples·bodies] N and [3·samples·bodies] m in body coordinates: part of the state. */
  readonly normalForce: Float64Array;
  readonly anchor: Float64Array;
  /** [3·samples·bodies] weights of the points that stuck: part of the state. */
  readonly stuck: Float64Array;
  /** [samples·bodies] m, the distance that each pair keeps: part of the state. */
  readonly xi: Float64Array;
  /** [1] Pa, p₀ of the barrier: part of the state. */
  readonly pressure: Float64Array;
  /** m: how far the fastest body moves in this step, if the sheet is within twice that of one; 0 if not. */
  readonly reach: Float64Array;
  /** Poses at the start and the end of the step, gaps that samples may keep, friction. Y: positions at the start. */
  beginStep(Y: ReadonlyF64, times: BodyTimes, h: number, fixed: Uint8Array): void;
  /** Displaces points by the bodies' motion times a weight that falls linearly to 0 with the distance: layers keep their order. */
  squeeze(Y: Float64Array, fixed: Uint8Array): void;
  /** Moves samples that the bodies have passed over out of them; false if that fails. */
  makeFeasible(Y: Float64Array, Yold: ReadonlyF64, fixed: Uint8Array): boolean;
  /** Normal forces and anchors after the step. */
  endStep(Y: ReadonlyF64): void;
  /** Whether held points would come into a body from outside; marks both. */
  isEntered(Y: ReadonlyF64, Yold: ReadonlyF64): boolean;
  /** [colliders] 1: some sample could not be brought out of it by the last makeFeasible, or is held in its way. */
  readonly inWay: Uint8Array;
  /** [n] 1: held, and it or an edge or triangle of it would come into a body. */
  readonly isStopped: Uint8Array;
  /** Names of the bodies that point i touched at the last evaluate. */
  touchedBy(i: number): string[];
  /** Points inside each body at its current pose, deepest first; `held`: some of them are pinned. */
  measureDeep(Y: ReadonlyF64): { name: string; points: number[]; depth: number; held: boolean }[];
  /** Deepest penetration of a point (its thickness included) or a triangle into a body, m; touching contacts. */
  measure(Y: ReadonlyF64): { penetration: number; contacts: number; point: number };
}

export function bodyContact(
  memory: Allocator,
  scene: Scene,
  sheet: Sheet,
  thickness: ReadonlyF64,
): BodyContact | null {
  const B = createBodyPairs(memory, scene, sheet, thickness);
  if (!B) return null;
  const pressure = createPressure(memory, scene, B.reach, B.spacing);
  const R = createBodyRows(memory, B, pressure);
  const A = createAnchors(memory, R);
  const { rows } = R;
  const reach = new Float64Array(1);
  const inWay = new Uint8Array(scene.colliders.length);
  const isStopped = new Uint8Array(sheet.n);
  return {
    barrier: rows,
    friction: A.friction,
    rocking: R.rocking,
    normalForce: A.normalForce,
    anchor: A.anchor,
    stuck: A.stuck,
    xi: B.xi,
    pressure: pressure.now,
    reach,
    inWay,
    isStopped,
    isEntered(Y, Yold) {
      inWay.fill(0);
      isStopped.fill(0);
      return markEntered(B, inWay, isStopped, Y, Yold);
    },
    beginStep(Y, times, h, fixed) {
      openBodyPairs(B, Y, times, fixed);
      reach[0] = nearestMotion(B);
      openPressure(pressure, reach[0], h);
      setFriction(A, B);
    },
    squeeze: (Y, fixed) => squeeze(B, Y, fixed),
    makeFeasible(Y, Yold, fixed) {
      inWay.fill(0);
      if (makeFeasible(B, Y, Yold, fixed)) return true;
      isStopped.fill(0);
      markInWay(B, inWay, isStopped, Y);
      return false;
    },
    endStep(Y) {
      rows.evaluate(Y);
      closePressure(pressure, updateAnchors(A, R, Y));
    },
    touchedBy: (i) => touchedBy(R, i),
    measureDeep: (Y) => measureDeep(B, Y),
    measure: (Y) => measure(B, Y),
  };
}

function touchedBy({ pairs: B, rows, pairOf }: BodyRows, i: number): string[] {
  const { points } = B.samples;
  const names = new Set<string>();
  for (let k = 0; k < rows.blocks; k++) {
    const s = Math.floor(pairOf[k] / B.colliders.length);
    for (let c = 0; c < 3; c++)
      if (points[3 * s + c] === i) names.add(B.colliders[pairOf[k] - s * B.colliders.length].name);
  }
  return [...names];
}

function measureDeep(
  B: BodyPairs,
  Y: ReadonlyF64,
): { name: string; points: number[]; depth: number; held: boolean }[] {
  return B.colliders.flatMap((collider, b) => {
    const inside: { i: number; depth: number }[] = [];
    for (let i = 0; i < B.n; i++) {
      const depth = -pairDistance(B, i, b, Y, B.to[b]);
      if (depth > 0) inside.push({ i, depth });
    }
    if (inside.length === 0) return [];
    inside.sort((p, q) => q.depth - p.depth);
    const points = inside.map(({ i }) => i);
    const held = points.some((i) => B.isSkipped[i]);
    return [{ name: collider.name, points, depth: inside[0].depth, held }];
  });
}

function measure(
  B: BodyPairs,
  Y: ReadonlyF64,
): { penetration: number; contacts: number; point: number } {
  let penetration = 0;
  let contacts = 0;
  let point = -1;
  for (let b = 0; b < B.colliders.length; b++)
    for (let s = 0; s < B.samples.count; s++) {
      if (B.isSkipped[s]) continue;
      const full = fullSeparation(B, s, b);
      const depth = full - pairDistance(B, s, b, Y, B.to[b], full + B.reach);
      if (depth > -B.reach) contacts++;
      if (depth > penetration) {
        penetration = depth;
        point = B.samples.points[3 * s];
      }
    }
  return { penetration, contacts, point };
}
