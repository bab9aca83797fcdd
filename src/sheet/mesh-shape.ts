/**
 * Sheets from triangle meshes: with UV as the flat material, or without, when every triangle is its
 * own flat piece.
 *
 * With UV (a sewing pattern, in the mesh's unit) the material is the UV plane and the positions are
 * only where the sheet rests in space. Without, the mesh's own lengths are the material: a plane
 * mesh gets coordinates in its plane, any other gets each triangle's own, and charts unroll it
 * point by point.
 *
 * A simulator of surfaces needs a surface: an edge has one or two triangles, a point has one fan of
 * them, neighbours agree on which side is up. What is not so is refused with the places, the first
 * ten of each kind.
 */
import type { Sampling, Vec2 } from "../scene/scene.ts";
import type { PartMesh, TriangleMesh } from "./kinematics.ts";
import { polygonOutline, signedArea } from "./outline.ts";
import { lengthOf, next, twins } from "./plane.ts";
import type { Random } from "./random.ts";
import { sampleOutline } from "./sampling.ts";
import { SheetError } from "./sheet-error.ts";

/**
 * How far UV and space may disagree about the total area before UV is taken for texture coordinates
 * in 0 … 1.
 */
const SAME_UNIT = 4;
/** Area over the mean one under which a triangle of the UV plane has none. */
const NO_AREA = 1e-9;
/** How far a mesh may be from a plane, over its size, and a plane from level; other meshes are unrolled. */
const FLAT = 1e-9;
/** Height over the first side under which a triangle in space has no area: rounding of single precision. */
const NEEDLE = 1e-7;

/**
 * A mesh as a part: its own points, or resampled within its outline if the material is one flat
 * piece.
 */
export function meshPart(
  file: string,
  mesh: TriangleMesh,
  options: { scale: number; uv: boolean; sampling: Sampling },
  random: Random,
): PartMesh {
  refuseBadTriangles(file, mesh);
  const rest = mesh.positions.map((x) => x * options.scale);
  const triangles = Int32Array.from(mesh.triangles);
  const n = rest.length / 3;
  const material = options.uv
    ? fromUv(file, mesh, rest, triangles, options.scale)
    : (fromPlane(rest, triangles) ?? fromLengths(mesh, rest, triangles));
  const loops = boundaryLoops({ n, triangles });
  const edges: Record<string, number[]> = { boundary: loops.flat() };
  loops.forEach((loop, k) => {
    edges[`loop${k}`] = loop;
  });
  const part: PartMesh = { rest, triangles, ...material, named: { edges, corners: {} } };
  if (options.sampling.type === "mesh") return part;
  if (!material.onePiece) {
    throw new SheetError("sampling", [
      `"${options.sampling.type}" needs a mesh that is flat in one piece (or has such a UV); take "mesh" for ${file}`,
    ]);
  }
  return resampled(part, loops, options.sampling, random);
}

interface Material {
  uv: Float64Array;
  corners: Float64Array;
  /** Every point has one uv: the material is one flat piece. */
  onePiece: boolean;
}

