// biome-ignore-all format: components are kept in columns
/**
 * Curved patches: the sheet as its samples and their frames say it, one cubic triangle (Bézier) for each triangle.
 *
 *   corners   yᵢ
 *   edges     yᵢ + ⅓ ℓ Fᵢ t and yⱼ − ⅓ ℓ Fⱼ t               the edge's own arc: both triangles at it have the same, so there is no crack
 *   centre    E + ½ (E − V)                                  E the mean of those six points, V of the corners: exact on quadratics
 *
 * Each triangle is cut into 4ᵏ by halving its edges k times. For k = 1 the points are the samples and the middles of the arcs,
 * ½(yᵢ + yⱼ) + ⅛ ℓ(Fᵢ t − Fⱼ t). Points on edges belong to all triangles at them. Normals are those of the cubic, and the mean of
 * both at an edge, where two patches meet with one tangent but not exactly one tangent plane; at samples they are a × b.
 *
 * Everything is allocated by createPatches; a frame is written into given arrays.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { endTangent, type FramedSheet, hasFrames, sides } from "./frames.ts";
import type { Sheet } from "./kinematics.ts";

/** A sheet as far as patches need it: recordings keep as much. */
export type PatchedSheet = Pick<Sheet, "n" | "uv" | "triangles" | "edges" | "edgeLength" | "spacing" | "tangent" | "sewn"> & {
  readonly parts: readonly { readonly name: string; readonly firstPoint: number; readonly points: number; readonly firstTriangle: number; readonly triangles: number }[];
};

/** A finer mesh of the sheet. Parts are in the same order; triangle t became the 4ᵏ triangles from 4ᵏ t on. */
export interface Patches {
  readonly sheet: PatchedSheet;
  /** Pieces of each edge, 2ᵏ. */
  readonly pieces: number;
  readonly n: number;
  readonly triangles: Int32Array;
  /** [2·…] the lines along the edges of the sheet, for wire. */
  readonly edges: Int32Array;
  /** [2n] m, linear between the uv of samples. */
  readonly uv: Float64Array;
  readonly parts: readonly { readonly name: string; readonly firstPoint: number; readonly points: number; readonly firstTriangle: number; readonly triangles: number }[];
  /** [n] the lowest of the points that each is sewn together with; only of sheets with seams. */
  readonly sewn?: Int32Array;
  /** [samples] where the samples are among the points. */
  readonly sample: Int32Array;
  readonly grid: PatchGrid;
  /** [grid.count·triangles of the sheet] the point of each place of the grid. */
  readonly point: Int32Array;
  readonly side: Int32Array;
}

/** Places of a triangle's points, and the cubic there, the same for all triangles. */
interface PatchGrid {
  readonly count: number;
  /** [3·count] whole numbers that add to `pieces`: barycentric coordinates times it. */
  readonly at: Int32Array;
  /** [30·count] weights of the ten control points: of the value and of the derivatives from corner 0 to 1 and from 0 to 2. */
  readonly weight: Float64Array;
  /** [3·4ᵏ] places of the corners of each piece. */
  readonly triangles: Int32Array;
  /** [4ᵏ] bit c: the side of the piece opposite its corner c lies on an edge of the sheet. */
  readonly rim: Uint8Array;
}

/** Halvings beyond this make more triangles (4⁶ of each) than any program shows. */
export const MOST_HALVINGS = 6;

/**
 * Halvings that let a sheet of n samples look smooth in a picture: facets of some pixels, at most 100 000 points.
 *
 * @example const halvings = smoothHalvings(simulation.sheet.n);
 */
export function smoothHalvings(n: number): number {
  return n <= 400 ? 3 : n <= 6000 ? 2 : n <= 25_000 ? 1 : 0;
}

/**
 * The curved sheet in 4ᵏ triangles for each of its own.
 *
 * @param halvings k, 0 … 6
 * @throws RangeError
 *
 * @example const patches = createPatches(simulation.sheet, 2);
 */
