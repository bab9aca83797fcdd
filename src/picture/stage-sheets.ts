/**
 * Sheets as shapes: parts with their looks, curved patches where samples have frames, and lips along hems.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { MeasuredSheet } from "../recording/measures.ts";
import { hasFrames } from "../sheet/frames.ts";
import { createHems, evaluateHems, type Hems, LIP } from "../sheet/hems.ts";
import { pointNormals } from "../sheet/normals.ts";
import {
  createPatches,
  evaluatePatches,
  type Patches,
  patchCorners,
  spread,
} from "../sheet/patches.ts";
import type { PictureMesh } from "./pool.ts";

/** A piece of the sheet as it is drawn. */
interface Piece extends PictureMesh {
  /** The points of the surface that its own belong to. */
  points: Int32Array;
  /** [6·triangles] m, material coordinates of its corners. */
  uv(): Float64Array;
}

/** The sheet as it is drawn: its points and triangles, or those of its curved patches. */
interface DrawnSurface {
  readonly mesh: { readonly parts: Patches["parts"] };
  /** One of its parts, counted from the part's first point. */
  part(part: Patches["parts"][number]): Piece;
  /** The lips around its parts, of these radii (m). */
  lips(radius: readonly number[]): Piece[];
  /** Values of the points from those of the samples. */
  values(own: Float64Array): Float64Array;
}

/**
 * Patches are laid out when the first pose with frames comes.
 * @param placed is given the points of patches before they are drawn
 */
export function drawnSurface(
  sheet: MeasuredSheet,
  halvings: number,
): (Y: ReadonlyF64, placed: (positions: Float64Array) => void) => DrawnSurface {
  let curved: { patches: Patches; hems: Hems; corners: Float64Array } | null = null;
  let flat: Hems | null = null;
  return (Y, placed) => {
    if (!hasFrames(sheet, Y)) {
      flat ??= createHems(sheet);
      const hems = flat;
      const normals = new Float64Array(3 * sheet.n);
      pointNormals(normals, Y, sheet.triangles);
      return {
        mesh: sheet,
        part: (part) => partShape(sheet, sheet.corners, part, Y, null),
        lips: (radius) => lipShapes(hems, sheet.corners, Y, normals, radius),
        values: (own) => own,
      };
    }
    if (curved === null) {
      const patches = createPatches(sheet, halvings);
      const corners = patchCorners(patches, sheet.corners);
      curved = { patches, hems: createHems(patches), corners };
    }
    const { patches: made, hems, corners } = curved;
    const positions = new Float64Array(3 * made.n);
    const normals = new Float64Array(3 * made.n);
    evaluatePatches(positions, normals, made, Y);
    placed(positions);
    return {
      mesh: made,
      part: (part) => ({
        ...partShape(made, corners, part, positions, normals),
        wireEdges: Uint8Array.from(
          { length: part.triangles },
          (_, t) => made.grid.rim[t % made.grid.rim.length],
        ),
      }),
      lips: (radius) => lipShapes(hems, corners, positions, normals, radius),
      values(own) {
        const out = new Float64Array(made.n);
        spread(out, made, own);
        return out;
      },
    };
  };
}

/** The lips around the parts; none where there is no rim. */
function lipShapes(
  hems: Hems,
  corners: ReadonlyF64,
  Y: ReadonlyF64,
  normals: Float64Array,
  radius: readonly number[],
): Piece[] {
  const positions = new Float64Array(3 * LIP * hems.count);
  const own = new Float64Array(3 * LIP * hems.count);
  evaluateHems(positions, own, 0, hems, Y, normals, radius);
  return hems.parts.map(({ first, points, firstTriangle, triangles }) => {
    const from = LIP * first;
    const to = LIP * (first + points);
    const turned = hems.triangles
      .subarray(3 * firstTriangle, 3 * (firstTriangle + triangles))
      .map((v) => v - from);
    return {
      positions: positions.subarray(3 * from, 3 * to),
      normals: own.subarray(3 * from, 3 * to),
      triangles: turned,
      points: Int32Array.from(
        { length: to - from },
        (_, v) => hems.point[first + Math.floor(v / LIP)],
      ),
      uv: () =>
        Float64Array.from({ length: 2 * turned.length }, (_, k) => {
          const corner = hems.corner[first + Math.floor(turned[k >> 1] / LIP)];
          return corners[2 * corner + (k & 1)];
        }),
    };
  });
}

function partShape(
  { triangles }: Pick<MeasuredSheet, "triangles">,
  corners: ReadonlyF64,
  part: Patches["parts"][number],
  Y: ReadonlyF64,
  normals: Float64Array | null,
): Piece {
  const first = part.firstPoint;
  const own = new Int32Array(3 * part.triangles);
  for (let k = 0; k < own.length; k++) own[k] = triangles[3 * part.firstTriangle + k] - first;
  const positions = new Float64Array(3 * part.points);
  for (let k = 0; k < positions.length; k++) positions[k] = Y[3 * first + k];
  const from = 6 * part.firstTriangle;
  const shape = {
    positions,
    triangles: own,
    points: Int32Array.from({ length: part.points }, (_, i) => first + i),
    uv: () => Float64Array.from({ length: 6 * part.triangles }, (_, k) => corners[from + k]),
  };
  if (!normals) return shape;
  return { ...shape, normals: normals.subarray(3 * first, 3 * (first + part.points)) };
}
