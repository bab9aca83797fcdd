/**
 * Tetrahedral meshes of solids: blocks and cylinders of our own, others from files; checked before use.
 *
 * A block is a grid of cells, each cut into five tetrahedra, mirrored from cell to cell like a chessboard so that
 * diagonals meet on shared faces and no direction is preferred. A cylinder is a disc of rings with 6k points in the
 * k-th, extruded in layers of prisms; a prism is cut into three by the numbers of its points, so that neighbours agree.
 *
 * A mesh from a file may be turned inside out as a whole (some programs list corners the other way round), but not in
 * part: a tetrahedron against the sense of the others lies folded over them. Flat ones have no deformation gradient.
 */
import { cos, PI, sin } from "../linalg/elementary.ts";
import type { Substrate, Vec3 } from "../scene/scene.ts";
import { SheetError } from "../sheet/sheet-error.ts";

/** A solid that cannot be simulated; lists every fault. */
export class SolidError extends SheetError {
  /** @param file where the solid is from, if it is from a file */
  constructor(faults: readonly string[], file?: string) {
    super(file === undefined ? "substrate" : `substrate "${file}"`, faults);
    this.name = "SolidError";
  }
}

export interface SolidMesh {
  readonly n: number;
  /** [3n] m, xyz per node. */
  readonly rest: Float64Array;
  /** [4·cells] nodes of each tetrahedron; (b−a)×(c−a)·(d−a) > 0. */
  readonly tetrahedra: Int32Array;
  /** [cells] m³ */
  readonly volume: Float64Array;
  /** [3·triangles] nodes of the boundary, counter-clockwise from outside. */
  readonly surface: Int32Array;
  /** Names of faces → their nodes, rising. Every solid has "surface". */
  readonly faces: Readonly<Record<string, Int32Array>>;
}

/** What a file gives: see files/msh.ts. */
export interface TetrahedralMesh {
  /** [3n] m */
  readonly positions: Float64Array;
  /** [4·cells] */
  readonly tetrahedra: Int32Array;
}

/**
 * A cell is flat when its volume is under this share of that of the regular tetrahedron on its longest edge. Good
 * meshers stay above 0.05; at 1e-4 a strain of 1e-4 can turn it inside out.
 */
const FLAT = 1e-4;

/** The solid of a scene, in place. */
export function solidMesh(
  shape: Substrate["shape"],
  position: Vec3,
  read: (file: string) => Partial<TetrahedralMesh>,
): SolidMesh {
  if (shape.type === "block") return moved(block(shape), position);
  if (shape.type === "cylinder") return moved(cylinder(shape), position);
  const { positions, tetrahedra } = read(shape.file);
  if (!positions || !tetrahedra || tetrahedra.length === 0)
    throw new SolidError(["holds no tetrahedra; needs a Gmsh .msh of a volume"], shape.file);
  return moved(checkedMesh({ positions, tetrahedra }, shape.file), position);
}

/**
 * A box centred at the origin. Faces: left, right (x), front, back (y), bottom, top (z).
 * With `grading` g the lowest layer is g times as thick as the uppermost, linear between.
 *
 * @example
 * const mesh = block({ size: [0.2, 0.1, 0.05], cells: [20, 10, 5] });
 */
