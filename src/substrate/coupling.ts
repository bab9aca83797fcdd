/**
 * Skin on a solid (§6): a sparse set of average-position rows between patches of the skin and points within the solid.
 *
 *   g = Σₖ aₖ Yₖ − Σ_b β_b x_b        aₖ: area shares of a patch,  β: barycentric weights of a point in its cell
 *
 * Every point of the skin is in one patch. Within a patch the skin is free to fold; what the flesh feels, and what holds
 * the skin, is the mean. A wave of length Λ seen through patches of width s is weaker by sinc(s/Λ), 5 % at s = Λ/6, so
 * patches are a sixth of the wavelength that is to be expected,
 *
 *   Λ₀ = 2π (4D/Ē)^⅓,     Ē = E/(1 − ν²)
 *
 * that of a plate on a deep half-space, and the skin should have two points to a patch.
 *
 * Two-way, x are unknowns beside Y and the rows are a glue far stiffer than the flesh: it yields GLUE times less than the
 * flesh under a wave Λ₀ does. (Three times that changes the wavelength by 1 % and doubles the iterations.)
 *
 * One-way, x is known and does not feel the skin. Rigid rows would then pin the skin to the patches, and the wavelength
 * would be that of the constraints. So the rows are springs that stand for the flesh: the half-space gives way to a wave
 * Λ₀ by Ēk₀/2 per area, a bed of springs K has its wavelength at 2π(D/K)^¼, and K = Dk₀⁴ = Ēk₀/4 makes that Λ₀ too.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import { PI, sin } from "../linalg/elementary.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import type { RowSet } from "../system/system.ts";
import type { SolidMaterial } from "./solid.ts";
import { SolidError, type SolidMesh } from "./tetrahedra.ts";

/** Patches per expected wavelength. */
const PATCHES_PER_WAVE = 6;
/** The glue of two-way coupling is this many times as stiff as the flesh under a wave. */
const GLUE = 10;
/** The skin may start this many patches away from the solid; more is a mistake in placing it. */
const REACH = 1;

/**
 * m: 2π (4D/Ē)^⅓, the wavelength of the wrinkles of a skin of rigidity D on a deep solid; Ē = young/(1 − poisson²).
 *
 * @param D N·m
 *
 * @example
 * const wavelength = halfSpaceWavelength(1e-6, { young: 1e4, poisson: 0.45, density: 1000 });
 */
export function halfSpaceWavelength(D: number, { young, poisson }: SolidMaterial): number {
  return 2 * PI * cubeRoot((4 * D * (1 - poisson * poisson)) / young);
}

/** By Newton's method, with the same bits everywhere. */
function cubeRoot(x: number): number {
  if (!(x > 0)) return 0;
  // powers of 8 are exact; then x is in [1, 8)
  let scale = 1;
  while (x >= 8) {
    x /= 8;
    scale *= 2;
  }
  while (x < 1) {
    x *= 8;
    scale /= 2;
  }
  let y = 1.5;
  for (let k = 0; k < 6; k++) y = (2 * y + x / (y * y)) / 3;
  return y * scale;
}

/** Patches of a skin: points index[start[b]] … with their area shares, and the mean where they start. */
export interface Patches {
  readonly count: number;
  readonly start: Int32Array; // [count+1]
  readonly index: Int32Array;
  readonly share: Float64Array;
  readonly area: Float64Array; // [count] m²
  readonly centre: Float64Array; // [3·count] m
}

/** Spacings of patches that their seeds keep from each other at least, so that patches come out about a spacing wide. */
const SEEDS_APART = 0.85;
/** A barycentric weight from which on a point is inside or on a face, but for rounding. */
const ON_FACE = -1e-9;

/**
 * Cuts the first `n` points of a sheet into patches about `spacing` wide: seeds a little less than that apart, every
 * point to its nearest seed, seeds to the middle of their points, a few times over.
 */
