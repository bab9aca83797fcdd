/**
 * Elementary functions with the same bits on every engine.
 *
 * ECMAScript leaves the last bits of Math.sin, Math.exp and the like to the engine. Whatever feeds simulated
 * positions uses these instead: only + − × ÷ √ and exact scalings, in a fixed order. Accurate to a few units in
 * the last place for the arguments of geometry (|x| up to some thousands), which the tests check against Math.
 */

const HALF_PI_HIGH = 1.5707963267341256; // the first 33 bits of π/2, so that k·HIGH is exact for small k
const HALF_PI_LOW = 6.077100506506192e-11;

/** Taylor series on |x| ≤ π/4, where 9 terms are enough for the last bit. */
function sinSmall(x: number): number {
  const y = x * x;
  let sum = 0;
  for (let k = 19; k >= 3; k -= 2) sum = (1 + sum) * (-y / (k * (k - 1)));
  return x + x * sum;
}

function cosSmall(x: number): number {
  const y = x * x;
  let sum = 0;
  for (let k = 20; k >= 2; k -= 2) sum = (1 + sum) * (-y / (k * (k - 1)));
  return 1 + sum;
}

export function sin(x: number): number {
  const k = Math.round(x / (HALF_PI_HIGH + HALF_PI_LOW));
  const r = x - k * HALF_PI_HIGH - k * HALF_PI_LOW;
  const quadrant = ((k % 4) + 4) % 4;
  if (quadrant === 0) return sinSmall(r);
  if (quadrant === 1) return cosSmall(r);
  if (quadrant === 2) return -sinSmall(r);
  return -cosSmall(r);
}

export function cos(x: number): number {
  const k = Math.round(x / (HALF_PI_HIGH + HALF_PI_LOW));
  const r = x - k * HALF_PI_HIGH - k * HALF_PI_LOW;
  const quadrant = ((k % 4) + 4) % 4;
  if (quadrant === 0) return cosSmall(r);
  if (quadrant === 1) return -sinSmall(r);
  if (quadrant === 2) return -cosSmall(r);
  return sinSmall(r);
}

/** eˣ = (e^(x/2ᵏ))^(2ᵏ) with |x/2ᵏ| ≤ 1/4. */
export function exp(x: number): number {
  let halvings = 0;
  let y = x;
  while (y > 0.25 || y < -0.25) {
    y /= 2;
    halvings++;
  }
  // expm1 by its series, then (1 + a)² − 1 = 2a + a², which loses no digits near 0
  let a = 0;
  for (let k = 14; k >= 1; k--) a = (y / k) * (1 + a);
  for (let k = 0; k < halvings; k++) a = 2 * a + a * a;
  return 1 + a;
}

export const PI: number = 3.141592653589793;

/** The angle of (x, y) in (−π, π]. */
export function atan2(y: number, x: number): number {
  if (x === 0 && y === 0) return 0;
  const t = atan(Math.abs(y) / Math.abs(x));
  const angle = x < 0 ? PI - t : t;
  return y < 0 ? -angle : angle;
}

/** t ≥ 0 or infinite: half-angle reductions by √ until the series is short. */
function atan(t: number): number {
  if (t > 1) return PI / 2 - atan(1 / t);
  let x = t;
  let doubled = 1;
  while (x > 0.1) {
    x = x / (1 + Math.sqrt(1 + x * x)); // tan(θ/2) from tan θ
    doubled *= 2;
  }
  const y = x * x;
  let sum = 0;
  for (let k = 23; k >= 3; k -= 2) sum = -y * (1 / k + sum);
  return x * (1 + sum) * doubled;
}

export function acos(c: number): number {
  const clamped = Math.max(-1, Math.min(1, c));
  return atan2(Math.sqrt(Math.max(0, (1 - clamped) * (1 + clamped))), clamped);
}