export function block({
  size,
  cells,
  grading = 1,
}: {
  size: Vec3;
  cells: Vec3;
  grading?: number;
}): SolidMesh {
  const [nx, ny, nz] = cells;
  const node = (i: number, j: number, k: number): number => (k * (ny + 1) + j) * (nx + 1) + i;
  const n = (nx + 1) * (ny + 1) * (nz + 1);
  const rest = new Float64Array(3 * n);
  const heights = levels(nz, grading);
  const named: Record<string, number[]> = {
    left: [],
    right: [],
    front: [],
    back: [],
    bottom: [],
    top: [],
  };
  for (let k = 0; k <= nz; k++)
    for (let j = 0; j <= ny; j++)
      for (let i = 0; i <= nx; i++) {
        const p = node(i, j, k);
        rest[3 * p] = size[0] * (i / nx - 0.5);
        rest[3 * p + 1] = size[1] * (j / ny - 0.5);
        rest[3 * p + 2] = size[2] * (heights[k] - 0.5);
        if (i === 0) named.left.push(p);
        if (i === nx) named.right.push(p);
        if (j === 0) named.front.push(p);
        if (j === ny) named.back.push(p);
        if (k === 0) named.bottom.push(p);
        if (k === nz) named.top.push(p);
      }
  const tetrahedra = new Int32Array(20 * nx * ny * nz);
  let at = 0;
  for (let k = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++) {
        const mirror = (i + j + k) & 1;
        // corner c of the cell has bits xyz; mirrored in x where the chessboard is black
        const corner = (c: number): number =>
          node(i + ((c & 1) ^ mirror), j + ((c >> 1) & 1), k + (c >> 2));
        for (const [a, b, c, d] of FIVE) {
          tetrahedra[at++] = corner(a);
          tetrahedra[at++] = corner(mirror ? c : b);
          tetrahedra[at++] = corner(mirror ? b : c);
          tetrahedra[at++] = corner(d);
        }
      }
  return assembled(rest, tetrahedra, named);
}

/** The cube with corners 0 … 7 (bits xyz): one regular tetrahedron amid four corners, all of positive volume. */
const FIVE = [
  [0, 1, 2, 4],
  [3, 2, 1, 7],
  [5, 4, 7, 1],
  [6, 7, 4, 2],
  [1, 2, 4, 7],
] as const;

/** Heights 0 … 1 of nz layers whose thickness falls linearly from grading to 1. */
function levels(nz: number, grading: number): Float64Array {
  const heights = new Float64Array(nz + 1);
  for (let k = 0; k < nz; k++)
    heights[k + 1] = heights[k] + (nz > 1 ? grading + ((1 - grading) * k) / (nz - 1) : 1);
  for (let k = 0; k <= nz; k++) heights[k] /= heights[nz];
  heights[nz] = 1;
  return heights;
}

/**
 * A cylinder about z, centred at the origin, with `cells` rings and layers about as high as a ring is wide.
 * Faces: bottom, top, side.
 */
export function cylinder({
  radius,
  height,
  cells,
}: {
  radius: number;
  height: number;
  cells: number;
}): SolidMesh {
  const perLayer = 1 + 3 * cells * (cells + 1);
  const layers = Math.max(1, Math.round((height * cells) / radius));
  const rest = new Float64Array(3 * perLayer * (layers + 1));
  const named: Record<string, number[]> = { bottom: [], top: [], side: [] };
  for (let k = 0, p = 0; k <= layers; k++)
    for (let r = 0; r <= cells; r++)
      for (let s = 0; s < Math.max(1, 6 * r); s++, p++) {
        const angle = r === 0 ? 0 : (PI * s) / (3 * r);
        rest[3 * p] = ((radius * r) / cells) * cos(angle);
        rest[3 * p + 1] = ((radius * r) / cells) * sin(angle);
        rest[3 * p + 2] = height * (k / layers - 0.5);
        if (k === 0) named.bottom.push(p);
        if (k === layers) named.top.push(p);
        if (r === cells) named.side.push(p);
      }
  const tetrahedra: number[] = [];
  const disc = discTriangles(cells);
  for (let k = 0; k < layers; k++)
    for (let t = 0; t < disc.length; t += 3) {
      // from the lower point of a smaller number goes the diagonal to the upper one of a greater
      const [a, b, c] = [disc[t], disc[t + 1], disc[t + 2]]
        .sort((x, y) => x - y)
        .map((x) => x + k * perLayer);
      const up = perLayer;
      tetrahedra.push(a, b, c, c + up, a, b, b + up, c + up, a, a + up, b + up, c + up);
    }
  const cornersOf = Int32Array.from(tetrahedra);
  // sorting the points of a prism may have turned it round
  for (let t = 0; t < cornersOf.length; t += 4)
    if (signedVolume(rest, cornersOf, t) < 0) {
      const swap = cornersOf[t + 1];
      cornersOf[t + 1] = cornersOf[t + 2];
      cornersOf[t + 2] = swap;
    }
  return assembled(rest, cornersOf, named);
}

