import { describe, expect, test } from "vitest";
import { barPlot, linePlot } from "../../src/picture/plots.ts";
import { wellFormed } from "./well-formed.ts";

const t = Array.from({ length: 50 }, (_, i) => i / 10);
const time = { label: "time", unit: "s" };

/** y of the points of the first line path, in pixels from the top of the axes. */
function linePoints(svg: string): [number, number][] {
  const path = /<g class="mark-line[^>]*><path[^>]* d="([^"]+)"/.exec(svg)![1];
  return [...path.matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

describe("line plots", () => {
  test("are well-formed SVG that names axes, units, title and series", async () => {
    const svg = await linePlot({
      title: "Energy & <strain>",
      x: time,
      y: { label: "energy", unit: "mJ", factor: 1000 },
      series: [
        { name: "kinetic", x: t, y: t.map(Math.sin) },
        { name: "reference", x: t, y: t.map(Math.cos), style: "reference" },
        { name: "samples", x: t, y: t.map(Math.sin), style: "points" },
        { name: "other", x: t, y: t, style: "dashed" },
      ],
      lines: [
        { y: 0.5, label: "limit" },
        { x: 2, label: "release" },
      ],
    });
    wellFormed(svg);
    for (const word of [
      "time (s)",
      "energy (mJ)",
      "Energy &amp; &lt;strain&gt;",
      "kinetic",
      "samples",
      "limit",
      "release",
    ])
      expect(svg).toContain(word);
    expect(svg).not.toContain("NaN");
    expect(svg).not.toContain("undefined");
  });

  test("ink is the page's text colour, so that it can be read on light and dark", async () => {
    const svg = await linePlot({ x: time, y: { label: "y" }, series: [{ name: "a", x: t, y: t }] });
    expect(svg).toContain("currentColor");
    expect(svg).not.toMatch(/fill="#0{3,6}"|fill="black"/);
  });

  test("a straight line in the data is a straight line on the page, from corner to corner", async () => {
    const svg = await linePlot({
      x: { label: "x", min: 0, max: 10 },
      y: { label: "y", min: 0, max: 10 },
      series: [{ name: "a", x: [0, 5, 10], y: [0, 5, 10] }],
      width: 200,
      height: 100,
    });
    expect(linePoints(svg)).toEqual([
      [0, 100],
      [100, 50],
      [200, 0],
    ]);
  });

  test("on log axes a power law is straight, and what is not positive is left out", async () => {
    const x = [1, 10, 100];
    const svg = await linePlot({
      x: { label: "h", log: true },
      y: { label: "error", log: true },
      series: [{ name: "a", x: [...x, -1, 5], y: [...x.map((v) => v ** 2), 3, 0] }],
      slopes: [{ order: 2, through: [10, 50] }],
      width: 200,
      height: 100,
    });
    wellFormed(svg);
    expect(svg).toContain("slope 2");
    const points = [...svg.matchAll(/d="(M[^"]+)"/g)]
      .map(([, d]) => [...d.matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g)])
      .find((p) => p.length === 3)!;
    const [a, b, c] = points.map(([, , y]) => Number(y));
    expect(a - b).toBeCloseTo(b - c, 3);
  });

  test("ten thousand points are thinned, but the one peak among them stays", async () => {
    const x = Array.from({ length: 10000 }, (_, i) => i);
    const y = x.map((i) => (i === 6789 ? 5 : Math.sin(i / 500)));
    const svg = await linePlot({
      x: time,
      y: { label: "y", min: -1, max: 5 },
      series: [{ name: "a", x, y }],
      height: 100,
    });
    const points = linePoints(svg);
    expect(points.length).toBeLessThan(1100);
    expect(Math.min(...points.map(([, v]) => v))).toBeCloseTo(0, 6);
  });

  test("values that are not numbers leave a plot, not an error", async () => {
    const y = [Number.NaN, Number.POSITIVE_INFINITY, 1, 2];
    wellFormed(
      await linePlot({ x: time, y: { label: "y" }, series: [{ name: "a", x: [0, 1, 2, 3], y }] }),
    );
    wellFormed(
      await linePlot({ x: time, y: { label: "y" }, series: [{ name: "a", x: [], y: [] }] }),
    );
  });

  test("the same plot is the same bytes", async () => {
    const plot = { x: time, y: { label: "y" }, series: [{ name: "a", x: t, y: t }] };
    const [first, second] = [await linePlot(plot), await linePlot(plot)];
    expect(first === second).toBe(true);
  });
});

test("bars are as long as their values", async () => {
  const svg = await barPlot({
    value: { label: "time", unit: "s", min: 0, max: 10 },
    bars: [
      { name: "factor", value: 10 },
      { name: "solve", value: 2.5 },
    ],
    width: 400,
  });
  wellFormed(svg);
  expect(svg).toContain("factor");
  expect(svg.includes('d="M0,0h400v')).toBe(true);
  expect(svg.includes('d="M0,0h100v')).toBe(true);
});
