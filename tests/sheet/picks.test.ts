import { describe, expect, test } from "vitest";
import { createSheet } from "../../src/sheet/kinematics.ts";
import { pick } from "../../src/sheet/picks.ts";
import { grid, irregular, pickOf, sheetOf, sheetScene } from "./sheets.ts";

const sheet = sheetOf({ type: "rectangle", width: 1, height: 1 }, grid(121));
const at = (i: number, j: number): number => 11 * j + i;

describe("picks", () => {
  test("corners, edges, boxes, nearest places and numbers are united, rising and without repeats", () => {
    const points = pick(
      sheet,
      pickOf({
        corners: ["top-left", "bottom-left"],
        edges: ["left"],
        regions: [{ min: [0.9, 0.9], max: [1, 1] }],
        nearest: [[0.52, 0.49]],
        points: [7],
      }),
    );
    const left = Array.from({ length: 11 }, (_, j) => at(0, j));
    const wanted = [...left, at(9, 9), at(10, 9), at(9, 10), at(10, 10), at(5, 5), 7];
    expect(Array.from(points)).toEqual(wanted.sort((a, b) => a - b));
  });

  test("a radius takes in everything within it of the place that was asked for, not of the nearest sample", () => {
    const around = (u: number, v: number, radius: number): number[] => {
      const list = [];
      for (let i = 0; i < sheet.n; i++) {
        if (Math.hypot(sheet.uv[2 * i] - u, sheet.uv[2 * i + 1] - v) <= radius) list.push(i);
      }
      return list;
    };
    const points = pick(sheet, pickOf({ nearest: [[0.54, 0.53]], radius: 0.21 }));
    expect(Array.from(points)).toEqual(around(0.54, 0.53, 0.21));
    const corner = pick(sheet, pickOf({ corners: ["top-right"], radius: 0.15 }));
    expect(Array.from(corner)).toEqual(around(1, 1, 0.15));
  });

  test("on a tube a radius and a nearest place reach across the cut", () => {
    const tube = sheetOf({ type: "tube", radius: 0.2, height: 0.5 }, irregular(400));
    const around = 2 * Math.PI * 0.2;
    const found = pick(tube, pickOf({ nearest: [[0.001, 0.25]], radius: 0.1 }));
    const wanted = [];
    for (let i = 0; i < tube.n; i++) {
      const du = tube.uv[2 * i] - 0.001;
      if (Math.hypot(du - around * Math.round(du / around), tube.uv[2 * i + 1] - 0.25) <= 0.1)
        wanted.push(i);
    }
    expect(Array.from(found)).toEqual(wanted);
    expect(wanted.some((i) => tube.uv[2 * i] > around / 2)).toBe(true);
  });

  test("of several sheets only the one named is meant, and its points count from 0", () => {
    const two = createSheet(
      [
        sheetScene({ type: "rectangle", width: 1, height: 1 }, grid(9), { name: "a" }),
        sheetScene({ type: "rectangle", width: 1, height: 1 }, grid(4), { name: "b" }),
      ],
      1,
    );
    expect(two.n).toBe(13);
    expect(
      Array.from(pick(two, pickOf({ sheet: 1, points: [0], corners: ["top-right"] }))),
    ).toEqual([9, 12]);
    expect(two.parts[1].firstTriangle).toBe(8);
    expect(Math.max(...Array.from(two.near.index as Int32Array))).toBe(12);
    expect(() => pick(two, pickOf({ sheet: 2, points: [0] }))).toThrow(/there are 2 \("a", "b"\)/);
  });

  test("a miss is an error that lists every fault, with what there is", () => {
    const miss = pickOf({
      corners: ["top"],
      edges: ["rim"],
      regions: [{ min: [2, 2], max: [3, 3] }],
      nearest: [[1.2, 0.5]],
      points: [121],
    });
    let message = "";
    try {
      pick(sheet, miss);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(/5 faults/);
    expect(message).toMatch(/corner "top": "cloth" has .*"top-left"/);
    expect(message).toMatch(/edge "rim": "cloth" has "left", "right", "bottom", "top"/);
    expect(message).toMatch(/region \[2,2\] … \[3,3\] holds no point/);
    expect(message).toMatch(
      /nearest \(1.2, 0.5\) is 0.200 m outside "cloth", which reaches from \(0, 0\) to \(1, 1\)/,
    );
    expect(message).toMatch(/point 121: "cloth" has points 0 … 120/);
    expect(() => pick(sheet, pickOf({}))).toThrow(/names no points/);
    expect(() => pick(sheet, pickOf({ nearest: [[1.04, 0.5]] }))).not.toThrow(); // less than half a spacing out
    expect(() => pick(sheet, pickOf({ corners: ["constructor"] }))).toThrow(/corner "constructor"/);
  });
});
