// biome-ignore-all format: components are kept in columns
/**
 * An image laid on a surface: linear light at halved sizes, so that what a pixel covers can be read at once.
 *
 * u runs along the image's rows from 0 to 1 and v up its columns; both repeat.
 */
import type { Picture } from "./canvas.ts";
import { toLinear } from "./color.ts";

interface Level { readonly width: number; readonly height: number; /** [4·width·height] linear, alpha last and multiplied in */ readonly light: Float32Array }
export interface Texture { /** Each half of the one before. */ readonly levels: readonly Level[] }

export function createTexture({ width, height, rgba }: Picture): Texture {
  const light = new Float32Array(rgba.length), curve = Float32Array.from({ length: 256 }, (_, k) => toLinear(k / 255));
  for (let p = 0; p < rgba.length; p += 4) {
    const alpha = rgba[p + 3] / 255;
    for (let c = 0; c < 3; c++) light[p + c] = alpha * curve[rgba[p + c]];
    light[p + 3] = alpha;
  }
  const levels: Level[] = [{ width, height, light }];
  for (let last = levels[0]; last.width > 1 || last.height > 1; last = levels[levels.length - 1]) levels.push(halved(last));
  return { levels };
}

function halved({ width, height, light }: Level): Level {
  const w = Math.max(1, width >> 1), h = Math.max(1, height >> 1), out = new Float32Array(4 * w * h);
  for (let j = 0; j < h; j++) for (let i = 0; i < w; i++) for (let c = 0; c < 4; c++) {
    const x = Math.min(2 * i + 1, width - 1), y = Math.min(2 * j + 1, height - 1);
    out[4 * (j * w + i) + c] = (light[4 * (2 * j * width + 2 * i) + c] + light[4 * (2 * j * width + x) + c] + light[4 * (y * width + 2 * i) + c] + light[4 * (y * width + x) + c]) / 4;
  }
  return { width: w, height: h, light: out };
}

/**
 * Lays the image over a colour.
 *
 * @param albedo in and out [3] linear
 * @param soft   what a pixel covers, in widths of the image
 */
export function lay(albedo: Float64Array, { levels }: Texture, u: number, v: number, soft: number): void {
  const wanted = Math.round(Math.log2(Math.max(1, soft * levels[0].width)));
  const { width, height, light } = levels[Math.min(levels.length - 1, wanted)];
  const x = (u - Math.floor(u)) * width - 0.5, y = (1 - v + Math.floor(v)) * height - 0.5;
  const i = Math.floor(x), j = Math.floor(y), s = x - i, t = y - j;
  let alpha = 0;
  for (let c = 3; c >= 0; c--) {
    let sum = 0;
    for (let k = 0; k < 4; k++) {
      const column = (i + (k & 1) + width) % width, row = (j + (k >> 1) + height) % height;
      sum += (k & 1 ? s : 1 - s) * (k & 2 ? t : 1 - t) * light[4 * (row * width + column) + c];
    }
    if (c === 3) alpha = sum;
    else albedo[c] = sum + (1 - alpha) * albedo[c];
  }
}
