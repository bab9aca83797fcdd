/**
 * The barrier that keeps surfaces apart, and the smoothed Coulomb friction on top of it.
 *
 *   B(x) = −(x − 1)² ln x  for 0 < x < 1, 0 beyond        x = gap / reach
 *
 * Infinite at contact, twice differentiable where it ends (Li et al. 2020). ln is our own, so that every engine gives the same bits.
 * A contact of area a has ψ = a p₀ d̂ B(gap/d̂): the pressure at half the reach is 1.19 p₀, and it grows without bound as 1/gap.
 *
 * Friction: μN f(|u|) with f′ = 2y/ε − y²/ε² below ε and 1 beyond, u the slip. As a quadratic row its weight is μN f′(|u|)/|u|.
 */
import type { Allocator } from "../../linalg/arena.ts";
import type { Scene } from "../../scene/scene.ts";

/** ln x for 0 < x ≤ 1, by halving exponents and the series of artanh. */
export function ln(x: number): number {
  let m = x;
  let k = 0;
  while (m < 0.7071067811865476) {
    m *= 2;
    k++;
  }
  const s = (m - 1) / (m + 1);
  const y = s * s;
  let sum = 0;
  for (let j = 21; j >= 3; j -= 2) sum = y * (1 / j + sum);
  return 2 * s * (1 + sum) - k * Math.LN2;
}

/** B, B′ and B″ at x into out[0…2]; B alone, which is infinite, where x ≤ 0. */
export function barrierParts(out: Float64Array, x: number): void {
  if (!(x > 0 && x < 1)) {
    out[0] = x >= 1 ? 0 : Number.POSITIVE_INFINITY;
    out[1] = 0;
    out[2] = 0;
    return;
  }
  const log = ln(x);
  const r = (x - 1) / x;
  out[0] = -(x - 1) * (x - 1) * log;
  out[1] = -2 * (x - 1) * log - ((x - 1) * (x - 1)) / x;
  out[2] = -2 * log - 4 * r + r * r;
}

/** ∫f′: friction energy per μN of a slip y ≥ 0 with smoothing length ε. */
export function slipEnergy(y: number, epsilon: number): number {
  return y < epsilon ? (y * y) / epsilon - (y * y * y) / (3 * epsilon * epsilon) : y - epsilon / 3;
}

/** f′(y)/y: secant weight per μN. */
export function slipWeight(y: number, epsilon: number): number {
  return y < epsilon ? 2 / epsilon - y / (epsilon * epsilon) : 1 / y;
}

/** Pressure of a contact at half its reach, in units of the sheet's own weight per area; higher is stiffer and keeps gaps closer to the full reach. */
const PRESSURES = 10;

/**
 * Stiffness of a barrier in units of the inertia of what it holds, σ/h². A barrier softer than inertia lets gaps shrink to almost nothing before it
 * pushes back, and then no direction allows a step: on a tablecloth 0.01 leaves 18 of 120 steps unsolved, 1 two, 100 none. At 100 layers that are
 * pressed together cost twice the iterations.
 */
const INERTIAS = 10;

/** p₀ of one kind of contact, and what it follows. */
export interface BarrierPressure {
  /** [1] Pa, p₀ now: part of the state. */
  readonly now: Float64Array;
  /** Pa, p₀ of a sheet that lies under its own weight, and the most that anything real presses with. */
  readonly start: number;
  readonly most: number;
  /** m, of the barrier. */
  readonly reach: number;
  /** kg/m², of the heaviest sheet. */
  readonly density: number;
  /** [1] m, the least gap when p₀ was raised last in this step. */
  readonly thin: Float64Array;
}

/**
 * p₀ starts as some times the weight of a sheet of areal density σ (or that of 1 m/s² where there is no gravity), or some times its inertia in a step.
 *
 * @param reach    m, of the barrier
 * @param spacing  m, of the sheet's points
 */
