/** Strain where samples have frames: lengths are those of arcs. */
import { describe, expect, test } from "vitest";
import {
  edgeStrain,
  frameStrains,
  principalMax,
  principalStrains,
} from "../../src/recording/measures.ts";
import { framedSheet, plane, poseOf, rolled, tubePose } from "../sheet/curved.ts";

const square = framedSheet({ sampling: { points: 100 } });
const tube = framedSheet({
  shape: { type: "tube", radius: 0.2, height: 0.6 },
  sampling: { points: 200 },
});

describe("strain of arcs", () => {
  test("a turned plane has none", () => {
    const Y = poseOf(square, plane());
    const { mean, max, stretchMax, compressionMax } = edgeStrain(square, Y);
    for (const value of [mean, max, stretchMax, compressionMax, principalMax(square, Y)])
      expect(value).toBeLessThan(1e-13);
  });

  test("stretched along u and pressed along v: signs, triangles and frames say so", () => {
    const Y = poseOf(square, plane(1.02, 0.99));
    const strain = edgeStrain(square, Y);
    expect(strain.stretchMax).toBeCloseTo(0.02, 12); // the rim has edges along u and along v
    expect(strain.compressionMax).toBeCloseTo(0.01, 12);
    expect(strain.max).toBe(strain.stretchMax);
    expect(principalMax(square, Y)).toBeCloseTo(0.02, 12);
    const triangles = new Float64Array((2 * square.triangles.length) / 3);
    principalStrains(triangles, square, Y);
    const frames = new Float64Array(2 * square.n);
    frameStrains(frames, square, Y);
    for (const strains of [triangles, frames])
      for (let k = 0; k < strains.length; k += 2) {
        expect(strains[k]).toBeCloseTo(0.02, 12);
        expect(strains[k + 1]).toBeCloseTo(-0.01, 12);
      }
  });

  test("strained frames between unstrained positions show", () => {
    const Y = poseOf(square, plane());
    const f = 3 * square.n;
    for (let k = f; k < f + 6; k++) Y[k] *= 1.05;
    expect(principalMax(square, Y)).toBeCloseTo(0.05, 12);
    expect(principalMax(square, Y.subarray(0, f))).toBeLessThan(1e-13);
  });

  test("rolled onto a cylinder arcs keep their length to O((ℓ/R)⁴), where chords lose ℓ²/24R²", () => {
    const R = 0.3;
    const Y = poseOf(square, rolled(R));
    const ell = Math.max(...(square.edgeLength as Float64Array));
    const chords = edgeStrain(square, Y.subarray(0, 3 * square.n));
    expect(chords.compressionMax).toBeGreaterThan((0.5 * (ell / R) ** 2) / 24);
    // cubic with exact ends and tangents: its length is off by (ℓ/R)⁴/2880 and smaller
    const arcs = edgeStrain(square, Y);
    expect(arcs.max).toBeLessThan((ell / R) ** 4 / 500);
    expect(arcs.max).toBeLessThan(chords.max / 50);
    expect(principalMax(square, Y)).toBeLessThan((ell / R) ** 4 / 100);
  });

  test("a tube, whose charts are turned from place to place, is not strained at rest", () => {
    const arcs = edgeStrain(tube, tubePose(tube));
    const chords = edgeStrain(tube, tube.rest);
    expect(arcs.max).toBeLessThan(chords.max / 50);
  });

  test("positions alone give chords, as ever", () => {
    const Y = poseOf(square, rolled(0.3)).slice(0, 3 * square.n);
    const { tangent: _, ...bare } = square;
    expect(edgeStrain(square, Y)).toEqual(edgeStrain(bare, Y));
  });

  test("an infinite frame does not pass as small", () => {
    const Y = poseOf(square, plane());
    Y[3 * square.n] = Number.NaN;
    expect(edgeStrain(square, Y).max).toBeNaN();
    expect(principalMax(square, Y)).toBeNaN();
  });
});
