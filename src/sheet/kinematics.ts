/**
 * Meshless kinematics (§3): sample points, neighbourhoods, local coordinates, masses.
 *
 * A Sheet is geometry that is fixed once built: several sheets of a scene are one Sheet with
 * several parts. Every triangle keeps isometric coordinates of its own corners (`corners`), so that
 * a point may have different coordinates in each neighbourhood: on a tube, across a seam, around a
 * dart.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { cos, PI, sin } from "../linalg/elementary.ts";
import { countingSort } from "../linalg/sparse.ts";
import type { SheetScene } from "../scene/scene.ts";
import type { FlatSheet, Named } from "./boundary.ts";
import { neighbourhoods } from "./charts.ts";
import { garmentPart } from "./garment.ts";
import { gridRectangle } from "./grid.ts";
import { meshPart } from "./mesh-shape.ts";
import { annulusOutline, discOutline, polygonOutline, rectangleOutline } from "./outline.ts";
import { lengthOf, next } from "./plane.ts";
import { createRandom, type Random } from "./random.ts";
import { sampleOutline, sampleTube } from "./sampling.ts";
import { SheetError } from "./sheet-error.ts";

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
  /**
   * Names of boundary pieces (left, right, top, bottom, inner, outer, panel:edge …) → points, in
   * order along the edge.
   */
  readonly edges: Readonly<Record<string, ReadonlyI32>>;
  /** Names of corners (top-left, …) → point. */
  readonly corners: Readonly<Record<string, number>>;
  /** s, in which its seams are pulled together; only where they are not welded. */
  readonly sewing?: number;
  /** The edges that these join: "panel:edge" and "panel:edge". */
  readonly seams?: readonly (readonly [string, string])[];
  /** Panels of a garment in the order of their triangles; a mirrored one has its back outwards, and −u in its corners. */
  readonly panels?: readonly PanelPart[];
}

export interface PanelPart {
  readonly triangles: number;
  readonly mirrored: boolean;
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
  /** [2·pairs] points of seams that are pulled together over time instead of being welded. */
  readonly seamPairs?: ReadonlyI32;
  /** [n] the lowest of the points that each is sewn together with, itself where it is with none. */
  readonly sewn?: ReadonlyI32;
  /** [4·edges] unit tangents of the edges in the charts of both ends (frames.ts); only of sheets whose samples have frames. */
  readonly tangent?: ReadonlyF64;
}

/** A triangle mesh as read from a file; what src/files gives fits. */
export interface TriangleMesh {
  /** [3n] m */
  readonly positions: Float64Array;
  /** [3·triangles] */
  readonly triangles: Int32Array;
  /** [2n], or null without texture coordinates */
  readonly uv: Float64Array | null;
  /** [6·triangles] of each corner; only where some point has several. */
  readonly cornerUv?: Float64Array;
  /** [4·cells] of meshes of volumes (substrates). */
  readonly tetrahedra?: Int32Array;
  /** Where the points are at other times, if the file says so. */
  readonly frames?: VertexFrames;
}

/** Positions of all points at rising times. */
export interface VertexFrames {
  /** [frames] s, or numbers of frames. */
  readonly times: Float64Array;
  /** Whether the times are numbers of frames. */
  readonly inFrames: boolean;
  /** [3n·frames] m */
  readonly positions: Float32Array;
}

/** Gives the mesh of a file that a scene names. The core reads no files itself. */
export type ReadMesh = (path: string) => TriangleMesh;

/** One shape, sampled: points and triangles from 0, before the parts are put together. */
export interface PartMesh {
  rest: Float64Array; // [3n] m
  uv: Float64Array; // [2n] m
  triangles: Int32Array;
  corners: Float64Array; // [6·triangles] m
  named: Named;
  /** [2·pairs] points to be sewn that are not welded, and the time that takes, s. */
  seamPairs?: Int32Array;
  sewing?: number;
  seams?: [string, string][];
  panels?: PanelPart[];
}

/**
 * Samples the sheets of a scene and puts them into one Sheet.
 *
 * @param seed of the irregular samplings
 * @param readMesh needed for shapes of type mesh
 * @param streams of random numbers, one for each sheet: sheet k has stream k unless a rebuilt simulation keeps others
 * @throws SheetError that names the sheet and lists every fault
 */
export function createSheet(
  sheets: readonly SheetScene[],
  seed: number,
  readMesh: ReadMesh = noFiles,
  streams: readonly number[] = sheets.map((_, k) => k),
): Sheet {
  const parts = sheets.map((sheet, k) => {
    try {
      return partMesh(sheet, createRandom(seed, streams[k]), readMesh);
    } catch (error) {
      if (error instanceof SheetError) throw new SheetError(`sheet "${sheet.name}"`, error.faults);
      throw error;
    }
  });
  return assembled(parts, sheets);
}

