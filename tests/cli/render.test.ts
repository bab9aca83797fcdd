import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFolderRecorder } from "../../src/recording/folder.ts";
import { bentScene, FRAMES, record } from "../picture/recordings.ts";
import { type Ended, isoplate } from "./terminal.ts";

const root = mkdtempSync(join(tmpdir(), "isoplate-render-"));
const folder = join(root, "run");
beforeAll(() => {
  const recorder = createFolderRecorder(folder);
  record(recorder, bentScene());
  recorder.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Runs `isoplate render` and gives its exit code and what it printed. */
const render = (...args: string[]): Promise<Ended> => isoplate(["render", ...args]);

/** Width and height in a PNG's header. */
function sizeOf(path: string): [number, number] {
  const bytes = readFileSync(path);
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

const tiny = ["--size", "64x36", "--samples", "1", "--no-shadows"];

describe("isoplate render", () => {
  test("draws the last frame into the recording unless told otherwise", async () => {
    const { code, out } = await render(folder, ...tiny);
    expect(code).toBe(0);
    const path = join(folder, "pictures", "last.png");
    expect(out).toContain(path);
    expect(sizeOf(path)).toEqual([64, 36]);
  });

  test("draws any frame, by any measure, from any side", async () => {
    const pictures = new Set<string>();
    for (const color of ["material", "stretch", "edge-strain", "principal-strain", "curvature"])
      for (const camera of ["front", "top"]) {
        const path = join(root, "many", `${color}-${camera}.png`);
        const done = await render(
          folder,
          "--out",
          path,
          "--frame",
          "3",
          "--color",
          color,
          "--camera",
          camera,
          "--wire",
          "--time",
          ...tiny,
        );
        expect(done).toEqual({ code: 0, out: `written to ${path}\n`, err: "" });
        pictures.add(readFileSync(path, "base64"));
      }
    expect(pictures.size).toBe(10);
  });

  test("a folder gets a film's frames: the recorded ones nearest to each moment", async () => {
    const count = async (...more: string[]): Promise<string[]> => {
      const path = join(root, `film${more.join("")}`);
      const { code } = await render(folder, "--out", path, "--quiet", ...tiny, ...more);
      expect(code).toBe(0);
      return readdirSync(path).map((name) => readFileSync(join(path, name), "base64"));
    };
    // recorded at 0, 0.25, 0.5, 0.75 and 1 s
    const whole = await count("--rate", "4");
    expect(whole.length).toBe(FRAMES);
    expect(new Set(whole).size).toBe(FRAMES);
    const twice = await count("--rate", "8");
    expect(twice.length).toBe(9);
    expect(new Set(twice)).toEqual(new Set(whole));
    expect(await count("--rate", "4", "--from", "0.5", "--to", "1")).toEqual(whole.slice(2));
    expect((await count("--rate", "4", "--speed", "0.5")).length).toBe(9);
  });

  test("a turntable of one frame is a film whose pictures differ", async () => {
    const path = join(root, "turn");
    const { code } = await render(
      folder,
      "--out",
      path,
      "--frame",
      "last",
      "--turntable",
      "--rate",
      "1",
      ...tiny,
    );
    expect(code).toBe(0);
    const frames = readdirSync(path).map((name) => readFileSync(join(path, name), "base64"));
    expect(new Set(frames).size).toBe(6);
  });

  test.each([
    [["--frame", "99"], "--frame 99: needs 0 … 4, or last"],
    [["--frame", "first"], "needs 0 … 4, or last"],
    [["--out", "x.avi"], "give .png, .mp4"],
    [["--out", "x.png", "--turntable"], "--turntable is a film"],
    [["--out", "x.gif", "--frame", "1"], "add --turntable"],
    [["--out", "x.gif", "--from", "2", "--to", "1"], "end before it begins"],
    [["--size", "10"], "Needs <width>x<height>"],
    [["--camera", "behind"], "Needs one of: auto, front"],
    [["--color", "red"], "Needs one of: material"],
    [["--samples", "9"], "Needs 1, 2, 3 or 4"],
    [["--rate", "-1"], "Needs more than 0"],
  ])("%j is refused with exit code 2 and writes nothing", async (args, words) => {
    const { code, err } = await render(folder, ...args);
    expect(code).toBe(2);
    expect(err).toContain(words);
    expect(existsSync("x.avi") || existsSync("x.gif") || existsSync("x.png")).toBe(false);
  });

  test("a folder without a recording is bad input", async () => {
    const { code, err } = await render(join(root, "nothing"));
    expect(code).toBe(2);
    expect(err).toContain("no recording here");
  });
});
