import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createPicture } from "../../src/picture/canvas.ts";
import { hex } from "../../src/picture/color.ts";
import { canFilm, openFilm } from "../../src/picture/film.ts";

const root = mkdtempSync(join(tmpdir(), "isoplate-film-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const frames = ["#ff0000", "#00ff00", "#0000ff"].map((code) => createPicture(16, 12, hex(code)));

describe("films", () => {
  test("a folder gets numbered PNGs in order", async () => {
    const film = await openFilm(join(root, "deep", "folder"));
    for (const frame of frames) await film.add(frame);
    await film.done();
    expect(readdirSync(join(root, "deep", "folder"))).toEqual([
      "frame-00000.png",
      "frame-00001.png",
      "frame-00002.png",
    ]);
  });

  test("a GIF appears whole, at the end", async () => {
    const path = join(root, "a.gif");
    const film = await openFilm(path, { rate: 10 });
    for (const frame of frames) await film.add(frame);
    expect(existsSync(path)).toBe(false);
    await film.done();
    expect(readFileSync(path).subarray(0, 6).toString()).toBe("GIF89a");
    expect(existsSync(`${path}.part`)).toBe(false);
  });

  test("without ffmpeg an MP4 fails with one line that says what to install, and leaves nothing", async () => {
    const path = join(root, "a.mp4");
    const film = await openFilm(path, { ffmpeg: join(root, "no-such-program") });
    await expect(film.add(frames[0])).rejects.toThrow("apt-get install ffmpeg");
    await film.abandon();
    expect(existsSync(path) || existsSync(`${path}.part`)).toBe(false);
  });

  test("a program that dies in the middle is an error with its last words, not a hang", async () => {
    const program = join(root, "dies");
    writeFileSync(program, "#!/bin/sh\necho 'disk is full' >&2\nexit 3\n", { mode: 0o755 });
    const film = await openFilm(join(root, "b.mp4"), { ffmpeg: program });
    const large = createPicture(640, 480);
    await expect(
      (async () => {
        for (let k = 0; k < 50; k++) await film.add(large);
        await film.done();
      })(),
    ).rejects.toThrow(/stopped with 3: disk is full/);
    await film.abandon();
  });

  test("abandoned films leave nothing behind", async () => {
    const film = await openFilm(join(root, "gone"));
    await film.add(frames[0]);
    await film.abandon();
    expect(readdirSync(join(root, "gone"))).toEqual([]);
  });

  test("unknown endings and impossible rates are refused before anything is made", async () => {
    expect(["a.mp4", "a.GIF", "a.mkv", "folder", "a.avi", "a.png", "run-0.5"].map(canFilm)).toEqual(
      [true, true, true, true, false, false, true],
    );
    await expect(openFilm(join(root, "x", "a.avi"))).rejects.toThrow("cannot write .avi");
    await expect(openFilm(join(root, "x", "a.gif"), { rate: 0 })).rejects.toThrow("rate 0");
    expect(existsSync(join(root, "x"))).toBe(false);
  });
});
