/** Small sheets and scenes for the tests of recordings. */
import type { SceneInput, ShapeInput } from "../../src/scene/input.ts";
import { parseScene, type Scene } from "../../src/scene/scene.ts";
import { createSheet, type Sheet } from "../../src/sheet/kinematics.ts";

export function sheetOf(
  shape: ShapeInput,
  points: number,
  type: "irregular" | "grid" = "irregular",
): Sheet {
  const scene = parseScene({ sheet: { shape, sampling: { type, points } } });
  return createSheet(scene.sheets, scene.seed);
}

/** Positions of a sheet from its uv. */
export function posed(
  sheet: Sheet,
  at: (u: number, v: number) => [number, number, number],
): Float64Array {
  const Y = new Float64Array(3 * sheet.n);
  for (let i = 0; i < sheet.n; i++) Y.set(at(sheet.uv[2 * i], sheet.uv[2 * i + 1]), 3 * i);
  return Y;
}

/** 36 points that swing for a third of a second. */
export function smallScene(change: Partial<SceneInput> = {}): Scene {
  return parseScene({
    name: "small",
    seconds: 0.3,
    h: 0.01,
    record: { rate: 20, checkpoint: 0.1 },
    sheet: {
      shape: { type: "rectangle", width: 0.2, height: 0.2 },
      sampling: { type: "grid", points: 36 },
    },
    pins: [{ at: { corner: "top-left", radius: 0.05 } }],
    ...change,
  });
}
