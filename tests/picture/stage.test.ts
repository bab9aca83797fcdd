import { describe, expect, test } from "vitest";
import { projected, projection, turned } from "../../src/picture/camera.ts";
import { measureOf, roundUp } from "../../src/picture/coloring.ts";
import { createStage } from "../../src/picture/stage.ts";
import type { Vec3 } from "../../src/scene/scene.ts";
import { createSheet } from "../../src/sheet/kinematics.ts";
import { framedSheet, poseOf, rolled } from "../sheet/curved.ts";
import { bent, bentScene, FRAMES, memory } from "./recordings.ts";

const sphere = {
  body: { type: "sphere", radius: 0.2 },
  position: [0.5, 0, 1],
  motion: {
    keys: [
      { time: 0, translate: [0, 0, 0] },
      { time: 1, translate: [0, 0, -0.5] },
    ],
  },
};
const floor = { body: { type: "plane", normal: [0, 0, 1] }, position: [0, 0, -0.3] };

describe("measures at the points", () => {
  const scene = bentScene();
  const sheet = createSheet(scene.sheets, scene.seed);

  test("edge strain is the worst edge at each point, whatever its sign", () => {
    const flat = bent(sheet, 0);
    const stretched = flat.map((x, k) => (k % 3 === 0 ? 1.02 * x : x));
    const squeezed = flat.map((x, k) => (k % 3 === 1 ? 0.97 * x : x));
    const { values } = measureOf(sheet, "edge-strain")!;
    for (const v of values(stretched)) expect(v).toBeCloseTo(0.02, 12);
    for (const v of values(squeezed)) expect(v).toBeCloseTo(0.03, 12);
    for (const v of values(flat)) expect(v).toBeLessThan(1e-14);
  });

  test("principal strain is the larger of the two, in size", () => {
    const Y = bent(sheet, 0).map((x, k) => (k % 3 === 0 ? 1.02 * x : k % 3 === 1 ? 0.97 * x : x));
    for (const v of measureOf(sheet, "principal-strain")!.values(Y))
      expect(v).toBeCloseTo(0.03, 12);
  });

  test("mean curvature of a cylinder of radius R is ½/R in size", () => {
    const curvature = measureOf(sheet, "curvature")!;
    for (const v of curvature.values(bent(sheet, 2))) expect(Math.abs(v)).toBeCloseTo(1, 1);
    expect(curvature.map.signed).toBe(true);
  });

  test("plain colours need no measure, and own measures are taken as they are", () => {
    expect(measureOf(sheet, "material")).toBeNull();
    const own = measureOf(sheet, "edge-strain")!;
    expect(measureOf(sheet, own)).toBe(own);
  });
});

test("ranges end at 1, 2 or 5 times a power of ten", () => {
  expect([0.011, 0.02, 0.021, 0.9, 1, 3, 7].map(roundUp)).toEqual([0.02, 0.02, 0.05, 1, 1, 5, 10]);
});

