/**
 * Energies of strain and of smoothing of samples with frames, worked out anew from the recorded pose: no matrices, no coefficients made ahead.
 *
 *   membrane    (K_n/8) Σᵢ Aᵢ |FᵢᵀFᵢ − I|² + (K_e/8) Σₜ Aₜ |Eₜ|²      K_n = 2K, K_e = 4 K K_n/(9 K_n − K)
 *   smoothing   Σ K_r wₑ |(yⱼ − yᵢ)/ℓ − ½(Fᵢ tᵢ + Fⱼ tⱼ)|²            wₑ a third of the triangles at the edge, K_r as recorded
 *
 * Eₜ is the strain of a triangle that gives its sides x the growth xᵀEx = |x|²(|m|² − 1), with the tangent m = (3/2)(yⱼ − yᵢ)/ℓ − ¼(Fᵢ tᵢ + Fⱼ tⱼ) of
 * the side's cubic at its middle. Frames are recorded in single precision; what that can make of an energy is worked out with it.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import type { MeasuredSheet } from "../recording/measures.ts";
import type { Scene } from "../scene/scene.ts";
import { partsOf, placesOf } from "./places.ts";
import type { ArcEdges } from "./strain.ts";

/** An energy, and what the rounding of recorded numbers can make of it. */
export interface KnownEnergy {
  /** J */
  energy: number;
  /** J */
  rounding: number;
}

export interface FrameEnergies {
  membrane: KnownEnergy;
  /** null where K_r was not recorded. */
  smoothing: KnownEnergy | null;
}

/** Relative rounding of a number in single precision. */
const SINGLE = 2 ** -24;
/** K_n/K and K_e/K. */
const OF_FRAMES = 2;
const OF_ARCS = (4 * OF_FRAMES) / (9 * OF_FRAMES - 1);
/** For the second order of roundings. */
const SLACK = 1.01;

/** Areas worked out from the material coordinates: of the triangles, and of the samples, a third of the triangles around them. */
export interface Areas {
  readonly triangles: Float64Array;
  readonly samples: Float64Array;
}

export function areasOf({ n, triangles, corners }: MeasuredSheet): Areas {
  const areas = {
    triangles: new Float64Array(triangles.length / 3),
    samples: new Float64Array(n),
  };
  for (let t = 0; t < areas.triangles.length; t++) {
    const { x1, y1, x2, y2 } = sidesOf(corners, t);
    areas.triangles[t] = 0.5 * Math.abs(x1 * y2 - x2 * y1);
    for (let k = 0; k < 3; k++) areas.samples[triangles[3 * t + k]] += areas.triangles[t] / 3;
  }
  return areas;
}

/** The two sides of a triangle that begin at its first corner, m. */
function sidesOf(
  corners: ReadonlyF64,
  t: number,
): { x1: number; y1: number; x2: number; y2: number } {
  const [u, v] = [corners[6 * t], corners[6 * t + 1]];
  return {
    x1: corners[6 * t + 2] - u,
    y1: corners[6 * t + 3] - v,
    x2: corners[6 * t + 4] - u,
    y2: corners[6 * t + 5] - v,
  };
}

/** Gives both energies of a pose [9n]. */
export function createFrameEnergies(
  { sheets }: Scene,
  sheet: MeasuredSheet,
  arcs: ArcEdges,
  areas: Areas,
): (pose: ReadonlyF64, smoothing: ReadonlyF64 | null) => FrameEnergies {
  const { n, triangles, edges, edgeLength } = sheet;
  const part = partsOf(sheet);
  const stiffness = Float64Array.from(part, (p) => sheets[p].material.membraneStiffness);
  const place = placesOf(edges, n);
  const side = Int32Array.from(triangles, (i, k) => {
    const next = k % 3 === 2 ? k - 2 : k + 1;
    return (place.get(i * n + triangles[next]) ?? 0) >> 1;
  });
  const weight = new Float64Array(edgeLength.length);
  side.forEach((e, k) => {
    weight[e] += areas.triangles[Math.floor(k / 3)] / 3;
  });
  return (pose, smoothing) => {
    const { sizes, of } = framesAt(pose, arcs);
    const all = edgesAt(pose, edges, edgeLength, of, sizes);
    const membrane = { energy: 0, noise: 0 };
    for (let i = 0; i < n; i++) {
      const half = (OF_FRAMES * stiffness[i] * areas.samples[i]) / 8;
      membrane.energy += half * frameStrainSquared(pose, arcs, i);
      membrane.noise += half * (2 * SINGLE * sizes[i] * sizes[i]) ** 2;
    }
    for (let t = 0; 3 * t < triangles.length; t++) {
      const own = [0, 1, 2].map((k) => 3 * t + k);
      const K = own.reduce((sum, k) => sum + stiffness[triangles[k]] / 3, 0);
      const half = (OF_ARCS * K * areas.triangles[t]) / 8;
      const growth = own.map((k) => all.stretch[side[k]]);
      const noise = own.map((k) => all.stretchNoise[side[k]]);
      membrane.energy += half * strainSquared(sheet.corners, t, growth);
      membrane.noise += half * strainNoise(sheet.corners, t, noise) ** 2;
    }
    if (smoothing === null) return { membrane: known(membrane), smoothing: null };
    const smooth = { energy: 0, noise: 0 };
    for (let e = 0; e < weight.length; e++) {
      const K = smoothing[part[edges[2 * e]]] * weight[e];
      smooth.energy += K * all.bow[e];
      smooth.noise += K * all.bowNoise[e] ** 2;
    }
    return { membrane: known(membrane), smoothing: known(smooth) };
  };
}

