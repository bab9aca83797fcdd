/**
 * The grain of panels: material coordinates turned so that v runs along the warp, for whatever lies on the cloth (prints,
 * images, the UV of exported files).
 *
 * The simulation does not read it. Bending and stretching are the same in all directions, so a panel cut on the bias hangs
 * as one cut straight does.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { cos, sin } from "../linalg/elementary.ts";
import type { SheetScene } from "../scene/scene.ts";
import type { Part } from "./kinematics.ts";

/** The part of a Sheet that is turned; every Sheet fits, and every drawn one. */
export interface GrainedSheet {
  readonly triangles: ReadonlyI32;
  /** [6·triangles] m */
  readonly corners?: ReadonlyF64;
  /** [2n] m */
  readonly uv: ReadonlyF64;
  readonly parts: readonly Pick<Part, "firstTriangle" | "panels">[];
}

/**
 * The sheet with its material coordinates turned to the grain of its panels; itself where no panel says one.
 *
 * @example const view = createPoseView(alongGrain(simulation.sheet, simulation.scene.sheets));
 */
export function alongGrain<T extends GrainedSheet>(
  sheet: T,
  scenes: readonly Pick<SheetScene, "shape">[],
): T {
  const turns = sheet.parts.flatMap((part, k) => turnsOf(part, scenes[k]?.shape));
  if (turns.every(({ angle }) => angle === 0)) return sheet;
  const corners = sheet.corners && Float64Array.from(sheet.corners);
  const uv = Float64Array.from(sheet.uv);
  const isTurned = new Uint8Array(uv.length / 2);
  for (const { angle, mirrored, first, end } of turns) {
    const [c, s] = [cos(angle), sin(angle)];
    for (let k = 3 * first; k < 3 * end; k++) {
      // mirrored panels have −u in their corners, and u as drawn in the uv of their points
      if (corners) turn(corners, k, c, mirrored ? s : -s);
      // a point of a seam has the uv of the first of its panels
      const i = sheet.triangles[k];
      if (isTurned[i] === 0) turn(uv, i, c, -s);
      isTurned[i] = 1;
    }
  }
  return { ...sheet, ...(corners && { corners }), uv };
}

/** Turns place k of a list of (u, v) by an angle of this cosine and sine. */
function turn(places: Float64Array, k: number, c: number, s: number): void {
  const [u, v] = [places[2 * k], places[2 * k + 1]];
  places[2 * k] = c * u - s * v;
  places[2 * k + 1] = s * u + c * v;
}

interface Turn {
  /** rad, of the grain from v, counter-clockwise as drawn. */
  readonly angle: number;
  readonly mirrored: boolean;
  /** Triangles first … end of the sheet. */
  readonly first: number;
  readonly end: number;
}

function turnsOf(
  { firstTriangle, panels = [] }: GrainedSheet["parts"][number],
  shape: SheetScene["shape"] | undefined,
): Turn[] {
  if (shape?.type !== "garment") return [];
  let first = firstTriangle;
  return panels.map(({ triangles, mirrored }, k) => {
    const angle = shape.panels[k]?.grain ?? 0;
    const own = { angle, mirrored, first, end: first + triangles };
    first = own.end;
    return own;
  });
}
