import { describe, expect, test } from "vitest";
import { createPicture, drawDisc, type Picture } from "../../src/picture/canvas.ts";
import { hex } from "../../src/picture/color.ts";
import { encodeGif } from "../../src/picture/gif.ts";

interface Decoded {
  width: number;
  height: number;
  /** Whole frames as seen, rgb. */
  frames: { rgb: Uint8Array; delay: number; box: number[] }[];
  loops: boolean;
}

/** A reader from the GIF89a text: blocks, sub-blocks, LZW with growing codes, clear pixels. */
function decode(bytes: Uint8Array): Decoded {
  const short = (at: number): number => bytes[at] | (bytes[at + 1] << 8);
  expect(String.fromCharCode(...bytes.slice(0, 6))).toBe("GIF89a");
  const [width, height] = [short(6), short(8)];
  const colors = 2 << (bytes[10] & 7);
  const palette = bytes.slice(13, 13 + 3 * colors);
  let at = 13 + 3 * colors;
  const canvas = new Uint8Array(3 * width * height);
  const frames: Decoded["frames"] = [];
  let loops = false;
  let delay = 0;
  let clear = -1;
  const blocks = (): number[] => {
    const data: number[] = [];
    while (bytes[at] !== 0) {
      data.push(...bytes.slice(at + 1, at + 1 + bytes[at]));
      at += 1 + bytes[at];
    }
    at++;
    return data;
  };
  for (;;) {
    const kind = bytes[at++];
    if (kind === 0x3b) break;
    if (kind === 0x21) {
      const label = bytes[at++];
      const data = blocks();
      if (label === 0xf9) {
        delay = data[1] | (data[2] << 8);
        clear = data[0] & 1 ? data[3] : -1;
      }
      if (label === 0xff) loops = true;
      continue;
    }
    expect(kind).toBe(0x2c);
    const box = [short(at), short(at + 2), short(at + 4), short(at + 6)];
    at += 9;
    const minimum = bytes[at++];
    const indices = unpacked(blocks(), minimum);
    expect(indices.length).toBe(box[2] * box[3]);
    indices.forEach((index, k) => {
      if (index === clear) return;
      const p = (box[1] + Math.floor(k / box[2])) * width + box[0] + (k % box[2]);
      canvas.set(palette.slice(3 * index, 3 * index + 3), 3 * p);
    });
    frames.push({ rgb: canvas.slice(), delay, box });
  }
  expect(at).toBe(bytes.length);
  return { width, height, frames, loops };
}

function unpacked(data: number[], minimum: number): number[] {
  const RESET = 1 << minimum;
  const END = RESET + 1;
  let table: number[][] = [];
  let size = minimum + 1;
  let bits = 0;
  let held = 0;
  let last: number[] | null = null;
  const out: number[] = [];
  const reset = (): void => {
    table = Array.from({ length: END + 1 }, (_, i) => [i]);
    size = minimum + 1;
    last = null;
  };
  reset();
  for (const byte of data) {
    held |= byte << bits;
    bits += 8;
    while (bits >= size) {
      const code = held & ((1 << size) - 1);
      held >>= size;
      bits -= size;
      if (code === RESET) {
        reset();
        continue;
      }
      if (code === END) return out;
      if (code > table.length) throw new Error(`code ${code} of ${table.length}`);
      const entry: number[] = code < table.length ? table[code] : [...last!, last![0]];
      out.push(...entry);
      if (last && table.length < 4096) table.push([...last, entry[0]]);
      if (table.length === 1 << size && size < 12) size++;
      last = entry;
    }
  }
  throw new Error("no end");
}

/** A disc that walks over a gradient. */
function film(count: number, width = 80, height = 50): Picture[] {
  return Array.from({ length: count }, (_, f) => {
    const picture = createPicture(width, height);
    for (let p = 0; p < width * height; p++)
      picture.rgba.set([120 + (p % width), 200 - Math.floor(p / width), 180, 255], 4 * p);
    drawDisc(picture, 20 + 5 * f, 25, 9, hex("#b4472f"));
    return picture;
  });
}

function rms(rgb: Uint8Array, { rgba }: Picture): number {
  let sum = 0;
  for (let p = 0; p < rgba.length / 4; p++)
    for (let c = 0; c < 3; c++) sum += (rgb[3 * p + c] - rgba[4 * p + c]) ** 2;
  return Math.sqrt(sum / (0.75 * rgba.length));
}

describe("GIF", () => {
  test("a reader written from the format's text sees every frame, close to its colours", () => {
    const pictures = film(6);
    const { width, height, frames, loops } = decode(encodeGif(pictures, { rate: 25 }));
    expect([width, height, frames.length, loops]).toEqual([80, 50, 6, true]);
    frames.forEach(({ rgb }, f) => {
      expect(rms(rgb, pictures[f])).toBeLessThan(4); // of 255; the dither alone is 2
    });
  });

  test("few colours come out exactly but for the dither", () => {
    const picture = createPicture(16, 16, hex("#204060"));
    drawDisc(picture, 8, 8, 5, hex("#e0c080"));
    const { frames } = decode(encodeGif([picture]));
    expect(Array.from(frames[0].rgb.slice(0, 3))).toEqual([0x20, 0x40, 0x60]);
  });

  test("only what changes is written, and a frame like the last is one clear pixel", () => {
    const [a, b] = film(2);
    const { frames } = decode(encodeGif([a, b, b]));
    expect(frames[1].box[2]).toBeLessThan(40);
    expect(frames[2].box).toEqual([0, 0, 1, 1]);
    expect(frames[2].rgb).toEqual(frames[1].rgb);
  });

  test("delays add up to the film's length at any rate that GIF can show", () => {
    for (const rate of [10, 24, 25, 30, 50]) {
      const { frames } = decode(encodeGif(film(12, 20, 20), { rate }));
      const whole = frames.reduce((sum, { delay }) => sum + delay, 0);
      expect(Math.abs(whole - 1200 / rate)).toBeLessThanOrEqual(0.5);
    }
  });

  test("long rows of noise go through the whole code table and its reset", () => {
    const picture = createPicture(200, 200);
    let seed = 7;
    for (let k = 0; k < picture.rgba.length; k++) {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      picture.rgba[k] = k % 4 === 3 ? 255 : seed >> 16;
    }
    const { frames } = decode(encodeGif([picture]));
    expect(rms(frames[0].rgb, picture)).toBeLessThan(40); // 255 colours for 40 000
  });

  test("no frames, or frames of several sizes, are refused", () => {
    expect(() => encodeGif([])).toThrow("at least one frame");
    expect(() => encodeGif([createPicture(2, 2), createPicture(3, 2)])).toThrow("same size");
  });
});