function noFiles(path: string): never {
  throw new SheetError("sheet", [`${path}: no way to read files was given`]);
}

function partMesh(sheet: SheetScene, random: Random, readMesh: ReadMesh): PartMesh {
  const { shape, sampling } = sheet;
  switch (shape.type) {
    case "rectangle":
      return flat(
        sampling.type === "grid"
          ? gridRectangle(shape.width, shape.height, sampling)
          : sampleOutline(rectangleOutline(shape.width, shape.height), sampling, random),
      );
    case "disc":
      return flat(sampleOutline(discOutline(shape.radius), sampling, random));
    case "annulus":
      return flat(sampleOutline(annulusOutline(shape.inner, shape.outer), sampling, random));
    case "polygon":
      return flat(sampleOutline(polygonOutline(shape.points, shape.holes), sampling, random));
    case "tube": {
      const { radius, height } = shape;
      return onCylinder(sampleTube(2 * PI * radius, height, sampling, random), radius);
    }
    case "mesh": {
      const { file, scale, uv } = shape;
      return meshPart(file, readMesh(file), { scale, uv, sampling }, random);
    }
    case "garment":
      return garmentPart(shape, sampling, random);
  }
}

/** A flat sheet rests in z = 0. */
function flat(sheet: FlatSheet): PartMesh {
  const n = sheet.uv.length / 2;
  const rest = new Float64Array(3 * n);
  for (let i = 0; i < n; i++) {
    rest[3 * i] = sheet.uv[2 * i];
    rest[3 * i + 1] = sheet.uv[2 * i + 1];
  }
  return { ...sheet, rest };
}

/** A tube stands on z = 0 around the z axis, its triangles facing outwards. */
function onCylinder(sheet: FlatSheet, radius: number): PartMesh {
  const n = sheet.uv.length / 2;
  const rest = new Float64Array(3 * n);
  for (let i = 0; i < n; i++) {
    rest[3 * i] = radius * cos(sheet.uv[2 * i] / radius);
    rest[3 * i + 1] = radius * sin(sheet.uv[2 * i] / radius);
    rest[3 * i + 2] = sheet.uv[2 * i + 1];
  }
  return { ...sheet, rest };
}

/** Puts the parts one after the other and derives lengths, areas, masses and neighbourhoods. */
function assembled(meshes: readonly PartMesh[], sheets: readonly SheetScene[]): Sheet {
  const n = meshes.reduce((sum, mesh) => sum + mesh.uv.length / 2, 0);
  const count = meshes.reduce((sum, mesh) => sum + mesh.triangles.length / 3, 0);
  const rest = new Float64Array(3 * n);
  const uv = new Float64Array(2 * n);
  const triangles = new Int32Array(3 * count);
  const corners = new Float64Array(6 * count);
  const m = new Float64Array(n);
  const parts: Part[] = [];
  const nears: Neighbourhoods[] = [];
  const seamPairs: number[] = [];
  let [i, t] = [0, 0];
  meshes.forEach((mesh, k) => {
    const points = mesh.uv.length / 2;
    rest.set(mesh.rest, 3 * i);
    uv.set(mesh.uv, 2 * i);
    for (let c = 0; c < mesh.triangles.length; c++) triangles[3 * t + c] = mesh.triangles[c] + i;
    corners.set(mesh.corners, 6 * t);
    m.fill(sheets[k].material.density, i, i + points);
    parts.push(part(sheets[k].name, mesh, i, t));
    nears.push(neighbourhoods({ n: points, ...mesh }, sheets[k].neighbourhood));
    for (const point of mesh.seamPairs ?? []) seamPairs.push(point + i);
    i += points;
    t += mesh.triangles.length / 3;
  });

  const mesh: Mesh = { n, rest, uv, triangles, corners };
  const triangleArea = trianglesArea(mesh);
  const area = pointArea(mesh, triangleArea);
  for (let k = 0; k < n; k++) m[k] *= area[k];
  const sheet = { ...mesh, ...meshEdges(mesh), triangleArea, area, m, near: joined(nears), parts };
  if (seamPairs.length === 0) return sheet;
  return { ...sheet, seamPairs: Int32Array.from(seamPairs), sewn: sewnTogether(n, seamPairs) };
}

/** [n] the lowest point that each is joined to by pairs. */
function sewnTogether(n: number, pairs: readonly number[]): Int32Array {
  const lowest = Int32Array.from({ length: n }, (_, i) => i);
  const root = (i: number): number => {
    let r = i;
    while (lowest[r] !== r) r = lowest[r];
    return r;
  };
  for (let k = 0; k < pairs.length; k += 2) {
    const [a, b] = [root(pairs[k]), root(pairs[k + 1])];
    lowest[Math.max(a, b)] = Math.min(a, b);
  }
  return lowest.map((_, i) => root(i));
}