export function patches(sheet: Sheet, n: number, Y: ReadonlyF64, spacing: number): Patches {
  const X = sheet.rest;
  const seeds = coveringSeeds(X, n, SEEDS_APART * spacing);
  const owner = new Int32Array(n);
  for (let round = 0; round < 4; round++) {
    assign(owner, X, n, seeds, 2 * spacing);
    const weight = new Float64Array(seeds.length / 3);
    const sum = new Float64Array(seeds.length);
    for (let i = 0; i < n; i++) {
      weight[owner[i]] += sheet.area[i];
      for (let c = 0; c < 3; c++) sum[3 * owner[i] + c] += sheet.area[i] * X[3 * i + c];
    }
    if (round < 3)
      for (let b = 0; b < weight.length; b++)
        if (weight[b] > 0)
          for (let c = 0; c < 3; c++) seeds[3 * b + c] = sum[3 * b + c] / weight[b];
  }

  const lists: number[][] = Array.from({ length: seeds.length / 3 }, () => []);
  for (let i = 0; i < n; i++) lists[owner[i]].push(i);
  const full = lists.filter((list) => list.length > 0);
  const count = full.length;
  const start = new Int32Array(count + 1);
  const index = new Int32Array(n);
  const share = new Float64Array(n);
  const area = new Float64Array(count);
  const centre = new Float64Array(3 * count);
  for (let b = 0, e = 0; b < count; b++) {
    for (const i of full[b]) area[b] += sheet.area[i];
    for (const i of full[b]) {
      index[e] = i;
      share[e] = sheet.area[i] / area[b];
      for (let c = 0; c < 3; c++) centre[3 * b + c] += share[e] * Y[3 * i + c];
      e++;
    }
    start[b + 1] = e;
  }
  return { count, start, index, share, area, centre };
}

/** Points at least `distance` apart such that every point is within it of one of them. */
function coveringSeeds(X: ReadonlyF64, n: number, distance: number): Float64Array {
  const grid = new Cells(distance);
  const seeds: number[] = [];
  for (let i = 0; i < n; i++) {
    const [x, y, z] = [X[3 * i], X[3 * i + 1], X[3 * i + 2]];
    let covered = false;
    grid.near(x, y, z, (k) => {
      const dx = seeds[3 * k] - x;
      const dy = seeds[3 * k + 1] - y;
      const dz = seeds[3 * k + 2] - z;
      if (dx * dx + dy * dy + dz * dz < distance * distance) covered = true;
    });
    if (covered) continue;
    grid.add(x, y, z, seeds.length / 3);
    seeds.push(x, y, z);
  }
  return Float64Array.from(seeds);
}

/** owner = nearest seed; all seeds are looked at where none is within `reach`. */
function assign(
  owner: Int32Array,
  X: ReadonlyF64,
  n: number,
  seeds: Float64Array,
  reach: number,
): void {
  const grid = new Cells(reach);
  const count = seeds.length / 3;
  for (let k = 0; k < count; k++) grid.add(seeds[3 * k], seeds[3 * k + 1], seeds[3 * k + 2], k);
  for (let i = 0; i < n; i++) {
    const [x, y, z] = [X[3 * i], X[3 * i + 1], X[3 * i + 2]];
    let best = -1;
    let least = Infinity;
    const look = (k: number): void => {
      const dx = seeds[3 * k] - x;
      const dy = seeds[3 * k + 1] - y;
      const dz = seeds[3 * k + 2] - z;
      const d = dx * dx + dy * dy + dz * dz;
      if (d < least || (d === least && k < best)) {
        least = d;
        best = k;
      }
    };
    grid.near(x, y, z, look);
    if (best < 0) for (let k = 0; k < count; k++) look(k);
    owner[i] = best;
  }
}

/** A grid of cubes of side `size`, for what is near. */
class Cells {
  private readonly size: number;
  private readonly cells = new Map<string, number[]>();
  constructor(size: number) {
    this.size = size;
  }

