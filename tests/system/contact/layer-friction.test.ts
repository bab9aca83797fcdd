/** Friction of pairs by itself: what counts as slip where a sheet lies on the round edge or corner of a body. */
import { describe, expect, test } from "vitest";
import { inOneMemory } from "../../../src/linalg/arena.ts";
import { createRigid } from "../../../src/scene/motion.ts";
import type { ContactRows } from "../../../src/system/contact/contact-rows.ts";
import { pointTriangle } from "../../../src/system/contact/distance.ts";
import {
  closeFriction,
  layerFriction,
  openFriction,
} from "../../../src/system/contact/layer-friction.ts";
import type { PairList } from "../../../src/system/contact/pair-lists.ts";
import type { ContactSurface } from "../../../src/system/contact/surface.ts";

const RADIUS = 0.1;
const EPSILON = 1e-4;

/** A triangle that touches a ball around the origin, with friction 1. */
function triangleOnBall() {
  const pose = createRigid();
  const surface = {
    n: 3,
    total: 4,
    friction: Float64Array.of(0, 0, 0, 1),
    radius: Float64Array.of(0, 0, 0, RADIUS),
    group: Int32Array.of(0, 0, 0, 1),
    bodies: [{ pose }],
  } as unknown as ContactSurface;
  const lists = [{ candidates: { points: Int32Array.of(3, 0, 1, 2) } }] as unknown as PairList[];
  const F = inOneMemory((memory) =>
    layerFriction(memory, 4, Int32Array.of(0, 4, 8, 12, 16), surface, EPSILON),
  ).value;
  const sweep = new Float64Array(12);
  return {
    pose,
    touch(X: Float64Array) {
      const contacts = { pair: Int32Array.of(0), weights: new Float64Array(4), sigma: [-1] };
      pointTriangle(new Float64Array(1), contacts.weights, 0, X, 3, 0, 1, 2);
      closeFriction(F, X, contacts as unknown as ContactRows, Int32Array.of(1), lists);
    },
    /** m: the slip that the next step starts with. */
    slip(X: Float64Array): number {
      openFriction(F, X, sweep);
      F.rows.evaluate(X);
      return Math.hypot(F.rows.g[0], F.rows.g[1]);
    },
  };
}

/** The plane that touches the ball at the angle `at` from its top, with the material point `s` there; the ball's centre last. */
function tangentPlane(at: number, s: number): Float64Array {
  const [c, d] = [Math.cos(at), Math.sin(at)];
  const corner = (u: number, y: number) => [RADIUS * d + (u - s) * c, y, RADIUS * c - (u - s) * d];
  return Float64Array.from([...corner(-1, -1), ...corner(1, -1), ...corner(0, 2), 0, 0, 0]);
}

describe("friction on a ball", () => {
  test("a sheet that slides slips by its way, and is dragged behind no further than where it sticks", () => {
    const ball = triangleOnBall();
    ball.touch(tangentPlane(0, 0));
    expect(ball.slip(tangentPlane(0, 0.5 * EPSILON))).toBeCloseTo(0.5 * EPSILON, 12);
    ball.touch(tangentPlane(0, 30 * EPSILON));
    expect(ball.slip(tangentPlane(0, 30 * EPSILON))).toBeCloseTo(EPSILON, 12);
  });

  test("a sheet that rolls does not slip", () => {
    const ball = triangleOnBall();
    ball.touch(tangentPlane(0, 0));
    // 0.01 rad is a way of ten times the slip at which it slides
    const rolled = tangentPlane(0.01, 0.01 * RADIUS);
    ball.touch(rolled);
    expect(ball.slip(rolled)).toBeLessThan(1e-3 * EPSILON);
  });

  test("a ball that turns under a sheet slips", () => {
    const ball = triangleOnBall();
    ball.touch(tangentPlane(0, 0));
    const angle = (0.5 * EPSILON) / RADIUS;
    ball.pose.set([
      Math.cos(angle),
      0,
      Math.sin(angle),
      0,
      1,
      0,
      -Math.sin(angle),
      0,
      Math.cos(angle),
    ]);
    expect(ball.slip(tangentPlane(0, 0))).toBeCloseTo(0.5 * EPSILON, 9);
  });
});
