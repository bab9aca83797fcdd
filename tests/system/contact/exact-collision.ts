/**
 * Whether four points in straight motion collide, decided in exact integers.
 *
 * Coordinates and displacements are integers. Features can touch only while their four points lie in one plane: at roots of the cubic
 * f(t) = det(…) in [0, 1]. Roots are isolated by counting sign changes of Bernstein coefficients (Descartes) and bisected to an
 * interval of 2⁻⁴⁰; on it the weights of the contact point, as polynomials of degree 4, are bounded by their
 * Bernstein coefficients. So `yes` comes with an interval that holds a true time of contact, and `no` is a proof. What
 * neither can say (multiple roots, contact on a border, motion within one plane) is `unknown`.
 */
export type Verdict =
  | { readonly answer: "yes"; readonly before: number }
  | { readonly answer: "no" | "unknown" };

type Polynomial = readonly bigint[];
type Vector = readonly [Polynomial, Polynomial, Polynomial];

const DEPTH = 40;

export function exactCollision(
  kind: "pointTriangle" | "edgeEdge",
  x: ArrayLike<number>,
  dx: ArrayLike<number>,
): Verdict {
  const at = (m: number): Vector =>
    [0, 1, 2].map((c) => [BigInt(x[3 * m + c]), BigInt(dx[3 * m + c])]) as unknown as Vector;
  const [p, q, r, s] = [at(0), at(1), at(2), at(3)];
  let f: Polynomial;
  let inside: Polynomial[];
  if (kind === "pointTriangle") {
    const [a, b, c] = [minus(q, p), minus(r, p), minus(s, p)];
    const n = cross(minus(r, q), minus(s, q));
    f = dot(n, a);
    inside = [dot(n, cross(b, c)), dot(n, cross(c, a)), dot(n, cross(a, b))];
  } else {
    const [u, v, c] = [minus(q, p), minus(s, r), minus(r, p)];
    const n = cross(u, v);
    f = dot(n, c);
    // p + σu = r + τv: σ|n|² = (c × v)·n, τ|n|² = (c × u)·n
    const [σ, τ, one] = [dot(cross(c, v), n), dot(cross(c, u), n), dot(n, n)];
    inside = [σ, less(one, σ), τ, less(one, τ)];
  }
  if (f.every((c) => c === 0n)) return { answer: "unknown" };
  let unknown = false;
  const open: [bigint, number][] = [[0n, 0]]; // intervals [k, k+1]/2^m
  while (open.length > 0) {
    const [k, m] = open.pop()!;
    const signs = bernstein(f, k, m).map((b) => (b > 0n ? 1 : b < 0n ? -1 : 0));
    let changes = 0;
    let last = 0;
    for (const sign of signs) {
      if (sign !== 0 && last !== 0 && sign !== last) changes++;
      if (sign !== 0) last = sign;
    }
    const touchesEnd = signs[0] === 0 || signs[signs.length - 1] === 0;
    if (changes === 0 && !touchesEnd) continue;
    if (m === DEPTH) {
      // at most one root within 2⁻⁴⁰: is the contact point inside for sure, or outside for sure?
      const bounds = inside.map((g) => bernstein(g, k, m));
      if (bounds.some((b) => b.every((v) => v < 0n))) continue;
      const sure = changes === 1 && !touchesEnd && bounds.every((b) => b.every((v) => v > 0n));
      if (sure) return { answer: "yes", before: Number(k + 1n) / 2 ** m };
      unknown = true;
      continue;
    }
    open.push([2n * k + 1n, m + 1], [2n * k, m + 1]);
  }
  return { answer: unknown ? "unknown" : "no" };
}

/** Bernstein coefficients of f on [k, k+1]/2^m, times a positive number. */
function bernstein(f: Polynomial, k: bigint, m: number): bigint[] {
  const degree = f.length - 1;
  // f((k + u)/2^m)·2^(m·degree) by Horner, as a polynomial in u
  let shifted: bigint[] = [0n];
  for (let i = degree; i >= 0; i--) {
    const next: bigint[] = Array.from({ length: shifted.length + 1 }, () => 0n);
    shifted.forEach((c, j) => {
      next[j] += c * k;
      next[j + 1] += c;
    });
    next[0] += f[i] << BigInt(m * (degree - i));
    shifted = next;
  }
  const c = shifted.slice(0, degree + 1);
  // bᵢ = Σ_{j ≤ i} C(i, j)/C(degree, j) cⱼ; twelve makes all quotients whole up to degree 4
  return c.map((_, i) => {
    let sum = 0n;
    for (let j = 0; j <= i; j++) sum += (12n * choose(i, j) * c[j]) / choose(degree, j);
    return sum;
  });
}

function choose(n: number, k: number): bigint {
  let value = 1;
  for (let i = 0; i < k; i++) value = (value * (n - i)) / (i + 1);
  return BigInt(value);
}

const minus = (a: Vector, b: Vector): Vector => [
  less(a[0], b[0]),
  less(a[1], b[1]),
  less(a[2], b[2]),
];
const less = (a: Polynomial, b: Polynomial): Polynomial =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, i) => (a[i] ?? 0n) - (b[i] ?? 0n));
const plus = (a: Polynomial, b: Polynomial): Polynomial =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, i) => (a[i] ?? 0n) + (b[i] ?? 0n));
function times(a: Polynomial, b: Polynomial): Polynomial {
  const c = Array.from({ length: a.length + b.length - 1 }, () => 0n);
  for (let i = 0; i < a.length; i++) for (let j = 0; j < b.length; j++) c[i + j] += a[i] * b[j];
  return c;
}
const dot = (a: Vector, b: Vector): Polynomial =>
  plus(plus(times(a[0], b[0]), times(a[1], b[1])), times(a[2], b[2]));
const cross = (a: Vector, b: Vector): Vector => [
  less(times(a[1], b[2]), times(a[2], b[1])),
  less(times(a[2], b[0]), times(a[0], b[2])),
  less(times(a[0], b[1]), times(a[1], b[0])),
];
