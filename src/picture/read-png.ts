/**
 * Reads PNG (ISO/IEC 15948): grey, RGB or palette, with or without alpha, of 1 … 16 bits, not interlaced.
 *
 * Inflation is not ours: the caller passes zlib's. Lengths are checked before anything is allocated for them.
 */
import type { Picture } from "./canvas.ts";
import { joined, paeth } from "./png.ts";

/** zlib format, at most so many bytes. */
export type Inflate = (bytes: Uint8Array, most: number) => Uint8Array;

/** Pixels along a side; larger images are no prints but mistakes. */
const MOST = 8192;
/** Channels by colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

interface Header {
  width: number;
  height: number;
  depth: number;
  type: number;
}

/** @throws Error that says what is wrong with the file */
export function decodePng(bytes: Uint8Array, inflate: Inflate): Picture {
  const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
  if (signature.some((byte, k) => bytes[k] !== byte)) throw new Error("not a PNG image");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let header: Header | null = null;
  let palette = new Uint8Array(0);
  let alphas = new Uint8Array(0);
  const data: Uint8Array[] = [];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (length > bytes.length - at - 12) throw new Error("the PNG image is cut off");
    const chunk = bytes.slice(at + 8, at + 8 + length);
    if (type === "IHDR") header = headerOf(chunk);
    else if (type === "PLTE") palette = chunk;
    else if (type === "tRNS") alphas = chunk;
    else if (type === "IDAT") data.push(chunk);
    else if (type === "IEND") break;
    at += 12 + length;
  }
  if (header === null || data.length === 0) throw new Error("the PNG image has no pixels");
  const { width, height, depth, type } = header;
  const stride = Math.ceil((width * depth * CHANNELS[type]) / 8);
  const size = (stride + 1) * height;
  const rows = inflate(joined(data), size);
  if (rows.length < size) throw new Error("the PNG image is cut off");
  unfilter(rows, stride, height, Math.max(1, (depth * CHANNELS[type]) / 8));
  return toPicture(rows, stride, header, palette, alphas);
}

function headerOf(chunk: Uint8Array): Header {
  if (chunk.length < 13) throw new Error("the PNG image is cut off");
  const view = new DataView(chunk.buffer, chunk.byteOffset);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  const [depth, type, , , interlaced] = chunk.subarray(8, 13);
  if (width < 1 || height < 1 || width > MOST || height > MOST)
    throw new Error(`the PNG image is ${width} × ${height}, needs 1 … ${MOST} pixels a side`);
  if (CHANNELS[type] === undefined || ![1, 2, 4, 8, 16].includes(depth))
    throw new Error(`the PNG image has colour type ${type} with ${depth} bits, which is none`);
  if (interlaced !== 0) throw new Error("the PNG image is interlaced; save it without");
  return { width, height, depth, type };
}

/** Adds to every byte what its row's filter took away; `near` bytes to the left is the pixel before. */
function unfilter(rows: Uint8Array, stride: number, height: number, near: number): void {
  for (let j = 0; j < height; j++) {
    const row = j * (stride + 1) + 1;
    const above = row - stride - 1;
    const filter = rows[row - 1];
    if (filter > 4) throw new Error(`the PNG image has a row with filter ${filter}, which is none`);
    for (let o = 0; o < stride; o++) {
      const a = o >= near ? rows[row + o - near] : 0;
      const b = j > 0 ? rows[above + o] : 0;
      const c = o >= near && j > 0 ? rows[above + o - near] : 0;
      const guess = [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter];
      rows[row + o] += guess;
    }
  }
}

function toPicture(
  rows: Uint8Array,
  stride: number,
  { width, height, depth, type }: Header,
  palette: Uint8Array,
  alphas: Uint8Array,
): Picture {
  const rgba = new Uint8ClampedArray(4 * width * height);
  const channels = CHANNELS[type];
  const most = 2 ** Math.min(depth, 8) - 1;
  for (let j = 0; j < height; j++)
    for (let i = 0; i < width; i++) {
      const sample = (c: number): number => {
        const bit = (i * channels + c) * depth;
        const at = j * (stride + 1) + 1 + (bit >> 3);
        // of 16 bits the upper 8; of fewer than 8 those of this pixel
        return depth >= 8 ? rows[at] : (rows[at] >> (8 - depth - (bit & 7))) & most;
      };
      const o = 4 * (j * width + i);
      const first = sample(0);
      if (type === 3) {
        rgba.set(palette.subarray(3 * first, 3 * first + 3), o);
        rgba[o + 3] = alphas[first] ?? 255;
        continue;
      }
      const isGrey = channels < 3;
      for (let c = 0; c < 3; c++) rgba[o + c] = (255 * (isGrey ? first : sample(c))) / most;
      rgba[o + 3] = channels % 2 === 0 ? (255 * sample(channels - 1)) / most : 255;
    }
  return { width, height, rgba };
}
