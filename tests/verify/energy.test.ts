/** Energies of recordings, worked out anew: they are the engine's, and one that was changed is told. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runToFolder } from "../../src/node/run-folder.ts";
import { verifyFolder } from "../../src/node/verify-folder.ts";
import { openRecording } from "../../src/recording/folder.ts";
import { encodeSheet } from "../../src/recording/sheet-bytes.ts";
import type { PanelInput, SceneInput } from "../../src/scene/input.ts";
import { parseScene } from "../../src/scene/scene.ts";
import { ENERGIES, type EnergyName } from "../../src/verify/energy.ts";
import { forge, forgeMetrics } from "./forge.ts";

let root = "";
const at = (...names: string[]): string => path.join(root, ...names);
beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-energy-"));
  fs.writeFileSync(at("ball.obj"), octahedron(2));
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

/** A ball of 0.1 m as OBJ: an octahedron whose edges are halved so many times. */
function octahedron(times: number): string {
  const points: number[][] = [];
  for (const c of [0, 1, 2])
    for (const s of [1, -1]) points.push([0, 1, 2].map((d) => (d === c ? s : 0)));
  let faces: number[][] = [];
  for (const x of [0, 1])
    for (const y of [2, 3])
      for (const z of [4, 5]) faces.push((x + y + z) % 2 === 0 ? [x, y, z] : [x, z, y]);
  for (let k = 0; k < times; k++) {
    const known = new Map<string, number>();
    const middle = (a: number, b: number): number => {
      const key = [Math.min(a, b), Math.max(a, b)].join();
      if (!known.has(key)) {
        known.set(key, points.length);
        const sum = points[a].map((x, c) => x + points[b][c]);
        points.push(sum.map((x) => x / Math.hypot(...sum)));
      }
      return known.get(key)!;
    };
    faces = faces.flatMap(([a, b, c]) => {
      const [p, q, r] = [middle(a, b), middle(b, c), middle(c, a)];
      return [
        [a, p, r],
        [p, b, q],
        [r, q, c],
        [p, q, r],
      ];
    });
  }
  const lines = [
    ...points.map((x) => `v ${x.map((v) => 0.1 * v).join(" ")}`),
    ...faces.map((f) => `f ${f.map((i) => i + 1).join(" ")}`),
  ];
  return `${lines.join("\n")}\n`;
}

const square = {
  shape: { type: "rectangle", width: 0.2, height: 0.2 },
  sampling: { type: "irregular", points: 60 },
  material: { D: 1e-4, poisson: 0.3 },
} as const;
const short = { seconds: 0.2, h: 0.01, record: { rate: 20 } };

/** Scenes, and which energies they are about. */
const SCENES: Record<string, { input: SceneInput; about: EnergyName[] }> = {
  "two materials, a hung mass, a throw": {
    about: ["kinetic", "gravity", "bending", "membrane", "smoothing"],
    input: {
      ...short,
      sheets: [
        { ...square, name: "light", velocity: [0.2, 0, 0.4] },
        {
          ...square,
          name: "heavy",
          material: { D: 1e-3, density: 0.5, membraneStiffness: 3000 },
          pose: { position: [0.5, 0, 0] },
          spin: [0, 3, 1],
        },
      ],
      pins: [{ at: { sheet: "light", corner: "top-left", radius: 0.05 } }],
      masses: [{ at: { sheet: "light", corner: "bottom-right", radius: 0.05 }, mass: 0.02 }],
    },
  },
  "a foundation": {
    about: ["gravity", "bending", "foundation"],
    input: {
      ...short,
      sheet: square,
      foundation: { stiffness: 500, axis: [0, 0, 1] },
      pins: [{ at: { edge: "left" } }],
    },
  },
  "a closed sheet under pressure": {
    about: ["membrane", "pressure", "bending"],
    input: {
      ...short,
      sheet: { shape: { type: "mesh", file: "ball.obj" }, material: { D: 1e-5 } },
      pressure: 30,
    },
  },
  "curved by nature": {
    about: ["bending", "membrane"],
    input: {
      ...short,
      sheet: { ...square, curvature: { value: 5, angle: 30 } },
      pins: [{ at: { edge: "left" } }],
    },
  },
  "panels that are sewn, one edge longer than the other": {
    about: ["kinetic", "bending", "membrane", "smoothing"],
    input: {
      ...short,
      sheet: {
        shape: {
          type: "garment",
          panels: [panel("a", [0, 0.1], 0.05), panel("b", [0.1, 0.2], 0.052)],
          seams: [{ from: "a:right", to: "b:left", reversed: true }],
          sewing: { seconds: 0.02 },
        },
        sampling: { points: 60 },
        material: { D: 1e-4 },
      },
      pins: [{ at: { edge: "a:left" } }],
    },
  },
};

