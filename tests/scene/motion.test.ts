import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import {
  colliderAt,
  createRigid,
  motionAt,
  moveInPlace,
  rotationVector,
  setRotation,
  spinAngle,
} from "../../src/scene/motion.ts";
import { type Motion, parseScene, type Vec3 } from "../../src/scene/scene.ts";

function motion(part: Partial<Motion>): Motion {
  return { keys: [], smooth: false, pivot: [0, 0, 0], spin: null, ...part };
}

function moved(m: Motion | null, time: number, x: Vec3): number[] {
  const map = createRigid();
  motionAt(map, m, time);
  const y = Float64Array.from(x);
  moveInPlace(y, 0, map);
  return Array.from(y);
}

function close(got: ArrayLike<number>, wanted: readonly number[], digits = 12): void {
  wanted.forEach((x, k) => {
    expect(got[k]).toBeCloseTo(x, digits);
  });
}

const keys = [
  { time: 0, translate: [0, 0, 0] as Vec3, rotate: [0, 0, 0] as Vec3 },
  { time: 2, translate: [2, 4, 0] as Vec3, rotate: [0, 0, Math.PI] as Vec3 },
];

describe("prescribed motion", () => {
  test("between keys translation is linear, before and after it holds", () => {
    const m = motion({ keys: keys.map((key) => ({ ...key, rotate: [0, 0, 0] })) });
    close(moved(m, 0.5, [1, 1, 1]), [1.5, 2, 1]);
    close(moved(m, -1, [1, 1, 1]), [1, 1, 1]);
    close(moved(m, 9, [1, 1, 1]), [3, 5, 1]);
  });

  test("smooth motion meets the keys, passes the middle at the middle, and stands still at both ends", () => {
    const m = motion({ keys, smooth: true });
    close(moved(m, 1, [0, 0, 0]), [1, 2, 0]);
    const d = 1e-4;
    const s = d / 2; // of the way 3s² − 2s³, all of second order
    expect(moved(m, d, [0, 0, 0])[0]).toBeCloseTo(2 * (3 * s ** 2 - 2 * s ** 3), 18);
  });

  test("half a turn about a pivot takes x to 2 pivot − x in the plane", () => {
    const m = motion({
      keys: keys.map((key) => ({ ...key, translate: [0, 0, 0] })),
      pivot: [1, 2, 0],
    });
    close(moved(m, 2, [4, 6, 5]), [-2, -2, 5]);
  });

  test("spin: the angle is the exact integral of a piecewise linear rate", () => {
    // up from 0 to 4 in 2 s (4 rad), held for 1 s (4 rad), down through 0 to −4 in 2 s (0 rad)
    const rates = [
      { time: 0, rate: 0 },
      { time: 2, rate: 4 },
      { time: 3, rate: 4 },
      { time: 5, rate: -4 },
    ];
    expect(spinAngle(rates, 1)).toBe(1);
    expect(spinAngle(rates, 2)).toBe(4);
    expect(spinAngle(rates, 3)).toBe(8);
    expect(spinAngle(rates, 4)).toBe(10);
    expect(spinAngle(rates, 5)).toBe(8);
    expect(spinAngle(rates, 6)).toBe(4);
    close(moved(motion({ spin: { axis: [0, 0, 1], rates } }), 2, [1, 0, 0]), [
      Math.cos(4),
      Math.sin(4),
      0,
    ]);
  });

  test("a rate that is given from a later time on holds before it too", () => {
    expect(spinAngle([{ time: 5, rate: 2 }], 1)).toBe(2);
  });

  property.prop([fc.tuple(num(), num(), num())])(
    "rotation matrices are orthogonal, keep their axis and turn by their length",
    (r) => {
      const R = new Float64Array(9);
      setRotation(R, ...r);
      for (let a = 0; a < 3; a++)
        for (let b = 0; b < 3; b++) {
          const dot = R[a] * R[b] + R[3 + a] * R[3 + b] + R[6 + a] * R[6 + b];
          expect(dot).toBeCloseTo(a === b ? 1 : 0, 12);
        }
      for (let a = 0; a < 3; a++)
        expect(R[3 * a] * r[0] + R[3 * a + 1] * r[1] + R[3 * a + 2] * r[2]).toBeCloseTo(r[a], 11);
      expect(R[0] + R[4] + R[8]).toBeCloseTo(1 + 2 * Math.cos(Math.hypot(...r)), 12);
    },
  );

  test("a quarter turn about z takes x to y", () => {
    const R = new Float64Array(9);
    setRotation(R, ...rotationVector([0, 0, 7], Math.PI / 2));
    close([R[0], R[3], R[6]], [0, 1, 0], 15);
  });

  test("a body is turned, then placed, then moved about its own place", () => {
    const [body] = parseScene({
      sheet: { shape: { type: "disc", radius: 1 } },
      colliders: [
        {
          body: { type: "box", size: [1, 1, 1] },
          position: [1, 0, 0],
          rotation: [0, 0, 90],
          motion: { spin: { rate: 90 } },
        },
      ],
    }).colliders;
    const map = createRigid();
    colliderAt(map, body, 0);
    const x = Float64Array.of(1, 0, 0); // in the body's own coordinates
    moveInPlace(x, 0, map);
    close(x, [1, 1, 0]);
    colliderAt(map, body, 1);
    const y = Float64Array.of(1, 0, 0);
    moveInPlace(y, 0, map);
    close(y, [0, 0, 0]);
  });
});

function num(): fc.Arbitrary<number> {
  return fc.double({ min: -4, max: 4, noNaN: true });
}
