/** What a strip between two clamps should do, by an equation that is not ours: Euler's elastica, solved by shooting. */

/** A strip clamped at both ends, which are pushed together. */
export interface ClampedStrip {
  /** N·m², bending stiffness of the whole width. */
  readonly stiffness: number;
  /** m */
  readonly length: number;
  /** N/m, normal load that turns with the strip, towards the side to which it bows. */
  readonly load: number;
  /** m, by which the clamps have come together. */
  readonly shortening: number;
}

/**
 * N, with which the clamps press. Along the inextensible strip, from a clamp to the middle, with force N and curvature κ:
 *
 *   x′ = cos θ,  y′ = sin θ,  θ′ = κ,  B κ′ = Nx sin θ − Ny cos θ,  Nx = −P + q y,  Ny = q (chord/2 − x)
 *
 * P and κ(0) are such that the middle is level, θ = 0, and at half of the chord.
 */
export function clampForce(strip: ClampedStrip): number {
  const { stiffness: B, length: L, shortening } = strip;
  let P = (4 * Math.PI ** 2 * B) / L ** 2;
  let k = (4 * Math.PI * Math.sqrt(L * shortening)) / L ** 2; // of the first mode
  for (let round = 0; round < 20; round++) {
    const [a, b] = missed(strip, P, k);
    const dP = 1e-6 * P;
    const dk = 1e-6 * k;
    const [aP, bP] = missed(strip, P + dP, k).map((value, c) => (value - [a, b][c]) / dP);
    const [ak, bk] = missed(strip, P, k + dk).map((value, c) => (value - [a, b][c]) / dk);
    const det = aP * bk - ak * bP;
    P -= (a * bk - ak * b) / det;
    k -= (aP * b - bP * a) / det;
  }
  return P;
}

/** θ and x − chord/2 in the middle, by 200 steps of Runge and Kutta. */
function missed(strip: ClampedStrip, P: number, k: number): [number, number] {
  const { stiffness: B, length: L, load: q, shortening } = strip;
  const half = (L - shortening) / 2;
  const slope = ([x, y, t, c]: number[]): number[] => [
    Math.cos(t),
    Math.sin(t),
    c,
    ((q * y - P) * Math.sin(t) - q * (half - x) * Math.cos(t)) / B,
  ];
  const h = L / 400;
  const along = (s: number[], d: number[], step: number): number[] =>
    s.map((value, c) => value + step * d[c]);
  let s = [0, 0, 0, k];
  for (let step = 0; step < 200; step++) {
    const d1 = slope(s);
    const d2 = slope(along(s, d1, h / 2));
    const d3 = slope(along(s, d2, h / 2));
    const d4 = slope(along(s, d3, h));
    s = s.map((value, c) => value + (h / 6) * (d1[c] + 2 * d2[c] + 2 * d3[c] + d4[c]));
  }
  return [s[2], s[0] - half];
}
