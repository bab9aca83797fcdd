// biome-ignore-all format: components are kept in columns
/**
 * The solid: stable Neo-Hookean tetrahedra (Smith, de Goes, Kim 2018) as sets of rows.
 *
 *   Ψ = μ/2 (|F|² − 3) − μ (J − 1) + λ/2 (J − 1)²          F = Σₐ xₐ gₐᵀ,  J = det F,  gₐ: gradients of the corners
 *   μ = E/2(1+ν),  λ = Eν/(1+ν)(1−2ν) + μ                  so that small strains see Lamé's constants exactly
 *
 * This is theirs without the logarithm, which only matters to cells crushed to a point, and would soften the shear
 * response that is μγ here for every γ. It is finite and smooth for inverted cells too.
 *
 * Second derivatives are known in closed form. With F = U diag(σ) Vᵀ and p = ∂Ψ/∂J the nine eigenpairs are
 *
 *   U [twist in plane ij] Vᵀ    μ + σₖ p
 *   U [flip  in plane ij] Vᵀ    μ − σₖ p
 *   U diag(v) Vᵀ                the three of  Aᵢᵢ = μ + λ(J/σᵢ)²,  Aᵢⱼ = pσₖ + λ(J/σᵢ)(J/σⱼ)
 *
 * so a cell is nine rows q:∂F with weights max(0, eigenvalue)·V, and its gradient is on the last three. That is all that
 * the solvers need (system.ts), and the sheet and the solid are minimised as one.
 *
 * The trap: one value of J per cell locks as ν → ½, five or six cells sharing a node with three unknowns. So only as much
 * of λ stays on the cells as does not lock (ν = ⅓); the rest sees J averaged around each node, as many conditions as
 * nodes (Bonet, Burton 1998), as §4 does for the sheet:
 *
 *   λₙ/2 Σᵢ Vᵢ (J̄ᵢ − 1)²,     J̄ᵢ = Σ_{t∋i} V_t J_t / 4Vᵢ
 *
 * Cost: a cell takes about a microsecond to evaluate, mostly the singular values.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import type { RowSet } from "../system/system.ts";
import { SolidError, type SolidMesh } from "./tetrahedra.ts";

export interface SolidMaterial {
  /** Pa */
  readonly young: number;
  /** 1, below ½ */
  readonly poisson: number;
  /** kg/m³ */
  readonly density: number;
}

export interface Solid {
  readonly mesh: SolidMesh;
  readonly material: SolidMaterial;
  /** Its node k is point first + k. */
  readonly first: number;
  /** [n] kg, a quarter of each cell. */
  readonly m: Float64Array;
  /** The rows, in the order in which they must be evaluated. */
  readonly sets: readonly RowSet[];
  /** J, elastic. */
  energy(Y: ReadonlyF64): number;
  /** [12·cells] 1/m, gₐ of the four corners. */
  readonly gradients: Float64Array;
  /** Pa: μ; what the cells keep of λ; what the nodes take. */
  readonly mu: number;
  readonly lambdaCell: number;
  readonly lambdaNode: number;
}

/** In units of μ: a share of the nodes that is less than this is rounding of λ. */
const NOTHING = 1e-9;
/** In units of μ: λ at ν = ⅓, the most that a linear cell bears without locking. */
const CELL_SHARE = 3;

