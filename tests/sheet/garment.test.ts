import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { Panel, Sampling, Seam, Vec2, Vec3 } from "../../src/scene/scene.ts";
import { neighbourhoods } from "../../src/sheet/charts.ts";
import { garmentPart } from "../../src/sheet/garment.ts";
import { createRandom } from "../../src/sheet/random.ts";
import { euler, irregular, sheetOf, sum } from "./sheets.ts";

function panel(name: string, points: Vec2[], more: Partial<Panel> = {}): Panel {
  const place = { position: [0, 0, 0] as Vec3, rotation: [0, 0, 0] as Vec3, wrap: null };
  return { name, points, edges: {}, holes: [], place, ...more };
}

/** A rectangle with edges bottom, right, top, left. */
const rectangle = (name: string, width: number, height: number, more: Partial<Panel> = {}): Panel =>
  panel(name, [[0, 0], [width, 0], [width, height], [0, height]], {
    edges: { bottom: [0, 1], right: [1, 2], top: [2, 3], left: [3, 0] },
    ...more,
  }); // biome-ignore format: an outline

const seam = (from: string, to: string, reversed = true): Seam => ({ from, to, reversed });

const sewn = (panels: Panel[], seams: Seam[], sampling: Sampling = irregular(400), seed = 1) =>
  sheetOf({ type: "garment", panels, seams, sewing: { seconds: 0 } }, sampling, { seed });