/** The UV plane, turned over if it is drawn clockwise. */
function fromUv(
  file: string,
  mesh: TriangleMesh,
  rest: Float64Array,
  triangles: Int32Array,
  scale: number,
): Material {
  if (mesh.uv === null) throw new SheetError("mesh", [`${file} has no UV; set uv: false`]);
  const uv = mesh.uv.map((x) => x * scale);
  const corners = new Float64Array(2 * triangles.length);
  for (let k = 0; k < triangles.length; k++) {
    corners[2 * k] = mesh.cornerUv ? mesh.cornerUv[2 * k] * scale : uv[2 * triangles[k]];
    corners[2 * k + 1] = mesh.cornerUv
      ? mesh.cornerUv[2 * k + 1] * scale
      : uv[2 * triangles[k] + 1];
  }
  const count = triangles.length / 3;
  const areas = Array.from({ length: count }, (_, t) => areaOf(corners, t));
  const negative = areas.filter((area) => area < 0).length;
  if (negative > count / 2) {
    // The whole pattern is seen from behind: go around every triangle the other way.
    for (let t = 0; t < count; t++) {
      const [b, c] = [3 * t + 1, 3 * t + 2];
      [triangles[b], triangles[c]] = [triangles[c], triangles[b]];
      [corners[2 * b], corners[2 * c]] = [corners[2 * c], corners[2 * b]];
      [corners[2 * b + 1], corners[2 * c + 1]] = [corners[2 * c + 1], corners[2 * b + 1]];
      areas[t] = -areas[t];
    }
  }
  const faults: string[] = [];
  const size = areas.reduce((sum, area) => sum + Math.abs(area), 0) / count;
  for (let t = 0; t < count && faults.length < 10; t++) {
    if (areas[t] > NO_AREA * size) continue;
    const what = areas[t] < 0 ? "is turned over in" : "has no area in";
    faults.push(
      `triangle ${t} ${what} the UV plane, at (${corners[6 * t]}, ${corners[6 * t + 1]})`,
    );
  }
  const inSpace = Array.from({ length: count }, (_, t) => flattened(rest, triangles, t)).reduce(
    (sum, [ab, , h]) => sum + (ab * h) / 2,
    0,
  );
  const ratio = (size * count) / inSpace;
  if (ratio > SAME_UNIT || ratio < 1 / SAME_UNIT) {
    faults.push(
      `${file}: its UV covers ${(size * count).toPrecision(3)} m², the mesh ${inSpace.toPrecision(3)} m²; are these texture coordinates? set uv: false`,
    );
  }
  if (faults.length > 0) throw new SheetError("mesh", faults);
  return { uv, corners, onePiece: mesh.cornerUv === undefined };
}

/** Coordinates in the plane of a plane mesh: v points up, or along y if the plane is level. */
function fromPlane(rest: Float64Array, triangles: Int32Array): Material | null {
  const normal = [0, 0, 0];
  for (let k = 0; k < triangles.length; k += 3) {
    const [ax, ay, az] = at(rest, triangles[k]);
    const [bx, by, bz] = at(rest, triangles[k + 1]);
    const [cx, cy, cz] = at(rest, triangles[k + 2]);
    normal[0] += (by - ay) * (cz - az) - (bz - az) * (cy - ay);
    normal[1] += (bz - az) * (cx - ax) - (bx - ax) * (cz - az);
    normal[2] += (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  }
  const length = lengthOf(normal[0], lengthOf(normal[1], normal[2]));
  if (length === 0) return null;
  const [a, b, c] = normal.map((x) => x / length);
  const level = Math.abs(c) > 1 - FLAT;
  // v: z (or y) less its part along the normal; u = v × normal
  const along = level ? b : c;
  const v = level
    ? [-along * a, 1 - along * b, -along * c]
    : [-along * a, -along * b, 1 - along * c];
  const size = lengthOf(v[0], lengthOf(v[1], v[2]));
  const [vx, vy, vz] = v.map((x) => x / size);
  const [ux, uy, uz] = [vy * c - vz * b, vz * a - vx * c, vx * b - vy * a];

  const n = rest.length / 3;
  const uv = new Float64Array(2 * n);
  const height = at(rest, triangles[0]).reduce((sum, x, k) => sum + x * [a, b, c][k], 0);
  for (let i = 0; i < n; i++) {
    const [x, y, z] = at(rest, i);
    if (Math.abs(a * x + b * y + c * z - height) > FLAT * Math.sqrt(length)) return null;
    uv[2 * i] = ux * x + uy * y + uz * z;
    uv[2 * i + 1] = vx * x + vy * y + vz * z;
  }
  const corners = new Float64Array(2 * triangles.length);
  for (let k = 0; k < triangles.length; k++) {
    corners[2 * k] = uv[2 * triangles[k]];
    corners[2 * k + 1] = uv[2 * triangles[k] + 1];
  }
  for (let t = 0; t < triangles.length / 3; t++) if (areaOf(corners, t) <= 0) return null; // folded over
  return { uv, corners, onePiece: true };
}

/** Each triangle flattened by its own lengths; uv is the file's if it has one, else x and y. */
function fromLengths(mesh: TriangleMesh, rest: Float64Array, triangles: Int32Array): Material {
  const n = rest.length / 3;
  const uv = new Float64Array(2 * n);
  for (let i = 0; i < n; i++) {
    uv[2 * i] = mesh.uv ? mesh.uv[2 * i] : rest[3 * i];
    uv[2 * i + 1] = mesh.uv ? mesh.uv[2 * i + 1] : rest[3 * i + 1];
  }
  const corners = new Float64Array(2 * triangles.length);
  for (let t = 0; t < triangles.length / 3; t++) {
    const [ab, foot, h] = flattened(rest, triangles, t);
    corners.set([0, 0, ab, 0, foot, h], 6 * t);
  }
  return { uv, corners, onePiece: false };
}

/** A triangle with its first side along u: |ab|, and where the third corner is. */
function flattened(rest: Float64Array, triangles: Int32Array, t: number): [number, number, number] {
  const [ax, ay, az] = at(rest, triangles[3 * t]);
  const [bx, by, bz] = at(rest, triangles[3 * t + 1]);
  const [cx, cy, cz] = at(rest, triangles[3 * t + 2]);
  const [px, py, pz] = [bx - ax, by - ay, bz - az];
  const [qx, qy, qz] = [cx - ax, cy - ay, cz - az];
  const ab = Math.sqrt(px * px + py * py + pz * pz);
  const [nx, ny, nz] = [py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx];
  return [ab, (px * qx + py * qy + pz * qz) / ab, Math.sqrt(nx * nx + ny * ny + nz * nz) / ab];
}

/**
 * Throws one error for an empty mesh, bad numbers, triangles without area, and whatever is no
 * surface.
 */
function refuseBadTriangles(file: string, { positions, triangles }: TriangleMesh): void {
  const n = positions.length / 3;
  if (triangles.length === 0 || n === 0) throw new SheetError("mesh", [`${file} has no triangles`]);
  const faults = new Faults();
  for (let i = 0; i < n; i++) {
    if (!at(positions, i).every(Number.isFinite))
      faults.add("numbers", `point ${i} is not a number`);
  }
  const used = new Uint8Array(n);
  for (let t = 0; t < triangles.length / 3; t++) {
    const [a, b, c] = [triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]];
    if (![a, b, c].every((i) => i >= 0 && i < n)) {
      faults.add("range", `triangle ${t} names points ${a}, ${b}, ${c}; there are ${n}`);
      continue;
    }
    used[a] = used[b] = used[c] = 1;
    const [ab, , h] = flattened(positions, triangles, t);
    const place = `at ${placeOf(positions, a)}`;
    if (a === b || b === c || c === a)
      faults.add("repeat", `triangle ${t} has a point twice, ${place}`);
    else if (!(h > NEEDLE * ab))
      faults.add("area", `triangle ${t} (${a}, ${b}, ${c}) has no area, ${place}`);
  }
  faults.refuse("mesh");
  for (let i = 0; i < n; i++) {
    if (used[i] === 0)
      faults.add("loose", `point ${i} at ${placeOf(positions, i)} is in no triangle`);
  }
  noSurface(n, triangles, faults, (i) => `point ${i} at ${placeOf(positions, i)}`);
  faults.refuse("mesh");
}