/** A solid whose nodes are points first … first+n of Y. */
export function createSolid(memory: Allocator, mesh: SolidMesh, material: SolidMaterial, first = 0): Solid {
  checkMaterial(material);
  const { young, poisson, density } = material;
  const { n, rest, tetrahedra, volume } = mesh;
  const cells = volume.length;
  const mu = young / (2 * (1 + poisson));
  const lambda = (young * poisson) / ((1 + poisson) * (1 - 2 * poisson)) + mu;
  const lambdaCell = Math.min(lambda, CELL_SHARE * mu);
  const lambdaNode = lambda - lambdaCell;
  const m = new Float64Array(n);
  for (let k = 0; k < tetrahedra.length; k++) m[tetrahedra[k]] += 0.25 * density * volume[k >> 2];
  const gradients = memory.copyF64(cornerGradients(rest, tetrahedra));
  const corner = memory.copyI32(tetrahedra.map((k) => k + first));
  const pressure = new Float64Array(n); // Pa, of the nodes' share

  const shape: Shape = { cells, corner, gradients, volume, mu, lambdaCell, first };
  const sets: RowSet[] = [];
  if (lambdaNode > NOTHING * mu) sets.push(nodeRows(memory, mesh, first, lambdaNode, pressure));
  sets.push(cellRows(memory, shape, pressure));
  return {
    mesh, material, first, m, sets, gradients, mu, lambdaCell, lambdaNode,
    energy(Y) {
      let E = 0;
      for (const set of sets) E += set.energy(Y);
      return E;
    },
  };
}

/** @throws SolidError where no solid can have such a material */
export function checkMaterial({ young, poisson, density }: SolidMaterial): void {
  const faults: string[] = [];
  if (!(young > 0 && young < Infinity)) faults.push(`young: got ${young}, needs more than 0 Pa`);
  if (!(poisson > -1 && poisson < 0.5))
    faults.push(`poisson: got ${poisson}, needs less than 0.5 (0.5 is incompressible, its bulk modulus infinite); flesh and rubber are well served by 0.45 to 0.49`);
  if (!(density > 0 && density < Infinity)) faults.push(`density: got ${density}, needs more than 0 kg/m³`);
  if (faults.length > 0) throw new SolidError(faults);
}

interface Shape {
  readonly cells: number;
  readonly corner: Int32Array;
  readonly gradients: Float64Array;
  readonly volume: Float64Array;
  readonly mu: number;
  readonly lambdaCell: number;
  readonly first: number;
}

/** g₁ g₂ g₃ are the rows of Dm⁻¹, Dm = [b−a c−a d−a]; g₀ = −Σ. */
function cornerGradients(X: ReadonlyF64, tetrahedra: Int32Array): Float64Array {
  const out = new Float64Array(3 * tetrahedra.length);
  for (let t = 0; t < tetrahedra.length; t += 4) {
    const a = 3 * tetrahedra[t], b = 3 * tetrahedra[t + 1], c = 3 * tetrahedra[t + 2], d = 3 * tetrahedra[t + 3];
    const ux = X[b] - X[a], uy = X[b + 1] - X[a + 1], uz = X[b + 2] - X[a + 2];
    const vx = X[c] - X[a], vy = X[c + 1] - X[a + 1], vz = X[c + 2] - X[a + 2];
    const wx = X[d] - X[a], wy = X[d + 1] - X[a + 1], wz = X[d + 2] - X[a + 2];
    const ox = vy * wz - vz * wy, oy = vz * wx - vx * wz, oz = vx * wy - vy * wx;
    const s = 1 / (ux * ox + uy * oy + uz * oz);
    const k = 3 * t;
    out[k + 3] = s * ox;                    out[k + 4]  = s * oy;                    out[k + 5]  = s * oz;
    out[k + 6] = s * (wy * uz - wz * uy);   out[k + 7]  = s * (wz * ux - wx * uz);   out[k + 8]  = s * (wx * uy - wy * ux);
    out[k + 9] = s * (uy * vz - uz * vy);   out[k + 10] = s * (uz * vx - ux * vz);   out[k + 11] = s * (ux * vy - uy * vx);
    for (let e = 0; e < 3; e++) out[k + e] = -(out[k + 3 + e] + out[k + 6 + e] + out[k + 9 + e]);
  }
  return out;
}

// scratch of one cell; columns of F, U and V one after the other
const F = new Float64Array(9);
const U = new Float64Array(9);
const V = new Float64Array(9);
const S = new Float64Array(3);
const A = new Float64Array(9);
const W = new Float64Array(9);
const Q = new Float64Array(9);