  add(x: number, y: number, z: number, item: number): void {
    const key = `${this.cell(x)},${this.cell(y)},${this.cell(z)}`;
    const list = this.cells.get(key);
    if (list) list.push(item);
    else this.cells.set(key, [item]);
  }

  /** Everything within `size` of the place, and some more. */
  near(x: number, y: number, z: number, visit: (item: number) => void): void {
    const [a, b, c] = [this.cell(x), this.cell(y), this.cell(z)];
    for (let i = a - 1; i <= a + 1; i++)
      for (let j = b - 1; j <= b + 1; j++)
        for (let k = c - 1; k <= c + 1; k++)
          for (const item of this.cells.get(`${i},${j},${k}`) ?? []) visit(item);
  }

  private cell(x: number): number {
    return Math.floor(x / this.size);
  }
}

/** A point of the solid: cell and barycentric weights. */
export interface Embedded {
  readonly nodes: Int32Array; // [4·count]
  readonly weight: Float64Array; // [4·count]
}

/**
 * Puts points into the solid: the weights reproduce each point exactly at rest, also where it lies a little outside its
 * nearest cell, and carry it along and round with that cell.
 *
 * @throws SolidError if points are farther than `reach` from the solid
 */
export function embed(mesh: SolidMesh, points: ReadonlyF64, reach: number): Embedded {
  const found = search(mesh, points, reach);
  const far = [...found.distance].flatMap((d, k) => (d > reach ? [k] : []));
  if (far.length > 0) {
    // how far they are, the first hundred of them
    const some = far.slice(0, 100);
    const there = search(mesh, Float64Array.from(some.flatMap((k) => at(points, k))), Infinity);
    let worst = 0;
    for (let k = 0; k < some.length; k++) if (there.distance[k] > there.distance[worst]) worst = k;
    const place = at(points, some[worst])
      .map((x) => Number(x.toPrecision(4)))
      .join(", ");
    throw new SolidError([
      `the skin is not on the solid: ${far.length} of ${points.length / 3} patches lie farther than ${reach.toPrecision(3)} m from it, one at ${place} m by ${there.distance[worst].toPrecision(3)} m; move the sheet's pose or the substrate's position`,
    ]);
  }
  return found;
}

