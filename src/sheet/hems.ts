// biome-ignore-all format: components are kept in columns
/**
 * Hems: a sheet is drawn with a thickness where it ends, by a rounded lip of radius r along its rim.
 *
 *   front   yᵢ − w o,  yᵢ + r n,  yᵢ + r o           n the normal, o outward: t × n, t along the rim
 *   back    yᵢ + r o,  yᵢ − r n,  yᵢ − w o           w = 3 r: the lip fades into the sheet
 *
 * Both halves turn as the sheet does, so that the back of the lip is the back of the cloth. Edges that a seam closes are no hems.
 * For pictures alone: nothing is simulated on it.
 */
import type { ReadonlyI32 } from "../linalg/arena.ts";

/** A mesh as far as its rim needs it; sheets and patches fit. */
export interface RimmedMesh {
  readonly triangles: ReadonlyI32;
  readonly parts: readonly { readonly firstTriangle: number; readonly triangles: number }[];
  /** [n] the lowest of the points that each is sewn together with. */
  readonly sewn?: ReadonlyI32;
}

export interface Hems {
  /** Points on rims, in the order of the parts. */
  readonly count: number;
  /** [count] points of the mesh; the rim's points before and after each. */
  readonly point: Int32Array;
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** [count] a corner of a triangle (place in `triangles` of the mesh) at each: its material coordinates are the lip's. */
  readonly corner: Int32Array;
  /** [3·…] corners of the lips' triangles: vertex 6k … 6k + 5 belong to rim point k. */
  readonly triangles: Int32Array;
  readonly parts: readonly { readonly first: number; readonly points: number; readonly firstTriangle: number; readonly triangles: number }[];
}

/** Vertices of a lip at each point of the rim. */
export const LIP = 6;
/** Width of a lip over its radius. */
const WIDTH = 3;

export function createHems(mesh: RimmedMesh): Hems {
  const point: number[] = [], before: number[] = [], after: number[] = [], corner: number[] = [], triangles: number[] = [];
  const closed = seamEdges(mesh);
  const parts = mesh.parts.map(({ firstTriangle, triangles: count }) => {
    const first = point.length, own = triangles.length / 3, known = new Map<number, number>();
    const rimOf = (i: number, at: number): number => {
      let k = known.get(i);
      if (k === undefined) { k = point.length; known.set(i, k); point.push(i); before.push(i); after.push(i); corner.push(at); }
      return k;
    };
    for (const [from, to] of rim(mesh, closed, firstTriangle, count)) {
      const a = mesh.triangles[from], b = mesh.triangles[to], k = rimOf(a, from), l = rimOf(b, to);
      after[k] = b; before[l] = a;
      for (let s = 0; s < LIP - 1; s++) if (s !== 2) {
        // 2 → 3 is one line twice: the front's and the back's
        const p = LIP * k + s, q = LIP * l + s, turned = s > 2;
        if (turned) triangles.push(p, q + 1, p + 1, p, q, q + 1);
        else triangles.push(p, p + 1, q + 1, p, q + 1, q);
      }
    }
    return { first, points: point.length - first, firstTriangle: own, triangles: triangles.length / 3 - own };
  });
  return {
    count: point.length, point: Int32Array.from(point), before: Int32Array.from(before), after: Int32Array.from(after),
    corner: Int32Array.from(corner), triangles: Int32Array.from(triangles), parts,
  };
}

/**
 * Points and normals of the lips; allocates nothing.
 *
 * @param out       [18·count] m from `at` on
 * @param outNormal [18·count] unit from `at` on, on the side of the sheet's normals
 * @param radius    [parts] m
 */
