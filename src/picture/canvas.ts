/**
 * Flat drawing on finished pictures: words, lines, discs, legends, and pictures beside pictures.
 *
 * Shapes are drawn by distance: a pixel is covered by ½ + (half width − distance to the line), held to
 * 0 … 1, which is exact to a few percent for lines wider than a pixel and needs no samples. A word is
 * gathered into one mask first, so that strokes that cross are not painted twice.
 */
import { byte, type Color, type ColorMap, colorAt, INK, PAPER } from "./color.ts";
import { BLANK, glyph, lineWidth, SPACING } from "./font.ts";

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** [4·width·height] sRGB and alpha, rows from the top. */
  readonly rgba: Uint8ClampedArray;
}

export function createPicture(width: number, height: number, color: Color = PAPER): Picture {
  const rgba = new Uint8ClampedArray(4 * width * height);
  const pixel = Uint8Array.of(byte(color[0]), byte(color[1]), byte(color[2]), 255);
  new Uint32Array(rgba.buffer).fill(new Uint32Array(pixel.buffer)[0]);
  return { width, height, rgba };
}

/** Lays a colour over one pixel; outside the picture nothing happens. */
function blend(picture: Picture, x: number, y: number, color: Color, alpha: number): void {
  const { width, height, rgba } = picture;
  if (!(x >= 0 && y >= 0 && x < width && y < height && alpha > 0)) return;
  const p = 4 * (y * width + x);
  for (let c = 0; c < 3; c++) rgba[p + c] += (255 * color[c] - rgba[p + c]) * alpha;
  rgba[p + 3] += (255 - rgba[p + 3]) * alpha;
}

function drawRect(
  picture: Picture,
  x: number,
  y: number,
  width: number,
  height: number,
  color: Color,
  alpha = 1,
): void {
  const x1 = Math.round(x + width);
  const y1 = Math.round(y + height);
  for (let j = Math.round(y); j < y1; j++)
    for (let i = Math.round(x); i < x1; i++) blend(picture, i, j, color, alpha);
}

/** A filled disc; centre in pixels, (0, 0) being the corner of the first. */
export function drawDisc(
  picture: Picture,
  x: number,
  y: number,
  radius: number,
  color: Color,
  alpha = 1,
): void {
  const reach = Math.ceil(radius + 1);
  for (let j = Math.floor(y) - reach; j <= y + reach; j++)
    for (let i = Math.floor(x) - reach; i <= x + reach; i++) {
      const cover = held(0.5 + radius - Math.hypot(i + 0.5 - x, j + 0.5 - y));
      blend(picture, i, j, color, alpha * cover);
    }
}

export interface TextStyle {
  /** Pixels; capitals are 0.7 of it. */
  size?: number;
  color?: Color;
  alpha?: number;
  /** Which side of the text stands at x. */
  align?: "left" | "center" | "right";
  /** Width of the pen over its usual one. */
  weight?: number;
  /** Colour of a soft rim that keeps words readable on any picture. */
  halo?: Color;
}

/** Writes a line of text whose capitals' top is at y. */
export function drawText(
  picture: Picture,
  text: string,
  x: number,
  y: number,
  style: TextStyle = {},
): void {
  const { size = 16, color = INK, alpha = 1, align = "left", weight = 1, halo } = style;
  const unit = size / 20;
  const width = lineWidth(text) * unit;
  let at = align === "left" ? x : align === "right" ? x - width : x - width / 2;
  const baseline = y + 14 * unit;
  const strokes: Float64Array[] = [];
  for (const character of text) {
    if (character === " ") {
      at += BLANK * unit;
      continue;
    }
    const shape = glyph(character);
    for (const stroke of shape.strokes)
      strokes.push(stroke.map((v, i) => (i % 2 === 0 ? at + v * unit : baseline - v * unit)));
    at += (shape.width + SPACING) * unit;
  }
  if (strokes.length === 0) return;
  const pen = Math.max(1.05, 0.078 * size) * weight;
  if (halo) {
    const rim = new Mask(bounds(strokes, pen + 0.3 * size));
    for (const stroke of strokes) rim.stroke(stroke, pen / 2 + 0.12 * size);
    rim.paint(picture, halo, 0.75 * alpha);
  }
  const mask = new Mask(bounds(strokes, pen));
  for (const stroke of strokes) mask.stroke(stroke, pen / 2);
  mask.paint(picture, color, alpha);
}

