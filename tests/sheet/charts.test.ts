import { describe, expect, test } from "vitest";
import type { Shape } from "../../src/scene/scene.ts";
import { averagingWeights, neighbourhoods } from "../../src/sheet/charts.ts";
import type { Mesh, Neighbourhoods } from "../../src/sheet/kinematics.ts";
import { pointArea, trianglesArea } from "../../src/sheet/kinematics.ts";
import { grid, irregular, sheetOf } from "./sheets.ts";

const square: Shape = { type: "rectangle", width: 1, height: 1 };

function entries(near: Neighbourhoods, i: number): { j: number; x: number; y: number }[] {
  const list = [];
  for (let e = near.start[i]; e < near.start[i + 1]; e++) {
    list.push({ j: near.index[e], x: near.X[2 * e], y: near.X[2 * e + 1] });
  }
  return list;
}

/** A cone of `count` triangles around point 0 that fill an angle of `total`; radius 1. */
function cone(count: number, total: number): Mesh {
  const angle = total / count;
  const triangles: number[] = [];
  const corners: number[] = [];
  for (let k = 0; k < count; k++) {
    triangles.push(0, 1 + k, 1 + ((k + 1) % count));
    corners.push(0, 0, 1, 0, Math.cos(angle), Math.sin(angle));
  }
  return {
    n: count + 1,
    rest: new Float64Array(3 * (count + 1)),
    uv: new Float64Array(2 * (count + 1)),
    triangles: Int32Array.from(triangles),
    corners: Float64Array.from(corners),
  };
}

describe("neighbourhoods (§3)", () => {
  test("on a flat sheet X is the exact difference of uv, for rings and radius alike", () => {
    const sheet = sheetOf(square, irregular(200));
    for (const size of [{ rings: 1 }, { rings: 2 }, { rings: 3 }, { radius: 0.2 }]) {
      const near = neighbourhoods(sheet, size);
      for (let i = 0; i < sheet.n; i++) {
        for (const { j, x, y } of entries(near, i)) {
          expect(x).toBe(sheet.uv[2 * j] - sheet.uv[2 * i]);
          expect(y).toBe(sheet.uv[2 * j + 1] - sheet.uv[2 * i + 1]);
        }
      }
    }
  });

  test("neighbours rise by index, i is last with X = 0, and rings are those of the edge graph", () => {
    const sheet = sheetOf(square, irregular(150));
    const touching = Array.from({ length: sheet.n }, () => new Set<number>());
    for (let e = 0; e < sheet.edges.length; e += 2) {
      touching[sheet.edges[e]].add(sheet.edges[e + 1]);
      touching[sheet.edges[e + 1]].add(sheet.edges[e]);
    }
    const near = neighbourhoods(sheet, { rings: 2 });
    for (let i = 0; i < sheet.n; i++) {
      const wanted = new Set([...touching[i]].flatMap((j) => [j, ...touching[j]]));
      wanted.delete(i);
      const list = entries(near, i);
      expect(list.at(-1)).toEqual({ j: i, x: 0, y: 0 });
      expect(list.slice(0, -1).map(({ j }) => j)).toEqual([...wanted].sort((a, b) => a - b));
    }
  });

  test("a radius takes what is within it on a convex sheet: brute force agrees, a grid's own spacing included", () => {
    for (const [sheet, radius] of [
      [sheetOf(square, irregular(300)), 0.17],
      [sheetOf(square, grid(121)), 0.2],
    ] as const) {
      const near = neighbourhoods(sheet, { radius });
      for (let i = 0; i < sheet.n; i++) {
        const wanted = [];
        for (let j = 0; j < sheet.n; j++) {
          const d = Math.hypot(
            sheet.uv[2 * j] - sheet.uv[2 * i],
            sheet.uv[2 * j + 1] - sheet.uv[2 * i + 1],
          );
          if (j !== i && d <= radius * (1 + 1e-12)) wanted.push(j);
        }
        expect(
          entries(near, i)
            .slice(0, -1)
            .map(({ j }) => j),
        ).toEqual(wanted);
      }
    }
  });

  test("on a tube X is arc length and height, across the cut as well, to 1e-12", () => {
    const around = 2 * Math.PI * 0.3;
    for (const sampling of [irregular(400), grid(400)]) {
      const sheet = sheetOf({ type: "tube", radius: 0.3, height: 0.9 }, sampling);
      const near = neighbourhoods(sheet, { rings: 2 });
      let across = 0;
      for (let i = 0; i < sheet.n; i++) {
        for (const { j, x, y } of entries(near, i)) {
          let du = sheet.uv[2 * j] - sheet.uv[2 * i];
          if (Math.abs(du) > around / 2) across++;
          du -= around * Math.round(du / around);
          expect(Math.abs(x - du)).toBeLessThan(1e-12);
          expect(Math.abs(y - (sheet.uv[2 * j + 1] - sheet.uv[2 * i + 1]))).toBeLessThan(1e-12);
        }
      }
      expect(across).toBeGreaterThan(50); // the cut was crossed at all
    }
  });

  test("a neighbour on the far side of a thin tube is placed the short way around", () => {
    const sheet = sheetOf(
      { type: "tube", radius: 0.1, height: 0.3 },
      { type: "grid", angle: 0, spacing: 0.08 },
    );
    const near = neighbourhoods(sheet, { rings: 5 });
    for (let i = 0; i < sheet.n; i++) {
      const xs = entries(near, i).map(({ x }) => Math.abs(x));
      expect(Math.max(...xs)).toBeLessThanOrEqual(Math.PI * 0.1 + 1e-12);
    }
  });

  test("a vertex of a cube has three right angles: its fan is spread over the full turn, distances kept", () => {
    const near = neighbourhoods(cone(3, (3 * Math.PI) / 2), { rings: 1 });
    const list = entries(near, 0).slice(0, -1);
    const directions = list.map(({ x, y }) => (Math.atan2(y, x) * 180) / Math.PI);
    for (const { x, y } of list) expect(Math.hypot(x, y)).toBeCloseTo(1, 13);
    expect(directions.map((d) => Math.round(d - directions[0] + 360) % 360)).toEqual([0, 120, 240]);
  });

  test("lonely, collinear and coinciding neighbours are refused with number and position", () => {
    const strip = (v: number): Mesh => ({
      n: 4,
      rest: Float64Array.of(0, 0, 0, 1, 0, 0, 2, 0, 0, 1, v, 0),
      uv: Float64Array.of(0, 0, 1, 0, 2, 0, 1, v),
      triangles: Int32Array.of(0, 1, 3, 1, 2, 3),
      corners: Float64Array.of(0, 0, 1, 0, 1, v, 1, 0, 2, 0, 1, v),
    });
    expect(() => neighbourhoods(strip(1e-4), { rings: 1 })).toThrow(
      /point 0 at \(0, 0, 0\) has all its neighbours on one line/,
    );
    expect(() => neighbourhoods(strip(0), { rings: 1 })).toThrow(
      /point 1 at \(1, 0, 0\) coincides with its neighbour 3/,
    );
    const lonely = {
      ...strip(1),
      n: 5,
      rest: new Float64Array(15).fill(7),
      uv: new Float64Array(10),
    };
    expect(() => neighbourhoods(lonely, { rings: 1 })).toThrow(
      /point 4 at \(7, 7, 7\) has no neighbour/,
    );
    expect(() => neighbourhoods(sheetOf(square, grid(121)), { radius: 0.05 })).toThrow(
      /121 faults|10 faults/,
    );
  });
});

