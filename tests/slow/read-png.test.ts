/** PNG files as another program writes them: every kind of pixel, against that program's own reading of it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodePng } from "../../src/picture/read-png.ts";
import { needs } from "./needs.ts";

test("grey, palette, deep and clear images that ffmpeg wrote are read as ffmpeg reads them", () => {
  const folder = mkdtempSync(join(tmpdir(), "png-"));
  const ffmpeg = (...args: string[]): Buffer =>
    execFileSync(needs("ffmpeg", "ffmpeg"), ["-loglevel", "error", "-y", ...args]);
  for (const pixels of [
    "gray",
    "monob",
    "ya8",
    "rgb24",
    "rgba",
    "pal8",
    "gray16be",
    "rgb48be",
    "rgba64be",
  ]) {
    const file = join(folder, `${pixels}.png`);
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=62x44", "-frames:v", "1", "-pix_fmt", pixels, file);
    const raw = ffmpeg(
      "-i",
      file,
      "-f",
      "rawvideo",
      "-pix_fmt",
      "rgba",
      "-sws_flags",
      "accurate_rnd",
      "-",
    );
    const read = decodePng(readFileSync(file), (bytes, most) =>
      inflateSync(bytes, { maxOutputLength: most }),
    );
    expect([read.width, read.height]).toEqual([62, 44]);
    let worst = 0;
    for (let k = 0; k < raw.length; k++) worst = Math.max(worst, Math.abs(raw[k] - read.rgba[k]));
    // 16 bits to 8: ffmpeg rounds, we take the upper byte
    expect(worst, pixels).toBeLessThanOrEqual(/16|48|64/.test(pixels) ? 1 : 0);
  }
});