function panel(name: string, [left, right]: [number, number], height: number): PanelInput {
  const points: PanelInput["points"] = [
    [left, 0],
    [right, 0],
    [right, height],
    [left, height],
  ];
  return { name, points, edges: { right: [1, 2], left: [3, 0] } };
}

describe.each(Object.entries(SCENES))("%s", (name, { input, about }) => {
  const [good, rec] = [`${name.replaceAll(/\W/g, "-")}-good`, `${name.replaceAll(/\W/g, "-")}-rec`];
  beforeAll(() => runToFolder(parseScene(input), at(good), { base: root }), 60_000);
  beforeEach(() => {
    fs.rmSync(at(rec), { recursive: true, force: true });
    fs.cpSync(at(good), at(rec), { recursive: true });
  });
  const faultsOf = (): string[] => verifyFolder(at(rec)).faults;

  test("every energy of every frame is the engine's, to what single precision leaves", () => {
    const { faults, certificate } = verifyFolder(at(rec));
    expect(faults).toEqual([]);
    const { metrics } = openRecording(at(rec));
    for (const term of ENERGIES) {
      const most = Math.max(...metrics.map((m) => Math.abs(m[term])));
      if (about.includes(term)) expect(most, term).toBeGreaterThan(1e-7);
      certificate.frames.forEach(({ energy }, k) => {
        const off = Math.abs(energy[term]! - metrics[k][term]);
        // 1e-11 J: a membrane of 10 kN/m on 0.04 m² with the strains of 2e-7 that single precision makes
        expect(off, `${term} of frame ${k}`).toBeLessThanOrEqual(1e-5 * most + 1e-11);
      });
    }
  });

  test.each(about)(
    "%s off by a hundredth is told, however well the total was made to fit",
    (term) => {
      const { metrics } = openRecording(at(rec));
      const values = metrics.map((m) => Math.abs(m[term]));
      const frame = values.indexOf(Math.max(...values));
      const more = 0.01 * metrics[frame][term];
      forgeMetrics(at(rec), frame, term, (x) => x + more);
      forgeMetrics(at(rec), frame, "total", (x) => x + more);
      expect(faultsOf().join("\n")).toMatch(
        new RegExp(`^frame ${frame} .*: metrics.csv says ${term} .* J, its frame says .* J`),
      );
    },
  );
});

describe("what energies follow from", () => {
  beforeAll(() =>
    runToFolder(
      parseScene({ ...short, sheet: square, pins: [{ at: { edge: "left" } }] }),
      at("ok"),
    ),
  );
  beforeEach(() => {
    fs.rmSync(at("rec"), { recursive: true, force: true });
    fs.cpSync(at("ok"), at("rec"), { recursive: true });
  });
  const faultsOf = (): string => verifyFolder(at("rec")).faults.join("\n");

  test("velocities, smoothing and masses that were changed are told, seals or not", () => {
    forge(at("rec"), 2, (_pose, _n, _times, { V }) => (V[3 * 30 + 2] *= 1.5));
    expect(faultsOf()).toMatch(/frame 2 .*: metrics.csv says kinetic/);
    forge(at("rec"), 3, (_pose, _n, _times, { V }) => V.fill(0));
    expect(faultsOf()).toMatch(
      /frame 3 .*: metrics.csv says speedMax .* its velocities say 0 m\/s/,
    );
    forge(at("rec"), 4, (_pose, _n, _times, { smoothing }) => (smoothing[0] *= 0.1));
    expect(faultsOf()).toMatch(/frame 4 .*: the smoothing of sheet ".*" is .* its weight asks for/);
    const { sheet } = openRecording(at("rec"));
    const m = Float64Array.from(sheet.m as Float64Array);
    m[7] *= 1.001;
    fs.writeFileSync(at("rec", "sheet"), encodeSheet({ ...sheet, m }));
    expect(faultsOf()).toContain("sheet: sample 7 has ");
  });

  test("what was not recorded is noted", async () => {
    await runToFolder(parseScene({ ...short, sheet: square, constraint: "paper" }), at("paper"));
    const { faults, certificate } = verifyFolder(at("paper"), { strainLimit: 0.5 });
    expect(faults).toEqual([]);
    expect(certificate.notes.join()).toContain(
      "samples have no frames: energies of bending and membrane were not judged",
    );
    expect(certificate.frames.at(-1)!.energy).toMatchObject({ bending: null, membrane: null });
    expect(certificate.frames.at(-1)!.energy.kinetic).toBeGreaterThan(0);
  });
});
