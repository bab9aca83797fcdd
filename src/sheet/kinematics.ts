/**
 * Meshless kinematics (§3): sample points, neighbourhoods, local coordinates, masses.
 *
 * A Sheet is geometry that is fixed once built: several sheets of a scene are one Sheet with several
 * parts. Every triangle keeps isometric coordinates of its own corners (`corners`), so that a point
 * may have different coordinates in each neighbourhood: on a tube, across a seam, around a dart.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";

/** Points and triangles with their material (isometric, flat) coordinates. */
export interface Mesh {
  readonly n: number;
  /** [3n] m, xyz: the rest shape in space. A flat sheet lies in z = 0 with x = u, y = v. */
  readonly rest: ReadonlyF64;
  /** [2n] m, uv of each point in its own panel; for picks (corner, edge, nearest) and textures. */
  readonly uv: ReadonlyF64;
  /** [3·triangles] points of each triangle, counter-clockwise in the material. */
  readonly triangles: ReadonlyI32;
  /** [6·triangles] m, material uv of the three corners; isometric to the rest shape. */
  readonly corners: ReadonlyF64;
}

/** 𝒩ᵢ as lists: entries start[i] … start[i+1]; the last entry of i is i itself, with X = 0. */
export interface Neighbourhoods {
  readonly start: ReadonlyI32; // [n+1]
  readonly index: ReadonlyI32; // [entries]
  /** [2·entries] m, Xᵢⱼ: position of j in the local isometric coordinates of i, relative to i. */
  readonly X: ReadonlyF64;
}

/** One sheet of the scene within the whole. */
export interface Part {
  readonly name: string;
  /** Its points are first … first+count. */
  readonly firstPoint: number;
  readonly points: number;
  readonly firstTriangle: number;
  readonly triangles: number;
  /** Names of boundary pieces (left, right, top, bottom, inner, outer, panel:edge …) → points, in order along the edge. */
  readonly edges: Readonly<Record<string, ReadonlyI32>>;
  /** Names of corners (top-left, …) → point. */
  readonly corners: Readonly<Record<string, number>>;
}

export interface Sheet extends Mesh {
  /** [2·edges] points a < b of every edge once. */
  readonly edges: ReadonlyI32;
  /** [edges] m */
  readonly edgeLength: ReadonlyF64;
  /** [triangles] m² */
  readonly triangleArea: ReadonlyF64;
  /** [n] m², a third of the triangles around each point (barycentric). */
  readonly area: ReadonlyF64;
  /** [n] kg, area × areal density. */
  readonly m: ReadonlyF64;
  /** [n] 1 on the boundary. */
  readonly boundary: Uint8Array;
  /** [n] m, mean length of the edges at a point: ℓᵢ. */
  readonly spacing: ReadonlyF64;
  /** 𝒩ᵢ of the scene's size (one ring unless said otherwise). */
  readonly near: Neighbourhoods;
  readonly parts: readonly Part[];
}