export function createPressure(
  memory: Allocator,
  { gravity: [x, y, z], h, sheets }: Scene,
  reach: number,
  spacing: number,
): BarrierPressure {
  const density = sheets.reduce((most, s) => Math.max(most, s.material.density), 0);
  const membrane = sheets.reduce((most, s) => Math.max(most, s.material.membraneStiffness), 0);
  const weight = PRESSURES * density * Math.max(Math.sqrt(x * x + y * y + z * z), 1);
  const start = Math.max(weight, (INERTIAS * density * reach) / (h * h));
  const now = memory.f64(1);
  now[0] = start;
  const thin = new Float64Array(1);
  return { now, start, most: Math.max(100 * start, membrane / spacing), reach, density, thin };
}

/** Sets p₀ for a step in which something approaches by `approach` (m): a point that is hit takes on its speed within the step, and p₀ is large enough for that from the start. */
export function openPressure(
  { now, most, density, thin }: BarrierPressure,
  approach: number,
  h: number,
): void {
  thin[0] = Number.POSITIVE_INFINITY;
  const hit = h > 0 ? (density * approach) / (h * h) : 0;
  if (hit > now[0]) now[0] = Math.min(hit, Math.max(most, now[0]));
}

/**
 * p₀ of the next step, after one whose smallest gap was `least` of the reach.
 *
 * The pressure on a contact may be far above that of weight: a crushed tube presses its layers together with 10⁴ times as much. With the p₀ of weight
 * such gaps shrink to 10⁻⁶ of the reach, where no direction of motion allows a step and the whole sheet stops. So p₀ triples
 * while some gap is under a fiftieth of the reach, and comes back slowly. A tube of 400 points settles at 7·10³ times its start.
 */
export function closePressure({ now, start, most }: BarrierPressure, least: number): void {
  if (least < THIN) now[0] = Math.max(now[0], Math.min(most, 3 * now[0]));
  else if (least > WIDE) now[0] = Math.max(start, EASING * now[0]);
}

/** A gap is thin below the first share of the reach, wide above the second. */
const THIN = 0.02;
const WIDE = 0.2;
/** p₀ falls by this factor in a step whose least gap is wide: ten steps take back one tripling. */
const EASING = 0.9;

/**
 * Raises p₀ within a step, from the gaps g of the last evaluate: under an impact of 10⁵ times the weight the iterations would otherwise be spent on
 * closing the gaps. Not while the least gap opens: all contacts share p₀, and each raise gives the others energy without a physical source. Returns
 * whether p₀ rose.
 */
export function pressHarder(
  { now, most, reach, thin }: BarrierPressure,
  { g, blocks }: { readonly g: Float64Array; readonly blocks: number },
): boolean {
  let least = reach;
  for (let b = 0; b < blocks; b++) if (g[b] < least) least = g[b];
  const isOpening = least > thin[0];
  if (!(least < THIN * reach) || isOpening || now[0] >= most) return false;
  thin[0] = least;
  now[0] = Math.min(most, 3 * now[0]);
  return true;
}

/** Two unit tangents t, s of the unit normal (x, y, z) into out[at…at+6]. */
export function tangents(out: Float64Array, at: number, x: number, y: number, z: number): void {
  // the axis least along n
  const ax = Math.abs(x);
  const ay = Math.abs(y);
  const az = Math.abs(z);
  let tx = 0;
  let ty = 0;
  let tz = 0;
  if (ax <= ay && ax <= az) {
    ty = -z;
    tz = y;
  } else if (ay <= az) {
    tx = z;
    tz = -x;
  } else {
    tx = -y;
    ty = x;
  }
  const l = Math.sqrt(tx * tx + ty * ty + tz * tz);
  tx /= l;
  ty /= l;
  tz /= l;
  out[at] = tx;
  out[at + 1] = ty;
  out[at + 2] = tz;
  out[at + 3] = y * tz - z * ty;
  out[at + 4] = z * tx - x * tz;
  out[at + 5] = x * ty - y * tx;
}
