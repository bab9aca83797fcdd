import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { Pose, SheetScene, Vec2, Vec3 } from "../../src/scene/scene.ts";
import { createSheet, type Sheet } from "../../src/sheet/kinematics.ts";
import { rotationMatrix, startPose } from "../../src/sheet/pose.ts";
import { grid, irregular, posed, sheetScene } from "./sheets.ts";

const cloth = (more: Partial<SheetScene>, width = 1, height = 0.6): SheetScene =>
  sheetScene({ type: "rectangle", width, height }, irregular(300), more);

const sheets = new Map<string, Sheet>(); // poses do not change the sheet

function start(scene: SheetScene, seed = 1): { sheet: Sheet; Y: Float64Array; V: Float64Array } {
  const key = JSON.stringify([scene.shape, scene.sampling, seed]);
  const sheet = sheets.get(key) ?? createSheet([scene], seed);
  sheets.set(key, sheet);
  return { sheet, ...startPose(sheet, [scene], seed) };
}

const distance = (Y: ArrayLike<number>, a: number, b: number): number =>
  Math.hypot(Y[3 * b] - Y[3 * a], Y[3 * b + 1] - Y[3 * a + 1], Y[3 * b + 2] - Y[3 * a + 2]);

describe("start poses", () => {
  property.prop(
    [fc.double({ min: 0.1, max: 10, noNaN: true }), fc.double({ min: -3, max: 3, noNaN: true })],
    { numRuns: 20 },
  )(
    "rolled onto a cylinder, an edge with (s, t) around and along has length √((2R sin(s/2R))² + t²)",
    (radius, angle) => {
      const { sheet, Y } = start(cloth({ pose: posed({ type: "cylinder", radius, angle }) }));
      for (let e = 0; e < sheet.edgeLength.length; e++) {
        const [a, b] = [sheet.edges[2 * e], sheet.edges[2 * e + 1]];
        const [du, dv] = [
          sheet.uv[2 * b] - sheet.uv[2 * a],
          sheet.uv[2 * b + 1] - sheet.uv[2 * a + 1],
        ];
        const s = Math.cos(angle) * du + Math.sin(angle) * dv;
        const t = Math.cos(angle) * dv - Math.sin(angle) * du;
        const chord = Math.hypot(2 * radius * Math.sin(s / (2 * radius)), t);
        expect(distance(Y, a, b)).toBeCloseTo(chord, 12);
      }
    },
  );

  test("on a cylinder along v, points are R from an axis that lies R under the middle of the sheet", () => {
    const { sheet, Y } = start(cloth({ pose: posed({ type: "cylinder", radius: 0.3, angle: 0 }) }));
    for (let i = 0; i < sheet.n; i++) {
      expect(Math.hypot(Y[3 * i] - 0.5, Y[3 * i + 2] + 0.3)).toBeCloseTo(0.3, 12);
      expect(Y[3 * i + 1]).toBeCloseTo(sheet.uv[2 * i + 1], 14);
    }
  });

  property.prop(
    [
      fc.double({ min: 0.2, max: 1.5, noNaN: true }),
      fc.constantFrom<Vec2>([-0.2, 0.3], [0, 0], [1.5, 0.9], [0.5, -0.1]),
    ],
    { numRuns: 20 },
  )(
    "rolled onto a cone, distances from the apex are kept and chords follow the law of cosines around the axis",
    (halfAngle, apex) => {
      const { sheet, Y } = start(cloth({ pose: posed({ type: "cone", halfAngle, apex }) }));
      for (let i = 0; i < sheet.n; i++) {
        const rho = Math.hypot(sheet.uv[2 * i] - apex[0], sheet.uv[2 * i + 1] - apex[1]);
        expect(Math.hypot(Y[3 * i] - apex[0], Y[3 * i + 1] - apex[1], Y[3 * i + 2])).toBeCloseTo(
          rho,
          12,
        );
      }
      for (let e = 0; e < sheet.edgeLength.length; e++) {
        const [a, b] = [sheet.edges[2 * e], sheet.edges[2 * e + 1]];
        const [pu, pv] = [sheet.uv[2 * a] - apex[0], sheet.uv[2 * a + 1] - apex[1]];
        const [qu, qv] = [sheet.uv[2 * b] - apex[0], sheet.uv[2 * b + 1] - apex[1]];
        const phi = Math.atan2(pu * qv - pv * qu, pu * qu + pv * qv);
        const [p, q] = [Math.hypot(pu, pv), Math.hypot(qu, qv)];
        // (p − q)² along the cone, and around it the angle φ / sin β at radii p sin β, q sin β
        const around =
          Math.sin(halfAngle) ** 2 * 4 * p * q * Math.sin(phi / (2 * Math.sin(halfAngle))) ** 2;
        expect(distance(Y, a, b)).toBeCloseTo(Math.sqrt((p - q) ** 2 + around), 11);
      }
    },
  );

  test("a cone whose apex is inside the sheet would tear it, and is refused", () => {
    const scene = cloth({ pose: posed({ type: "cone", halfAngle: 0.5, apex: [0.5, 0.3] }) });
    expect(() => start(scene)).toThrow(/apex \(0.5, 0.3\) lies inside/);
  });

  test.each([0, 0.1, 0.5, 0.9, 0.9999, 1])(
    "an arc of length 1 spans %d, its ends on z = 0, all on one circle",
    (span) => {
      const { sheet, Y } = start(cloth({ pose: posed({ type: "arc", span }) }));
      const { left, right } = sheet.parts[0].edges;
      for (const i of left as Int32Array) expect(Y[3 * i + 2]).toBeCloseTo(0, 12);
      expect(Y[3 * right[0]] - Y[3 * left[0]]).toBeCloseTo(span, 12);
      for (let i = 0; i < sheet.n; i++) expect(Y[3 * i + 2]).toBeGreaterThan(-1e-12);
      // Half the angle of the arc solves sin x = span·x; chords of arcs s are 2R sin(s/2R) with R =
      // 1/2x.
      let [low, high] = [0, Math.PI];
      for (let k = 0; k < 60; k++) {
        const x = (low + high) / 2;
        [low, high] = Math.sin(x) > span * x ? [x, high] : [low, x];
      }
      const R = 1 / (low + high);
      for (let e = 0; e < sheet.edgeLength.length; e++) {
        const [a, b] = [sheet.edges[2 * e], sheet.edges[2 * e + 1]];
        const du = sheet.uv[2 * b] - sheet.uv[2 * a];
        const dv = sheet.uv[2 * b + 1] - sheet.uv[2 * a + 1];
        const chord = span === 1 ? du : 2 * R * Math.sin(du / (2 * R));
        expect(distance(Y, a, b)).toBeCloseTo(Math.hypot(chord, dv), 11);
      }
    },
  );

  test("a span longer than the sheet is refused", () => {
    expect(() => start(cloth({ pose: posed({ type: "arc", span: 1.2 }) }))).toThrow(
      /span: got 1.2, needs 0 … 1/,
    );
  });

  test("rotation comes before position: a quarter turn about x stands the sheet up", () => {
    const pose: Pose = { type: "flat", position: [1, 2, 3], rotation: [Math.PI / 2, 0, 0] };
    const { sheet, Y } = start(cloth({ pose }));
    for (let i = 0; i < sheet.n; i++) {
      expect(Y[3 * i]).toBeCloseTo(sheet.uv[2 * i] + 1, 13);
      expect(Y[3 * i + 1]).toBeCloseTo(2, 13);
      expect(Y[3 * i + 2]).toBeCloseTo(sheet.uv[2 * i + 1] + 3, 13);
    }
  });

  property.prop([fc.tuple(...[0, 1, 2].map(() => fc.double({ min: -7, max: 7, noNaN: true })))])(
    "a rotation matrix is orthogonal with determinant 1 and keeps its axis",
    (vector) => {
      const R = rotationMatrix(vector as Vec3);
      for (let a = 0; a < 3; a++) {
        for (let b = 0; b < 3; b++) {
          const dot =
            R[3 * a] * R[3 * b] + R[3 * a + 1] * R[3 * b + 1] + R[3 * a + 2] * R[3 * b + 2];
          expect(dot).toBeCloseTo(a === b ? 1 : 0, 12);
        }
        const kept = R[3 * a] * vector[0] + R[3 * a + 1] * vector[1] + R[3 * a + 2] * vector[2];
        expect(kept).toBeCloseTo(vector[a], 11);
      }
      const det =
        R[0] * (R[4] * R[8] - R[5] * R[7]) -
        R[1] * (R[3] * R[8] - R[5] * R[6]) +
        R[2] * (R[3] * R[7] - R[4] * R[6]);
      expect(det).toBeCloseTo(1, 12);
    },
  );

  test("spin turns about the centre of mass: momentum is mass × velocity, and speeds grow with distance", () => {
    const { sheet, Y, V } = start(cloth({ velocity: [1, 2, 3], spin: [0, 0, 4] }));
    const momentum = [0, 0, 0];
    let mass = 0;
    for (let i = 0; i < sheet.n; i++) {
      mass += sheet.m[i];
      for (let c = 0; c < 3; c++) momentum[c] += sheet.m[i] * V[3 * i + c];
      const spin = Math.hypot(V[3 * i] - 1, V[3 * i + 1] - 2);
      expect(spin).toBeCloseTo(4 * Math.hypot(Y[3 * i] - 0.5, Y[3 * i + 1] - 0.3), 10);
      expect(V[3 * i + 2]).toBe(3);
    }
    momentum.forEach((p, c) => {
      expect(p).toBeCloseTo(mass * [1, 2, 3][c], 12);
    });
  });

  test("noise moves along z only, within its amplitude, by seed", () => {
    const { sheet, Y } = start(cloth({ noise: 0.01 }), 5);
    const again = start(cloth({ noise: 0.01 }), 5);
    expect(again.Y).toEqual(Y);
    let spread = 0;
    for (let i = 0; i < sheet.n; i++) {
      expect(Y[3 * i]).toBe(sheet.uv[2 * i]);
      expect(Math.abs(Y[3 * i + 2])).toBeLessThanOrEqual(0.01);
      spread += Y[3 * i + 2] ** 2 / sheet.n;
    }
    expect(Math.sqrt(spread)).toBeCloseTo(0.01 / Math.sqrt(3), 3); // uniform
  });

  test("positions from a file need as many points; a tube cannot be rolled", () => {
    const scene = sheetScene({ type: "rectangle", width: 1, height: 1 }, grid(4), {
      pose: posed({ type: "file", file: "start.obj" }),
    });
    const sheet = createSheet([scene], 1);
    const mesh = (n: number) => ({
      positions: new Float64Array(3 * n).fill(2),
      triangles: new Int32Array(0),
      uv: null,
    });
    expect(Array.from(startPose(sheet, [scene], 1, () => mesh(4)).Y)).toEqual(Array(12).fill(2));
    expect(() => startPose(sheet, [scene], 1, () => mesh(5))).toThrow(
      /start.obj has 5 points, the sheet has 4/,
    );
    expect(() => startPose(sheet, [scene], 1)).toThrow(/no way to read files/);
    const tube = sheetScene({ type: "tube", radius: 0.1, height: 0.4 }, irregular(100), {
      pose: posed({ type: "cylinder", radius: 1, angle: 0 }),
    });
    expect(() => start(tube)).toThrow(/tube starts from "rest"/);
  });

  test("a tube rests upright on z = 0 at its radius, its triangles facing outwards", () => {
    const { sheet, Y } = start(
      sheetScene({ type: "tube", radius: 0.25, height: 0.7 }, irregular(200)),
    );
    let low = 1;
    for (let i = 0; i < sheet.n; i++) {
      expect(Math.hypot(Y[3 * i], Y[3 * i + 1])).toBeCloseTo(0.25, 14);
      low = Math.min(low, Y[3 * i + 2]);
    }
    expect(low).toBe(0);
    for (let t = 0; t < sheet.triangles.length; t += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => 3 * sheet.triangles[t + k]);
      const [px, py, pz] = [Y[b] - Y[a], Y[b + 1] - Y[a + 1], Y[b + 2] - Y[a + 2]];
      const [qx, qy, qz] = [Y[c] - Y[a], Y[c + 1] - Y[a + 1], Y[c + 2] - Y[a + 2]];
      expect((py * qz - pz * qy) * Y[a] + (pz * qx - px * qz) * Y[a + 1]).toBeGreaterThan(0);
    }
  });
});
