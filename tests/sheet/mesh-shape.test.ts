import { describe, expect, test } from "vitest";
import type { Shape } from "../../src/scene/scene.ts";
import type { TriangleMesh } from "../../src/sheet/kinematics.ts";
import { angles, euler, irregular, ownPoints, sheetOf, sum } from "./sheets.ts";

const shape = (uv: boolean, scale = 1): Shape => ({ type: "mesh", file: "cloth.obj", scale, uv });

/** A grid of (cells+1)² points on the unit square, mapped to space. */
function gridMesh(
  cells: number,
  to: (u: number, v: number) => [number, number, number],
  uv = true,
): TriangleMesh {
  const positions: number[] = [];
  const plane: number[] = [];
  const triangles: number[] = [];
  const at = (i: number, j: number): number => j * (cells + 1) + i;
  for (let j = 0; j <= cells; j++) {
    for (let i = 0; i <= cells; i++) {
      positions.push(...to(i / cells, j / cells));
      plane.push(i / cells, j / cells);
      if (i === cells || j === cells) continue;
      triangles.push(
        at(i, j),
        at(i + 1, j),
        at(i + 1, j + 1),
        at(i, j),
        at(i + 1, j + 1),
        at(i, j + 1),
      );
    }
  }
  return {
    positions: Float64Array.from(positions),
    triangles: Int32Array.from(triangles),
    uv: uv ? Float64Array.from(plane) : null,
  };
}

const R = 0.4;
const onCylinder = (u: number, v: number): [number, number, number] => [
  R * Math.sin(u / R),
  v,
  R * Math.cos(u / R),
];

