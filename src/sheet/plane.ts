/**
 * What every file of this folder needs of the plane and of triangles as lists.
 *
 * Squares are products here, never x ** 2: ECMAScript leaves the last bit of powers to the engine,
 * and samples, lengths and poses must have the same bits everywhere.
 */

/** u² + v² */
export function squaredLength(u: number, v: number): number {
  return u * u + v * v;
}

/** √(u² + v²), without the care for overflow that makes Math.hypot differ between engines. */
export function lengthOf(u: number, v: number): number {
  return Math.sqrt(u * u + v * v);
}

/**
 * Triangles are three places in a list: the place after k, counter-clockwise in the same triangle.
 */
export function next(k: number): number {
  return k % 3 === 2 ? k - 2 : k + 1;
}
