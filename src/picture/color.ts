/**
 * Colours: sRGB and linear light, the house palette, and colour maps for numbers.
 *
 * Colours are written as people write them, sRGB in 0 … 1 or "#rrggbb", and are mixed and lit as light
 * mixes, linearly. Maps are given by a few control colours and interpolated in OKLab (Ottosson 2020),
 * in which equal steps look about equally large; `viridis` rises evenly in lightness, so it also reads
 * in grey and for colour-blind eyes, and `balance` is symmetric about a pale middle for signed values.
 */

/** sRGB, 0 … 1. */
export type Color = readonly [number, number, number];

/** "#rrggbb" → sRGB 0 … 1. */
export function hex(code: string): Color {
  if (!/^#[0-9a-f]{6}$/i.test(code)) throw new Error(`colour ${code}: needs #rrggbb`);
  const bits = Number.parseInt(code.slice(1), 16);
  return [(bits >> 16) / 255, ((bits >> 8) & 255) / 255, (bits & 255) / 255];
}

/**
 * sRGB 0 … 1 → "#rrggbb".
 *
 * @example
 * toHex([1, 0.5, 0]); // "#ff8000"
 */
export function toHex(color: Color): string {
  return `#${color.map((c) => byte(c).toString(16).padStart(2, "0")).join("")}`;
}

/** sRGB's transfer curve and its inverse (IEC 61966-2-1). */
export function toLinear(c: number): number {
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}
export function fromLinear(c: number): number {
  return c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
}

function mix(a: Color, b: Color, t: number): Color {
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
}

/** The house palette: what a sheet, its back and a body look like unless the scene says otherwise. */
export const SHEETS: readonly { front: Color; back: Color }[] = [
  { front: hex("#b4472f"), back: hex("#d9a679") }, // terracotta, sand
  { front: hex("#2f5d8a"), back: hex("#9db7cf") }, // indigo, pale blue
  { front: hex("#4f7a57"), back: hex("#b7c9a5") }, // sage
  { front: hex("#c08a2d"), back: hex("#e3cd9c") }, // ochre
  { front: hex("#7a4a72"), back: hex("#c7a9c0") }, // plum
  { front: hex("#3d7f86"), back: hex("#a6cbca") }, // teal
];
export const BODY: Color = hex("#c1b9ae");
export const INK: Color = hex("#2b2926");
export const PAPER: Color = hex("#f4f1ec");

/** A map from 0 … 1 to colours; values outside are held at the ends. */
export interface ColorMap {
  readonly name: string;
  /** Whether 0 sits in the middle of the range. */
  readonly signed: boolean;
  /** [3·STEPS] sRGB, ready to look up. */
  readonly table: Float32Array;
}

/** Steps of a map's table: finer than the eye, and than eight bits. */
export const STEPS = 512;

/**
 * The colour of t in 0 … 1 (linear between table entries, as the rasteriser does it).
 *
 * @example
 * const middle = colorAt(COLOR_MAPS.viridis, 0.5);
 */
export function colorAt(map: ColorMap, t: number): Color {
  const at = Math.min(Math.max(Number.isNaN(t) ? 0 : t, 0), 1) * (STEPS - 1);
  const i = 3 * Math.min(Math.floor(at), STEPS - 2);
  const f = at - i / 3;
  const { table } = map;
  return [
    table[i] + (table[i + 3] - table[i]) * f,
    table[i + 1] + (table[i + 4] - table[i + 1]) * f,
    table[i + 2] + (table[i + 5] - table[i + 2]) * f,
  ];
}

/** Control colours of viridis (van der Walt and Smith, CC0), every eighth of the way. */
export const viridis: ColorMap = colorMap("viridis", false, [
  "#440154",
  "#472d7b",
  "#3b528b",
  "#2c728e",
  "#21918c",
  "#28ae80",
  "#5ec962",
  "#addc30",
  "#fde725",
]);

/** Cool mist over sand to deep red, ever darker: small strain is pale, large strain stands out. */
export const ember: ColorMap = colorMap("ember", false, [
  "#9fc0d4",
  "#99c5b0",
  "#cbb564",
  "#e1922b",
  "#de6420",
  "#bd3a2e",
  "#87232d",
  "#541828",
]);

/** Blue, pale, red: for signed values about 0. */
export const balance: ColorMap = colorMap("balance", true, [
  "#1c3d75",
  "#2f6aa8",
  "#6d9fcb",
  "#b3cce0",
  "#f0ece4",
  "#ebbf9f",
  "#d9825c",
  "#b64532",
  "#741a24",
]);

/** The maps of this file by name: viridis and ember for amounts, balance for what has a sign. */
export const COLOR_MAPS: Readonly<Record<string, ColorMap>> = { viridis, ember, balance };

/** A map through control colours that stand at equal distances. */
function colorMap(name: string, signed: boolean, codes: readonly string[]): ColorMap {
  const stops = codes.map((code) => toOklab(hex(code)));
  const table = new Float32Array(3 * STEPS);
  for (let i = 0; i < STEPS; i++) {
    const at = (i / (STEPS - 1)) * (stops.length - 1);
    const s = Math.min(Math.floor(at), stops.length - 2);
    table.set(fromOklab(mix(stops[s], stops[s + 1], at - s)), 3 * i);
  }
  return { name, signed, table };
}

/** OKLab lightness 0 … 1, and its two colour axes. */
export function toOklab(color: Color): Color {
  const [r, g, b] = color.map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([L, a, b]: Color): Color {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    clamped(fromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)),
    clamped(fromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)),
    clamped(fromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)),
  ];
}

/** 0 … 1 → 0 … 255, rounded. */
export function byte(c: number): number {
  return Math.round(255 * clamped(c));
}

function clamped(c: number): number {
  return Math.min(Math.max(c, 0), 1);
}
