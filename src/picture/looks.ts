/**
 * How a sheet looks: the colours of its two sides, and a print on it that follows the material, so that checks show shear
 * and stripes show stretch. The same in pictures (render.ts) and in pages (view/sheet-view.ts, which repeats `inkAt` in
 * its shader).
 */
import type { Print } from "../scene/looks.ts";
import type { Scene, SheetScene } from "../scene/scene.ts";
import { type Color, hex, SHEETS } from "./color.ts";

export interface Look {
  readonly front: Color;
  readonly back: Color;
  /** Colour of the print. */
  readonly ink: Color;
  readonly print: Print;
  /** m, after which the print repeats. */
  readonly size: number;
  /** Light from fibres that stand out, 1: cloth has it, paper and film do not. */
  readonly sheen: number;
  /** m, radius of the lip around its rim: half of its thickness, or a rolled hem where cloth has one. */
  readonly hem: number;
  /** File of the image on it, over its colours and print; null: none. */
  readonly image: string | null;
}

/** What things of a named material look like unless their scene says otherwise. */
const MATERIALS: Readonly<Record<string, Partial<Look>>> = {
  paper: { front: hex("#f3efe6"), back: hex("#ebe5d8"), sheen: 0, hem: 0 },
  silk: { front: hex("#8a3b52"), back: hex("#c99aa8"), sheen: 1.6 },
  cotton: { front: hex("#dfe3e2"), back: hex("#cfd6d6") },
  denim: { front: hex("#2f4a73"), back: hex("#a8b6c8") },
  leather: { front: hex("#7a4a2b"), back: hex("#b59472"), sheen: 0.4, hem: 0 },
  film: { front: hex("#c7d6dc"), back: hex("#b9cad1"), sheen: 0.2, hem: 0 },
  "rubberised-fabric": { front: hex("#3c4347"), back: hex("#6d7a7d"), sheen: 0.3 },
  skin: { front: hex("#d8a583"), back: hex("#c98a6d"), sheen: 0.5, hem: 0 },
};

/** m: a check that is seen from across a room. */
const SIZE = 0.05;
/** m, width of an image. */
const IMAGE = 0.5;
/** m, radius of a narrow rolled hem. */
const HEM = 0.0012;

/** A sheet as far as its look goes; recordings of 0.1 have no looks. */
type Dressed = Pick<SheetScene, "look" | "material"> | undefined;

/**
 * The looks of the sheets of a scene. What lies on flesh is skin, unless its scene says otherwise, and has no rim of its own.
 *
 * @example const [{ front, back }] = looksOf(simulation.scene);
 */
export function looksOf({ sheets, substrate }: Pick<Scene, "sheets" | "substrate">): Look[] {
  return sheets.map((sheet, k) => {
    if (substrate === null || k > 0) return lookOf(sheet, k);
    const preset = sheet.material.preset ?? "skin";
    return { ...lookOf({ ...sheet, material: { ...sheet.material, preset } }, k), hem: 0 };
  });
}

/**
 * The look of sheet k: what its scene says, else that of its material, else the house palette.
 *
 * @example const { front, back } = lookOf(simulation.scene.sheets[0], 0);
 */
export function lookOf(sheet: Dressed, k: number): Look {
  const house = SHEETS[k % SHEETS.length];
  const made = MATERIALS[sheet?.material.preset ?? ""] ?? {};
  const said = sheet?.look ?? null;
  const front = said?.front ? hex(said.front) : (made.front ?? house.front);
  const plainBack = said?.front ? mixed(front, 0.45) : (made.back ?? house.back);
  return {
    front,
    back: said?.back ? hex(said.back) : plainBack,
    ink: said?.ink ? hex(said.ink) : inkOn(front),
    print: said?.print ?? "plain",
    size: said?.size ?? (said?.image === undefined ? SIZE : IMAGE),
    sheen: made.sheen ?? 1,
    image: said?.image ?? null,
    hem: Math.max(made.hem ?? HEM, (sheet?.material.thickness ?? 0) / 2),
  };
}

/** The other side of a dyed cloth: the same colour, paler. */
function mixed([r, g, b]: Color, pale: number): Color {
  return [r + (1 - r) * pale, g + (1 - g) * pale, b + (1 - b) * pale];
}

/** Cream on dark, ink on light. */
function inkOn([r, g, b]: Color): Color {
  return 0.3 * r + 0.59 * g + 0.11 * b > 0.6 ? hex("#3a4a63") : hex("#f1e8da");
}

/**
 * How much ink is at a place of the material, 0 … 1.
 * @param soft share of the repeat over which an edge fades: what one pixel covers
 */
export function inkAt(print: Print, u: number, v: number, soft: number): number {
  switch (print) {
    case "plain":
      return 0;
    case "stripes":
      return band(u, soft);
    case "checks": {
      const [a, b] = [band(u, soft), band(v, soft)];
      return a + b - 2 * a * b;
    }
    case "gingham":
      return (band(u, soft) + band(v, soft)) / 2;
    case "dots": {
      const [x, y] = [u - Math.floor(u) - 0.5, v - Math.floor(v) - 0.5];
      return step(0.28 - Math.sqrt(x * x + y * y), soft);
    }
    case "grid":
      return 1 - (1 - line(u, soft)) * (1 - line(v, soft));
  }
}

/** 1 over half of every repeat. */
function band(x: number, soft: number): number {
  return step(0.25 - Math.abs(x - Math.floor(x) - 0.5), soft);
}

/** A thin line at every whole number. */
function line(x: number, soft: number): number {
  const off = Math.abs(x - Math.round(x));
  // a line thinner than a pixel is as dark as the share of the pixel that it covers
  return step(0.03 - off, soft) * Math.min(1, 0.06 / Math.max(soft, 0.06));
}

/** 0 below −soft/2, 1 above soft/2, straight between. */
function step(x: number, soft: number): number {
  return Math.min(1, Math.max(0, 0.5 + x / Math.max(soft, 1e-6)));
}