describe("garments", () => {
  test("two panels side by side are as good as one: charts across the seam are those of the uncut sheet, to 1e-12", () => {
    const b = panel("b", [[2, 0], [2.7, 0], [2.7, 1], [2, 1]]); // biome-ignore format: an outline
    const sheet = sewn([rectangle("a", 0.5, 1), b], [seam("a:right", "b:e3")]);
    expect(sheet.n).toBe(400);
    expect(euler(sheet)).toBe(1);
    expect(sum(sheet.triangleArea)).toBeCloseTo(1.2, 12);
    // Where each point would be in the uncut sheet: b is drawn 1.5 too far to the right.
    const right = new Set(Array.from(sheet.parts[0].edges["a:right"] as Int32Array));
    const uncut = new Float64Array(2 * sheet.n);
    for (let k = 0; k < sheet.triangles.length; k++) {
      const [u, v] = [sheet.corners[2 * k], sheet.corners[2 * k + 1]];
      uncut[2 * sheet.triangles[k]] = u < 1 ? u : u - 1.5;
      uncut[2 * sheet.triangles[k] + 1] = v;
    }
    const near = neighbourhoods(sheet, { rings: 2 });
    let across = 0;
    for (let i = 0; i < sheet.n; i++) {
      for (let e = near.start[i]; e < near.start[i + 1]; e++) {
        const j = near.index[e];
        expect(near.X[2 * e]).toBeCloseTo(uncut[2 * j] - uncut[2 * i], 12);
        expect(near.X[2 * e + 1]).toBeCloseTo(uncut[2 * j + 1] - uncut[2 * i + 1], 12);
        if (right.has(i) && j !== i) across++;
      }
      // the seam is no boundary but for its ends
      if (right.has(i))
        expect(sheet.boundary[i]).toBe(uncut[2 * i + 1] === 0 || uncut[2 * i + 1] === 1 ? 1 : 0);
    }
    expect(across).toBeGreaterThan(100);
  });

  test("a panel turned by any angle unfolds all the same: distances across the seam are those of the plane", () => {
    // b is drawn turned by 0.7 rad; its edge e3 (from corner 3 to corner 0) is sewn to a's right
    // side.
    const [c, s] = [Math.cos(0.7), Math.sin(0.7)];
    const turned = (
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
      ] as Vec2[]
    ).map(([u, v]): Vec2 => [c * u - s * v + 3, s * u + c * v]);
    const sheet = sewn([rectangle("a", 1, 1), panel("b", turned)], [seam("a:right", "b:e3")]);
    const place = new Map<number, Vec2>();
    for (let k = 0; k < sheet.triangles.length; k++) {
      const [u, v] = [sheet.corners[2 * k], sheet.corners[2 * k + 1]];
      if (u < 2) place.set(sheet.triangles[k], [u, v]);
      else place.set(sheet.triangles[k], [c * (u - 3) + s * v + 1, -s * (u - 3) + c * v]);
    }
    const near = neighbourhoods(sheet, { rings: 2 });
    for (let i = 0; i < sheet.n; i++) {
      for (let e = near.start[i]; e < near.start[i + 1]; e++) {
        const [p, q] = [place.get(i)!, place.get(near.index[e])!];
        expect(Math.hypot(near.X[2 * e], near.X[2 * e + 1])).toBeCloseTo(
          Math.hypot(q[0] - p[0], q[1] - p[1]),
          12,
        );
      }
    }
  });

  test("a rectangle sewn to itself is a tube; its charts are arc length and height across the seam", () => {
    const sheet = sewn([rectangle("a", 1, 0.6)], [seam("a:right", "a:left")], irregular(300));
    expect(sheet.n).toBe(300);
    expect(euler(sheet)).toBe(0);
    const near = neighbourhoods(sheet, { rings: 2 });
    for (let i = 0; i < sheet.n; i++) {
      for (let e = near.start[i]; e < near.start[i + 1]; e++) {
        let du = sheet.uv[2 * near.index[e]] - sheet.uv[2 * i];
        du -= Math.round(du);
        expect(near.X[2 * e]).toBeCloseTo(du, 12);
      }
    }
  });

  test("a bag of two equal panels, sewn on three sides, is a disc with no edge of four triangles", () => {
    const back: Panel["place"] = { position: [0, 0.1, 0], rotation: [0, 0, 0], wrap: null };
    for (const seed of [1, 2, 3]) {
      // Both panels drawn as seen from the front: same sides are sewn, in the same sense.
      const sheet = sewn(
        [rectangle("front", 0.4, 0.5), rectangle("back", 0.4, 0.5, { place: back })],
        [
          seam("front:left", "back:left", false),
          seam("front:bottom", "back:bottom", false),
          seam("front:right", "back:right", false),
        ],
        irregular(300),
        seed,
      );
      expect(sheet.n).toBe(300);
      expect(euler(sheet)).toBe(1);
      expect(sum(sheet.triangleArea)).toBeCloseTo(0.4, 12);
      expect(Math.min(...Array.from(sheet.triangleArea as Float64Array))).toBeGreaterThan(0);
      // Outside is outside on both: front triangles face −y, back ones +y.
      const { rest, triangles } = sheet;
      for (let t = 0; t < triangles.length; t += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[t + k]);
        const ny =
          (rest[b + 2] - rest[a + 2]) * (rest[c] - rest[a]) -
          (rest[b] - rest[a]) * (rest[c + 2] - rest[a + 2]);
        const y = (rest[a + 1] + rest[b + 1] + rest[c + 1]) / 3;
        if (y < 0.01) expect(ny).toBeLessThan(0);
        if (y > 0.09) expect(ny).toBeGreaterThan(0);
      }
    }
  });

  test("a dart closes into a cone: the angles around its tip lack the angle of the dart", () => {
    // A square with a wedge cut out of its top, tip in the middle.
    const wedge = panel("a", [[0, 0], [1, 0], [1, 1], [0.6, 1], [0.5, 0.5], [0.4, 1], [0, 1]]); // biome-ignore format: an outline
    const sheet = sewn([wedge], [seam("a:e3", "a:e4")], irregular(400));
    expect(sheet.n).toBe(400);
    expect(euler(sheet)).toBe(1);
    const tip = sheet.parts[0].corners["a:c4"];
    expect(sheet.boundary[tip]).toBe(0);
    let angle = 0;
    for (let k = 0; k < sheet.triangles.length; k++) {
      if (sheet.triangles[k] !== tip) continue;
      const [b, c] = k % 3 === 0 ? [k + 1, k + 2] : k % 3 === 1 ? [k + 1, k - 1] : [k - 2, k - 1];
      const x = sheet.corners;
      const [au, av, bu, bv] = [
        x[2 * b] - x[2 * k],
        x[2 * b + 1] - x[2 * k + 1],
        x[2 * c] - x[2 * k],
        x[2 * c + 1] - x[2 * k + 1],
      ];
      angle += Math.atan2(au * bv - av * bu, au * bu + av * bv);
    }
    expect(angle).toBeCloseTo(2 * Math.PI - 2 * Math.atan(0.1 / 0.5), 12);
  });

  property.prop(
    [fc.double({ min: 0.7, max: 1.4, noNaN: true }), fc.integer({ min: 0, max: 1000 })],
    { numRuns: 15 },
  )(
    "edges of unequal length are eased: matched by fraction, each triangle keeps its own length",
    (length, seed) => {
      const sheet = sewn(
        [rectangle("a", 0.5, 1), rectangle("b", 0.5, length)],
        [seam("a:right", "b:left")],
        irregular(250),
        seed,
      );
      expect(sheet.n).toBe(250);
      expect(sum(sheet.triangleArea)).toBeCloseTo(0.5 + 0.5 * length, 12);
      const list = sheet.parts[0].edges["a:right"] as Int32Array;
      const other = Array.from(sheet.parts[0].edges["b:left"] as Int32Array).reverse();
      expect(Array.from(list)).toEqual(other);
      // the length of a seam's edge is the mean of its two sides
      const steps = list.length - 1;
      for (let k = 0; k < steps; k++) {
        const [a, b] = [Math.min(list[k], list[k + 1]), Math.max(list[k], list[k + 1])];
        for (let e = 0; e < sheet.edgeLength.length; e++) {
          if (sheet.edges[2 * e] === a && sheet.edges[2 * e + 1] === b)
            expect(sheet.edgeLength[e]).toBeCloseTo((1 + length) / 2 / steps, 12);
        }
      }
    },
  );

  test("corners within a seam are matched by points on the other side", () => {
    // b's left side has a kink of 60° at a third of its length; a's is straight.
    const kinked = panel("b", [[0, 0], [0.6, 0], [0.6, 1], [0, 1], [0.2, 0.35]], { edges: { kinked: [3, 0] } }); // biome-ignore format: an outline
    const sheet = sewn(
      [rectangle("a", 0.5, 1), kinked],
      [seam("a:right", "b:kinked")],
      irregular(300),
    );
    expect(euler(sheet)).toBe(1);
    const kink = sheet.parts[0].corners["b:c4"];
    expect(Array.from(sheet.parts[0].edges["a:right"] as Int32Array)).toContain(kink);
  });

  test("three panels around a vertical axis meet and close into one tube", () => {
    const radius = 1.2 / (2 * Math.PI);
    const turned = (k: number): Panel["place"] => ({
      position: [0, 0, 0],
      rotation: [0, 0, (2 * Math.PI * k) / 3],
      wrap: radius,
    });
    const panels = [0, 1, 2].map((k) => rectangle(`p${k}`, 0.4, 0.5, { place: turned(k) }));
    const seams = [0, 1, 2].map((k) => seam(`p${k}:right`, `p${(k + 1) % 3}:left`));
    const sheet = sewn(panels, seams, irregular(350));
    expect(sheet.n).toBe(350);
    expect(euler(sheet)).toBe(0);
    for (let i = 0; i < sheet.n; i++)
      expect(Math.hypot(sheet.rest[3 * i], sheet.rest[3 * i + 1])).toBeCloseTo(radius, 12);
    expect(
      Math.max(...Array.from({ length: sheet.n }, (_, i) => sheet.rest[3 * i + 2])),
    ).toBeCloseTo(0.5, 14);
  });

  test("not welded, the panels stay apart and every seam point is paired with its partner", () => {
    const shape = {
      panels: [rectangle("a", 0.5, 1), rectangle("b", 0.5, 1)],
      seams: [seam("a:right", "b:left")],
    };
    const part = garmentPart(
      { ...shape, sewing: { seconds: 0.3 } },
      irregular(300),
      createRandom(1),
    );
    expect(part.sewing).toBe(0.3);
    expect(part.uv.length / 2).toBe(300);
    const pairs = part.seamPairs!;
    expect(pairs.length / 2).toBe(part.named.edges["a:right"].length);
    for (let k = 0; k < pairs.length; k += 2) {
      const [i, j] = [pairs[k], pairs[k + 1]];
      expect(i).not.toBe(j);
      expect(part.uv[2 * i]).toBe(0.5);
      expect(part.uv[2 * j]).toBe(0);
      expect(part.uv[2 * i + 1]).toBeCloseTo(part.uv[2 * j + 1], 13);
    }
  });

  test("holes, spacing and grids work on panels too", () => {
    const holed = rectangle("a", 1, 1, { holes: [[[0.4, 0.4], [0.6, 0.4], [0.6, 0.6], [0.4, 0.6]]] }); // biome-ignore format: an outline
    for (const sampling of [
      { type: "irregular", angle: 0, spacing: 0.06 },
      { type: "grid", angle: 0, spacing: 0.06 },
      { type: "rotated", angle: 0.4, points: 300 },
    ] as Sampling[]) {
      const sheet = sewn([holed, rectangle("b", 0.5, 1)], [seam("a:right", "b:left")], sampling);
      expect(sum(sheet.triangleArea)).toBeCloseTo(1.46, 12);
      expect(euler(sheet)).toBe(0);
      expect(sheet.parts[0].edges["a:hole0:e0"].length).toBeGreaterThan(2);
    }
  });

  test("wrong patterns are refused at once, naming seam, panel and edge", () => {
    const [a, b] = [rectangle("a", 1, 1), rectangle("b", 1, 1)];
    const bow = panel("bow", [[0, 0], [1, 1], [1, 0], [0, 1]]); // biome-ignore format: an outline
    const closed = panel("closed", [[0, 0], [1, 0], [0, 1], [0, 0]]); // biome-ignore format: an outline
    const wrong = rectangle("w", 1, 1, { edges: { side: [0, 9], none: [2, 2] } });
    expect(() => sewn([bow, closed, wrong], [])).toThrow(
      /panel "bow", outline: crosses itself, side e0 meets side e2.*panel "closed", outline: vertex 3 and the next.*panel "w", edge "side": got \[0, 9\], needs vertices 0 … 3.*edge "none"/s,
    );
    expect(() => sewn([a, a], [])).toThrow(/panel "a": there are two/);
    expect(() => sewn([a, b], [seam("a:rihgt", "b:left")])).toThrow(
      /panel "a" has no edge "rihgt"; it has "bottom", "right", "top", "left", "e0" … "e3"/,
    );
    expect(() => sewn([a, b], [seam("a:right", "c:left")])).toThrow(
      /"c:left" names no panel; there are "a", "b"/,
    );
    expect(() => sewn([a, b], [seam("a:right", "a:e1")])).toThrow(
      /sews panel "a" onto the same edge of itself/,
    );
    expect(() => sewn([a, b], [seam("a:right", "b:left"), seam("a:top", "b:e3")])).toThrow(
      /seam 1 .*: b:e3 is sewn already \(as b:left\) by seam 0/,
    );
    expect(() => sewn([a], [seam("a:right", "a:left", false)])).toThrow(
      /twists the panel; turn its "reversed" around/,
    );
    expect(() =>
      sewn([a, b], [seam("a:right", "b:left"), seam("a:left", "b:right", false)]),
    ).toThrow(/one-sided/);
    expect(() => sewn([a, rectangle("b", 1, 0.2)], [seam("a:right", "b:left")])).toThrow(
      /a:right is 1.00 m long, b:left is 0.200 m long; more than 4 to 1/,
    );
    expect(() => sewn([], [])).toThrow(/at least one panel/);
    expect(() => sewn([a, b], [seam("a:right", "b:left")], irregular(5))).toThrow(/points: got 5/);
  });

  test("panels too narrow for their sampling are refused, and say what helps", () => {
    const strap = (name: string): Panel => rectangle(name, 0.02, 1);
    expect(() =>
      sewn([strap("a"), strap("b")], [seam("a:right", "b:left"), seam("a:left", "b:right")], {
        type: "irregular",
        angle: 0,
        spacing: 0.03,
      }),
    ).toThrow(/sample more finely/);
  });
});
