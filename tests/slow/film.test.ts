import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createPicture, drawDisc, type Picture } from "../../src/picture/canvas.ts";
import { hex } from "../../src/picture/color.ts";
import { openFilm, savePng } from "../../src/picture/film.ts";
import { needs } from "./needs.ts";

const root = mkdtempSync(join(tmpdir(), "isoplate-film-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const WIDTH = 161; // odd, which H.264 cannot
const HEIGHT = 91;
const FRAMES = 12;

/** A disc that walks over a slow gradient. */
function frame(f: number): Picture {
  const picture = createPicture(WIDTH, HEIGHT);
  for (let p = 0; p < WIDTH * HEIGHT; p++)
    picture.rgba.set([90 + (p % WIDTH), 220 - Math.floor(p / WIDTH), 150, 255], 4 * p);
  drawDisc(picture, 30 + 8 * f, 45, 20, hex("#b4472f"));
  return picture;
}

/** All frames of a film as ffmpeg sees them, rgb. */
function decoded(path: string): { width: number; height: number; frames: Uint8Array[] } {
  const probe = execFileSync(
    needs("ffprobe", "ffmpeg"),
    [
      "-v",
      "error",
      "-select_streams",
      "v",
      "-show_entries",
      "stream=width,height",
      "-of",
      "csv=p=0",
      path,
    ],
    { encoding: "utf8" },
  );
  const [width, height] = probe.trim().split(",").map(Number);
  const raw = execFileSync(
    needs("ffmpeg", "ffmpeg"),
    [
      "-v",
      "error",
      "-i",
      path,
      "-fps_mode",
      "passthrough",
      "-f",
      "rawvideo",
      "-pix_fmt",
      "rgb24",
      "-",
    ],
    { maxBuffer: 1 << 28 },
  );
  const size = 3 * width * height;
  expect(raw.length % size).toBe(0);
  return {
    width,
    height,
    frames: Array.from({ length: raw.length / size }, (_, f) =>
      raw.subarray(f * size, (f + 1) * size),
    ),
  };
}

/** Root mean square difference, of 255, over the picture's own pixels. */
function difference(rgb: Uint8Array, width: number, { rgba }: Picture): number {
  let sum = 0;
  for (let p = 0; p < WIDTH * HEIGHT; p++)
    for (let c = 0; c < 3; c++) {
      const q = Math.floor(p / WIDTH) * width + (p % WIDTH);
      sum += (rgb[3 * q + c] - rgba[4 * p + c]) ** 2;
    }
  return Math.sqrt(sum / (3 * WIDTH * HEIGHT));
}

async function written(path: string): Promise<void> {
  const film = await openFilm(path, { rate: 25 });
  for (let f = 0; f < FRAMES; f++) await film.add(frame(f));
  await film.done();
}

describe("ffmpeg reads what we write", () => {
  test.each([
    ["film.mp4", 6], // colours at half resolution, and the codec's own loss
    ["film.mkv", 6],
    ["film.gif", 4], // 255 colours and a dither of ±3.5
  ])("%s: every frame, in order, in its colours", async (name, most) => {
    const path = join(root, name);
    await written(path);
    const { width, frames } = decoded(path);
    expect(frames.length).toBe(FRAMES);
    frames.forEach((rgb, f) => {
      expect(difference(rgb, width, frame(f))).toBeLessThan(most);
      // nearer to its own frame than to the next
      if (f + 1 < FRAMES)
        expect(difference(rgb, width, frame(f))).toBeLessThan(difference(rgb, width, frame(f + 1)));
    });
  });

  test("MP4 plays everywhere: H.264, 4:2:0, even size, index in front", async () => {
    const path = join(root, "play.mp4");
    await written(path);
    const probe = execFileSync(
      needs("ffprobe", "ffmpeg"),
      [
        "-v",
        "error",
        "-show_entries",
        "stream=codec_name,width,height,pix_fmt,color_space,r_frame_rate",
        "-of",
        "csv=p=0",
        path,
      ],
      { encoding: "utf8" },
    );
    expect(probe.trim()).toBe("h264,162,92,yuv420p,bt709,25/1");
  });

  test("PNG, to the bit", async () => {
    const path = join(root, "one.png");
    await savePng(path, frame(3));
    const { width, height, frames } = decoded(path);
    expect([width, height]).toEqual([WIDTH, HEIGHT]);
    expect(difference(frames[0], width, frame(3))).toBe(0);
  });
});