/** Pixels that a line of text of that size takes. */
export function textWidth(text: string, size: number): number {
  return (lineWidth(text) * size) / 20;
}

/** What the colours of a field mean. */
export interface Legend {
  map: ColorMap;
  /** Values at the ends, in the field's own unit. */
  min: number;
  max: number;
  /** "edge strain" */
  label: string;
  /** "%", "1/m"; shown behind the label. */
  unit?: string;
  /** What values are multiplied by to be shown, 100 for percent. */
  factor?: number;
  /** Some values lie beyond the end: its tick says ≥ (and ≤ at the start of a signed map). */
  clipped?: boolean;
}

/** Where a legend's bar lies in a picture: for drawing it, and for reading values off it. */
export function legendBar(
  { width, height }: { width: number; height: number },
  scale: number,
): { x: number; y: number; width: number; height: number } {
  const bar = Math.round(Math.min(300 * scale, 0.6 * width));
  return {
    x: Math.round(width - bar - 36 * scale),
    y: Math.round(height - 54 * scale),
    width: bar,
    height: Math.round(14 * scale),
  };
}

/** The colour bar in the lower right corner, with label above and ticks below. */
export function drawLegend(picture: Picture, legend: Legend, scale = 1): void {
  const { map, min, max, label, unit, factor = 1, clipped = false } = legend;
  const { x, y, width, height } = legendBar(picture, scale);
  for (let i = 0; i < width; i++)
    drawRect(picture, x + i, y, 1, height, colorAt(map, (i + 0.5) / width));
  const size = 15 * scale;
  const words = unit ? `${label} (${unit})` : label;
  drawText(picture, words, x, y - size - 5 * scale, { size, color: INK });

  const marks = ticks(min * factor, max * factor, 5);
  const digits = decimals(marks);
  for (const mark of marks) {
    const at = x + ((mark / factor - min) / (max - min || 1)) * width;
    drawRect(picture, Math.round(at) - 0.5 * scale, y + height, Math.max(1, scale), 4 * scale, INK);
    const last = Math.abs(mark / factor - max) < 1e-9 * (max - min);
    const first = Math.abs(mark / factor - min) < 1e-9 * (max - min);
    const sign = clipped && last ? "≥ " : clipped && first && map.signed ? "≤ " : "";
    const number = sign + mark.toFixed(digits).replace("-", "−");
    drawText(picture, number, at, y + height + 8 * scale, {
      size: 14 * scale,
      color: INK,
      align: "center",
    });
  }
}

/** Round numbers (1, 2 or 5 times a power of ten) from min to max, about `count` of them. */
export function ticks(min: number, max: number, count = 5): number[] {
  if (!(max > min)) return [min];
  const rough = (max - min) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999)!;
  const list: number[] = [];
  for (let k = Math.ceil(min / step - 1e-9); k * step <= max + 1e-9 * step; k++)
    list.push(k * step + 0);
  return list;
}

/** Decimals that tell neighbouring ticks apart. */
function decimals(marks: readonly number[]): number {
  for (let d = 0; d < 9; d++)
    if (marks.every((m) => Math.abs(Number(m.toFixed(d)) - m) < 1e-6 * (Math.abs(m) + 10 ** -d)))
      return d;
  return 9;
}

/** Copies a picture into another, its corner at (x, y). */
export function paste(onto: Picture, picture: Picture, x: number, y: number): void {
  for (let j = Math.max(0, -y); j < picture.height && y + j < onto.height; j++) {
    const from = Math.max(0, -x);
    const to = Math.min(picture.width, onto.width - x);
    if (to <= from) return;
    const row = picture.rgba.subarray(4 * (j * picture.width + from), 4 * (j * picture.width + to));
    onto.rgba.set(row, 4 * ((y + j) * onto.width + x + from));
  }
}

export interface SheetStyle {
  /** Pictures side by side; all of them if not said. */
  columns?: number;
  gap?: number;
  background?: Color;
  /** Height of the letters below each picture. */
  size?: number;
  title?: string;
}

/**
 * Pictures side by side, each with its words below: for comparisons, film strips, contact sheets.
 * @example row([ours, shells], ["isometry", "discrete shells, 10⁴ MPa"])
 */