function part(name: string, mesh: PartMesh, firstPoint: number, firstTriangle: number): Part {
  const edges: Record<string, Int32Array> = {};
  const corners: Record<string, number> = {};
  for (const [edge, points] of Object.entries(mesh.named.edges)) {
    edges[edge] = Int32Array.from(points, (i) => i + firstPoint);
  }
  for (const [corner, i] of Object.entries(mesh.named.corners)) corners[corner] = i + firstPoint;
  return {
    name,
    firstPoint,
    points: mesh.uv.length / 2,
    firstTriangle,
    triangles: mesh.triangles.length / 3,
    edges,
    corners,
    ...(mesh.panels === undefined ? {} : { panels: mesh.panels }),
    ...(mesh.sewing === undefined ? {} : { sewing: mesh.sewing, seams: mesh.seams ?? [] }),
  };
}

/** [triangles] m², from the material coordinates of the corners. */
export function trianglesArea({ corners: x }: Pick<Mesh, "corners">): Float64Array {
  const area = new Float64Array(x.length / 6);
  for (let t = 0; t < area.length; t++) {
    const k = 6 * t;
    area[t] =
      ((x[k + 2] - x[k]) * (x[k + 5] - x[k + 1]) - (x[k + 3] - x[k + 1]) * (x[k + 4] - x[k])) / 2;
  }
  return area;
}

/** [n] m², a third of the triangles around each point. */
export function pointArea(
  { n, triangles }: Pick<Mesh, "n" | "triangles">,
  triangleArea: ReadonlyF64,
): Float64Array {
  const area = new Float64Array(n);
  for (let k = 0; k < triangles.length; k++)
    area[triangles[k]] += triangleArea[Math.floor(k / 3)] / 3;
  return area;
}

/**
 * Every edge once, with its material length, which points are on the boundary, and their spacings.
 * Where an eased seam gives an edge two lengths, one on each side, the edge has their mean.
 */
export function meshEdges({ n, triangles, corners: x }: Mesh): {
  edges: Int32Array;
  edgeLength: Float64Array;
  boundary: Uint8Array;
  spacing: Float64Array;
} {
  const low = new Int32Array(triangles.length); // the ends of each side
  const high = new Int32Array(triangles.length);
  for (let k = 0; k < triangles.length; k++) {
    low[k] = Math.min(triangles[k], triangles[next(k)]);
    high[k] = Math.max(triangles[k], triangles[next(k)]);
  }
  // sorted by high and then, stably, by low: the sides that are one edge come one after the other
  const byHigh = countingSort(n, high);
  const lowByHigh = byHigh.map((k) => low[k]);
  const byLow = countingSort(n, lowByHigh);
  const edges = new Int32Array(2 * triangles.length);
  const edgeLength = new Float64Array(triangles.length);
  const boundary = new Uint8Array(n);
  const spacing = new Float64Array(n);
  const degree = new Int32Array(n);
  let count = 0;
  for (let at = 0; at < byLow.length; count++) {
    const a = low[byHigh[byLow[at]]];
    const b = high[byHigh[byLow[at]]];
    let sides = 0;
    let length = 0;
    for (; at < byLow.length; at++, sides++) {
      const k = byHigh[byLow[at]];
      if (low[k] !== a || high[k] !== b) break;
      const to = next(k);
      length += lengthOf(x[2 * to] - x[2 * k], x[2 * to + 1] - x[2 * k + 1]);
    }
    edges[2 * count] = a;
    edges[2 * count + 1] = b;
    edgeLength[count] = length / sides;
    if (sides === 1) boundary[a] = boundary[b] = 1;
    spacing[a] += edgeLength[count];
    spacing[b] += edgeLength[count];
    degree[a]++;
    degree[b]++;
  }
  for (let i = 0; i < n; i++) spacing[i] /= degree[i];
  return {
    edges: edges.slice(0, 2 * count),
    edgeLength: edgeLength.slice(0, count),
    boundary,
    spacing,
  };
}

function joined(nears: readonly Neighbourhoods[]): Neighbourhoods {
  const n = nears.reduce((sum, near) => sum + near.start.length - 1, 0);
  const entries = nears.reduce((sum, near) => sum + near.index.length, 0);
  const start = new Int32Array(n + 1);
  const index = new Int32Array(entries);
  const X = new Float64Array(2 * entries);
  let [i, e] = [0, 0];
  for (const near of nears) {
    const points = near.start.length - 1;
    for (let k = 0; k < points; k++) start[i + k + 1] = near.start[k + 1] + e;
    for (let k = 0; k < near.index.length; k++) index[e + k] = near.index[k] + i;
    X.set(near.X as Float64Array, 2 * e);
    i += points;
    e += near.index.length;
  }
  return { start, index, X };
}
