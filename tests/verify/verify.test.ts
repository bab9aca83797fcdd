import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runToFolder } from "../../src/node/run-folder.ts";
import { verifyFolder } from "../../src/node/verify-folder.ts";
import { openRecording } from "../../src/recording/folder.ts";
import { encodeFramesHeader, FRAMES_HEADER, framesLayout } from "../../src/recording/format.ts";
import { parseScene } from "../../src/scene/scene.ts";
import { isoplate } from "../cli/terminal.ts";
import { forge as forgeFrame, swapFrames } from "./forge.ts";

let root = "";
const at = (...names: string[]): string => path.join(root, ...names);

/** A cloth that falls onto a ball, with a second sheet beside it; recorded once for all tests. */
const scene = parseScene({
  name: "ball",
  seconds: 0.2,
  h: 0.005,
  record: { rate: 40 },
  sheets: [0, 1].map((k) => ({
    name: `sheet${k}`,
    shape: { type: "rectangle" as const, width: 0.2, height: 0.2 },
    sampling: { type: "grid" as const, points: 64 },
    pose: { position: [-0.1 + 0.5 * k, -0.1, 0.11] as [number, number, number] },
  })),
  contact: { self: true },
  colliders: [{ name: "ball", body: { type: "sphere", radius: 0.1 } }],
});

