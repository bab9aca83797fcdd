import { createHash } from "node:crypto";
import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { hashNumbers, sha256 } from "../../src/recording/hash.ts";
import {
  createResiduals,
  edgeStrain,
  edgeStrains,
  kineticEnergy,
  meanCurvature,
  momenta,
  principalMax,
  principalStrains,
  roughness,
  sag,
  speedMax,
} from "../../src/recording/measures.ts";
import { growthFrom, pairMax } from "../../src/recording/pairs.ts";
import { posed, sheetOf } from "./sheets.ts";

const square = sheetOf({ type: "rectangle", width: 1, height: 1 }, 300);

/** x = u, y and z turned: a rigid motion that no measure may see. */
function rigid(u: number, v: number): [number, number, number] {
  const [c, s] = [Math.cos(0.7), Math.sin(0.7)];
  return [3 + c * u - s * 0.6 * v, s * u + c * 0.6 * v, -2 + 0.8 * v];
}

describe("strain", () => {
  test("a rigid motion has none, in any measure", () => {
    const Y = posed(square, rigid);
    expect(edgeStrain(square, Y).max).toBeLessThan(1e-13);
    expect(principalMax(square, Y)).toBeLessThan(1e-13);
    expect(pairMax(square, Y)).toBeLessThan(1e-13);
  });

  test("the residual of the constraint is 0 for a rigid motion, and tr C − 2 and det C − 1 of a stretch", () => {
    const residuals = createResiduals(square);
    for (const value of residuals(posed(square, rigid))) expect(value).toBeLessThan(1e-12);
    // C = diag(1.01², 0.98²)
    const [trace, det] = [1.01 ** 2 + 0.98 ** 2 - 2, (1.01 * 0.98) ** 2 - 1];
    const most = Math.max(Math.abs(trace), Math.abs(det));
    for (const value of residuals(posed(square, (u, v) => rigid(1.01 * u, 0.98 * v))))
      expect(value).toBeCloseTo(most, 11);
  });

  test("stretched by 1 % along u and pressed by 2 % along v: principal strains are 0.01 and −0.02 in every triangle", () => {
    const Y = posed(square, (u, v) => rigid(1.01 * u, 0.98 * v));
    const strains = new Float64Array((2 * square.triangles.length) / 3);
    principalStrains(strains, square, Y);
    for (let t = 0; t < strains.length; t += 2) {
      expect(strains[t]).toBeCloseTo(0.01, 12);
      expect(strains[t + 1]).toBeCloseTo(-0.02, 12);
    }
    expect(principalMax(square, Y)).toBeCloseTo(0.02, 12);
    // an edge at angle φ changes by √(1.01² cos² + 0.98² sin²) − 1: the worst lie along v, on the boundary
    expect(edgeStrain(square, Y).max).toBeCloseTo(0.02, 12);
    expect(pairMax(square, Y)).toBeCloseTo(0.01, 3); // of the pair nearest to the direction of u
  });

  test("simple shear by γ: the principal stretches are those of [1 γ; 0 1]", () => {
    const gamma = 0.1;
    const Y = posed(square, (u, v) => [u + gamma * v, v, 0]);
    const stretch = gamma / 2 + Math.sqrt(1 + gamma ** 2 / 4); // and its inverse, since det = 1
    const strains = new Float64Array((2 * square.triangles.length) / 3);
    principalStrains(strains, square, Y);
    expect(strains[0]).toBeCloseTo(stretch - 1, 12);
    expect(strains[1]).toBeCloseTo(1 / stretch - 1, 12);
  });

  test("twice as large in every direction is a strain of 1 in every edge", () => {
    const strains = new Float64Array(square.edgeLength.length);
    edgeStrains(
      strains,
      square,
      posed(square, (u, v) => [2 * u, 2 * v, 0]),
    );
    for (const strain of strains) expect(strain).toBeCloseTo(1, 12);
  });

  test("a single coordinate that is not a number cannot hide", () => {
    const Y = posed(square, rigid);
    Y[2] = Number.NaN;
    expect(edgeStrain(square, Y).max).toBeNaN();
    expect(principalMax(square, Y)).toBeNaN();
    expect(pairMax(square, Y)).toBeNaN();
  });

  test("rolled onto a cylinder, edges shorten to chords and no pair grows", () => {
    const R = 0.3;
    const Y = posed(square, (u, v) => [R * Math.sin(u / R), v, R * Math.cos(u / R)]);
    const longest = Math.max(...Array.from(square.edgeLength as Float64Array));
    const chord = 1 - (2 * R * Math.sin(longest / (2 * R))) / longest;
    expect(edgeStrain(square, Y).max).toBeLessThanOrEqual(chord + 1e-12);
    expect(pairMax(square, Y)).toBe(0);
  });
});