/** √E is a norm of residuals, so that |√E − √E′| ≤ √noise. */
function known({ energy, noise }: { energy: number; noise: number }): KnownEnergy {
  return { energy, rounding: SLACK * (2 * Math.sqrt(energy * noise) + noise) };
}

/** F t of a sample, and the size |F| of every frame. */
function framesAt(
  pose: ReadonlyF64,
  { n, spacing, tangent }: ArcEdges,
): { sizes: Float64Array; of: (i: number, place: number) => number[] } {
  const sizes = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let squared = 0;
    for (let k = 3 * n + 6 * i; k < 3 * n + 6 * i + 6; k++) squared += pose[k] * pose[k];
    sizes[i] = Math.sqrt(squared) / spacing[i];
  }
  const of = (i: number, place: number): number[] =>
    [0, 1, 2].map((c) => {
      const f = 3 * n + 6 * i + c;
      return (tangent[2 * place] * pose[f] + tangent[2 * place + 1] * pose[f + 3]) / spacing[i];
    });
  return { sizes, of };
}

interface EdgeValues {
  /** |m|² − 1 of the cubic's middle, and its rounding. */
  readonly stretch: Float64Array;
  readonly stretchNoise: Float64Array;
  /** Squared difference of the chord from the mean of the end tangents, and the rounding of its root. */
  readonly bow: Float64Array;
  readonly bowNoise: Float64Array;
}

function edgesAt(
  pose: ReadonlyF64,
  edges: ReadonlyI32,
  length: ReadonlyF64,
  tangentAt: (i: number, place: number) => number[],
  sizes: Float64Array,
): EdgeValues {
  const count = length.length;
  const [stretch, stretchNoise, bow, bowNoise] = [0, 1, 2, 3].map(() => new Float64Array(count));
  for (let e = 0; e < count; e++) {
    const [i, j] = [edges[2 * e], edges[2 * e + 1]];
    const [first, second] = [tangentAt(i, 2 * e), tangentAt(j, 2 * e + 1)];
    let squared = 0;
    for (let c = 0; c < 3; c++) {
      const chord = (pose[3 * j + c] - pose[3 * i + c]) / length[e];
      const mean = 0.5 * (first[c] + second[c]);
      const middle = 1.5 * chord - 0.5 * mean;
      squared += middle * middle;
      bow[e] += (chord - mean) * (chord - mean);
    }
    const off = SINGLE * (sizes[i] + sizes[j]); // of Fᵢ tᵢ + Fⱼ tⱼ
    stretch[e] = squared - 1;
    stretchNoise[e] = 2 * Math.sqrt(squared) * 0.25 * off;
    bowNoise[e] = 0.5 * off;
  }
  return { stretch, stretchNoise, bow, bowNoise };
}

/** |FᵀF − I|² of a sample. */
function frameStrainSquared(Y: ReadonlyF64, { n, spacing }: ArcEdges, i: number): number {
  const f = 3 * n + 6 * i;
  const dot = (a: number, b: number): number =>
    (Y[a] * Y[b] + Y[a + 1] * Y[b + 1] + Y[a + 2] * Y[b + 2]) / (spacing[i] * spacing[i]);
  const [p, q, r] = [dot(f, f) - 1, dot(f, f + 3), dot(f + 3, f + 3) - 1];
  return p * p + 2 * q * q + r * r;
}

/**
 * |E|² of the strain E with xᵀEx = |x|² g along the three sides, from corner k to the next.
 *
 * In the coordinates of the first two sides from corner 0 it has the entries G₁₁ = |x₁|²g₀, G₂₂ = |x₂|²g₂ and, as the third side is their difference,
 * G₁₂ = ½(G₁₁ + G₂₂ − |x₂ − x₁|²g₁); E = B⁻ᵀ G B⁻¹ with B = [x₁ x₂].
 */
function strainSquared(corners: ReadonlyF64, t: number, growth: readonly number[]): number {
  const { x1, y1, x2, y2 } = sidesOf(corners, t);
  const [x3, y3] = [x2 - x1, y2 - y1];
  const first = growth[0] * (x1 * x1 + y1 * y1);
  const second = growth[2] * (x2 * x2 + y2 * y2);
  const mixed = 0.5 * (first + second - growth[1] * (x3 * x3 + y3 * y3));
  const det = x1 * y2 - x2 * y1;
  // rows of B⁻¹
  const [p, q, r, s] = [y2 / det, -x2 / det, -y1 / det, x1 / det];
  const xx = first * p * p + 2 * mixed * p * r + second * r * r;
  const xy = first * p * q + mixed * (p * s + q * r) + second * r * s;
  const yy = first * q * q + 2 * mixed * q * s + second * s * s;
  return xx * xx + 2 * xy * xy + yy * yy;
}

/** At most so much changes |E| if the growth of the sides changes by so much. */
function strainNoise(corners: ReadonlyF64, t: number, noise: readonly number[]): number {
  return noise.reduce((sum, x, k) => {
    const alone = [0, 0, 0];
    alone[k] = x;
    return sum + Math.sqrt(strainSquared(corners, t, alone));
  }, 0);
}
