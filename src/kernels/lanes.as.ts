/** Registers of two doubles or four singles. A multiply-add is rounded after the product and after the sum: the same bits everywhere. */

/** c + a·b. */
// @ts-ignore: decorator
@inline
export function multiplyAdd(a: v128, b: v128, c: v128): v128 {
  return f64x2.add(c, f64x2.mul(a, b));
}

/** c − a·b. */
// @ts-ignore: decorator
@inline
export function multiplySubtract(a: v128, b: v128, c: v128): v128 {
  return f64x2.sub(c, f64x2.mul(a, b));
}

/** The same of four singles. */
// @ts-ignore: decorator
@inline
export function multiplyAddSingle(a: v128, b: v128, c: v128): v128 {
  return f32x4.add(c, f32x4.mul(a, b));
}

// @ts-ignore: decorator
@inline
export function zero(): v128 {
  return f64x2.splat(0);
}

/** Element i of an array of 32-bit integers at byte address p. */
// @ts-ignore: decorator
@inline
export function int(p: usize, i: i32): i32 {
  return load<i32>(p + (<usize>i << 2));
}