export function createPatches(sheet: PatchedSheet, halvings: number): Patches {
  if (!(Number.isInteger(halvings) && halvings >= 0 && halvings <= MOST_HALVINGS)) throw new RangeError(`subdivide ${halvings}: needs a whole number, 0 … ${MOST_HALVINGS}`);
  const pieces = 2 ** halvings, grid = createGrid(pieces), side = sides(sheet);
  const inner = (pieces - 1) * (pieces - 2) / 2, along = pieces - 1, each = pieces * pieces;

  // points in the order of the parts; within a part: samples, points of its edges, points within its triangles
  const sample = new Int32Array(sheet.n), firstOfEdge = new Int32Array(sheet.edges.length / 2), firstWithin = new Int32Array(sheet.triangles.length / 3);
  let n = 0, e = 0;
  const parts = sheet.parts.map((part) => {
    const firstPoint = n;
    for (let i = part.firstPoint; i < part.firstPoint + part.points; i++) sample[i] = n++;
    for (; 2 * e < sheet.edges.length && sheet.edges[2 * e] < part.firstPoint + part.points; e++) { firstOfEdge[e] = n; n += along; }
    for (let t = part.firstTriangle; t < part.firstTriangle + part.triangles; t++) { firstWithin[t] = n; n += inner; }
    return { name: part.name, firstPoint, points: n - firstPoint, firstTriangle: each * part.firstTriangle, triangles: each * part.triangles };
  });

  const point = placesOf(sheet, grid, side, sample, firstOfEdge, firstWithin);
  const triangles = new Int32Array(each * sheet.triangles.length);
  for (let t = 0, k = 0; 3 * t < sheet.triangles.length; t++) for (let c = 0; c < 3 * each; c++) triangles[k++] = point[grid.count * t + grid.triangles[c]];
  const uv = new Float64Array(2 * n), out = new Float64Array(n), own = new Float64Array(sheet.n);
  const patches: Patches = { sheet, pieces, n, triangles, edges: linesOf(sheet, pieces, sample, firstOfEdge), uv, parts, sample, grid, point, side, ...(sheet.sewn ? { sewn: sewnPoints(sheet, pieces, n, sample, firstOfEdge) } : {}) };
  for (let c = 0; c < 2; c++) {
    for (let i = 0; i < sheet.n; i++) own[i] = sheet.uv[2 * i + c];
    spread(out, patches, own);
    for (let i = 0; i < n; i++) uv[2 * i + c] = out[i];
  }
  return patches;
}

/**
 * Values of the points from those of the samples, linear in each triangle.
 *
 * @example
 * const patches = createPatches(simulation.sheet, 2);
 * spread(new Float64Array(patches.n), patches, simulation.masses);
 */
export function spread(out: Float64Array | Float32Array, { sheet, pieces, grid, point }: Patches, values: ArrayLike<number>): void {
  for (let t = 0; 3 * t < sheet.triangles.length; t++) {
    const a = values[sheet.triangles[3 * t]], b = values[sheet.triangles[3 * t + 1]], c = values[sheet.triangles[3 * t + 2]];
    for (let q = 0; q < grid.count; q++) out[point[grid.count * t + q]] = (grid.at[3 * q] * a + grid.at[3 * q + 1] * b + grid.at[3 * q + 2] * c) / pieces;
  }
}

/**
 * [6·triangles] m: material coordinates of the corners of all pieces, linear in each triangle of the sheet.
 *
 * @param corners [6·triangles of the sheet] m, as a sheet keeps them
 *
 * @example const uv = patchCorners(createPatches(simulation.sheet, 2), simulation.sheet.corners);
 */
export function patchCorners({ grid, pieces }: Patches, corners: ReadonlyF64): Float64Array {
  const each = 2 * grid.triangles.length, out = new Float64Array((corners.length / 6) * each);
  for (let t = 0; 6 * t < corners.length; t++) for (let c = 0; c < grid.triangles.length; c++) for (let d = 0; d < 2; d++) {
    let sum = 0;
    for (let k = 0; k < 3; k++) sum += grid.at[3 * grid.triangles[c] + k] / pieces * corners[6 * t + 2 * k + d];
    out[each * t + 2 * c + d] = sum;
  }
  return out;
}

/** [30] m: control points 300 030 003, then two of each side 0–1, 1–2, 2–0 in that direction, then 111. */
const control = new Float64Array(30), slope = new Float64Array(3);

/**
 * Points and normals of the curved sheet.
 *
 * @param positions out [3n] m
 * @param normals   out [3n] unit; null: not wanted
 * @param Y         [9·samples] pose; with positions alone, [3·samples], patches are flat triangles
 *
 * @example
 * const patches = createPatches(simulation.sheet, 2);
 * evaluatePatches(new Float64Array(3 * patches.n), null, patches, simulation.pose);
 */
