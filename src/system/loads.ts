/**
 * Loads (§5): gravity, hung masses, drag, wind, foundation, pressure.
 *
 * Gravity and pressure are forces f. Drag is linear in the velocity and implicit: with v = (Y − Yold)/h it is the
 * quadratic ½ (c A/h)|Y − Yold − h·wind|². Wind on the normal, ½ρ|vₙ|vₙ A along the normal n, keeps |vₙ| and n of the
 * start of the step and is one row nᵀ per point, so it never blows a light sheet apart. A foundation is one row per
 * point along its axis. Pressure follows the triangles' normals at the start of the step.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import type { Scene } from "../scene/scene.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import type { RowSet } from "./system.ts";

/** f += gravity on the masses. */
export function addGravity(
  f: Float64Array,
  m: ReadonlyF64,
  gravity: readonly [number, number, number],
): void {
  for (let i = 0; i < m.length; i++) for (let c = 0; c < 3; c++) f[3 * i + c] += m[i] * gravity[c];
}

/** f += pressure on every triangle, a third on each corner: p/6 (b − a) × (c − a). */
export function addPressure(
  f: Float64Array,
  Y: ReadonlyF64,
  triangles: Sheet["triangles"],
  pressure: number,
): void {
  const s = pressure / 6;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const ux = Y[b] - Y[a];
    const uy = Y[b + 1] - Y[a + 1];
    const uz = Y[b + 2] - Y[a + 2];
    const vx = Y[c] - Y[a];
    const vy = Y[c + 1] - Y[a + 1];
    const vz = Y[c + 2] - Y[a + 2];
    const x = s * (uy * vz - uz * vy);
    const y = s * (uz * vx - ux * vz);
    const z = s * (ux * vy - uy * vx);
    f[a] += x;
    f[a + 1] += y;
    f[a + 2] += z;
    f[b] += x;
    f[b + 1] += y;
    f[b + 2] += z;
    f[c] += x;
    f[c + 1] += y;
    f[c + 2] += z;
  }
}

/** N += area-weighted normals at the points (not unit): ⅙ Σ (b − a) × (c − a), m². */
export function areaNormals(N: Float64Array, Y: ReadonlyF64, triangles: Sheet["triangles"]): void {
  N.fill(0);
  addPressure(N, Y, triangles, 1);
}

/** Rows with one point each: ψ = ½ w (n·(Y − Y₀))². */
export interface PointRows extends RowSet {
  /** [rows] n·Y₀ */
  readonly offset: Float64Array;
}

function pointRows(memory: Allocator, n: number): PointRows {
  const start = new Int32Array(n + 1);
  const index = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    start[i + 1] = i + 1;
    index[i] = i;
  }
  const rows: PointRows = {
    rowsPer: 1,
    blocks: n,
    start: memory.copyI32(start),
    index: memory.copyI32(index),
    g: memory.f64(n),
    J: memory.f64(3 * n),
    sigma: memory.f64(n),
    weight: memory.f64(n),
    offset: memory.f64(n),
    evaluate(Y) {
      for (let i = 0; i < n; i++) {
        const g = along(rows, i, Y);
        rows.g[i] = g;
        rows.sigma[i] = rows.weight[i] * g;
      }
    },
    energy(Y) {
      let E = 0;
      for (let i = 0; i < n; i++) {
        const g = along(rows, i, Y);
        E += 0.5 * rows.weight[i] * g * g;
      }
      return E;
    },
  };
  return rows;
}

function along({ J, offset }: PointRows, i: number, Y: ReadonlyF64): number {
  return (
    J[3 * i] * Y[3 * i] + J[3 * i + 1] * Y[3 * i + 1] + J[3 * i + 2] * Y[3 * i + 2] - offset[i]
  );
}

/** Springs of stiffness·area along `axis`, from where the points start. */
export function foundation(
  memory: Allocator,
  sheet: Sheet,
  spec: NonNullable<Scene["foundation"]>,
  origin: ReadonlyF64,
): PointRows {
  const rows: PointRows = Object.assign(pointRows(memory, sheet.n), { anchors: true });
  const { axis, stiffness } = spec;
  if (rows.J.length > 0)
    for (let i = 0; i < sheet.n; i++) {
      rows.weight[i] = stiffness * sheet.area[i];
      for (let c = 0; c < 3; c++) {
        rows.J[3 * i + c] = axis[c];
        rows.offset[i] += axis[c] * origin[3 * i + c];
      }
    }
  return rows;
}

/** Wind on the normal; call `setWind` at the start of each step. */
export function windRows(memory: Allocator, sheet: Sheet): PointRows {
  return pointRows(memory, sheet.n);
}

/** Fixes normal, normal speed and start of the step: weight ½ρ|vₙ|A/h, offset n·(Yold + h·wind). @param h [n] s, of each point */
export function setWind(
  rows: PointRows,
  air: Scene["air"],
  Y: ReadonlyF64,
  V: ReadonlyF64,
  normals: ReadonlyF64,
  h: ReadonlyF64,
): void {
  const { wind, density } = air;
  for (let i = 0; i < rows.blocks; i++) {
    const at = 3 * i;
    const x = normals[at];
    const y = normals[at + 1];
    const z = normals[at + 2];
    const area = Math.sqrt(x * x + y * y + z * z);
    if (!(area > 0)) {
      rows.weight[i] = 0;
      continue;
    }
    rows.J[at] = x / area;
    rows.J[at + 1] = y / area;
    rows.J[at + 2] = z / area;
    let speed = 0;
    let offset = 0;
    for (let c = 0; c < 3; c++) {
      speed += rows.J[at + c] * (V[at + c] - wind[c]);
      offset += rows.J[at + c] * (Y[at + c] + h[i] * wind[c]);
    }
    rows.weight[i] = (0.5 * density * Math.abs(speed) * area) / h[i];
    rows.offset[i] = offset;
  }
}
