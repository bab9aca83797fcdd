import { describe, expect, test } from "vitest";
import { withPatterns } from "../../src/files/garment-file.ts";
import { SceneError } from "../../src/scene/faults.ts";
import { checkScene } from "../../src/scene/scene.ts";
import { createSheet } from "../../src/sheet/kinematics.ts";
import { SheetError } from "../../src/sheet/sheet-error.ts";

/** Two panels of 30 × 40 cm side by side; edges e0 top, e1 right, e2 bottom, e3 left as drawn. */
const PATTERN = `<svg width="700mm" height="400mm" viewBox="0 0 700 400">
  <path id="front" d="M0 0 L300 0 L300 400 L0 400 Z"/>
  <path id="back" d="M400 0 L700 0 L700 400 L400 400 Z"/>
</svg>`;

const scene = (shape: object): object => ({
  sheet: { shape: { type: "garment", file: "top.svg", ...shape }, sampling: { points: 200 } },
});
const place = {
  front: { wrap: 0.3 / Math.PI },
  back: { wrap: 0.3 / Math.PI, rotation: [0, 0, 180] },
};
const seams = [
  { from: "front:e1", to: "back:e3", reversed: true },
  { from: "back:e1", to: "front:e3", reversed: true },
];
const read = (file: string): string => {
  if (file !== "top.svg")
    throw Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT" });
  return PATTERN;
};
const sewn = (shape: object): ReturnType<typeof createSheet> => {
  const { sheets, seed } = checkScene(withPatterns(scene(shape), read));
  return createSheet(sheets, seed);
};
const faultsOf = (make: () => unknown): string => {
  try {
    make();
  } catch (error) {
    if (error instanceof SceneError || error instanceof SheetError) return error.message;
    throw error;
  }
  return "";
};

describe("a garment from a pattern file", () => {
  test("two drawn panels become a tube of their widths, sewn along both sides", () => {
    const sheet = sewn({ place, seams });
    expect(sheet.n).toBe(200);
    // seams leave two rims, the hem and the top, and no other boundary
    let rim = 0;
    for (let e = 0; e < sheet.edgeLength.length; e++) {
      const [a, b] = [sheet.edges[2 * e], sheet.edges[2 * e + 1]];
      const level = Math.abs(sheet.rest[3 * a + 2] - sheet.rest[3 * b + 2]) < 1e-9;
      const ends = Math.min(Math.abs(sheet.uv[2 * a + 1]), 0.4) > 0.1999;
      if (sheet.boundary[a] && sheet.boundary[b] && level && ends) rim += sheet.edgeLength[e];
    }
    expect(rim).toBeCloseTo(4 * 0.3, 6);
    for (let i = 0; i < sheet.n; i++)
      expect(Math.hypot(sheet.rest[3 * i], sheet.rest[3 * i + 1])).toBeCloseTo(0.3 / Math.PI, 9);
  });

  test("panels without a place stand where they were drawn", () => {
    const { sheets } = checkScene(withPatterns(scene({}), read));
    const { shape } = sheets[0];
    if (shape.type !== "garment") throw new Error("not a garment");
    expect(shape.panels.map((panel) => panel.place.position[0])).toEqual([0.15, 0.55]);
  });

  test("the expanded scene names no file, so that a recording carries its garment", () => {
    expect(JSON.stringify(withPatterns(scene({ place, seams }), read))).not.toContain("top.svg");
  });

  test("other scenes are left as they are", () => {
    const other = { sheet: { shape: { type: "disc", radius: 1 } } };
    expect(withPatterns(other, read)).toEqual(other);
    expect(withPatterns("text", read)).toBe("text");
  });
});

describe("wrong patterns say which panel and edge", () => {
  test("a missing file, with its place in the scene", () => {
    const bad = { sheet: { shape: { type: "garment", file: "nothing.svg" } } };
    expect(faultsOf(() => withPatterns(bad, read))).toContain(
      "sheet.shape.file: nothing.svg: no such file",
    );
  });

  test("an open outline, by the panel's name", () => {
    const open = `<svg viewBox="0 0 9 9"><path id="sleeve" d="M0 0 L300 0 L300 400"/></svg>`;
    const fault = faultsOf(() => withPatterns(scene({}), () => open));
    expect(fault).toContain("sleeve");
    expect(fault).toMatch(/open|close/);
  });

  test("a placed panel that is not in the pattern, with the nearest name", () => {
    expect(faultsOf(() => withPatterns(scene({ place: { fornt: {} } }), read))).toContain(
      'top.svg has no panel "fornt"; it has "front", "back"; did you mean "front"?',
    );
  });

  test("a seam onto itself", () => {
    const self = [{ from: "front:e1", to: "front:e1" }];
    expect(faultsOf(() => sewn({ place, seams: self }))).toMatch(/front.*itself/);
  });

  test("an edge that the panel does not have, with those that it has", () => {
    const unknown = [{ from: "front:side", to: "back:e3" }];
    expect(faultsOf(() => sewn({ place, seams: unknown }))).toContain(
      'panel "front" has no edge "side"',
    );
  });

  test("edges that do not match in length", () => {
    const narrow = PATTERN.replace(
      "M400 0 L700 0 L700 400 L400 400",
      "M400 0 L700 0 L700 60 L400 60",
    );
    const unmatched = (): unknown => {
      const { sheets, seed } = checkScene(withPatterns(scene({ place, seams }), () => narrow));
      return createSheet(sheets, seed);
    };
    expect(faultsOf(unmatched)).toMatch(/front:e1 is 0.4.* m long, back:e3 is 0.06/);
  });

  test("a garment with neither panels nor file", () => {
    const bad = { sheet: { shape: { type: "garment" } } };
    expect(faultsOf(() => checkScene(bad))).toContain("sheet.shape.panels: missing");
  });
});
