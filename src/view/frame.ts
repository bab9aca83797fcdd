/**
 * What a view needs to draw: a mesh that stays, and frames that change.
 *
 * Frames are float32, because that is what the graphics card takes; nothing is ever computed from them. Normals come
 * with the frame: the worker that makes frames computes them, and the page only copies.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { pointNormals } from "../sheet/normals.ts";
import { evaluatePatches, type Patches, spread } from "../sheet/patches.ts";

/** The part of a Sheet that is drawn; every Sheet fits. */
export interface DrawnSheet {
  readonly n: number;
  /** [3·triangles] */
  readonly triangles: ReadonlyI32;
  /** [2·edges] */
  readonly edges: ReadonlyI32;
  readonly parts: readonly {
    readonly name: string;
    readonly firstTriangle: number;
    readonly triangles: number;
  }[];
  /** [6·triangles] m, material coordinates of the corners; needed for prints. */
  readonly corners?: ReadonlyF64;
  /** [n] the lowest of the points that each is sewn together with: seams are no hems. */
  readonly sewn?: ReadonlyI32;
}

export interface Frame {
  /** [3n] m */
  readonly positions: Float32Array;
  /** [3n] unit */
  readonly normals: Float32Array;
  /** [n] what colours show; the unit is that of the range given to setColors. */
  readonly values: Float32Array;
}

/**
 * @example
 * const frame = createFrame(sheet.n);
 * setFrame(frame, simulation.Y, sheet.triangles);
 */
export function createFrame(n: number): Frame {
  return {
    positions: new Float32Array(3 * n),
    normals: new Float32Array(3 * n),
    values: new Float32Array(n),
  };
}

/**
 * The curved sheet (sheet/patches.ts) into a frame of its points, with exact normals; allocates nothing. Patches are drawn as a
 * sheet is: `createSheetView(patches)`, `createFrame(patches.n)`.
 *
 * @param pose   [9·samples] m
 * @param values [samples] what colours show; left as they are if not given
 *
 * @example
 * const patches = createPatches(simulation.sheet, 2);
 * setPatchFrame(createFrame(patches.n), patches, simulation.pose);
 */
export function setPatchFrame(
  frame: Frame,
  patches: Patches,
  pose: ReadonlyF64,
  values?: ArrayLike<number>,
): void {
  evaluatePatches(frame.positions, frame.normals, patches, pose);
  if (values) spread(frame.values, patches, values);
}

/**
 * Positions Y [3n] m into a frame, with smooth normals: the area vectors of the triangles around a point, added.
 *
 * @example
 * setFrame(view.frame, simulation.Y, sheet.triangles);
 * view.changed();
 */
export function setFrame(frame: Frame, Y: ReadonlyF64, triangles: ReadonlyI32): void {
  const { positions: P, normals: N } = frame;
  for (let k = 0; k < P.length; k++) P[k] = Y[k];
  pointNormals(N, Y, triangles);
}