/** Rings of 6r points around point 0: triangles between neighbouring rings, sector by sector. */
function discTriangles(rings: number): number[] {
  const first = (r: number): number => (r === 0 ? 0 : 1 + 3 * r * (r - 1));
  const point = (r: number, s: number): number => first(r) + (r === 0 ? 0 : s % (6 * r));
  const out: number[] = [];
  for (let r = 1; r <= rings; r++)
    for (let sector = 0; sector < 6; sector++)
      for (let s = 0; s < r; s++) {
        const outer = sector * r + s;
        const inner = sector * (r - 1) + s;
        out.push(point(r - 1, inner), point(r, outer), point(r, outer + 1));
        if (s < r - 1) out.push(point(r - 1, inner), point(r, outer + 1), point(r - 1, inner + 1));
      }
  return out;
}

/**
 * A mesh from elsewhere: nodes that no tetrahedron uses are dropped.
 *
 * @throws SolidError for flat or inverted tetrahedra, corners that do not exist, faces with more than two sides
 */
export function checkedMesh({ positions, tetrahedra }: TetrahedralMesh, file?: string): SolidMesh {
  const count = positions.length / 3;
  const faults: string[] = [];
  for (let k = 0; k < tetrahedra.length; k++)
    if (!(tetrahedra[k] >= 0 && tetrahedra[k] < count)) {
      faults.push(`tetrahedron ${k >> 2} names node ${tetrahedra[k]} of ${count}`);
      break;
    }
  if (tetrahedra.length === 0) faults.push("no tetrahedra");
  for (let k = 0; k < positions.length; k++)
    if (!Number.isFinite(positions[k])) {
      faults.push(`node ${Math.floor(k / 3)} is not finite`);
      break;
    }
  if (faults.length > 0) throw new SolidError(faults, file);

  // all triangles get the orientation of most of them
  const cells = tetrahedra.length / 4;
  let positive = 0;
  for (let t = 0; t < cells; t++) if (signedVolume(positions, tetrahedra, 4 * t) > 0) positive++;
  const turned = 2 * positive < cells;
  const flat: number[] = [];
  const inverted: number[] = [];
  for (let t = 0; t < cells; t++) {
    const v = signedVolume(positions, tetrahedra, 4 * t) * (turned ? -1 : 1);
    if (!(Math.abs(v) > FLAT * regularVolume(positions, tetrahedra, 4 * t))) flat.push(t);
    else if (v < 0) inverted.push(t);
  }
  const tetrahedraIn = (list: number[]): string =>
    list.length === 1 ? "tetrahedron" : "tetrahedra";
  const where = (list: number[]): string =>
    `${list.slice(0, 5).join(", ")}${list.length > 5 ? ", …" : ""} (the first at ${place(positions, tetrahedra[4 * list[0]])})`;
  if (flat.length > 0) faults.push(`${flat.length} flat ${tetrahedraIn(flat)}: ${where(flat)}`);
  if (inverted.length > 0)
    faults.push(`${inverted.length} inverted ${tetrahedraIn(inverted)}: ${where(inverted)}`);
  if (faults.length > 0) throw new SolidError(faults, file);

  const number = new Int32Array(count).fill(-1);
  for (let k = 0; k < tetrahedra.length; k++) number[tetrahedra[k]] = 0;
  let n = 0;
  for (let p = 0; p < count; p++) if (number[p] === 0) number[p] = n++;
  const rest = new Float64Array(3 * n);
  for (let p = 0; p < count; p++)
    if (number[p] >= 0) for (let c = 0; c < 3; c++) rest[3 * number[p] + c] = positions[3 * p + c];
  const corners = tetrahedra.map((p) => number[p]);
  if (turned)
    for (let t = 0; t < corners.length; t += 4) {
      const swap = corners[t];
      corners[t] = corners[t + 1];
      corners[t + 1] = swap;
    }
  return assembled(rest, corners, {});
}

function place(positions: Float64Array, p: number): string {
  const at = (c: number): string => Number(positions[3 * p + c].toPrecision(4)).toString();
  return `${at(0)}, ${at(1)}, ${at(2)} m`;
}