export function evaluateHems(out: Float32Array | Float64Array, outNormal: Float32Array | Float64Array, at: number, hems: Hems, positions: ArrayLike<number>, normals: ArrayLike<number>, radius: readonly number[]): void {
  const { point, before, after, parts } = hems;
  for (let p = 0; p < parts.length; p++) {
    const r = radius[p] ?? 0, w = WIDTH * r;
    for (let k = parts[p].first; k < parts[p].first + parts[p].points; k++) {
      const i = 3 * point[k], a = 3 * before[k], b = 3 * after[k];
      const tx = positions[b] - positions[a], ty = positions[b + 1] - positions[a + 1], tz = positions[b + 2] - positions[a + 2];
      const nx = normals[i], ny = normals[i + 1], nz = normals[i + 2];
      let ox = ty * nz - tz * ny, oy = tz * nx - tx * nz, oz = tx * ny - ty * nx;
      const length = Math.sqrt(ox * ox + oy * oy + oz * oz) || 1;
      ox /= length; oy /= length; oz /= length;
      const v = at + 3 * LIP * k;
      // along o and along n: of the place, in metres, and of the normal
      lip(out, outNormal, v,      positions, i, ox, oy, oz, nx, ny, nz, -w,  0,  0,  1);
      lip(out, outNormal, v + 3,  positions, i, ox, oy, oz, nx, ny, nz,  0,  r,  SLANT, UPRIGHT);
      lip(out, outNormal, v + 6,  positions, i, ox, oy, oz, nx, ny, nz,  r,  0,  1,  0);
      lip(out, outNormal, v + 9,  positions, i, ox, oy, oz, nx, ny, nz,  r,  0, -1,  0);
      lip(out, outNormal, v + 12, positions, i, ox, oy, oz, nx, ny, nz,  0, -r, -SLANT, UPRIGHT);
      lip(out, outNormal, v + 15, positions, i, ox, oy, oz, nx, ny, nz, -w,  0,  0,  1);
    }
  }
}

/** The normal at the top of a lip, between the sheet's and outward. */
const SLANT = 0.4, UPRIGHT = Math.sqrt(1 - SLANT * SLANT);

function lip(out: Float32Array | Float64Array, outNormal: Float32Array | Float64Array, v: number, positions: ArrayLike<number>, i: number, ox: number, oy: number, oz: number, nx: number, ny: number, nz: number, along: number, up: number, no: number, nn: number): void {
  out[v]     = positions[i]     + along * ox + up * nx; outNormal[v]     = no * ox + nn * nx;
  out[v + 1] = positions[i + 1] + along * oy + up * ny; outNormal[v + 1] = no * oy + nn * ny;
  out[v + 2] = positions[i + 2] + along * oz + up * nz; outNormal[v + 2] = no * oz + nn * nz;
}

function keyOf(a: number, b: number): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

/** Edges of sewn points that two triangles or more have: seams that are closed. */
function seamEdges({ triangles, sewn }: RimmedMesh): Set<string> {
  const closed = new Set<string>();
  if (!sewn) return closed;
  const seen = new Set<string>();
  for (let c = 0; c < triangles.length; c++) {
    const key = keyOf(sewn[triangles[c]], sewn[triangles[next(c)]]);
    if (seen.has(key)) closed.add(key);
    seen.add(key);
  }
  return closed;
}

/** Corners at the two ends of every edge that only one triangle has and no seam closes, as that triangle goes round. */
export function rim({ triangles, sewn }: Pick<RimmedMesh, "triangles" | "sewn">, closed: ReadonlySet<string>, firstTriangle: number, count: number): [number, number][] {
  const seen = new Map<string, [number, number] | null>();
  for (let c = 3 * firstTriangle; c < 3 * (firstTriangle + count); c++) {
    const a = triangles[c], b = triangles[next(c)], key = keyOf(a, b);
    seen.set(key, seen.has(key) || (sewn && closed.has(keyOf(sewn[a], sewn[b]))) ? null : [c, next(c)]);
  }
  return [...seen.values()].filter((edge) => edge !== null);
}

/** The next corner of the same triangle. */
function next(c: number): number {
  return c % 3 === 2 ? c - 2 : c + 1;
}
