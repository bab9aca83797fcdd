import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createPicture, type Picture } from "../../src/picture/canvas.ts";
import { hex } from "../../src/picture/color.ts";
import { dataUri, encodePng } from "../../src/picture/png.ts";

/** A reader written from the specification alone: chunks, checksums, all five filters. */
function decode(png: Uint8Array): Picture & { chunks: string[]; filters: Set<number> } {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  expect(Array.from(png.slice(0, 8))).toEqual([137, 80, 78, 71, 13, 10, 26, 10]);
  const chunks: string[] = [];
  const data: Uint8Array[] = [];
  let [width, height, type] = [0, 0, 0];
  for (let at = 8; at < png.length; ) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...png.slice(at + 4, at + 8));
    expect(view.getUint32(at + 8 + length)).toBe(crc32(png.slice(at + 4, at + 8 + length)));
    if (name === "IHDR") {
      width = view.getUint32(at + 8);
      height = view.getUint32(at + 12);
      expect(png[at + 16]).toBe(8);
      type = png[at + 17];
    }
    if (name === "IDAT") data.push(png.slice(at + 8, at + 8 + length));
    chunks.push(name);
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(data));
  const channels = type === 6 ? 4 : 3;
  const stride = width * channels;
  expect(raw.length).toBe(height * (stride + 1));
  const rgba = new Uint8ClampedArray(4 * width * height);
  const filters = new Set<number>();
  let above = new Uint8Array(stride);
  for (let j = 0; j < height; j++) {
    const filter = raw[j * (stride + 1)];
    filters.add(filter);
    const row = new Uint8Array(stride);
    for (let o = 0; o < stride; o++) {
      const a = o >= channels ? row[o - channels] : 0;
      const b = above[o];
      const c = o >= channels ? above[o - channels] : 0;
      const p = a + b - c;
      const near = [a, b, c].sort((s, t) => Math.abs(p - s) - Math.abs(p - t))[0];
      row[o] = raw[j * (stride + 1) + 1 + o] + [0, a, b, (a + b) >> 1, near][filter];
    }
    for (let i = 0; i < width; i++)
      for (let c = 0; c < 4; c++)
        rgba[4 * (j * width + i) + c] = c < channels ? row[i * channels + c] : 255;
    above = row;
  }
  return { width, height, rgba, chunks, filters };
}

function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of bytes) {
    c ^= byte;
    for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  }
  return ~c >>> 0;
}

/** Slow waves, a hard edge, and a patch of pseudo-random bytes: every filter has its rows. */
function sample(alpha: boolean): Picture {
  const picture = createPicture(61, 47, hex("#336699"));
  let seed = 1;
  for (let p = 0; p < 61 * 47; p++) {
    const [i, j] = [p % 61, Math.floor(p / 61)];
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    const noise = j > 30 ? seed >> 16 : 0;
    picture.rgba.set([4 * i + noise, 5 * j, (i * j) >> 2, alpha ? 200 - j : 255], 4 * p);
    if (i > 40 && j < 10) picture.rgba.set([255, 0, 0, 255], 4 * p);
  }
  return picture;
}

describe("PNG", () => {
  test("is read back, pixel for pixel, by a reader that knows only the specification", async () => {
    for (const alpha of [false, true]) {
      const picture = sample(alpha);
      const read = decode(await encodePng(picture, (bytes) => deflateSync(bytes)));
      expect([read.width, read.height]).toEqual([61, 47]);
      expect(read.rgba).toEqual(picture.rgba);
      expect(read.chunks).toEqual(["IHDR", "sRGB", "IDAT", "IEND"]);
      expect(read.filters.size).toBeGreaterThan(1);
    }
  });

  test("alpha is stored only where a pixel needs it", async () => {
    const stored = async (alpha: boolean): Promise<number> =>
      (await encodePng(sample(alpha), (bytes) => deflateSync(bytes)))[25];
    expect(await stored(false)).toBe(2);
    expect(await stored(true)).toBe(6);
  });

  test("filters make a slow gradient at least five times smaller than none would", async () => {
    const picture = createPicture(200, 200);
    for (let p = 0; p < 40000; p++)
      picture.rgba.set([(p % 200) + (p >> 9), (p / 200) | 0, 255 - (p % 200), 255], 4 * p);
    const png = await encodePng(picture, (bytes) => deflateSync(bytes));
    const plain = deflateSync(picture.rgba.filter((_, k) => k % 4 !== 3));
    expect(5 * png.length).toBeLessThan(plain.length);
  });

  test("a data URI holds the same bytes", () => {
    const bytes = Uint8Array.from({ length: 20000 }, (_, i) => (i * 7) & 255);
    const uri = dataUri(bytes);
    expect(uri.startsWith("data:image/png;base64,")).toBe(true);
    expect(new Uint8Array(Buffer.from(uri.slice(22), "base64"))).toEqual(bytes);
  });
});
