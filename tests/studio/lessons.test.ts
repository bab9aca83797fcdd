/** The lessons of the studio: scenes that run, and numbers in their words that are true. */
import { describe, expect, test } from "vitest";
import {
  createSimulation,
  edgeStrain,
  parseScene,
  presets,
  type SceneInput,
} from "../../src/index.ts";
import { LESSONS, lessonOf } from "../../studio/src/document/lessons.ts";

describe("lessons", () => {
  test("there are a dozen, each with a name of its own and two sentences", () => {
    expect(LESSONS.length).toBeGreaterThanOrEqual(12);
    expect(new Set(LESSONS.map(({ name }) => name)).size).toBe(LESSONS.length);
    for (const { says } of LESSONS) expect(says.match(/[.?](\s|$)/g)?.length).toBe(2);
  });

  test.each(LESSONS.map(({ name }) => name))(
    "%s starts without a warning and does not stretch",
    (name) => {
      const found = LESSONS.find((one) => one.name === name)!;
      expect(lessonOf(found.input().name)).toBe(found);
      const simulation = createSimulation(parseScene(found.input()));
      expect(simulation.warnings).toEqual([]);
      while (simulation.time < 0.2) simulation.step();
      expect(edgeStrain(simulation.sheet, simulation.pose).max).toBeLessThan(0.02);
      simulation.dispose();
    },
  );

  test("paper that is bent across holds itself up, flat paper hangs", () => {
    const bent = lessonOf("lesson-gauss")!.input();
    const sheet = bent.sheet!;
    const drop = (input: SceneInput): number => {
      const simulation = createSimulation(parseScene(input));
      const heights = (): number[] =>
        [...simulation.Y].filter(
          (_, k) => k % 3 === 2 && simulation.sheet.uv[2 * Math.floor(k / 3)] > 0.19,
        );
      const mean = (z: number[]): number => z.reduce((a, b) => a + b, 0) / z.length;
      const before = mean(heights());
      while (simulation.time < 1) simulation.step();
      return before - mean(heights());
    };
    const flat = drop({ ...bent, sheet: { ...sheet, pose: { type: "flat" } } });
    expect(flat).toBeGreaterThan(0.05);
    expect(drop(bent)).toBeLessThan(0.1 * flat);
  });

  test("cotton bends on 2 cm, leather on 8 cm", () => {
    const lengths = ["cotton", "leather"].map((name) => {
      const { D, density } = presets.find((preset) => preset.name === name)!;
      return Math.round(100 * Math.cbrt(D / density / 9.81));
    });
    expect(lengths).toEqual([2, 8]);
  });

  test("Euler's load is the one that the lesson says", () => {
    const [{ material, shape }] = parseScene(lessonOf("lesson-euler-buckling")!.input()).sheets;
    if (shape.type !== "rectangle") throw new Error("a sheet of paper is a rectangle");
    const load = (4 * Math.PI ** 2 * material.D * shape.height) / shape.width ** 2;
    expect(1000 * load).toBeCloseTo(43, 0);
  });
});
