/** Verifying recordings whose samples have frames: strain of arcs, from the files alone. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runToFolder } from "../../src/node/run-folder.ts";
import { verifyFolder } from "../../src/node/verify-folder.ts";
import { openRecording } from "../../src/recording/folder.ts";
import { edgeStrain, principalMax } from "../../src/recording/measures.ts";
import { encodeSheet } from "../../src/recording/sheet-bytes.ts";
import { createPatches, evaluatePatches } from "../../src/sheet/patches.ts";
import { frameStrain, strainOf, tangentFault } from "../../src/verify/strain.ts";
import { halvedSheet } from "../../src/verify/surface.ts";
import { isoplate } from "../cli/terminal.ts";
import { smallScene } from "../recording/sheets.ts";
import { framedSheet, plane, poseOf, rolled, tubePose } from "../sheet/curved.ts";
import { shapes } from "../support.ts";
import { forge as forgeFrame } from "./forge.ts";

const square = framedSheet({ sampling: { points: 80 } });
const tube = framedSheet({
  shape: { type: "tube", radius: 0.2, height: 0.6 },
  sampling: { points: 120 },
});
const edgesOf = ({ edges, edgeLength, ...arcs }: typeof square) => ({
  points: edges,
  length: edgeLength,
  arcs,
});

describe("strain of arcs, written anew", () => {
  test("agrees with the measures to rounding: planes, cylinders, a tube", () => {
    for (const [sheet, Y] of [
      [square, poseOf(square, plane(1.02, 0.97))],
      [square, poseOf(square, rolled(0.2))],
      [tube, tubePose(tube)],
    ] as const) {
      const [ours, theirs] = [strainOf(Y, edgesOf(sheet)), edgeStrain(sheet, Y)];
      expect(ours.mean).toBeCloseTo(theirs.mean, 13);
      expect(ours.stretchMax).toBeCloseTo(theirs.stretchMax, 13);
      expect(ours.compressionMax).toBeCloseTo(theirs.compressionMax, 13);
    }
    const Y = poseOf(square, plane(1.02, 0.97));
    expect(frameStrain(Y, square).strain).toBeCloseTo(0.03, 12);
    expect(principalMax(square, Y)).toBeCloseTo(0.03, 12);
  });

  test.each(shapes)(
    "$name: its tangents make the angles of its triangles; turned ones are told",
    ({ sheet }) => {
      const framed = framedSheet(sheet);
      expect(tangentFault(framed, framed.tangent)).toBeNull();
      const crooked = Float64Array.from(framed.tangent as Float64Array);
      const rim = framed.edges[0];
      crooked.set([-crooked[1], crooked[0]], 0);
      expect(tangentFault(framed, crooked)).toContain(`at sample ${rim} do not make the angles`);
      crooked.set([0.5, 0], 0);
      expect(tangentFault(framed, crooked)).toContain("is no unit vector");
    },
  );

  test("the halved surface is that of the patches halved once", () => {
    const Y = tubePose(tube);
    const halved = halvedSheet(tube, tube);
    const patches = createPatches(tube, 1);
    const positions = new Float64Array(3 * patches.n);
    evaluatePatches(positions, null, patches, Y);
    const placed = halved.place(Y);
    expect(placed.length).toBe(positions.length);
    for (let k = 0; k < placed.length; k++) expect(placed[k]).toBeCloseTo(positions[k], 15);
    const sorted = (triangles: Int32Array): string[] =>
      Array.from({ length: triangles.length / 3 }, (_, t) =>
        [...triangles.subarray(3 * t, 3 * t + 3)].sort((a, b) => a - b).join(),
      ).sort();
    expect(sorted(halved.triangles)).toEqual(sorted(patches.triangles));
  });
});

describe("verify of recordings with frames", () => {
  let root = "";
  const at = (...names: string[]): string => path.join(root, ...names);
  beforeAll(async () => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-arcs-"));
    const sheet = {
      shape: { type: "rectangle", width: 0.2, height: 0.2 },
      sampling: { type: "grid", points: 36 },
      material: { D: 1e-3 },
    } as const;
    const scene = smallScene({ constraint: "frames", contact: { self: true }, sheet });
    await runToFolder(scene, at("good"));
  });
  beforeEach(() => {
    fs.rmSync(at("rec"), { recursive: true, force: true });
    fs.cpSync(at("good"), at("rec"), { recursive: true });
  });
  afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

  const forge = (frame: number, change: (pose: Float64Array, n: number) => void): void =>
    forgeFrame(at("rec"), frame, change);
  const faultsOf = (): string => verifyFolder(at("rec")).faults.join("\n");

  test("a sound one is proven, also on the curved sheet; the certificate tells the strain of arcs", async () => {
    const { faults, certificate } = verifyFolder(at("rec"));
    expect(faults).toEqual([]);
    const last = certificate.frames.at(-1)!;
    const { strain } = openRecording(at("rec")).summary!;
    expect(last.stretch).toBeCloseTo(strain.stretchMax, 6);
    expect(last.compression).toBeCloseTo(strain.compressionMax, 6);
    fs.rmSync(at("rec", "certificate.json"));
    const { code, err } = await isoplate(["verify", at("rec"), "--curved", "--quiet"]);
    expect(code, err).toBe(0);
    expect(err).toContain("judged on the curved sheet, every edge halved");
  });

  test("frames that were stretched, shrunk or turned are told", () => {
    forge(2, (pose, n) => {
      for (let k = 3 * n + 60; k < 3 * n + 66; k++) pose[k] *= 1.05;
    });
    expect(faultsOf()).toMatch(/frame 2 .*the frame of sample 10 is strained by 5\.\d* %/);
    forge(3, (pose, n) => {
      const [a, b] = [pose.slice(3 * n + 60, 3 * n + 63), pose.slice(3 * n + 63, 3 * n + 66)];
      pose.set(b, 3 * n + 60);
      pose.set(a, 3 * n + 63);
    });
    expect(faultsOf()).toMatch(/frame 3 .*metrics.csv says edgeMean/);
  });

  test("tangents that do not fit the material are told", () => {
    const { sheet } = openRecording(at("rec"));
    const tangent = Float64Array.from(sheet.tangent as Float64Array);
    for (let k = 0; k < 2; k++) tangent[k] *= -1;
    fs.writeFileSync(at("rec", "sheet"), encodeSheet({ ...sheet, tangent }));
    forge(0, () => {});
    expect(faultsOf()).toContain("sheet: the tangents of edges at sample 0");
  });
});