export function row(
  pictures: readonly Picture[],
  labels: readonly string[] = [],
  style: SheetStyle = {},
): Picture {
  if (pictures.length === 0) throw new Error("row: needs at least one picture");
  const { columns = pictures.length, background = PAPER, title } = style;
  const wide = Math.max(...pictures.map((p) => p.width));
  const high = Math.max(...pictures.map((p) => p.height));
  const size = style.size ?? Math.max(12, Math.min(0.045 * wide, 0.06 * high, 26));
  const gap = style.gap ?? Math.max(2, Math.round(wide / 80));
  const lines = labels.map((label) => label.split("\n"));
  const most = Math.max(0, ...lines.map((l) => l.length));
  const words = most > 0 ? Math.round(most * 1.5 * size + 0.5 * size) : 0;
  const head = title ? Math.round(2.6 * size) : 0;
  const rows = Math.ceil(pictures.length / columns);

  const sheet = createPicture(
    columns * (wide + gap) + gap,
    rows * (high + words + gap) + gap + head,
    background,
  );
  if (title) drawText(sheet, title, 2 * gap, gap + 0.5 * size, { size: 1.25 * size });
  pictures.forEach((picture, i) => {
    const x = gap + (i % columns) * (wide + gap);
    const y = head + gap + Math.floor(i / columns) * (high + words + gap);
    paste(sheet, picture, x + Math.floor((wide - picture.width) / 2), y);
    (lines[i] ?? []).forEach((line, l) => {
      // long labels shrink rather than run into their neighbour
      const fit = Math.min(size, (size * wide) / Math.max(1, textWidth(line, size)));
      drawText(sheet, line, x + wide / 2, y + high + (0.5 + 1.5 * l) * size, {
        size: fit,
        align: "center",
      });
    });
  });
  return sheet;
}

/** Coverage of a shape over a box of pixels. */
class Mask {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly cover: Float32Array;

  constructor([x0, y0, x1, y1]: readonly [number, number, number, number]) {
    this.x = Math.floor(x0);
    this.y = Math.floor(y0);
    this.width = Math.max(0, Math.ceil(x1) - this.x);
    this.height = Math.max(0, Math.ceil(y1) - this.y);
    this.cover = new Float32Array(this.width * this.height);
  }

  stroke(points: ArrayLike<number>, half: number): void {
    for (let p = 0; p + 3 < points.length; p += 2) {
      const ax = points[p] - this.x;
      const ay = points[p + 1] - this.y;
      const dx = points[p + 2] - points[p];
      const dy = points[p + 3] - points[p + 1];
      const dd = dx * dx + dy * dy;
      const reach = half + 1;
      const left = Math.max(0, Math.floor(Math.min(ax, ax + dx) - reach));
      const right = Math.min(this.width - 1, Math.ceil(Math.max(ax, ax + dx) + reach));
      const top = Math.max(0, Math.floor(Math.min(ay, ay + dy) - reach));
      const bottom = Math.min(this.height - 1, Math.ceil(Math.max(ay, ay + dy) + reach));
      for (let j = top; j <= bottom; j++)
        for (let i = left; i <= right; i++) {
          const px = i + 0.5 - ax;
          const py = j + 0.5 - ay;
          const t = dd > 0 ? Math.min(Math.max((px * dx + py * dy) / dd, 0), 1) : 0;
          const cover = held(0.5 + half - Math.hypot(px - t * dx, py - t * dy));
          const at = j * this.width + i;
          if (cover > this.cover[at]) this.cover[at] = cover;
        }
    }
  }

  paint(picture: Picture, color: Color, alpha: number): void {
    for (let j = 0; j < this.height; j++)
      for (let i = 0; i < this.width; i++) {
        const cover = this.cover[j * this.width + i];
        if (cover > 0) blend(picture, this.x + i, this.y + j, color, alpha * cover);
      }
  }
}

function bounds(
  strokes: readonly ArrayLike<number>[],
  pen: number,
): [number, number, number, number] {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const stroke of strokes)
    for (let i = 0; i < stroke.length; i += 2) {
      box[0] = Math.min(box[0], stroke[i] - pen - 1);
      box[1] = Math.min(box[1], stroke[i + 1] - pen - 1);
      box[2] = Math.max(box[2], stroke[i] + pen + 1);
      box[3] = Math.max(box[3], stroke[i + 1] + pen + 1);
    }
  return box;
}

function held(c: number): number {
  return Math.min(Math.max(c, 0), 1);
}