/** F = Σ xₐ gₐᵀ by columns. */
function deformation(Y: ReadonlyF64, { corner, gradients: g }: Shape, t: number): void {
  F.fill(0);
  for (let a = 0; a < 4; a++) {
    const y = 3 * corner[4 * t + a], k = 12 * t + 3 * a;
    for (let c = 0; c < 3; c++) {
      const s = g[k + c];
      F[3 * c] += Y[y] * s; F[3 * c + 1] += Y[y + 1] * s; F[3 * c + 2] += Y[y + 2] * s;
    }
  }
}

function determinant(M: Float64Array): number {
  return M[0] * (M[4] * M[8] - M[5] * M[7]) + M[3] * (M[7] * M[2] - M[8] * M[1]) + M[6] * (M[1] * M[5] - M[2] * M[4]);
}

/** Nine rows per cell, as three blocks of three (which the kernels are fastest with): stretches, twists, flips. */
function cellRows(memory: Allocator, shape: Shape, pressure: Float64Array): RowSet {
  const { cells, corner, gradients, volume, mu, lambdaCell, first } = shape;
  const blocks = 3 * cells;
  const start = new Int32Array(blocks + 1);
  const index = new Int32Array(4 * blocks);
  for (let b = 0; b < blocks; b++) {
    start[b + 1] = 4 * (b + 1);
    if (corner.length > 0) for (let a = 0; a < 4; a++) index[4 * b + a] = corner[4 * ((b / 3) | 0) + a];
  }
  const set = {
    rowsPer: 3,
    blocks,
    start: memory.copyI32(start),
    index: memory.copyI32(index),
    g: memory.f64(3 * blocks),
    J: memory.f64(36 * blocks),
    sigma: memory.f64(3 * blocks),
    weight: memory.f64(3 * blocks),
    evaluate(Y: ReadonlyF64): void {
      for (let t = 0; t < cells; t++) {
        deformation(Y, shape, t);
        singularValues();
        const [s0, s1, s2] = S;
        const j0 = s1 * s2, j1 = s2 * s0, j2 = s0 * s1;
        const own = lambdaCell * (s0 * j0 - 1) - mu;
        let p = own;
        for (let a = 0; a < 4; a++) p += 0.25 * pressure[corner[4 * t + a] - first];
        const v = volume[t];

        // stretches
        A[0] = mu + lambdaCell * j0 * j0; A[4] = mu + lambdaCell * j1 * j1; A[8] = mu + lambdaCell * j2 * j2;
        A[1] = A[3] = p * s2 + lambdaCell * j0 * j1;
        A[2] = A[6] = p * s1 + lambdaCell * j0 * j2;
        A[5] = A[7] = p * s0 + lambdaCell * j1 * j2;
        eigenvectors(A, W);
        const P0 = mu * s0 + own * j0, P1 = mu * s1 + own * j1, P2 = mu * s2 + own * j2;
        for (let r = 0; r < 3; r++) {
          const x = W[3 * r], y = W[3 * r + 1], z = W[3 * r + 2];
          for (let c = 0; c < 3; c++)
            for (let d = 0; d < 3; d++) Q[3 * c + d] = x * U[d] * V[c] + y * U[3 + d] * V[3 + c] + z * U[6 + d] * V[6 + c];
          row(9 * t + r, v * A[4 * r], v * (x * P0 + y * P1 + z * P2), t);
        }
        // twists and flips in the plane of the other two
        for (let r = 0; r < 3; r++) {
          const i = 3 * ((r + 1) % 3), j = 3 * ((r + 2) % 3);
          for (let sign = -1; sign <= 1; sign += 2) {
            for (let c = 0; c < 3; c++)
              for (let d = 0; d < 3; d++)
                Q[3 * c + d] = Math.SQRT1_2 * (U[i + d] * V[j + c] + sign * U[j + d] * V[i + c]);
            row(9 * t + (sign < 0 ? 3 : 6) + r, v * (mu - sign * p * S[r]), 0, t);
          }
        }
      }
    },
    energy(Y: ReadonlyF64): number {
      let E = 0;
      for (let t = 0; t < cells; t++) {
        deformation(Y, shape, t);
        let square = -3;
        for (let k = 0; k < 9; k++) square += F[k] * F[k];
        const j = determinant(F) - 1;
        E += volume[t] * (0.5 * mu * square - mu * j + 0.5 * lambdaCell * j * j);
      }
      return E;
    },
  };
  /** Row r of all: q:∂F at the four corners, q gₐ. */
  function row(r: number, weight: number, sigma: number, t: number): void {
    set.weight[r] = Math.max(weight, 0);
    set.sigma[r] = sigma;
    const b = (r / 3) | 0, within = r - 3 * b;
    for (let a = 0; a < 4; a++) {
      const k = 12 * t + 3 * a, x = gradients[k], y = gradients[k + 1], z = gradients[k + 2];
      const at = 9 * (4 * b + a) + 3 * within;
      set.J[at]     = Q[0] * x + Q[3] * y + Q[6] * z;
      set.J[at + 1] = Q[1] * x + Q[4] * y + Q[7] * z;
      set.J[at + 2] = Q[2] * x + Q[5] * y + Q[8] * z;
    }
  }
  return set;
}