/** Faults by kind, the first ten of each. */
export class Faults {
  private readonly kinds = new Map<string, string[]>();

  add(kind: string, fault: string): void {
    const list = this.kinds.get(kind) ?? [];
    list.push(fault);
    this.kinds.set(kind, list);
  }

  refuse(where: string): void {
    const faults: string[] = [];
    for (const list of this.kinds.values()) {
      faults.push(...list.slice(0, 10));
      if (list.length > 10) faults.push(`and ${list.length - 10} more such`);
    }
    if (faults.length > 0) throw new SheetError(where, faults);
  }
}

/**
 * Notes edges of three triangles, neighbours that disagree on which side is up, and points where
 * fans touch.
 */
export function noSurface(
  n: number,
  triangles: ArrayLike<number>,
  faults: Faults,
  name: (point: number) => string,
): void {
  const sides = new Map<number, number>(); // directed side → triangles that have it
  for (let k = 0; k < triangles.length; k++) {
    const key = triangles[k] * n + triangles[next(k)];
    sides.set(key, (sides.get(key) ?? 0) + 1);
  }
  for (const [key, count] of sides) {
    const [a, b] = [Math.floor(key / n), key % n];
    const opposite = sides.get(b * n + a) ?? 0;
    if (a > b && opposite > 0) continue; // noted already from the other side
    const edge = `edge from ${name(a)} to ${name(b)}`;
    if (count + opposite > 2)
      faults.add("edge", `${edge} has ${count + opposite} triangles, a surface has two`);
    else if (count === 2)
      faults.add("side", `${edge}: its two triangles are turned over against each other`);
  }
  const twin = twins({ n, triangles: Int32Array.from(triangles) });
  const places: number[][] = Array.from({ length: n }, () => []);
  for (let k = 0; k < triangles.length; k++) places[triangles[k]].push(k);
  places.forEach((own, i) => {
    // Walk counter-clockwise from a place without a clockwise neighbour, or anywhere if there is
    // none.
    const begin = own.find((k) => twin[k] < 0) ?? own[0];
    let walked = 0;
    for (let k = begin; k >= 0 && k !== undefined && walked <= own.length; walked++) {
      k = twin[next(next(k))];
      if (k === begin) {
        walked++;
        break;
      }
    }
    if (own.length > 0 && walked < own.length)
      faults.add("fan", `${name(i)}: parts of the sheet touch in this point only`);
  });
}