describe("sheets from meshes", () => {
  test("with UV the material is the UV plane, however the mesh rests in space", () => {
    const sheet = sheetOf(shape(true), ownPoints, { readMesh: () => gridMesh(8, onCylinder) });
    expect(sheet.n).toBe(81);
    expect(sum(sheet.triangleArea)).toBeCloseTo(1, 13);
    expect(sheet.rest[2]).toBeCloseTo(R, 14);
    for (let e = 0; e < sheet.near.index.length; e++)
      expect(Math.abs(sheet.near.X[2 * e])).toBeLessThan(0.126);
  });

  test("without UV a plane mesh gets coordinates in its plane, upright or level, and keeps its lengths", () => {
    for (const to of [
      (u: number, v: number): [number, number, number] => [u, v, 3],
      (u: number, v: number): [number, number, number] => [u, 2, v],
      (u: number, v: number): [number, number, number] => [0.6 * u, 0.8 * u, v],
      (u: number, v: number): [number, number, number] => [v, u, 0],
    ]) {
      const mesh = gridMesh(6, to, false);
      const sheet = sheetOf(shape(false), ownPoints, { readMesh: () => mesh });
      expect(sum(sheet.triangleArea)).toBeCloseTo(1, 13);
      const { edges, uv, edgeLength } = sheet;
      for (let e = 0; e < edgeLength.length; e++) {
        const [a, b] = [edges[2 * e], edges[2 * e + 1]];
        expect(Math.hypot(uv[2 * b] - uv[2 * a], uv[2 * b + 1] - uv[2 * a + 1])).toBeCloseTo(
          edgeLength[e],
          13,
        );
      }
    }
  });

  test("without UV a curved mesh unrolls: on a cylinder X is the arc of the mesh's own chords, to 1e-12", () => {
    const sheet = sheetOf(shape(false), ownPoints, {
      readMesh: () => gridMesh(8, onCylinder, false),
      neighbourhood: { rings: 2 },
    });
    // Rows of chords c = 2R sin(s/2R): the mesh is a prism, intrinsically a plane of width 8c.
    const chord = 2 * R * Math.sin(1 / 16 / R);
    const { near } = sheet;
    for (let i = 0; i < sheet.n; i++) {
      for (let e = near.start[i]; e < near.start[i + 1]; e++) {
        const j = near.index[e];
        const du = ((j % 9) - (i % 9)) * chord;
        const dv = (Math.floor(j / 9) - Math.floor(i / 9)) / 8;
        expect(Math.hypot(near.X[2 * e], near.X[2 * e + 1])).toBeCloseTo(Math.hypot(du, dv), 12);
      }
    }
    // A sphere has no flat charts; distances from i are kept all the same.
    const ball = sheetOf(shape(false), ownPoints, {
      readMesh: () => gridMesh(8, (u, v) => [u, v, Math.sqrt(4 - u * u - v * v)], false),
    });
    const middle = 40;
    for (let e = ball.near.start[middle]; e < ball.near.start[middle + 1] - 1; e++) {
      const [i, j] = [3 * middle, 3 * ball.near.index[e]];
      const d = Math.hypot(
        ball.rest[j] - ball.rest[i],
        ball.rest[j + 1] - ball.rest[i + 1],
        ball.rest[j + 2] - ball.rest[i + 2],
      );
      expect(Math.hypot(ball.near.X[2 * e], ball.near.X[2 * e + 1])).toBeCloseTo(d, 12);
    }
  });

  test("scale is for lengths and for UV alike", () => {
    const sheet = sheetOf(shape(true, 0.001), ownPoints, {
      readMesh: () => gridMesh(4, (u, v) => [u, v, 0]),
    });
    expect(sum(sheet.triangleArea)).toBeCloseTo(1e-6, 18);
    expect(sheet.rest[3 * 24]).toBeCloseTo(0.001, 15);
  });

  test("a pattern drawn from behind is turned over as a whole", () => {
    const mesh = gridMesh(4, (u, v) => [u, v, 0]);
    const behind = { ...mesh, uv: mesh.uv!.map((x, k) => (k % 2 === 0 ? -x : x)) };
    const sheet = sheetOf(shape(true), ownPoints, { readMesh: () => behind });
    expect(Math.min(...Array.from(sheet.triangleArea as Float64Array))).toBeGreaterThan(0);
  });

  test("irregular sampling refills the outline of a flat mesh and interpolates where it rests", () => {
    const sheet = sheetOf(shape(true), irregular(200), {
      readMesh: () => gridMesh(30, onCylinder),
    });
    expect(sheet.n).toBe(200);
    expect(sum(sheet.triangleArea)).toBeCloseTo(1, 12);
    expect(euler(sheet)).toBe(1);
    expect(angles(sheet).least).toBeGreaterThan(20);
    for (let i = 0; i < sheet.n; i++) {
      const [x, y, z] = onCylinder(sheet.uv[2 * i], sheet.uv[2 * i + 1]);
      const off = Math.hypot(
        sheet.rest[3 * i] - x,
        sheet.rest[3 * i + 1] - y,
        sheet.rest[3 * i + 2] - z,
      );
      expect(off).toBeLessThan(1 / 900 / (8 * R) + 1e-9); // the sagitta s²/8R of the mesh's chords
    }
    expect(() =>
      sheetOf(shape(false), irregular(200), { readMesh: () => gridMesh(5, onCylinder, false) }),
    ).toThrow(/needs a mesh that is flat in one piece/);
  });

  test("boundary loops are named by length", () => {
    const sheet = sheetOf(shape(true), ownPoints, {
      readMesh: () => gridMesh(5, (u, v) => [u, v, 0]),
    });
    expect(sheet.parts[0].edges.loop0.length).toBe(20);
    expect(sheet.parts[0].edges.boundary.length).toBe(20);
  });

  const broken = (
    change: (mesh: { positions: number[]; triangles: number[] }) => void,
  ): (() => void) => {
    const mesh = gridMesh(3, (u, v) => [u, v, 0], false);
    const lists = { positions: [...mesh.positions], triangles: [...mesh.triangles] };
    change(lists);
    const changed = {
      positions: Float64Array.from(lists.positions),
      triangles: Int32Array.from(lists.triangles),
      uv: null,
    };
    return () => {
      sheetOf(shape(false), ownPoints, { readMesh: () => changed });
    };
  };

  test("what is no surface is refused, with places", () => {
    expect(broken((m) => (m.triangles.length = 0))).toThrow(/cloth.obj has no triangles/);
    expect(broken((m) => (m.triangles[0] = 99))).toThrow(/names points 99, 1, 5; there are 16/);
    expect(broken((m) => (m.positions[0] = Number.NaN))).toThrow(/point 0 is not a number/);
    expect(broken((m) => (m.triangles[0] = m.triangles[1]))).toThrow(/has a point twice/);
    expect(broken((m) => m.positions.push(9, 9, 9))).toThrow(
      /point 16 at \(9, 9, 9\) is in no triangle/,
    );
    expect(
      broken((m) => {
        m.positions.push(0.5, 0.5, 1);
        m.triangles.push(0, 5, 16);
      }),
    ).toThrow(/edge from point 0 .* to point 5 .* has 3 triangles/);
    expect(
      broken((m) => {
        [m.triangles[1], m.triangles[2]] = [m.triangles[2], m.triangles[1]];
      }),
    ).toThrow(/turned over against each other/);
    expect(
      broken((m) => {
        m.positions.push(-1, 0, 0, 0, -1, 0);
        m.triangles.push(0, 16, 17);
      }),
    ).toThrow(/point 0 .* touch in this point only/);
    expect(broken((m) => m.positions.splice(3, 3, 0, 0, 0))).toThrow(/has no area/);
  });

  test("texture coordinates in place of a pattern are refused with both areas", () => {
    const mesh = gridMesh(4, (u, v) => [10 * u, 10 * v, 0]);
    expect(() => sheetOf(shape(true), ownPoints, { readMesh: () => mesh })).toThrow(
      /1.00 m², the mesh 100 m²/,
    );
    expect(() =>
      sheetOf(shape(true), ownPoints, { readMesh: () => ({ ...mesh, uv: null }) }),
    ).toThrow(/has no UV; set uv: false/);
    expect(() => sheetOf(shape(true), ownPoints)).toThrow(/no way to read files/);
  });
});