/** One row per node: g = J̄ᵢ − 1 over the nodes around it, and the pressure that the cells must know. */
function nodeRows(memory: Allocator, mesh: SolidMesh, first: number, lambda: number, pressure: Float64Array): RowSet {
  const { n, tetrahedra, volume } = mesh;
  const around: Map<number, number>[] = Array.from({ length: n }, () => new Map());
  for (let t = 0; t < tetrahedra.length; t += 4)
    for (let a = 0; a < 4; a++)
      for (let b = 0; b < 4; b++) {
        const near = around[tetrahedra[t + a]];
        if (!near.has(tetrahedra[t + b])) near.set(tetrahedra[t + b], near.size);
      }
  const start = new Int32Array(n + 1);
  for (let i = 0; i < n; i++) start[i + 1] = start[i] + around[i].size;
  const index = new Int32Array(start[n]);
  for (let i = 0; i < n; i++) for (const [j, k] of around[i]) index[start[i] + k] = first + j;
  // entry of corner b in the row of corner a
  const entry = new Int32Array(4 * tetrahedra.length);
  for (let t = 0; t < tetrahedra.length; t += 4)
    for (let a = 0; a < 4; a++)
      for (let b = 0; b < 4; b++)
        entry[4 * t + 4 * a + b] = start[tetrahedra[t + a]] + around[tetrahedra[t + a]].get(tetrahedra[t + b])!;
  const nodeVolume = new Float64Array(n);
  for (let k = 0; k < tetrahedra.length; k++) nodeVolume[tetrahedra[k]] += 0.25 * volume[k >> 2];
  const cellVolume = new Float64Array(volume.length);
  const nodeNow = new Float64Array(n);

  /** nodeNow = Σ of a quarter of the cells around each node, now. */
  function volumes(Y: ReadonlyF64): void {
    nodeNow.fill(0);
    for (let t = 0; t < volume.length; t++) {
      cellVolume[t] = volumeNow(Y, tetrahedra, 4 * t, first);
      for (let a = 0; a < 4; a++) nodeNow[tetrahedra[4 * t + a]] += 0.25 * cellVolume[t];
    }
  }
  const set = {
    rowsPer: 1,
    blocks: n,
    start: memory.copyI32(start),
    index: memory.copyI32(index),
    g: memory.f64(n),
    J: memory.f64(3 * index.length),
    sigma: memory.f64(n),
    weight: memory.f64(n),
    evaluate(Y: ReadonlyF64): void {
      volumes(Y);
      for (let i = 0; i < n; i++) {
        set.g[i] = nodeNow[i] / nodeVolume[i] - 1;
        pressure[i] = lambda * set.g[i];
        set.sigma[i] = nodeVolume[i] * pressure[i];
        set.weight[i] = nodeVolume[i] * lambda;
      }
      set.J.fill(0);
      for (let t = 0; t < tetrahedra.length; t += 4)
        for (let b = 0; b < 4; b++) {
          faceNormal(Y, tetrahedra, t, b, first);
          for (let a = 0; a < 4; a++) {
            const s = 0.25 / nodeVolume[tetrahedra[t + a]], at = 3 * entry[4 * t + 4 * a + b];
            set.J[at] += s * N[0]; set.J[at + 1] += s * N[1]; set.J[at + 2] += s * N[2];
          }
        }
    },
    energy(Y: ReadonlyF64): number {
      volumes(Y);
      let E = 0;
      for (let i = 0; i < n; i++) {
        const g = nodeNow[i] / nodeVolume[i] - 1;
        E += 0.5 * lambda * nodeVolume[i] * g * g;
      }
      return E;
    },
  };
  return set;
}

