/**
 * GIF films (GIF89a), without a dependency: one palette for the whole film, ordered dither, and only
 * what changes from frame to frame.
 *
 * The palette comes from cutting the box of colours with the largest spread in two, at the mean of its
 * longest axis, until there are 255 (after Wu 1991); the 256th means "as before". The dither is a fixed
 * 8 × 8 pattern, so that what stands still keeps its exact pixels and costs nothing: error diffusion
 * would shimmer. All frames are held, three bytes a pixel, because the palette must have seen them.
 */
import type { Picture } from "./canvas.ts";

/**
 * @param rate  frames per second; GIF counts in hundredths, so times are rounded without drifting
 * @returns the file
 */
export function encodeGif(
  frames: readonly Picture[],
  { rate = 25 }: { rate?: number } = {},
): Uint8Array {
  if (frames.length === 0) throw new Error("GIF: needs at least one frame");
  const { width, height } = frames[0];
  if (frames.some((f) => f.width !== width || f.height !== height))
    throw new Error("GIF: all frames need the same size");
  const palette = paletteOf(frames);
  const nearest = nearestOf(palette);
  const out = new Bytes();
  out.text("GIF89a");
  out.short(width);
  out.short(height);
  out.put(0xf7, 0, 0); // 256 colours of 8 bits, background 0, square pixels
  for (let i = 0; i < 256; i++)
    out.put(palette[3 * i] ?? 0, palette[3 * i + 1] ?? 0, palette[3 * i + 2] ?? 0);
  out.put(0x21, 0xff, 11);
  out.text("NETSCAPE2.0");
  out.put(3, 1, 0, 0, 0); // for ever

  let before: Uint8Array | null = null;
  let shownUntil = 0;
  frames.forEach((frame, f) => {
    const indices = dithered(frame, nearest);
    const { x, y, w, h, part } = changes(indices, before, width, height);
    // Browsers play anything under 2/100 s at a tenth of the speed.
    const until = Math.max(shownUntil + 2, Math.round(((f + 1) * 100) / rate));
    out.put(0x21, 0xf9, 4, before ? 0x05 : 0x04); // keep what is there; index 255 is clear
    out.short(until - shownUntil);
    out.put(CLEAR, 0);
    shownUntil = until;
    out.put(0x2c);
    for (const value of [x, y, w, h]) out.short(value);
    out.put(0, 8);
    compress(out, part);
    before = indices;
  });
  out.put(0x3b);
  return out.done();
}

/** Index of "as before". */
const CLEAR = 255;

/** At most 255 colours that stand for all of the frames: [3·255] bytes. */
function paletteOf(frames: readonly Picture[]): Uint8Array {
  // Counts and means per cell of 5-6-5 bits; every third pixel is enough when there are many.
  const count = new Float64Array(65536);
  const sums = [new Float64Array(65536), new Float64Array(65536), new Float64Array(65536)];
  const pixels = frames.length * frames[0].width * frames[0].height;
  const stride = pixels > 2e7 ? 3 : 1;
  for (const { rgba } of frames)
    for (let p = 0; p < rgba.length; p += 4 * stride) {
      const cell = ((rgba[p] >> 3) << 11) | ((rgba[p + 1] >> 2) << 5) | (rgba[p + 2] >> 3);
      count[cell]++;
      for (let c = 0; c < 3; c++) sums[c][cell] += rgba[p + c];
    }
  const cells: number[] = [];
  for (let cell = 0; cell < 65536; cell++) if (count[cell] > 0) cells.push(cell);
  const value = (cell: number, c: number): number => sums[c][cell] / count[cell];

  const boxes = [spreadOf(cells)];
  while (boxes.length < 255) {
    let widest = 0;
    for (let b = 1; b < boxes.length; b++) if (boxes[b].spread > boxes[widest].spread) widest = b;
    const { axis, mean, members, spread } = boxes[widest];
    if (!(spread > 0)) break;
    const low = members.filter((cell) => value(cell, axis) <= mean[axis]);
    const high = members.filter((cell) => value(cell, axis) > mean[axis]);
    if (low.length === 0 || high.length === 0) {
      boxes[widest].spread = 0; // all at the mean, up to rounding
      continue;
    }
    boxes[widest] = spreadOf(low);
    boxes.push(spreadOf(high));
  }
  const palette = new Uint8Array(3 * 255);
  boxes.forEach(({ mean }, b) => {
    palette.set(mean.map(Math.round), 3 * b);
  });
  // unused places repeat the first colour
  for (let b = boxes.length; b < 255; b++) palette.copyWithin(3 * b, 0, 3);
  return palette;

  function spreadOf(members: number[]): {
    members: number[];
    mean: number[];
    axis: number;
    spread: number;
  } {
    let weight = 0;
    const mean = [0, 0, 0];
    const square = [0, 0, 0];
    for (const cell of members) {
      // Films are mostly backdrop: the root of the count leaves colours for the subject.
      const w = Math.sqrt(count[cell]);
      weight += w;
      for (let c = 0; c < 3; c++) {
        const v = value(cell, c);
        mean[c] += w * v;
        square[c] += w * v * v;
      }
    }
    for (let c = 0; c < 3; c++) mean[c] /= weight;
    // the eye sees green best and blue least
    const variance = [0.9, 1.2, 0.6].map(
      (s, c) => s * Math.max(0, square[c] - weight * mean[c] ** 2),
    );
    const axis = variance.indexOf(Math.max(...variance));
    return { members, mean, axis, spread: members.length > 1 ? variance[axis] : 0 };
  }
}

