/**
 * Where a factor lies in memory: shared by cholesky-factor.as.ts and cholesky-solve*.as.ts. linalg/symbolic.ts says how L and U are stored.
 *
 * Addresses are in bytes: a number is 8, a column of a panel 32, a tile 128. `t` is the table of addresses that linalg/cholesky.ts writes,
 * in the order of the constants below.
 */

// @ts-ignore: decorator
@inline export function field(t: usize, i: i32): usize { return <usize>load<u32>(t + (<usize>i << 2)); }

// @ts-ignore: decorator
@inline export const N = 0, BLOCK_SIZE = 1, SUPERNODES = 2, L = 3, U = 4, Y = 5, W = 6, ORDER = 7,
  FIRST_PLACE = 8, COLUMNS = 9, ROWS = 10, ROW_START = 11, ROW_PLACE = 12, ROW_IN_PARENT = 13,
  PIVOTS_OF_PARENT = 14, CHILD_START = 15, CHILD = 16, FACTOR_START = 17, UPDATE_START = 18,
  ENTRY_START = 19, ENTRY_BLOCK = 20, ENTRY_ROW = 21, ENTRY_COLUMN = 22;

/** As in linalg/cholesky.ts. */
// @ts-ignore: decorator
@inline export const BLOCK = 64, GROUP = 8, STREAM = 4;

// @ts-ignore: decorator
@inline export function roundUp4(x: i32): i32 { return (x + 3) & ~3; }

/** Bytes in the first t rows of tiles of an update, and in the first t pivot panels. */
// @ts-ignore: decorator
@inline export function triangle(t: i32): usize { return <usize>(t * (t + 1)) << 6; }

/**
 * Where panel i of a supernode starts, in bytes. Both answers are computed and one is selected: which it is
 * cannot be foreseen, and a mispredicted branch costs more than a product.
 */
// @ts-ignore: decorator
@inline export function panelStart(i: i32, width: i32): usize {
  const pivotPanels = width >> 2;
  const below = triangle(pivotPanels) + <usize>(i - pivotPanels) * columnsOfPanel(width);
  return select<usize>(triangle(i), below, i <= pivotPanels);
}

// @ts-ignore: decorator
@inline export function numbers(count: i32): usize { return <usize>count << 3; }

// @ts-ignore: decorator
@inline export function columnsOfPanel(count: i32): usize { return <usize>count << 5; }