function volumeNow(Y: ReadonlyF64, tetrahedra: Int32Array, t: number, first: number): number {
  const a = 3 * (first + tetrahedra[t]), b = 3 * (first + tetrahedra[t + 1]), c = 3 * (first + tetrahedra[t + 2]), d = 3 * (first + tetrahedra[t + 3]);
  const ux = Y[b] - Y[a], uy = Y[b + 1] - Y[a + 1], uz = Y[b + 2] - Y[a + 2];
  const vx = Y[c] - Y[a], vy = Y[c + 1] - Y[a + 1], vz = Y[c + 2] - Y[a + 2];
  const wx = Y[d] - Y[a], wy = Y[d + 1] - Y[a + 1], wz = Y[d + 2] - Y[a + 2];
  return ((uy * vz - uz * vy) * wx + (uz * vx - ux * vz) * wy + (ux * vy - uy * vx) * wz) / 6;
}

/** For each corner the other three, so that N is the gradient of the volume. */
const OPPOSITE = [1, 3, 2, 0, 2, 3, 0, 3, 1, 0, 1, 2];
const N = new Float64Array(3);
/** N = ∂volume/∂corner b = (q − p) × (r − p)/6 of the opposite face. */
function faceNormal(Y: ReadonlyF64, tetrahedra: Int32Array, t: number, b: number, first: number): void {
  const p = 3 * (first + tetrahedra[t + OPPOSITE[3 * b]]), q = 3 * (first + tetrahedra[t + OPPOSITE[3 * b + 1]]), r = 3 * (first + tetrahedra[t + OPPOSITE[3 * b + 2]]);
  const ux = Y[q] - Y[p], uy = Y[q + 1] - Y[p + 1], uz = Y[q + 2] - Y[p + 2];
  const vx = Y[r] - Y[p], vy = Y[r + 1] - Y[p + 1], vz = Y[r + 2] - Y[p + 2];
  N[0] = (uy * vz - uz * vy) / 6; N[1] = (uz * vx - ux * vz) / 6; N[2] = (ux * vy - uy * vx) / 6;
}

/**
 * F = U diag(S) Vᵀ with rotations U and V: the smallest of S carries the sign of det F.
 * V from FᵀF; the columns of U from F V but for the last, which is their cross product.
 */
function singularValues(): void {
  for (let c = 0; c < 3; c++)
    for (let d = 0; d < 3; d++)
      A[3 * c + d] = F[3 * c] * F[3 * d] + F[3 * c + 1] * F[3 * d + 1] + F[3 * c + 2] * F[3 * d + 2];
  eigenvectors(A, V);
  // the last column is the one of the smallest; a cyclic change keeps V a rotation
  let least = 0;
  for (let c = 1; c < 3; c++) if (A[4 * c] < A[4 * least]) least = c;
  for (let turn = least; turn !== 2; turn = (turn + 1) % 3) {
    for (let d = 0; d < 3; d++) {
      const last = V[6 + d];
      V[6 + d] = V[3 + d]; V[3 + d] = V[d]; V[d] = last;
    }
  }
  column(0); column(3);
  S[0] = normalise(0);
  // Gram–Schmidt only matters to nearly flat cells
  const along = U[0] * U[3] + U[1] * U[4] + U[2] * U[5];
  for (let d = 0; d < 3; d++) U[3 + d] -= along * U[d];
  S[1] = normalise(3);
  U[6] = U[1] * U[5] - U[2] * U[4];
  U[7] = U[2] * U[3] - U[0] * U[5];
  U[8] = U[0] * U[4] - U[1] * U[3];
  const x = F[0] * V[6] + F[3] * V[7] + F[6] * V[8];
  const y = F[1] * V[6] + F[4] * V[7] + F[7] * V[8];
  const z = F[2] * V[6] + F[5] * V[7] + F[8] * V[8];
  S[2] = x * U[6] + y * U[7] + z * U[8];
}