function assembled(
  rest: Float64Array,
  tetrahedra: Int32Array,
  named: Record<string, number[]>,
): SolidMesh {
  const n = rest.length / 3;
  const volume = new Float64Array(tetrahedra.length / 4);
  for (let t = 0; t < volume.length; t++) volume[t] = signedVolume(rest, tetrahedra, 4 * t);
  const surface = boundary(n, tetrahedra);
  const faces: Record<string, Int32Array> = {
    surface: Int32Array.from(new Set(surface)).sort(),
  };
  for (const [name, nodes] of Object.entries(named)) faces[name] = Int32Array.from(nodes);
  return { n, rest, tetrahedra, volume, surface, faces };
}

/** Faces of a tetrahedron a b c d of positive volume, counter-clockwise from outside. */
const SIDES = [
  [0, 2, 1],
  [0, 1, 3],
  [0, 3, 2],
  [1, 2, 3],
] as const;

/** The triangles that belong to one tetrahedron only. */
function boundary(n: number, tetrahedra: Int32Array): Int32Array {
  const seen = new Map<number, { corners: [number, number, number]; times: number }>();
  const many: number[] = [];
  for (let t = 0; t < tetrahedra.length; t += 4)
    for (const [a, b, c] of SIDES) {
      const corners: [number, number, number] = [
        tetrahedra[t + a],
        tetrahedra[t + b],
        tetrahedra[t + c],
      ];
      const [x, y, z] = [...corners].sort((p, q) => p - q);
      const key = (x * n + y) * n + z; // exact below 200 000 nodes: n³ < 2⁵³
      const known = seen.get(key);
      if (known === undefined) seen.set(key, { corners, times: 1 });
      else if (++known.times > 2) many.push(t >> 2);
    }
  if (many.length > 0)
    throw new SolidError([
      `${many.length} faces belong to more than two tetrahedra; one is of tetrahedron ${many[0]}`,
    ]);
  const out: number[] = [];
  for (const { corners, times } of seen.values()) if (times === 1) out.push(...corners);
  return Int32Array.from(out);
}

/** m³: (b−a)×(c−a)·(d−a)/6 */
export function signedVolume(X: Float64Array, tetrahedra: Int32Array, at: number): number {
  const a = 3 * tetrahedra[at];
  const b = 3 * tetrahedra[at + 1];
  const c = 3 * tetrahedra[at + 2];
  const d = 3 * tetrahedra[at + 3];
  const ux = X[b] - X[a];
  const uy = X[b + 1] - X[a + 1];
  const uz = X[b + 2] - X[a + 2];
  const vx = X[c] - X[a];
  const vy = X[c + 1] - X[a + 1];
  const vz = X[c + 2] - X[a + 2];
  const wx = X[d] - X[a];
  const wy = X[d + 1] - X[a + 1];
  const wz = X[d + 2] - X[a + 2];
  return ((uy * vz - uz * vy) * wx + (uz * vx - ux * vz) * wy + (ux * vy - uy * vx) * wz) / 6;
}

/** m³: of the regular tetrahedron on the longest edge. */
function regularVolume(X: Float64Array, tetrahedra: Int32Array, at: number): number {
  let most = 0;
  for (let p = 0; p < 4; p++)
    for (let q = 0; q < p; q++) {
      const a = 3 * tetrahedra[at + p];
      const b = 3 * tetrahedra[at + q];
      const x = X[a] - X[b];
      const y = X[a + 1] - X[b + 1];
      const z = X[a + 2] - X[b + 2];
      most = Math.max(most, x * x + y * y + z * z);
    }
  return (most * Math.sqrt(most)) / (6 * Math.SQRT2);
}

function moved(mesh: SolidMesh, [x, y, z]: Vec3): SolidMesh {
  const rest = mesh.rest.slice();
  for (let p = 0; p < mesh.n; p++) {
    rest[3 * p] += x;
    rest[3 * p + 1] += y;
    rest[3 * p + 2] += z;
  }
  return { ...mesh, rest };
}