export function evaluatePatches(positions: Float64Array | Float32Array, normals: Float64Array | Float32Array | null, patches: Patches, Y: ReadonlyF64): void {
  const { sheet, grid, point, side } = patches, { count, weight } = grid;
  normals?.fill(0);
  for (let t = 0; 3 * t < sheet.triangles.length; t++) {
    setControl(sheet, side, Y, t);
    for (let q = 0; q < count; q++) {
      const p = 3 * point[count * t + q], w = 30 * q;
      let x = 0, y = 0, z = 0;
      for (let k = 0; k < 10; k++) { const s = weight[w + k]; x += s * control[3 * k]; y += s * control[3 * k + 1]; z += s * control[3 * k + 2]; }
      positions[p] = x; positions[p + 1] = y; positions[p + 2] = z;
      if (normals) addNormal(normals, p, weight, w + 10);
    }
  }
  if (normals) makeUnit(normals);
}

/** Adds the unit normal of the patch in `control` where its derivatives have these weights. */
function addNormal(normals: Float64Array | Float32Array, p: number, weight: Float64Array, w: number): void {
  let ux = 0, uy = 0, uz = 0, vx = 0, vy = 0, vz = 0;
  for (let k = 0; k < 10; k++) {
    const a = weight[w + k], b = weight[w + 10 + k], x = control[3 * k], y = control[3 * k + 1], z = control[3 * k + 2];
    ux += a * x; uy += a * y; uz += a * z; vx += b * x; vy += b * y; vz += b * z;
  }
  const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx, length = Math.sqrt(x * x + y * y + z * z);
  if (!(length > 0)) return;
  normals[p] += x / length; normals[p + 1] += y / length; normals[p + 2] += z / length;
}

function makeUnit(normals: Float64Array | Float32Array): void {
  for (let i = 0; i < normals.length; i += 3) {
    const x = normals[i], y = normals[i + 1], z = normals[i + 2], length = Math.sqrt(x * x + y * y + z * z);
    if (length > 0) { normals[i] = x / length; normals[i + 1] = y / length; normals[i + 2] = z / length; }
    else normals[i + 2] = 1; // a point without area around it: any unit vector will do
  }
}

function setControl(sheet: PatchedSheet, side: Int32Array, Y: ReadonlyF64, t: number): void {
  const { triangles, edges } = sheet, isCurved = hasFrames(sheet, Y);
  for (let k = 0; k < 3; k++) for (let c = 0; c < 3; c++) control[3 * k + c] = Y[3 * triangles[3 * t + k] + c];
  for (let k = 0; k < 3; k++) {
    // side from corner k to the next lies opposite the last
    const j = (k + 1) % 3, e = side[3 * t + (k + 2) % 3], first = edges[2 * e] === triangles[3 * t + k], near = 9 + 6 * k, far = near + 3;
    if (!isCurved) {
      for (let c = 0; c < 3; c++) { const d = (control[3 * j + c] - control[3 * k + c]) / 3; control[near + c] = control[3 * k + c] + d; control[far + c] = control[3 * j + c] - d; }
      continue;
    }
    endControl(sheet, Y, e, near, 3 * k, first ? 0 : 1, first ? 1 : -1);
    endControl(sheet, Y, e, far, 3 * j, first ? 1 : 0, first ? -1 : 1);
  }
  for (let c = 0; c < 3; c++) {
    let sum = 0;
    for (let k = 3; k < 9; k++) sum += control[3 * k + c];
    control[27 + c] = sum / 4 - (control[c] + control[3 + c] + control[6 + c]) / 6;
  }
}

/** The control point next to a corner: the corner and a third of ± the edge's tangent there. */
function endControl(sheet: FramedSheet<PatchedSheet>, Y: ReadonlyF64, e: number, at: number, corner: number, end: 0 | 1, sign: number): void {
  endTangent(slope, 0, sheet, Y, e, end);
  for (let c = 0; c < 3; c++) control[at + c] = control[corner + c] + sign * slope[c] / 3;
}

/** Powers of λ₀ λ₁ λ₂ of the control points in their order. */
const POWERS = [[3, 0, 0], [0, 3, 0], [0, 0, 3], [2, 1, 0], [1, 2, 0], [0, 2, 1], [0, 1, 2], [1, 0, 2], [2, 0, 1], [1, 1, 1]];