/** Closed loops of boundary points, the inside on their left, longest first. */
export function boundaryLoops({ n, triangles }: { n: number; triangles: Int32Array }): number[][] {
  const twin = twins({ n, triangles });
  const follows = new Map<number, number>();
  for (let k = 0; k < triangles.length; k++) {
    if (twin[k] < 0) follows.set(triangles[k], triangles[next(k)]);
  }
  const loops: number[][] = [];
  const seen = new Set<number>();
  for (const first of [...follows.keys()].sort((a, b) => a - b)) {
    const loop: number[] = [];
    for (let i = first; !seen.has(i); i = follows.get(i)!) {
      seen.add(i);
      loop.push(i);
    }
    if (loop.length > 0) loops.push(loop);
  }
  return loops.sort((a, b) => b.length - a.length || a[0] - b[0]);
}

/**
 * New points within the outline of a flat part; where they rest in space is interpolated in the old
 * triangles.
 */
function resampled(
  part: PartMesh,
  loops: readonly number[][],
  sampling: Sampling,
  random: Random,
): PartMesh {
  const vertices = loops.map((loop) => loop.map((i): Vec2 => [part.uv[2 * i], part.uv[2 * i + 1]]));
  const outer = vertices.filter((loop) => signedArea(loop) > 0);
  if (outer.length !== 1) {
    throw new SheetError("sampling", [
      `the mesh has ${outer.length} pieces; resampling needs one, take sampling "mesh"`,
    ]);
  }
  const holes = vertices.filter((loop) => signedArea(loop) <= 0);
  const flat = sampleOutline(polygonOutline(outer[0], holes), sampling, random);
  const n = flat.uv.length / 2;
  const rest = new Float64Array(3 * n);
  for (let i = 0; i < n; i++) {
    const { t, weights } = nearestTriangle(part, flat.uv[2 * i], flat.uv[2 * i + 1]);
    for (let k = 0; k < 3; k++) {
      const from = at(part.rest, part.triangles[3 * t + k]);
      for (let c = 0; c < 3; c++) rest[3 * i + c] += weights[k] * from[c];
    }
  }
  return { ...flat, rest };
}

/**
 * The triangle that holds a place, or comes nearest to it: the one whose least weight is largest.
 */
function nearestTriangle(
  { corners: x, triangles }: PartMesh,
  u: number,
  v: number,
): { t: number; weights: number[] } {
  let best = { t: 0, weights: [1, 0, 0] };
  let most = -Infinity;
  for (let t = 0; t < triangles.length / 3; t++) {
    const k = 6 * t;
    const cross = (a: number, b: number): number =>
      (x[k + 2 * a] - u) * (x[k + 2 * b + 1] - v) - (x[k + 2 * a + 1] - v) * (x[k + 2 * b] - u);
    const doubled = 2 * areaOf(x, t);
    const weights = [cross(1, 2) / doubled, cross(2, 0) / doubled, cross(0, 1) / doubled];
    const least = Math.min(...weights);
    if (least > most) [best, most] = [{ t, weights }, least];
    if (most >= 0) break;
  }
  return best;
}

function areaOf(x: Float64Array, t: number): number {
  const k = 6 * t;
  return (
    ((x[k + 2] - x[k]) * (x[k + 5] - x[k + 1]) - (x[k + 3] - x[k + 1]) * (x[k + 4] - x[k])) / 2
  );
}

function at(positions: ArrayLike<number>, i: number): [number, number, number] {
  return [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
}

function placeOf(positions: ArrayLike<number>, i: number): string {
  return `(${at(positions, i).join(", ")})`;
}