function at(points: ReadonlyF64, k: number): number[] {
  return [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
}

/** The nearest cell of every point, as far as `reach`; where there is none the distance is infinite. */
function search(
  mesh: SolidMesh,
  points: ReadonlyF64,
  reach: number,
): Embedded & { distance: Float64Array } {
  const { tetrahedra, rest } = mesh;
  const count = points.length / 3;
  const cells = tetrahedra.length / 4;
  const nodes = new Int32Array(4 * count);
  const weight = new Float64Array(4 * count);
  const distance = new Float64Array(count).fill(Infinity);
  const w = new Float64Array(4);
  const box = new Float64Array(6);
  for (let t = 0; t < cells; t++) {
    bounds(box, rest, tetrahedra, 4 * t);
    for (let k = 0; k < count; k++) {
      const x = points[3 * k];
      const y = points[3 * k + 1];
      const z = points[3 * k + 2];
      // farther from the box than from the best cell so far, or than anything may be
      const ox = Math.max(box[0] - x, x - box[3], 0);
      const oy = Math.max(box[1] - y, y - box[4], 0);
      const oz = Math.max(box[2] - z, z - box[5], 0);
      if (Math.max(ox, oy, oz) > reach || Math.max(ox, oy, oz) >= distance[k]) continue;
      barycentric(w, rest, tetrahedra, 4 * t, x, y, z);
      const d = distanceOutside(w, rest, tetrahedra, 4 * t);
      if (d >= distance[k]) continue;
      distance[k] = d;
      for (let a = 0; a < 4; a++) {
        nodes[4 * k + a] = tetrahedra[4 * t + a];
        weight[4 * k + a] = w[a];
      }
    }
  }
  return { nodes, weight, distance };
}

function bounds(box: Float64Array, X: ReadonlyF64, tetrahedra: Int32Array, t: number): void {
  box.fill(Infinity, 0, 3).fill(-Infinity, 3, 6);
  for (let a = 0; a < 4; a++)
    for (let c = 0; c < 3; c++) {
      const x = X[3 * tetrahedra[t + a] + c];
      if (x < box[c]) box[c] = x;
      if (x > box[3 + c]) box[3 + c] = x;
    }
}

/** Weights of the corners for the point x y z, by Cramer's rule. */
function barycentric(
  w: Float64Array,
  X: ReadonlyF64,
  tetrahedra: Int32Array,
  t: number,
  x: number,
  y: number,
  z: number,
): void {
  const [a, b, c, d] = [0, 1, 2, 3].map((k) => 3 * tetrahedra[t + k]);
  const triple = (p: number[], q: number[], r: number[]): number =>
    (p[1] * q[2] - p[2] * q[1]) * r[0] +
    (p[2] * q[0] - p[0] * q[2]) * r[1] +
    (p[0] * q[1] - p[1] * q[0]) * r[2];
  const from = (k: number): number[] => [X[k] - X[a], X[k + 1] - X[a + 1], X[k + 2] - X[a + 2]];
  const p = [x - X[a], y - X[a + 1], z - X[a + 2]];
  const [u, v, s] = [from(b), from(c), from(d)];
  const whole = triple(u, v, s);
  w[1] = triple(p, v, s) / whole;
  w[2] = triple(u, p, s) / whole;
  w[3] = triple(u, v, p) / whole;
  w[0] = 1 - w[1] - w[2] - w[3];
}

/** m: how far the point is outside the cell, at most: the largest distance beyond one of its faces. */
function distanceOutside(
  w: Float64Array,
  X: ReadonlyF64,
  tetrahedra: Int32Array,
  t: number,
): number {
  // −w_a times the height over face a; a face's height is 1/|g_a|
  let most = 0;
  for (let a = 0; a < 4; a++) {
    if (w[a] >= ON_FACE) continue;
    const height = heightOver(X, tetrahedra, t, a);
    most = Math.max(most, -w[a] * height);
  }
  return most;
}

function heightOver(X: ReadonlyF64, tetrahedra: Int32Array, t: number, a: number): number {
  const [p, q, r] = [1, 2, 3].map((k) => 3 * tetrahedra[t + ((a + k) & 3)]);
  const o = 3 * tetrahedra[t + a];
  const u = [0, 1, 2].map((c) => X[q + c] - X[p + c]);
  const v = [0, 1, 2].map((c) => X[r + c] - X[p + c]);
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  const over = n[0] * (X[o] - X[p]) + n[1] * (X[o + 1] - X[p + 1]) + n[2] * (X[o + 2] - X[p + 2]);
  return Math.abs(over) / length;
}

export interface Bonds extends RowSet {
  readonly patches: Patches;
  readonly embedded: Embedded;
  /** m, of the patches. */
  readonly spacing: number;
  /** m, Λ₀. */
  readonly wavelength: number;
  /** [3·patches] m, where the means must be; 0 two-way. */
  readonly target: Float64Array;
  /** One-way: the targets follow the solid's nodes x [3n] m. */
  follow(x: ReadonlyF64): void;
  /** N/m² per patch: traction on the skin, xyz, from the last evaluate. */
  traction(): Float64Array;
}

export interface BondOptions {
  /** m; null: by the expected wavelength. */
  spacing: number | null;
  twoWay: boolean;
  /** Points of the sheet that are skin: the first so many. */
  points: number;
  /** N·m, of the skin. */
  D: number;
  /** Two-way: the solid's node k is point first + k. */
  first: number;
}

/** The skin cut into patches, each with its place in the solid. */
export interface Cut {
  readonly material: SolidMaterial;
  readonly wavelength: number;
  readonly spacing: number;
  readonly patches: Patches;
  readonly embedded: Embedded;
}

/** @throws SolidError if the skin does not lie on the solid */
export function cutSkin(
  sheet: Sheet,
  Y: ReadonlyF64,
  mesh: SolidMesh,
  material: SolidMaterial,
  { spacing: asked, points, D }: BondOptions,
): Cut {
  const wavelength = halfSpaceWavelength(D, material);
  const spacing = asked ?? wavelength / PATCHES_PER_WAVE;
  const cut = patches(sheet, points, Y, spacing);
  const embedded = embed(mesh, cut.centre, REACH * spacing);
  return { material, wavelength, spacing, patches: cut, embedded };
}

/** The rows between skin and solid. */
export function bonds(
  memory: Allocator,
  { material, wavelength, spacing, patches: cut, embedded }: Cut,
  { twoWay, points, first }: BondOptions,
): Bonds {
  const { count } = cut;
  const extra = twoWay ? 4 : 0;
  const start = new Int32Array(count + 1);
  const index = new Int32Array(points + extra * count);
  const share = new Float64Array(index.length);
  for (let b = 0, e = 0; b < count; b++) {
    for (let p = cut.start[b]; p < cut.start[b + 1]; p++, e++) {
      index[e] = cut.index[p];
      share[e] = cut.share[p];
    }
    for (let a = 0; a < extra; a++, e++) {
      index[e] = first + embedded.nodes[4 * b + a];
      share[e] = -embedded.weight[4 * b + a];
    }
    start[b + 1] = e;
  }
  const k0 = (2 * PI) / wavelength;
  const stiff = material.young / (1 - material.poisson * material.poisson);
  // one-way, what patches do not see of a wave is made up for
  const x = PI * Math.min(spacing / wavelength, 0.5);
  const seen = x > 0 ? sin(x) / x : 1;
  const perArea = twoWay ? (GLUE * stiff * k0) / 2 : (stiff * k0) / 4 / (seen * seen);
  const J = new Float64Array(9 * index.length);
  for (let e = 0; e < index.length; e++) for (let c = 0; c < 3; c++) J[9 * e + 4 * c] = share[e];
  const weight = new Float64Array(3 * count);
  for (let r = 0; r < weight.length; r++) weight[r] = perArea * cut.area[(r / 3) | 0];
  const target = memory.f64(3 * count);

  /** Component c of g of patch b. */
  const gap = (Y: ReadonlyF64, b: number, c: number): number => {
    let sum = -target[3 * b + c];
    for (let e = start[b]; e < start[b + 1]; e++) sum += share[e] * Y[3 * index[e] + c];
    return sum;
  };
  const set = {
    anchors: true,
    rowsPer: 3,
    blocks: count,
    start: memory.copyI32(start),
    index: memory.copyI32(index),
    g: memory.f64(3 * count),
    J: memory.copyF64(J),
    sigma: memory.f64(3 * count),
    weight: memory.copyF64(weight),
    patches: cut,
    embedded,
    spacing,
    wavelength,
    target,
    evaluate(Y: ReadonlyF64): void {
      for (let b = 0; b < count; b++)
        for (let c = 0; c < 3; c++) {
          const r = 3 * b + c;
          set.g[r] = gap(Y, b, c);
          set.sigma[r] = weight[r] * set.g[r];
        }
    },
    energy(Y: ReadonlyF64): number {
      let E = 0;
      for (let b = 0; b < count; b++)
        for (let c = 0; c < 3; c++) {
          const g = gap(Y, b, c);
          E += 0.5 * weight[3 * b + c] * g * g;
        }
      return E;
    },
    follow(x: ReadonlyF64): void {
      const { nodes, weight: beta } = embedded;
      for (let b = 0; b < count; b++)
        for (let c = 0; c < 3; c++) {
          let sum = 0;
          for (let a = 0; a < 4; a++) sum += beta[4 * b + a] * x[3 * nodes[4 * b + a] + c];
          target[3 * b + c] = sum;
        }
    },
    traction(): Float64Array {
      return set.sigma.map((s, r) => -s / cut.area[(r / 3) | 0]);
    },
  };
  return set;
}
