/**
 * Sampled panels put together into one part: matched points welded into one, or left apart and listed as pairs.
 */
import { cos, sin } from "../linalg/elementary.ts";
import type { Panel, Vec3 } from "../scene/scene.ts";
import type { FlatSheet } from "./boundary.ts";
import type { PartMesh } from "./kinematics.ts";
import { boundaryLoops, Faults, noSurface } from "./mesh-shape.ts";
import type { SampledPanels } from "./panel-sampling.ts";
import type { Cut } from "./panels.ts";
import { next } from "./plane.ts";
import { rotationMatrix } from "./pose.ts";
import { SheetError } from "./sheet-error.ts";

/** Puts the panels together; matched points become one, at the mean of their places. */
export function welded(
  cuts: readonly Cut[],
  { sheets, groups }: SampledPanels,
  flipped: readonly boolean[],
): PartMesh {
  const place = numbered(sheets, groups, true);
  const part = together(cuts, sheets, place, flipped);
  const faults = new Faults();
  const names = new Map<number, string>();
  sheets.forEach((sheet, k) => {
    for (let i = 0; i < sheet.uv.length / 2; i++) {
      const at = `(${sheet.uv[2 * i].toPrecision(4)}, ${sheet.uv[2 * i + 1].toPrecision(4)})`;
      if (!names.has(place[k][i])) names.set(place[k][i], `panel "${cuts[k].panel.name}" ${at}`);
    }
  });
  const { triangles } = part;
  for (let k = 0; k < triangles.length; k++) {
    if (triangles[k] === triangles[next(k)]) {
      faults.add(
        "narrow",
        `${names.get(triangles[k])}: both sides of a triangle are sewn together`,
      );
    }
  }
  noSurface(part.rest.length / 3, triangles, faults, (i) => names.get(i)!);
  try {
    faults.refuse("garment");
  } catch (error) {
    if (!(error instanceof SheetError)) throw error;
    throw new SheetError("garment", [
      "the seams do not close into a surface: sample more finely, or look at the seams here",
      ...error.faults,
    ]);
  }
  part.named.edges.boundary = boundaryLoops({ n: part.rest.length / 3, triangles }).flat();
  return part;
}

/** Leaves the panels apart and lists the matched points. What could not be welded is refused here too. */
export function apart(
  cuts: readonly Cut[],
  sampled: SampledPanels,
  flipped: readonly boolean[],
): PartMesh {
  welded(cuts, sampled, flipped);
  const { sheets, groups } = sampled;
  const place = numbered(sheets, groups, false);
  const part = together(cuts, sheets, place, flipped);
  const pairs: number[] = [];
  for (const [first, ...others] of groups) {
    const own = ([panel, k]: [number, number]): number =>
      place[panel][sheets[panel].named.edges.boundary[k]];
    for (const other of others) pairs.push(own(first), own(other));
  }
  part.seamPairs = Int32Array.from(pairs);
  part.named.edges.boundary = sheets.flatMap((sheet, k) =>
    sheet.named.edges.boundary.map((i) => place[k][i]),
  );
  return part;
}

/**
 * Number in the garment of each point of each panel: panel by panel, matched points where they come
 * first.
 */
function numbered(
  sheets: readonly FlatSheet[],
  groups: readonly [number, number][][],
  weld: boolean,
): Int32Array[] {
  const place = sheets.map((sheet) => new Int32Array(sheet.uv.length / 2).fill(-1));
  const group = new Map<string, readonly [number, number][]>();
  for (const members of groups) {
    for (const [panel, k] of members) {
      group.set(`${panel} ${sheets[panel].named.edges.boundary[k]}`, members);
    }
  }
  let count = 0;
  place.forEach((own, panel) => {
    for (let i = 0; i < own.length; i++) {
      if (own[i] >= 0) continue;
      own[i] = count;
      if (weld) {
        for (const [other, k] of group.get(`${panel} ${i}`) ?? []) {
          place[other][sheets[other].named.edges.boundary[k]] = count;
        }
      }
      count++;
    }
  });
  return place;
}

function together(
  cuts: readonly Cut[],
  sheets: readonly FlatSheet[],
  place: readonly Int32Array[],
  flipped: readonly boolean[],
): PartMesh {
  const n = place.reduce((most, own) => own.reduce((a, b) => Math.max(a, b + 1), most), 0);
  const rest = new Float64Array(3 * n);
  const uv = new Float64Array(2 * n);
  const copies = new Int32Array(n);
  const triangles: number[] = [];
  const corners: number[] = [];
  const named: PartMesh["named"] = { edges: {}, corners: {} };
  sheets.forEach((sheet, p) => {
    const { panel } = cuts[p];
    const inSpace = placement(panel, sheet.uv);
    for (let i = 0; i < sheet.uv.length / 2; i++) {
      const to = place[p][i];
      const [u, v] = [sheet.uv[2 * i], sheet.uv[2 * i + 1]];
      inSpace(u, v).forEach((x, c) => {
        rest[3 * to + c] += x;
      });
      if (copies[to]++ === 0) uv.set([u, v], 2 * to);
    }
    for (let t = 0; t < sheet.triangles.length / 3; t++) {
      // A panel with its back outwards is mirrored: −u, and around each triangle the other way.
      for (const k of flipped[p] ? [3 * t, 3 * t + 2, 3 * t + 1] : [3 * t, 3 * t + 1, 3 * t + 2]) {
        triangles.push(place[p][sheet.triangles[k]]);
        corners.push(
          flipped[p] ? -sheet.corners[2 * k] : sheet.corners[2 * k],
          sheet.corners[2 * k + 1],
        );
      }
    }
    for (const [name, points] of Object.entries(sheet.named.edges)) {
      named.edges[`${panel.name}:${name}`] = points.map((i) => place[p][i]);
    }
    for (const [name, i] of Object.entries(sheet.named.corners)) {
      named.corners[`${panel.name}:${name}`] = place[p][i];
    }
  });
  for (let i = 0; i < n; i++) for (let c = 0; c < 3; c++) rest[3 * i + c] /= copies[i];
  return {
    rest,
    uv,
    triangles: Int32Array.from(triangles),
    corners: Float64Array.from(corners),
    named,
    panels: sheets.map((sheet, p) => ({
      triangles: sheet.triangles.length / 3,
      mirrored: flipped[p],
    })),
  };
}

/**
 * From a panel's plane to space: upright, wrapped around the z axis if asked, then rotated and
 * moved.
 */
export function placement({ place }: Panel, uv: Float64Array): (u: number, v: number) => Vec3 {
  const R = rotationMatrix(place.rotation);
  const [px, py, pz] = place.position;
  let [minU, maxU] = [Infinity, -Infinity];
  for (let i = 0; i < uv.length; i += 2)
    [minU, maxU] = [Math.min(minU, uv[i]), Math.max(maxU, uv[i])];
  const middle = (minU + maxU) / 2;
  const { wrap } = place;
  return (u, v) => {
    const [x, y, z] =
      wrap === null
        ? [u, 0, v]
        : [wrap * sin((u - middle) / wrap), -wrap * cos((u - middle) / wrap), v];
    return [
      R[0] * x + R[1] * y + R[2] * z + px,
      R[3] * x + R[4] * y + R[5] * z + py,
      R[6] * x + R[7] * y + R[8] * z + pz,
    ];
  };
}
