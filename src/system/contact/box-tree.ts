/**
 * A tree of boxes around primitives (points, edges, triangles), complete and implicit: no pointers, nothing but arrays.
 *
 * Node q has children 2q+1 and 2q+2; node leaves − 1 + f is leaf number f, which holds the primitives order[first[f] … first[f+1][. Boxes of
 * primitives lie in that order too, so that a leaf reads one stretch of memory. A refit is one loop backwards over
 * the nodes. Built by splitting at medians of the boxes' centres, level by level; ties go by number, so that the tree is a
 * function of the positions alone.
 *
 * A box is six numbers: lower xyz, upper xyz. O(count log count) to build, O(count) to refit.
 */
import type { Allocator, ReadonlyI32 } from "../../linalg/arena.ts";

export interface BoxTree {
  /** Points per primitive. */
  readonly arity: number;
  readonly count: number;
  /** A power of two. */
  readonly leaves: number;
  /** [arity·count] points of each primitive. */
  readonly corners: Int32Array;
  /** [count] primitives in the order of the leaves. */
  readonly order: Int32Array;
  /** [leaves + 1] where in `order` the primitives of each leaf begin. */
  readonly first: Int32Array;
  /** [6·count] m, boxes of the primitives, in the order of the leaves. */
  readonly boxes: Float64Array;
  /** [6·(2·leaves − 1)] m */
  readonly nodes: Float64Array;
  /** [1] extent of the nodes over extent of the primitives when built; 0 before. */
  readonly quality: Float64Array;
}

/** Primitives per leaf, at most. 2 to 6 measure alike; 1 and 8 are a third slower. */
const LEAF = 4;
/** Allocates. buildTree makes it; later fillBoxes and refit follow the points. */
export function createBoxTree(memory: Allocator, corners: ReadonlyI32, arity: number): BoxTree {
  const count = corners.length / arity;
  let leaves = 1;
  while (leaves * LEAF < count) leaves *= 2;
  return {
    arity,
    count,
    leaves,
    corners: memory.copyI32(corners),
    order: memory.i32(count),
    first: memory.i32(leaves + 1),
    boxes: memory.f64(6 * count),
    nodes: memory.f64(6 * (2 * leaves - 1)),
    quality: memory.f64(1),
  };
}

/** Do box i of A and box j of B meet? Touching counts. (One Math.max over six differences, without branches, takes twice as long.) */
export function overlap(A: Float64Array, i: number, B: Float64Array, j: number): boolean {
  const a = 6 * i;
  const b = 6 * j;
  return (
    A[a] <= B[b + 3] &&
    B[b] <= A[a + 3] &&
    A[a + 1] <= B[b + 4] &&
    B[b + 1] <= A[a + 4] &&
    A[a + 2] <= B[b + 5] &&
    B[b + 2] <= A[a + 5]
  );
}

/**
 * Boxes of the primitives around the boxes of their points, widened on all sides.
 *
 * @param around  [6n] m, a box for each point
 * @returns the sum of their extents, m
 */
export function fillBoxes(tree: BoxTree, around: Float64Array, widen: number): number {
  const { arity, count, corners, order, boxes } = tree;
  let extent = 0;
  for (let k = 0; k < count; k++) {
    const c = arity * order[k];
    let s = 6 * corners[c];
    let lx = around[s];
    let ly = around[s + 1];
    let lz = around[s + 2];
    let ux = around[s + 3];
    let uy = around[s + 4];
    let uz = around[s + 5];
    for (let m = 1; m < arity; m++) {
      s = 6 * corners[c + m];
      if (around[s] < lx) lx = around[s];
      if (around[s + 1] < ly) ly = around[s + 1];
      if (around[s + 2] < lz) lz = around[s + 2];
      if (around[s + 3] > ux) ux = around[s + 3];
      if (around[s + 4] > uy) uy = around[s + 4];
      if (around[s + 5] > uz) uz = around[s + 5];
    }
    const b = 6 * k;
    boxes[b] = lx - widen;
    boxes[b + 1] = ly - widen;
    boxes[b + 2] = lz - widen;
    boxes[b + 3] = ux + widen;
    boxes[b + 4] = uy + widen;
    boxes[b + 5] = uz + widen;
    extent += ux - lx + (uy - ly) + (uz - lz) + 6 * widen;
  }
  return extent;
}