describe("the stage of a run", () => {
  test("shows each sheet by its own points and colour, pins where they are held, and a floor below", () => {
    const recording = memory();
    const stage = createStage(recording);
    const Y = recording.positions(FRAMES - 1);
    const { meshes, pins, ground, legend } = stage.scene(Y, 1);
    expect(meshes.length).toBe(2); // the sheet, and the lip around it
    expect(Array.from(meshes[0].positions)).toEqual(Array.from(Y));
    expect(meshes[0].triangles.length).toBe(recording.sheet.triangles.length);
    expect(pins!.length).toBe(recording.sheet.parts[0].edges.left.length);
    for (const [x] of pins!) expect(x).toBeCloseTo(Math.min(...pins!.map((p) => p[0])), 12);
    expect(ground!).toBeLessThan(0);
    expect(legend).toBeUndefined();
  });

  test("samples with frames: curved patches with their normals, coloured by arcs, wire along the edges of the sheet", () => {
    const sheet = framedSheet({ sampling: { points: 60 } });
    const Y = poseOf(sheet, rolled(0.3));
    const scene = bentScene({ pins: [] });
    const run = { scene, sheet, frames: 1, time: () => 0, pose: () => Y };
    const stage = createStage(run, { color: "edge-strain", max: 1e-2, wire: true, subdivide: 2 });
    const [mesh] = stage.scene(Y, 0).meshes;
    const { positions, triangles, normals, wireEdges, field } = mesh;
    expect(triangles.length).toBe(16 * sheet.triangles.length);
    const toAxis = (i: number): [number, number] => [
      -positions[3 * i] / 0.3,
      (0.3 - positions[3 * i + 2]) / 0.3,
    ];
    for (let i = 0; 3 * i < positions.length; i++) {
      const [x, z] = toAxis(i);
      expect(Math.hypot(x, z)).toBeCloseTo(1, 3);
      expect(Math.abs(x * normals![3 * i] + z * normals![3 * i + 2])).toBeGreaterThan(0.999);
      expect(field!.values[i]).toBeLessThan(1e-3); // chords would show 1 %
    }
    // of the 16 pieces of a triangle 3 · 4 sides lie on its edges
    let sides = 0;
    for (let t = 0; t < 16; t++) for (let c = 0; c < 3; c++) sides += (wireEdges![t] >> c) & 1;
    expect(sides).toBe(12);
    const own = createStage(run).scene(Y.subarray(0, 3 * sheet.n), 0).meshes[0];
    expect(own.triangles.length).toBe(sheet.triangles.length);
  });

  test("two sheets are two meshes of two colours, whose triangles name their own points", () => {
    const shape = { type: "rectangle", width: 0.5, height: 0.5 };
    const sampling = { type: "grid", spacing: 0.25 };
    const scene = bentScene({
      sheet: undefined,
      pins: [],
      sheets: [
        { name: "a", shape, sampling },
        { name: "b", shape, sampling },
      ],
    });
    const recording = memory(scene);
    const { meshes } = createStage(recording).scene(recording.positions(0), 0);
    expect(meshes.length).toBe(4); // each with its lip
    expect(meshes[0].color).not.toEqual(meshes[1].color);
    expect(meshes.slice(2).map(({ color }) => color)).toEqual([meshes[0].color, meshes[1].color]);
    for (const { triangles, positions } of meshes)
      expect(Math.max(...Array.from(triangles))).toBeLessThan(positions.length / 3);
  });

  test("released pins are no longer marked", () => {
    const scene = bentScene({ pins: [{ name: "left", at: { edge: "left" }, release: 0.5 }] });
    const recording = memory(scene);
    const stage = createStage(recording);
    expect(stage.scene(recording.positions(0), 0.4).pins!.length).toBeGreaterThan(0);
    expect(stage.scene(recording.positions(4), 0.6).pins!.length).toBe(0);
  });

  test("bodies are where their motion has them, and a level plane is the floor", () => {
    const recording = memory(bentScene({ colliders: [sphere, floor] }));
    const stage = createStage(recording);
    const heights = (time: number): number[] => {
      const { meshes } = stage.scene(recording.positions(0), time);
      const body = meshes.find((m) => m.positions.length > 0 && m.solid)!;
      return Array.from(body.positions).filter((_, k) => k % 3 === 2);
    };
    expect(Math.max(...heights(0))).toBeCloseTo(1.2, 12);
    expect(Math.max(...heights(1))).toBeCloseTo(0.7, 12);
    expect(stage.scene(recording.positions(0), 0).ground).toBe(-0.3);
  });

  test("colours end at one round number for the whole run, and say so when values go beyond", () => {
    const recording = memory();
    const stage = createStage(recording, { color: "edge-strain" });
    const first = stage.scene(recording.positions(0), 0).legend!;
    const last = stage.scene(recording.positions(FRAMES - 1), 1).legend!;
    expect([first.min, first.max, first.factor, first.unit]).toEqual([0, last.max, 100, "%"]);
    const narrow = createStage(recording, { color: "edge-strain", max: 1e-6 });
    expect(narrow.scene(recording.positions(FRAMES - 1), 1).legend!.clipped).toBe(true);
    expect(narrow.scene(recording.positions(0), 0).legend!.clipped).toBe(false);
    const signed = createStage(recording, { color: "curvature" });
    const { min, max } = signed.scene(recording.positions(2), 0.5).legend!;
    expect(min).toBe(-max);
  });

  test("the camera holds every frame, and a turntable holds it from every side", () => {
    const recording = memory();
    const stage = createStage(recording);
    const inside = (camera: ReturnType<typeof stage.camera>): boolean => {
      const rows = projection(camera, 160, 90);
      for (let f = 0; f < FRAMES; f++) {
        const Y = recording.positions(f);
        for (let k = 0; k < Y.length; k += 3) {
          const [x, y, w] = projected(rows, Array.from(Y.subarray(k, k + 3)) as Vec3);
          if (!(w > 0 && x >= 0 && x <= 160 && y >= 0 && y <= 90)) return false;
        }
      }
      return true;
    };
    for (const from of ["auto", "front", "side", "top"] as const)
      expect(inside(stage.camera(16 / 9, from))).toBe(true);
    const round = stage.camera(16 / 9, "auto", true);
    for (let a = 0; a < 12; a++) expect(inside(turned(round, (a * Math.PI) / 6))).toBe(true);
  });

  test("a scene's own camera is taken unless another is asked for", () => {
    const camera = { eye: [0, -3, 1], target: [0, 0, 0], fov: 30 };
    const stage = createStage(memory(bentScene({ view: { camera, ground: false } })));
    expect(stage.camera(1).eye).toEqual([0, -3, 1]);
    expect(stage.camera(1).fov).toBeCloseTo(Math.PI / 6, 12);
    expect(stage.camera(1, "top").eye).not.toEqual([0, -3, 1]);
    expect(stage.scene(memory().positions(0), 0).ground).toBeUndefined();
  });
});