/** U_c = F V_c */
function column(c: number): void {
  for (let d = 0; d < 3; d++) U[c + d] = F[d] * V[c] + F[3 + d] * V[c + 1] + F[6 + d] * V[c + 2];
}

/** Singular value of F under which its direction is lost: a cell crushed to a plane or a line. */
const VANISHED = 1e-30;
/** |x| of a unit vector under which the x axis is far enough from it to take the normal part of; else y is. */
const ALONG = 0.6;

/** Column c of U becomes a unit vector; its length. A vanished one becomes anything perpendicular to the first. */
function normalise(c: number): number {
  const length = Math.sqrt(U[c] * U[c] + U[c + 1] * U[c + 1] + U[c + 2] * U[c + 2]);
  if (length > VANISHED) {
    for (let d = 0; d < 3; d++) U[c + d] /= length;
    return length;
  }
  if (c === 0) U.set(UNIT, 0);
  else {
    const k = Math.abs(U[0]) < ALONG ? 0 : 1;
    const other = U[k];
    for (let d = 0; d < 3; d++) U[3 + d] = (d === k ? 1 : 0) - other * U[d];
    const scale = 1 / Math.sqrt(U[3] * U[3] + U[4] * U[4] + U[5] * U[5]);
    for (let d = 0; d < 3; d++) U[3 + d] *= scale;
  }
  return 0;
}
const UNIT = [1, 0, 0];

/** Squares off the diagonal over those on it at which a matrix is diagonal to the last bit. */
const DIAGONAL = 1e-32;

/**
 * Eigenvalues of symmetric M to its diagonal, eigenvectors to the columns of R, a rotation: Jacobi's method.
 * Three sweeps give full precision from any start, four to five from hostile ones.
 */
function eigenvectors(M: Float64Array, R: Float64Array): void {
  R.fill(0);
  R[0] = R[4] = R[8] = 1;
  for (let sweep = 0; sweep < 10; sweep++) {
    const off = M[1] * M[1] + M[2] * M[2] + M[5] * M[5];
    const on = M[0] * M[0] + M[4] * M[4] + M[8] * M[8];
    if (!(off > DIAGONAL * on)) return;
    turn(M, R, 0, 1, 2);
    turn(M, R, 0, 2, 1);
    turn(M, R, 1, 2, 0);
  }
}

/** The rotation in the plane p q that makes M_pq vanish. */
function turn(M: Float64Array, R: Float64Array, p: number, q: number, o: number): void {
  const m = M[3 * p + q];
  if (m === 0) return;
  const theta = (M[4 * q] - M[4 * p]) / (2 * m);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1), s = t * c;
  M[4 * p] -= t * m;
  M[4 * q] += t * m;
  M[3 * p + q] = M[3 * q + p] = 0;
  const a = M[3 * p + o], b = M[3 * q + o];
  M[3 * p + o] = M[3 * o + p] = c * a - s * b;
  M[3 * q + o] = M[3 * o + q] = s * a + c * b;
  for (let d = 0; d < 3; d++) {
    const x = R[3 * p + d], y = R[3 * q + d];
    R[3 * p + d] = c * x - s * y;
    R[3 * q + d] = s * x + c * y;
  }
}