/** Boxes of the nodes from those of the primitives. Returns the sum of their extents, m. */
export function refit(tree: BoxTree): number {
  const { leaves, first, boxes, nodes } = tree;
  let extent = 0;
  for (let q = 2 * leaves - 2; q >= 0; q--) {
    let lx = Number.POSITIVE_INFINITY;
    let ly = lx;
    let lz = lx;
    let ux = -lx;
    let uy = -lx;
    let uz = -lx;
    const leaf = q >= leaves - 1;
    const from = leaf ? boxes : nodes;
    const last = leaf ? first[q - leaves + 2] : 2 * q + 3;
    for (let i = leaf ? first[q - leaves + 1] : 2 * q + 1; i < last; i++) {
      const b = 6 * i;
      if (from[b] < lx) lx = from[b];
      if (from[b + 1] < ly) ly = from[b + 1];
      if (from[b + 2] < lz) lz = from[b + 2];
      if (from[b + 3] > ux) ux = from[b + 3];
      if (from[b + 4] > uy) uy = from[b + 4];
      if (from[b + 5] > uz) uz = from[b + 5];
    }
    const b = 6 * q;
    nodes[b] = lx;
    nodes[b + 1] = ly;
    nodes[b + 2] = lz;
    nodes[b + 3] = ux;
    nodes[b + 4] = uy;
    nodes[b + 5] = uz;
    extent += ux - lx + (uy - ly) + (uz - lz);
  }
  return extent;
}

/** Orders the primitives by medians of their boxes' centres, along the longest side of each node in turn; then fills all boxes as fillBoxes and refit do. */
export function buildTree(tree: BoxTree, around: Float64Array, widen: number): void {
  const { count, leaves, order, first, boxes } = tree;
  for (let k = 0; k < count; k++) order[k] = k;
  for (let f = 0; f <= leaves; f++) first[f] = Math.floor((f * count) / leaves);
  fillBoxes(tree, around, widen); // by number, for the time of sorting
  for (let width = leaves; width > 1; width /= 2)
    for (let f = 0; f < leaves; f += width) {
      const lo = first[f];
      const hi = first[f + width];
      select(order, boxes, longestAxis(order, boxes, lo, hi), lo, first[f + width / 2], hi);
    }
  const extent = fillBoxes(tree, around, widen);
  tree.quality[0] = refit(tree) / extent;
}

function longestAxis(order: Int32Array, boxes: Float64Array, first: number, last: number): number {
  let axis = 0;
  let longest = -1;
  for (let c = 0; c < 3; c++) {
    let lower = Number.POSITIVE_INFINITY;
    let upper = Number.NEGATIVE_INFINITY;
    for (let i = first; i < last; i++) {
      const centre = boxes[6 * order[i] + c] + boxes[6 * order[i] + 3 + c];
      if (centre < lower) lower = centre;
      if (centre > upper) upper = centre;
    }
    if (upper - lower > longest) {
      longest = upper - lower;
      axis = c;
    }
  }
  return axis;
}

/** Quickselect: places [first, middle[ before [middle, last[ along an axis; equal centres by number, so that the result is unique. */
function select(
  order: Int32Array,
  boxes: Float64Array,
  axis: number,
  first: number,
  middle: number,
  last: number,
): void {
  let lo = first;
  let hi = last - 1;
  while (lo < hi) {
    // median of three as pivot
    const a = order[lo];
    const b = order[(lo + hi) >> 1];
    const c = order[hi];
    const pivot = before(boxes, axis, a, b)
      ? before(boxes, axis, b, c)
        ? b
        : before(boxes, axis, a, c)
          ? c
          : a
      : before(boxes, axis, a, c)
        ? a
        : before(boxes, axis, b, c)
          ? c
          : b;
    let i = lo;
    let j = hi;
    while (i <= j) {
      while (before(boxes, axis, order[i], pivot)) i++;
      while (before(boxes, axis, pivot, order[j])) j--;
      if (i <= j) {
        const swap = order[i];
        order[i++] = order[j];
        order[j--] = swap;
      }
    }
    if (middle <= j) hi = j;
    else if (middle >= i) lo = i;
    else return;
  }
}

function before(boxes: Float64Array, axis: number, a: number, b: number): boolean {
  const s = boxes[6 * a + axis] + boxes[6 * a + 3 + axis];
  const t = boxes[6 * b + axis] + boxes[6 * b + 3 + axis];
  return s < t || (s === t && a < b);
}