beforeAll(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-verify-"));
  await runToFolder(scene, at("good"));
}, 60_000);
beforeEach(() => {
  fs.rmSync(at("rec"), { recursive: true, force: true });
  fs.cpSync(at("good"), at("rec"), { recursive: true });
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const forge = (
  frame: number,
  change: (Y: Float64Array) => void,
  options?: { seals?: boolean },
): void => forgeFrame(at("rec"), frame, change, options);

const faultsOf = (): string[] => verifyFolder(at("rec")).faults;

describe("verify", () => {
  test("proves a sound recording, and another machine finds the same certificate, letter by letter", async () => {
    const first = verifyFolder(at("rec"));
    expect(first.faults).toEqual([]);
    expect(first.isOld).toBe(false);
    const { frames } = first.certificate;
    expect(frames).toHaveLength(9);
    expect(Math.max(...frames.map((f) => f.stretch))).toBeGreaterThan(1e-5);
    expect(frames.every((f) => f.crossings === 0 && f.depth === 0)).toBe(true);

    // the recording alone goes elsewhere; the certificate comes by another way
    fs.cpSync(at("good"), at("elsewhere"), { recursive: true });
    const certificate = at("rec", "certificate.json");
    const { code, out } = await isoplate(["verify", at("elsewhere"), "--certificate", certificate]);
    expect(code).toBe(0);
    expect(out).toContain("it is as certified");
    expect(verifyFolder(at("elsewhere")).certificate).toEqual(first.certificate);
  });

  test("1: a moved point, by the least that a double can, even if the frames are sealed anew", () => {
    forge(4, (Y) => (Y[30] += 1e-12), { seals: false });
    expect(faultsOf().join()).toMatch(/frame 4 .*: its hash does not match/);
    fs.rmSync(at("rec"), { recursive: true });
    fs.cpSync(at("good"), at("rec"), { recursive: true });
    forge(4, (Y) => (Y[30] += 1e-5));
    expect(faultsOf().join()).toMatch(/frame 4 .*: metrics.csv says/);
  });

  test("2: two frames in each other's place", () => {
    swapFrames(at("rec"), 3, 5);
    const faults = faultsOf().join("\n");
    expect(faults).toMatch(/frame 3 .*: its hash does not match/);
    expect(faults).toMatch(/frame 4 .*: does not come after the frame before it/);
  });

  test("3: an intersection, of sheets and with a body, whatever else was made to fit", () => {
    forge(6, (Y) => {
      // the second sheet goes through the first, turned upright; its lengths stay
      for (let i = 64; i < 128; i++) {
        const [x, y] = [Y[3 * i] - 0.5, Y[3 * i + 1]];
        Y.set([1e-3 + 0.01 * y, y, 0.1 + x], 3 * i);
      }
    });
    expect(faultsOf().join()).toMatch(/frame 6 .*pairs of triangles cut through each other/);
    fs.rmSync(at("rec"), { recursive: true });
    fs.cpSync(at("good"), at("rec"), { recursive: true });
    forge(6, (Y) => {
      for (let k = 2; k < 3 * 64; k += 3) Y[k] -= 2e-3;
    });
    expect(faultsOf().join()).toMatch(/frame 6 .*point \d+ is .* mm inside of body "ball"/);
  });

  test("4: a strained edge, with a summary and metrics that know nothing of it", () => {
    forge(8, (Y) => (Y[0] -= 0.001));
    expect(faultsOf().join()).toMatch(
      /frame 8 .*edge 0–\d+ is strained by (2\.[89]|3\.)\d* %, allowed are 2.00 %/,
    );
  });

  test("5: a changed scene", () => {
    const text = fs.readFileSync(at("rec", "scene.json"), "utf8");
    fs.writeFileSync(
      at("rec", "scene.json"),
      text.replace(/"friction": 0(\.\d+)?/, '"friction": 0.9'),
    );
    expect(faultsOf()).toEqual([
      "scene.json: is not the scene that was recorded: its hash does not match",
    ]);
  });

  test("6: truncated files, at any place", async () => {
    const { frameBytes } = openRecording(at("rec")).layout;
    const whole = fs.readFileSync(at("rec", "frames"));
    for (const left of [whole.length - 1, whole.length - frameBytes, FRAMES_HEADER + 1]) {
      fs.writeFileSync(at("rec", "frames"), whole.subarray(0, left));
      const { code, err } = await isoplate(["verify", at("rec"), "--quiet"]);
      expect(code, err).toBe(1);
      expect(err).toMatch(/cut short|there are \d+, and 9 lines|has no frame/);
    }
    fs.writeFileSync(at("rec", "frames"), whole);
    for (const name of ["sheet", "metrics.csv", "summary.json"]) {
      const good = fs.readFileSync(at("rec", name));
      fs.writeFileSync(at("rec", name), good.subarray(0, Math.floor(good.length / 2)));
      expect((await isoplate(["verify", at("rec"), "--quiet"])).code, name).toBe(1);
      fs.writeFileSync(at("rec", name), good);
    }
    expect(faultsOf()).toEqual([]);
  });

  test("a changed certificate, and one of another recording, are refused", () => {
    const { file } = verifyFolder(at("rec"));
    const text = fs.readFileSync(file!, "utf8");
    fs.writeFileSync(file!, text.replace(/"stretch": [^,]*/, '"stretch": 0'));
    expect(faultsOf()).toEqual(["the certificate has been changed: its digest does not match"]);
    fs.writeFileSync(file!, text);
    forge(2, (Y) => (Y[3 * 127] += 1e-9));
    expect(faultsOf().join()).toMatch(/frame 2 is not as certified: its hash differs/);
  });

  test("a recording without seals, as browsers write it, is proven by its numbers", () => {
    const { layout: sealed, frames } = openRecording(at("rec"));
    const plain = framesLayout(sealed.n, { framed: sealed.framed });
    const bytes = fs.readFileSync(at("rec", "frames"));
    const out = [Buffer.from(encodeFramesHeader(plain))];
    for (let k = 0; k < frames; k++) {
      const from = FRAMES_HEADER + k * sealed.frameBytes;
      out.push(Buffer.from(bytes.subarray(from, from + plain.frameBytes)));
    }
    fs.writeFileSync(at("rec", "frames"), Buffer.concat(out));
    expect(faultsOf()).toEqual([]);
  });

  test("run --certify proves at the end; a resumed run is certified anew", async () => {
    fs.writeFileSync(
      at("small.json"),
      JSON.stringify({
        seconds: 0.05,
        h: 0.005,
        sheet: { shape: { type: "disc", radius: 0.1 }, sampling: { points: 60 } },
      }),
    );
    const out = ["--out", at("run"), "--no-report", "--quiet", "--certify"];
    expect((await isoplate(["run", at("small.json"), ...out])).code).toBe(0);
    const first = fs.readFileSync(at("run", "certificate.json"), "utf8");
    const more = ["--seconds", "0.1", "--no-report", "--quiet", "--certify"];
    const { code, err } = await isoplate(["run", "--resume", at("run"), ...more]);
    expect(code, err).toBe(0);
    expect(fs.readFileSync(at("run", "certificate.json"), "utf8")).not.toBe(first);
    expect((await isoplate(["verify", at("nothing")])).code).toBe(2);
  });
});
