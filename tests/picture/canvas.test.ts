import { describe, expect, test } from "vitest";
import {
  createPicture,
  drawDisc,
  drawLegend,
  drawText,
  legendBar,
  type Picture,
  paste,
  row,
  textWidth,
  ticks,
} from "../../src/picture/canvas.ts";
import { byte, colorAt, hex, viridis } from "../../src/picture/color.ts";
import { glyph } from "../../src/picture/font.ts";

const white = hex("#ffffff");
const black = hex("#000000");

/** How much ink a picture holds, in pixels. */
function ink({ rgba }: Picture): number {
  let sum = 0;
  for (let p = 0; p < rgba.length; p += 4) sum += (255 - rgba[p]) / 255;
  return sum;
}

describe("shapes", () => {
  test("a disc has the area π r² and lies about its centre", () => {
    const picture = createPicture(40, 40, white);
    drawDisc(picture, 20.3, 19.6, 8, black);
    expect(ink(picture)).toBeCloseTo(Math.PI * 64, -1);
    const { rgba } = picture;
    let x = 0;
    for (let p = 0; p < 1600; p++) x += ((255 - rgba[4 * p]) / 255) * ((p % 40) + 0.5);
    expect(x / ink(picture)).toBeCloseTo(20.3, 1);
  });

  test("what leaves the picture is cut, not wrapped", () => {
    const picture = createPicture(10, 10, white);
    drawDisc(picture, 0, 5, 3, black);
    drawDisc(picture, -50, 5, 3, black);
    for (let j = 0; j < 10; j++) expect(picture.rgba[4 * (j * 10 + 9)]).toBe(255);
  });
});

describe("text", () => {
  test("every printable ASCII character and the signs of our units have a shape", () => {
    const missing = glyph("\u{10ffff}");
    for (let code = 33; code < 127; code++)
      expect(glyph(String.fromCharCode(code)), String.fromCharCode(code)).not.toEqual(missing);
    for (const sign of "−–—°·×±²³⁻¹⁴→≤≥≈…µμεκσλνΔ∞’")
      expect(glyph(sign), sign).not.toEqual(missing);
  });

  test("characters look different from each other", () => {
    const seen = new Map<string, string>();
    for (let code = 33; code < 127; code++) {
      const character = String.fromCharCode(code);
      const shape = JSON.stringify(glyph(character).strokes.map((s) => Array.from(s)));
      expect(seen.get(shape), `${character} and ${seen.get(shape)}`).toBeUndefined();
      seen.set(shape, character);
    }
  });

  test("digits are equally wide, so that columns of numbers stand still", () => {
    for (const digit of "123456789") expect(textWidth(digit, 20)).toBe(textWidth("0", 20));
  });

  test("ink lies between the ends that textWidth says, capitals are 0.7 of the size", () => {
    const picture = createPicture(200, 60, white);
    drawText(picture, "HENE", 20, 20, { size: 30, color: black });
    const wide = textWidth("HENE", 30);
    let [x0, x1, y0, y1] = [200, 0, 60, 0];
    for (let p = 0; p < 200 * 60; p++)
      if (picture.rgba[4 * p] < 128) {
        x0 = Math.min(x0, p % 200);
        x1 = Math.max(x1, p % 200);
        y0 = Math.min(y0, Math.floor(p / 200));
        y1 = Math.max(y1, Math.floor(p / 200));
      }
    expect(Math.abs(x0 - 20)).toBeLessThanOrEqual(2);
    expect(Math.abs(x1 - 20 - wide)).toBeLessThanOrEqual(2);
    expect(Math.abs(y0 - 20)).toBeLessThanOrEqual(2);
    expect(Math.abs(y1 - 41)).toBeLessThanOrEqual(2);
  });

  test("alignment moves the same ink", () => {
    const left = createPicture(100, 40, white);
    const right = createPicture(100, 40, white);
    drawText(left, "abc", 50 - textWidth("abc", 20), 10, { size: 20 });
    drawText(right, "abc", 50, 10, { size: 20, align: "right" });
    expect(left.rgba).toEqual(right.rgba);
  });

  test("crossing strokes are not painted twice: + at half strength is nowhere darker", () => {
    const picture = createPicture(40, 40, white);
    drawText(picture, "+", 10, 10, { size: 30, color: black, alpha: 0.5 });
    let darkest = 255;
    for (let p = 0; p < 1600; p++) darkest = Math.min(darkest, picture.rgba[4 * p]);
    expect(darkest).toBeGreaterThanOrEqual(127);
  });
});

describe("legend", () => {
  test("the bar's colours are the map's", () => {
    const picture = createPicture(640, 360);
    drawLegend(picture, { map: viridis, min: 0, max: 1, label: "value" });
    const bar = legendBar(picture, 1);
    for (const place of [0, 0.25, 0.5, 0.75]) {
      const i = Math.floor(place * bar.width);
      const p = 4 * ((bar.y + 5) * 640 + bar.x + i);
      const expected = colorAt(viridis, (i + 0.5) / bar.width).map(byte);
      expect(Array.from(picture.rgba.slice(p, p + 3))).toEqual(expected);
    }
  });

  test("ticks are round numbers within the range, about five of them", () => {
    expect(ticks(0, 1)).toEqual([0, 0.2, 0.4, 0.6000000000000001, 0.8, 1]);
    expect(ticks(-20, 20)).toEqual([-20, -10, 0, 10, 20]);
    for (const max of [0.003, 0.7, 1, 2, 5, 33, 1e6]) {
      const list = ticks(0, max);
      expect(list.length).toBeGreaterThan(2);
      expect(list.length).toBeLessThan(8);
      expect(list[0]).toBe(0);
      expect(list.at(-1)!).toBeLessThanOrEqual(max * (1 + 1e-9));
    }
    expect(ticks(3, 3)).toEqual([3]);
  });
});

describe("pictures beside pictures", () => {
  test("row keeps every picture's pixels, in order", () => {
    const red = createPicture(30, 20, hex("#ff0000"));
    const blue = createPicture(30, 20, hex("#0000ff"));
    const both = row([red, blue], ["one", "two"], { gap: 4 });
    expect(both.width).toBe(4 + 30 + 4 + 30 + 4);
    const at = (x: number, y: number): number[] =>
      Array.from(both.rgba.slice(4 * (y * both.width + x), 4 * (y * both.width + x) + 3));
    expect(at(4, 4)).toEqual([255, 0, 0]);
    expect(at(33, 23)).toEqual([255, 0, 0]);
    expect(at(38, 4)).toEqual([0, 0, 255]);
    expect(both.height).toBeGreaterThan(4 + 20 + 12);
  });

  test("paste cuts at the border, on all sides", () => {
    const onto = createPicture(10, 10, white);
    const stamp = createPicture(6, 6, black);
    for (const [x, y] of [
      [-3, -3],
      [7, 7],
      [20, 0],
      [-20, 0],
    ])
      paste(onto, stamp, x, y);
    expect(ink(onto)).toBe(9 + 9);
  });
});