function createGrid(pieces: number): PatchGrid {
  const at: number[] = [], triangles: number[] = [], row = (r: number): number => (r * (r + 1)) / 2;
  // rows from corner 0, where λ₀ = 1, to the side from corner 1 to corner 2
  for (let r = 0; r <= pieces; r++) for (let s = 0; s <= r; s++) at.push(pieces - r, r - s, s);
  for (let r = 0; r < pieces; r++) for (let s = 0; s <= r; s++) {
    triangles.push(row(r) + s, row(r + 1) + s, row(r + 1) + s + 1);
    if (s < r) triangles.push(row(r) + s, row(r + 1) + s + 1, row(r) + s + 1);
  }
  const count = at.length / 3, weight = new Float64Array(30 * count);
  for (let q = 0; q < count; q++) {
    const l = [at[3 * q] / pieces, at[3 * q + 1] / pieces, at[3 * q + 2] / pieces];
    POWERS.forEach((power, k) => {
      const factor = 6 / power.reduce((product, p) => product * [1, 1, 2, 6][p], 1);
      const term = (lower: number): number => {
        let product = lower < 0 ? factor : factor * power[lower];
        for (let c = 0; c < 3; c++) product *= l[c] ** Math.max(0, power[c] - (c === lower ? 1 : 0));
        return product;
      };
      weight[30 * q + k] = term(-1);
      weight[30 * q + 10 + k] = term(1) - term(0);
      weight[30 * q + 20 + k] = term(2) - term(0);
    });
  }
  const rim = Uint8Array.from({ length: triangles.length / 3 }, (_, t) => {
    const onRim = (c: number): boolean => [0, 1, 2].some((k) => at[3 * triangles[3 * t + (c + 1) % 3] + k] === 0 && at[3 * triangles[3 * t + (c + 2) % 3] + k] === 0);
    return [0, 1, 2].reduce((bits, c) => bits + (onRim(c) ? 1 << c : 0), 0);
  });
  return { count, at: Int32Array.from(at), weight, triangles: Int32Array.from(triangles), rim };
}

/** The point of every place of every triangle. */
function placesOf(sheet: PatchedSheet, { count, at }: PatchGrid, side: Int32Array, sample: Int32Array, firstOfEdge: Int32Array, firstWithin: Int32Array): Int32Array {
  const { triangles, edges } = sheet, point = new Int32Array(count * triangles.length / 3);
  for (let t = 0; 3 * t < triangles.length; t++) {
    let within = firstWithin[t];
    for (let q = 0; q < count; q++) {
      const zero = [0, 1, 2].filter((c) => at[3 * q + c] === 0);
      if (zero.length === 2) point[count * t + q] = sample[triangles[3 * t + 3 - zero[0] - zero[1]]];
      else if (zero.length === 0) point[count * t + q] = within++;
      else {
        const c = zero[0], e = side[3 * t + c], second = triangles[3 * t + (c + 1) % 3] === edges[2 * e + 1] ? (c + 1) % 3 : (c + 2) % 3;
        point[count * t + q] = firstOfEdge[e] + at[3 * q + second] - 1; // counted from the edge's first end
      }
    }
  }
  return point;
}

/** Point s of an edge, 0 its first end and `pieces` its second. */
function alongEdge(edges: ReadonlyI32, pieces: number, sample: Int32Array, firstOfEdge: Int32Array, e: number, s: number): number {
  return s === 0 ? sample[edges[2 * e]] : s === pieces ? sample[edges[2 * e + 1]] : firstOfEdge[e] + s - 1;
}

function linesOf({ edges }: PatchedSheet, pieces: number, sample: Int32Array, firstOfEdge: Int32Array): Int32Array {
  const lines = new Int32Array(pieces * edges.length);
  for (let e = 0, k = 0; 2 * e < edges.length; e++) for (let s = 0; s < pieces; s++) {
    lines[k++] = alongEdge(edges, pieces, sample, firstOfEdge, e, s);
    lines[k++] = alongEdge(edges, pieces, sample, firstOfEdge, e, s + 1);
  }
  return lines;
}

/** Samples are sewn as they were; points of edges whose ends are sewn to those of another edge are sewn to its points. */
function sewnPoints(sheet: PatchedSheet, pieces: number, n: number, sample: Int32Array, firstOfEdge: Int32Array): Int32Array {
  const { edges } = sheet, own = sheet.sewn!, sewn = Int32Array.from({ length: n }, (_, i) => i), known = new Map<string, number>();
  for (let i = 0; i < sheet.n; i++) sewn[sample[i]] = sample[own[i]];
  for (let e = 0; 2 * e < edges.length; e++) {
    const a = own[edges[2 * e]], b = own[edges[2 * e + 1]], key = a < b ? `${a} ${b}` : `${b} ${a}`, partner = known.get(key);
    if (partner === undefined) { known.set(key, e); continue; }
    const isTurned = own[edges[2 * partner]] !== a;
    for (let s = 1; s < pieces; s++) sewn[firstOfEdge[e] + s - 1] = sewn[firstOfEdge[partner] + (isTurned ? pieces - s : s) - 1];
  }
  return sewn;
}