describe("averaging weights (§4)", () => {
  test.each([1, 2])("Σⱼ bⱼ = 0 and Σⱼ bⱼ Xⱼᵀ = I over %i rings, on sheets and tubes", (rings) => {
    for (const shape of [
      square,
      { type: "tube", radius: 0.2, height: 0.6 },
      { type: "disc", radius: 1 },
    ] as Shape[]) {
      const sheet = sheetOf(shape, irregular(200));
      const near = neighbourhoods(sheet, { rings });
      const B = averagingWeights(near, sheet.area);
      for (let i = 0; i < sheet.n; i++) {
        const I = [0, 0, 0, 0];
        const total = [0, 0];
        for (let e = near.start[i]; e < near.start[i + 1]; e++) {
          for (let r = 0; r < 2; r++) {
            total[r] += B[2 * e + r];
            for (let c = 0; c < 2; c++) I[2 * r + c] += B[2 * e + r] * near.X[2 * e + c];
          }
        }
        expect(total[0]).toBeCloseTo(0, 10);
        expect(total[1]).toBeCloseTo(0, 10);
        expect(I[0]).toBeCloseTo(1, 11);
        expect(I[1]).toBeCloseTo(0, 11);
        expect(I[2]).toBeCloseTo(0, 11);
        expect(I[3]).toBeCloseTo(1, 11);
      }
    }
  });
});

describe("areas, masses and spacing", () => {
  test("barycentric areas and masses add up to the sheet's; a sheet of two parts keeps them apart", () => {
    const sheet = sheetOf({ type: "disc", radius: 0.5 }, irregular(300));
    const triangles = trianglesArea(sheet);
    const total = triangles.reduce((a, b) => a + b, 0);
    expect(pointArea(sheet, triangles).reduce((a, b) => a + b, 0)).toBeCloseTo(total, 13);
    expect(Array.from(sheet.m as Float64Array).reduce((a, b) => a + b, 0)).toBeCloseTo(
      0.2 * total,
      13,
    );
  });

  test("every edge has a < b and its material length; a tube's rims are its only boundary", () => {
    const sheet = sheetOf({ type: "tube", radius: 0.2, height: 0.6 }, irregular(300));
    const around = 2 * Math.PI * 0.2;
    for (let e = 0; e < sheet.edgeLength.length; e++) {
      const [a, b] = [sheet.edges[2 * e], sheet.edges[2 * e + 1]];
      expect(a).toBeLessThan(b);
      let du = sheet.uv[2 * b] - sheet.uv[2 * a];
      du -= around * Math.round(du / around);
      expect(sheet.edgeLength[e]).toBeCloseTo(
        Math.hypot(du, sheet.uv[2 * b + 1] - sheet.uv[2 * a + 1]),
        12,
      );
    }
    const rims = new Set(Array.from(sheet.parts[0].edges.boundary as Int32Array));
    for (let i = 0; i < sheet.n; i++) expect(sheet.boundary[i]).toBe(rims.has(i) ? 1 : 0);
  });
});
