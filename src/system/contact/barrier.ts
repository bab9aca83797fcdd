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

/** Share of gravity's pressure that a contact carries at half its reach; higher is stiffer and closer to the full reach. */
const PRESSURES = 10;

/**
 * Stiffness of a barrier in units of the inertia of what it holds, σ/h². Softer ones than inertia let gaps shrink to nothing before they push back, and steps
 * end at once in every direction: measured on a tablecloth, 0.01 leaves 18 of 120 steps unsolved, 1 two, 100 none. Layers pressed together
 * cost twice the rounds at 100.
 */
const INERTIAS = 10;

/**
 * p₀ in Pa for a sheet of areal density σ: some times its own weight (or that of 1 m/s² where there is no gravity), or some times its inertia in a step.
 *
 * @param reach  m, of the barrier
 * @param h      s, of the step
 */
export function contactPressure(
  density: number,
  gravity: number,
  reach: number,
  h: number,
): number {
  const weight = PRESSURES * density * Math.max(gravity, 1);
  return Math.max(weight, (INERTIAS * density * reach) / (h * h));
}

/**
 * p₀ of the next step, after one whose smallest gap was `least` of the reach.
 *
 * What presses on a contact may be far more than weight: a crushed tube pushes its layers together with 10⁴ times that. At the pressure of
 * weight such gaps shrink to 10⁻⁶ of the reach, where every direction of motion ends at once and the whole sheet freezes. So p₀ triples
 * while some gap is under a fiftieth of the reach, and comes back slowly. A tube of 400 points settles at 7·10³ times its start.
 */
export function adaptedPressure(p: number, start: number, least: number): number {
  if (least < THIN) return Math.min(MOST_PRESSURE * start, 3 * p);
  return least > 0.2 ? Math.max(start, 0.9 * p) : p;
}

/** p₀ over that of the start: beyond it nothing real presses. */
export const MOST_PRESSURE = 1e7;

/** A gap is thin below this share of the reach. */
const THIN = 0.02;

/**
 * The same within a step, from the gaps g of the last evaluate: a blow of 10⁵ times the weight would otherwise spend the step pressing
 * them together. Says whether p₀ rose.
 */
export function pressHarder(
  pressure: Float64Array,
  start: number,
  { g, blocks }: { readonly g: Float64Array; readonly blocks: number },
  reach: number,
): boolean {
  let least = reach;
  for (let b = 0; b < blocks; b++) if (g[b] < least) least = g[b];
  if (!(least < THIN * reach) || pressure[0] >= MOST_PRESSURE * start) return false;
  pressure[0] = adaptedPressure(pressure[0], start, least / reach);
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