describe("growth of distances on shapes where uv is not the material's distance", () => {
  const tube = sheetOf({ type: "tube", radius: 0.2, height: 0.6 }, 500);
  const ring = sheetOf({ type: "annulus", inner: 0.1, outer: 0.4 }, 500);

  test("a tube at rest has not grown, though points that touch across its seam are far apart in uv", () => {
    expect(pairMax(tube, tube.rest)).toBeLessThan(1e-3); // chords of its triangles are shorter than arcs
  });

  test("a tube lengthened by 5 % has grown by 5 %", () => {
    const Y = Float64Array.from(tube.rest as Float64Array, (x, k) => (k % 3 === 2 ? 1.05 * x : x));
    const grown = pairMax(tube, Y);
    expect(grown).toBeGreaterThan(0.045);
    expect(grown).toBeLessThan(0.0501);
  });

  test("an annulus at rest has not grown; scaled by 3 % it has grown by just that along every line", () => {
    expect(pairMax(ring, ring.rest)).toBeLessThan(1e-12);
    const Y = Float64Array.from(ring.rest as Float64Array, (x) => 1.03 * x);
    expect(pairMax(ring, Y)).toBeCloseTo(0.03, 12);
  });

  test("a corner of a flag sees how far each point has gone from it", () => {
    const corner = square.parts[0].corners["top-left"];
    const growth = growthFrom(
      square,
      posed(square, (u, v) => [1.02 * u, 1.02 * v, 0]),
      corner,
    );
    for (let i = 0; i < square.n; i++) expect(growth[i]).toBeCloseTo(i === corner ? 0 : 0.02, 12);
  });
});

describe("shape", () => {
  test("sag is measured from the mean height of the pins to the lowest point", () => {
    const Y = posed(square, (u, v) => [u, v, -u]);
    const left = square.parts[0].edges.left as Int32Array;
    const right = square.parts[0].edges.right as Int32Array;
    expect(sag(Y, left)).toBeCloseTo(1, 12);
    expect(sag(Y, right)).toBeCloseTo(0, 12);
    expect(sag(Y, [])).toBeCloseTo(1, 12); // from the highest point if nothing is pinned
  });

  test("a plane has no roughness, a cylinder next to none, zigzag as much as its slope", () => {
    const plane = roughness(square, posed(square, rigid));
    expect(plane).toBeLessThan(1e-7); // acos near 1 has half the digits
    const R = 0.5;
    const smooth = roughness(
      square,
      posed(square, (u, v) => [R * Math.sin(u / R), v, R * Math.cos(u / R)]),
    );
    const grid = sheetOf({ type: "rectangle", width: 1, height: 1 }, 289, "grid");
    const slope = 0.1;
    const zigzag = posed(grid, (u, v) => [u, v, (slope / 16) * (Math.round(16 * u) % 2)]);
    const spacing = 1 / 16; // next to none: a fifth of the angle between neighbouring triangles
    expect(smooth).toBeLessThan((0.2 * spacing) / R);
    expect(roughness(grid, zigzag)).toBeGreaterThan(0.8 * Math.atan(slope));
    expect(roughness(grid, zigzag)).toBeLessThan(1.2 * Math.atan(slope));
  });

  test("mean curvature of a cylinder is 1/2R within 2 % at every point, boundary included; of a plane 0", () => {
    const R = 0.5;
    const Y = posed(square, (u, v) => [R * Math.sin(u / R), v, -R * Math.cos(u / R)]);
    for (const H of meanCurvature(square, Y)) expect(H).toBeGreaterThan(0.98 / (2 * R));
    for (const H of meanCurvature(square, Y)) expect(H).toBeLessThan(1.02 / (2 * R));
    for (const H of meanCurvature(square, posed(square, rigid))) expect(H).toBeCloseTo(0, 9);
  });
});

describe("motion", () => {
  test("a sheet that spins at ω about its centre: L = Iω, T = ½Iω², no linear momentum", () => {
    const omega = 3;
    const { m, n } = square;
    const Y = posed(square, (u, v) => [u, v, 0]);
    const { centre } = momenta(m, Y, new Float64Array(3 * n));
    const V = posed(square, (u, v) => [-omega * (v - centre[1]), omega * (u - centre[0]), 0]);
    let inertia = 0;
    for (let i = 0; i < n; i++)
      inertia += m[i] * ((Y[3 * i] - centre[0]) ** 2 + (Y[3 * i + 1] - centre[1]) ** 2);
    const { linear, angular } = momenta(m, Y, V);
    expect(Math.hypot(...linear)).toBeLessThan(1e-14);
    expect(angular[2]).toBeCloseTo(inertia * omega, 12);
    expect(kineticEnergy(m, V)).toBeCloseTo(0.5 * inertia * omega ** 2, 12);
    expect(speedMax(V)).toBeCloseTo(omega * Math.SQRT1_2, 2); // at the corners, half a diagonal from the centre
  });
});

describe("hash", () => {
  test("is SHA-256", () => {
    expect(sha256(new Uint8Array(0))).toBe(
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
  });

  property.prop([fc.uint8Array({ maxLength: 300 })])(
    "as Node's own, for every length around the block size",
    (bytes) => {
      expect(sha256(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
    },
  );

  test("sees the last bit of one number", () => {
    const Y = Float64Array.of(1, 2, 3);
    const before = hashNumbers(Y);
    Y[1] += 2 ** -51;
    expect(hashNumbers(Y)).not.toBe(before);
  });
});