/** The palette's nearest colour to any, remembered per cell of 6-6-6 bits. */
function nearestOf(palette: Uint8Array): (r: number, g: number, b: number) => number {
  const known = new Int16Array(1 << 18).fill(-1);
  return (r, g, b) => {
    const cell = ((r >> 2) << 12) | ((g >> 2) << 6) | (b >> 2);
    if (known[cell] >= 0) return known[cell];
    let best = 0;
    let least = Infinity;
    for (let i = 0; i < 255; i++) {
      const dr = palette[3 * i] - r;
      const dg = palette[3 * i + 1] - g;
      const db = palette[3 * i + 2] - b;
      const d = 0.9 * dr * dr + 1.2 * dg * dg + 0.6 * db * db;
      if (d < least) {
        least = d;
        best = i;
      }
    }
    known[cell] = best;
    return best;
  };
}

/** Bayer's 8 × 8 order, −½ … ½. */
const ORDER: Float64Array = Float64Array.from({ length: 64 }, (_, i) => {
  let x = i & 7;
  let y = i >> 3;
  let v = 0;
  for (let bit = 0; bit < 3; bit++) {
    v = (v << 2) | (((x ^ y) & 1) << 1) | (y & 1);
    x >>= 1;
    y >>= 1;
  }
  return (v + 0.5) / 64 - 0.5;
});

/** How far, of 255, the dither reaches: about the distance between colours of the palette. */
const REACH = 7;

function dithered(
  { width, height, rgba }: Picture,
  nearest: (r: number, g: number, b: number) => number,
): Uint8Array {
  const indices = new Uint8Array(width * height);
  for (let j = 0; j < height; j++)
    for (let i = 0; i < width; i++) {
      const p = 4 * (j * width + i);
      const d = REACH * ORDER[8 * (j & 7) + (i & 7)];
      indices[j * width + i] = nearest(
        held(rgba[p] + d),
        held(rgba[p + 1] + d),
        held(rgba[p + 2] + d),
      );
    }
  return indices;
}

function held(v: number): number {
  return v < 0 ? 0 : v > 255 ? 255 : Math.round(v);
}

/** The box of pixels that differ from before, with the rest of it clear. */
function changes(
  indices: Uint8Array,
  before: Uint8Array | null,
  width: number,
  height: number,
): { x: number; y: number; w: number; h: number; part: Uint8Array } {
  if (!before) return { x: 0, y: 0, w: width, h: height, part: indices };
  let x0 = width;
  let x1 = -1;
  let y0 = height;
  let y1 = -1;
  for (let j = 0; j < height; j++)
    for (let i = 0; i < width; i++)
      if (indices[j * width + i] !== before[j * width + i]) {
        x0 = Math.min(x0, i);
        x1 = Math.max(x1, i);
        y0 = Math.min(y0, j);
        y1 = j;
      }
  if (x1 < 0) return { x: 0, y: 0, w: 1, h: 1, part: Uint8Array.of(CLEAR) };
  const w = x1 - x0 + 1;
  const h = y1 - y0 + 1;
  const part = new Uint8Array(w * h);
  for (let j = 0; j < h; j++)
    for (let i = 0; i < w; i++) {
      const p = (y0 + j) * width + x0 + i;
      part[j * w + i] = indices[p] === before[p] ? CLEAR : indices[p];
    }
  return { x: x0, y: y0, w, h, part };
}

/** LZW with codes that grow from 9 to 12 bits, in blocks of up to 255 bytes. */
function compress(out: Bytes, data: Uint8Array): void {
  const RESET = 256;
  const END = 257;
  // open addressing: key (prefix << 8 | byte) + 1 → code; twice as many places as codes
  const keys = new Int32Array(8192);
  const codes = new Int16Array(8192);
  let block: number[] = [];
  let bits = 0;
  let held = 0;
  let size = 9;
  let next = 258;
  const emit = (code: number): void => {
    held |= code << bits;
    bits += size;
    while (bits >= 8) {
      block.push(held & 255);
      held >>>= 8;
      bits -= 8;
      if (block.length === 255) flush();
    }
  };
  const flush = (): void => {
    if (block.length === 0) return;
    out.put(block.length, ...block);
    block = [];
  };

  emit(RESET);
  let prefix = data[0];
  for (let p = 1; p < data.length; p++) {
    const byte = data[p];
    const key = ((prefix << 8) | byte) + 1;
    let place = (key * 40503) & 8191;
    while (keys[place] !== 0 && keys[place] !== key) place = (place + 1) & 8191;
    if (keys[place] === key) {
      prefix = codes[place];
      continue;
    }
    emit(prefix);
    if (next < 4096) {
      keys[place] = key;
      codes[place] = next;
      // the reader learns a code one step later than we do
      if (next === 1 << size && size < 12) size++;
      next++;
    } else {
      emit(RESET);
      keys.fill(0);
      size = 9;
      next = 258;
    }
    prefix = byte;
  }
  emit(prefix);
  // what the reader has learned by now decides how wide END is
  if (next === 1 << size && size < 12) size++;
  emit(END);
  if (bits > 0) block.push(held & 255);
  flush();
  out.put(0);
}

class Bytes {
  private buffer = new Uint8Array(1 << 16);
  private length = 0;

  put(...bytes: number[]): void {
    if (this.length + bytes.length > this.buffer.length) {
      const grown = new Uint8Array(2 * this.buffer.length + bytes.length);
      grown.set(this.buffer);
      this.buffer = grown;
    }
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  short(value: number): void {
    this.put(value & 255, value >> 8);
  }

  text(value: string): void {
    this.put(...[...value].map((c) => c.charCodeAt(0)));
  }

  done(): Uint8Array {
    return this.buffer.slice(0, this.length);
  }
}
