/**
 * Broad phase: which points may meet which triangles, and which edges may meet which edges, during a motion.
 *
 * Three bounding-volume trees, over points, triangles and edges. A primitive's box holds it at Y and at Y + dY, and so (motion is
 * straight) at all times between; boxes are widened such that every pair that comes within `margin` of each other
 * is found. Two trees are walked together, so that a subtree is rejected once for a whole other subtree.
 *
 * Layout: a tree is complete and implicit. Node q has children 2q+1 and 2q+2, leaf number f holds the primitives
 * order[⌊f·count/leaves⌋ … ⌊(f+1)·count/leaves⌋[, and there are no pointers: a refit is one loop backwards over the boxes.
 *
 * The tree is split at medians of the primitives' centres when it is built, and refitted after that. Sheets keep their neighbours, hence a tree
 * built in one pose serves the next; when its boxes have grown by half compared with what they were when built (relative to
 * the primitives' own boxes), update builds it anew.
 *
 * The trap: a run resumed from a checkpoint has another tree than the run that went through. Pairs are therefore sorted by primitive
 * and a pair is decided by the primitives' own boxes only, so that the list is a function of (Y, dY, margin) alone.
 *
 * Cost: O(n log n).
 */
import type { Allocator, ReadonlyF64, ReadonlyI32 } from "../../linalg/arena.ts";

/** What may touch: points, triangles and edges of all sheets, and of body meshes as further points. */
export interface Primitives {
  /** Number of points. */
  readonly n: number;
  /** [3·triangles] points */
  readonly triangles: ReadonlyI32;
  /** [2·edges] points */
  readonly edges: ReadonlyI32;
  /** [n] group of each point (sheet, body mesh …), below `groups`; a primitive has the group of its first point. */
  readonly group?: ArrayLike<number>;
  /** [groups²] 1 where pairs of these groups are wanted; symmetric. All are when left out. */
  readonly wanted?: ArrayLike<number>;
}

/** Pairs found: in order of the first primitive, then the second. */
export interface Candidates {
  readonly capacity: number;
  /** [1] pairs found by the last search; those beyond the capacity were counted but not kept. */
  readonly found: Int32Array;
  /** [2·capacity] point and triangle, or edge and edge (first < second). */
  readonly primitives: Int32Array;
  /** [4·capacity] the points of both: p, a, b, c or a, b, c, e. */
  readonly points: Int32Array;
  /** [2·capacity] scratch of the sort. */
  readonly unsorted: Int32Array;
}

export interface BroadPhase {
  readonly n: number;
  readonly pointTree: Tree;
  readonly triangleTree: Tree;
  readonly edgeTree: Tree;
  /** [6n] m, boxes of the moving points: lower xyz, upper xyz. */
  readonly swept: Float64Array;
  /** [n] and [groups²] of Primitives. */
  readonly group: Int32Array;
  readonly wanted: Uint8Array;
  readonly groups: number;
  /** [n or edges, +1] counters of the sort. */
  readonly counter: Int32Array;
  readonly stack: Int32Array;
  /** [1] how often a tree was built anew. */
  readonly rebuilds: Int32Array;
}

interface Tree {
  /** Points per primitive. */
  readonly arity: number;
  readonly count: number;
  /** A power of two. */
  readonly leaves: number;
  /** [arity·count] points of each primitive. */
  readonly corners: Int32Array;
  /** [count] primitives in the order of the leaves. */
  readonly order: Int32Array;
  /** [6·count] m, boxes of the primitives by number. */
  readonly boxes: Float64Array;
  /** [6·(2·leaves − 1)] m */
  readonly nodes: Float64Array;
  /** [1] extent of the nodes over extent of the primitives when built; 0 before. */
  readonly quality: Float64Array;
}

/** Primitives per leaf, at most. 2 to 6 measure alike; 1 and 8 are a third slower. */
const LEAF = 4;
/** Growth of the boxes at which a tree is built anew. */
const STRETCHED = 1.5;

/** Allocates the trees. The first update builds them. */
export function createBroadPhase(memory: Allocator, primitives: Primitives): BroadPhase {
  const { n, triangles, edges, group, wanted } = primitives;
  const groups = wanted ? Math.round(Math.sqrt(wanted.length)) : 1;
  const identity = Int32Array.from({ length: n }, (_, i) => i);
  const all = memory.u8(groups * groups);
  const member = memory.i32(n);
  if (all.length > 0) {
    all.fill(1);
    if (wanted) all.set(Array.from(wanted));
  }
  if (member.length > 0 && group && wanted) member.set(Array.from(group));
  return {
    n,
    pointTree: createTree(memory, identity, 1),
    triangleTree: createTree(memory, triangles, 3),
    edgeTree: createTree(memory, edges, 2),
    swept: memory.f64(6 * n),
    group: member,
    wanted: all,
    groups,
    counter: memory.i32(Math.max(n, edges.length / 2) + 1),
    stack: memory.i32(1024),
    rebuilds: memory.i32(1),
  };
}

/** Allocates a list for `capacity` pairs. */
export function createCandidates(memory: Allocator, capacity: number): Candidates {
  return {
    capacity,
    found: memory.i32(1),
    primitives: memory.i32(2 * capacity),
    points: memory.i32(4 * capacity),
    unsorted: memory.i32(2 * capacity),
  };
}

function createTree(memory: Allocator, corners: ReadonlyI32, arity: number): Tree {
  const count = corners.length / arity;
  let leaves = 1;
  while (leaves * LEAF < count) leaves *= 2;
  return {
    arity,
    count,
    leaves,
    corners: memory.copyI32(corners),
    order: memory.i32(count),
    boxes: memory.f64(6 * count),
    nodes: memory.f64(6 * (2 * leaves - 1)),
    quality: memory.f64(1),
  };
}

/**
 * Boxes for the motion from Y to Y + dY (null: no motion). Pairs that come within `margin` (m) will be found.
 * Allocates nothing.
 */
export function update(
  broad: BroadPhase,
  Y: ReadonlyF64,
  dY: ReadonlyF64 | null,
  margin: number,
): void {
  sweepPoints(broad.swept, broad.n, Y, dY);
  // points have no extent of their own to compare with: their tree is renewed with the triangles'
  const renewed = updateTree(broad, broad.triangleTree, margin);
  if (renewed) broad.pointTree.quality[0] = 0;
  updateTree(broad, broad.pointTree, 0);
  updateTree(broad, broad.edgeTree, margin / 2);
}

/** Candidate pairs of point and triangle that share no point. Returns how many were found (see Candidates.found). */
export function findPointTriangles(out: Candidates, broad: BroadPhase): number {
  const { pointTree: P, triangleTree: T, stack, groups, group, wanted } = broad;
  const found = out.found;
  found[0] = 0;
  if (P.count === 0 || T.count === 0) return 0;
  stack[0] = 0;
  stack[1] = 0;
  let top = 2;
  while (top > 0) {
    const b = stack[--top];
    const a = stack[--top];
    if (!overlap(P.nodes, a, T.nodes, b)) continue;
    const leafA = a >= P.leaves - 1;
    const leafB = b >= T.leaves - 1;
    if (leafA && leafB) {
      const lastA = leafStart(P, a + 1);
      const lastB = leafStart(T, b + 1);
      for (let i = leafStart(P, a); i < lastA; i++) {
        const p = P.order[i];
        for (let j = leafStart(T, b); j < lastB; j++) {
          const t = T.order[j];
          if (!overlap(P.boxes, p, T.boxes, t)) continue;
          const c = T.corners[3 * t];
          if (p === c || p === T.corners[3 * t + 1] || p === T.corners[3 * t + 2]) continue;
          if (groups > 1 && wanted[groups * group[p] + group[c]] === 0) continue;
          keep(out, p, t);
        }
      }
    } else if (leafA || (!leafB && b <= a)) {
      // the node with the smaller number is nearer to its root: split that one
      stack[top++] = a;
      stack[top++] = 2 * b + 1;
      stack[top++] = a;
      stack[top++] = 2 * b + 2;
    } else {
      stack[top++] = 2 * a + 1;
      stack[top++] = b;
      stack[top++] = 2 * a + 2;
      stack[top++] = b;
    }
  }
  sortCandidates(out, broad.counter, P.count);
  const kept = Math.min(found[0], out.capacity);
  for (let k = 0; k < kept; k++) {
    const t = out.primitives[2 * k + 1];
    out.points[4 * k] = out.primitives[2 * k];
    out.points[4 * k + 1] = T.corners[3 * t];
    out.points[4 * k + 2] = T.corners[3 * t + 1];
    out.points[4 * k + 3] = T.corners[3 * t + 2];
  }
  return found[0];
}

/** Candidate pairs of edges that share no point, each once. Returns how many were found. */
export function findEdgeEdges(out: Candidates, broad: BroadPhase): number {
  const { edgeTree: T, stack, groups, group, wanted } = broad;
  const found = out.found;
  found[0] = 0;
  if (T.count === 0) return 0;
  stack[0] = 0;
  stack[1] = 0;
  let top = 2;
  while (top > 0) {
    const b = stack[--top];
    const a = stack[--top];
    if (a !== b && !overlap(T.nodes, a, T.nodes, b)) continue;
    const leafA = a >= T.leaves - 1;
    const leafB = b >= T.leaves - 1;
    if (leafA && leafB) {
      const lastA = leafStart(T, a + 1);
      const lastB = leafStart(T, b + 1);
      for (let i = leafStart(T, a); i < lastA; i++) {
        const s = T.order[i];
        const p = T.corners[2 * s];
        const q = T.corners[2 * s + 1];
        for (let j = a === b ? i + 1 : leafStart(T, b); j < lastB; j++) {
          const t = T.order[j];
          if (!overlap(T.boxes, s, T.boxes, t)) continue;
          const c = T.corners[2 * t];
          const e = T.corners[2 * t + 1];
          if (p === c || p === e || q === c || q === e) continue;
          if (groups > 1 && wanted[groups * group[p] + group[c]] === 0) continue;
          if (s < t) keep(out, s, t);
          else keep(out, t, s);
        }
      }
    } else if (a === b) {
      const l = 2 * a + 1;
      stack[top++] = l;
      stack[top++] = l;
      stack[top++] = l;
      stack[top++] = l + 1;
      stack[top++] = l + 1;
      stack[top++] = l + 1;
    } else if (leafA || (!leafB && b <= a)) {
      stack[top++] = a;
      stack[top++] = 2 * b + 1;
      stack[top++] = a;
      stack[top++] = 2 * b + 2;
    } else {
      stack[top++] = 2 * a + 1;
      stack[top++] = b;
      stack[top++] = 2 * a + 2;
      stack[top++] = b;
    }
  }
  sortCandidates(out, broad.counter, T.count);
  const kept = Math.min(found[0], out.capacity);
  for (let k = 0; k < kept; k++) {
    const s = out.primitives[2 * k];
    const t = out.primitives[2 * k + 1];
    out.points[4 * k] = T.corners[2 * s];
    out.points[4 * k + 1] = T.corners[2 * s + 1];
    out.points[4 * k + 2] = T.corners[2 * t];
    out.points[4 * k + 3] = T.corners[2 * t + 1];
  }
  return found[0];
}

function keep(out: Candidates, first: number, second: number): void {
  const k = out.found[0]++;
  if (k >= out.capacity) return;
  out.unsorted[2 * k] = first;
  out.unsorted[2 * k + 1] = second;
}

/** unsorted → primitives, by first (counting), then second (insertion: few share their first). */
function sortCandidates(out: Candidates, counter: Int32Array, firsts: number): void {
  const { unsorted, primitives } = out;
  const kept = Math.min(out.found[0], out.capacity);
  counter.fill(0, 0, firsts + 1);
  for (let k = 0; k < kept; k++) counter[unsorted[2 * k] + 1]++;
  for (let i = 0; i < firsts; i++) counter[i + 1] += counter[i];
  for (let k = 0; k < kept; k++) {
    const first = unsorted[2 * k];
    const place = counter[first]++;
    primitives[2 * place] = first;
    primitives[2 * place + 1] = unsorted[2 * k + 1];
  }
  for (let k = 1; k < kept; k++) {
    const first = primitives[2 * k];
    const second = primitives[2 * k + 1];
    let m = k;
    while (m > 0 && primitives[2 * m - 2] === first && primitives[2 * m - 1] > second) {
      primitives[2 * m + 1] = primitives[2 * m - 1];
      m--;
    }
    primitives[2 * m + 1] = second;
  }
}

/** Do box i of A and box j of B meet? Touching counts. */
function overlap(A: Float64Array, i: number, B: Float64Array, j: number): boolean {
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

/** Place in `order` where the primitives of leaf node q begin. */
function leafStart(tree: Tree, q: number): number {
  return Math.floor(((q - tree.leaves + 1) * tree.count) / tree.leaves);
}

function sweepPoints(swept: Float64Array, n: number, Y: ReadonlyF64, dY: ReadonlyF64 | null): void {
  for (let i = 0; i < n; i++)
    for (let c = 0; c < 3; c++) {
      const from = Y[3 * i + c];
      const to = dY === null ? from : from + dY[3 * i + c];
      swept[6 * i + c] = Math.min(from, to);
      swept[6 * i + 3 + c] = Math.max(from, to);
    }
}

/** Boxes of the primitives, widened, then of the nodes; builds the tree if there is none or it has stretched. Says whether it did. */
function updateTree(broad: BroadPhase, tree: Tree, widen: number): boolean {
  const { arity, count, corners, boxes } = tree;
  const { swept } = broad;
  if (count === 0) return false;
  let extent = 0;
  for (let k = 0; k < count; k++) {
    let s = 6 * corners[arity * k];
    let lx = swept[s];
    let ly = swept[s + 1];
    let lz = swept[s + 2];
    let ux = swept[s + 3];
    let uy = swept[s + 4];
    let uz = swept[s + 5];
    for (let m = 1; m < arity; m++) {
      s = 6 * corners[arity * k + m];
      if (swept[s] < lx) lx = swept[s];
      if (swept[s + 1] < ly) ly = swept[s + 1];
      if (swept[s + 2] < lz) lz = swept[s + 2];
      if (swept[s + 3] > ux) ux = swept[s + 3];
      if (swept[s + 4] > uy) uy = swept[s + 4];
      if (swept[s + 5] > uz) uz = swept[s + 5];
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
  if (tree.quality[0] > 0) {
    const quality = refit(tree) / extent;
    if (arity === 1 || quality <= STRETCHED * tree.quality[0]) return false;
  }
  buildTree(tree);
  broad.rebuilds[0]++;
  tree.quality[0] = refit(tree) / extent;
  return true;
}

/** Boxes of the nodes from those of the primitives. Returns the sum of their extents, m. */
function refit(tree: Tree): number {
  const { leaves, order, boxes, nodes } = tree;
  let extent = 0;
  for (let q = 2 * leaves - 2; q >= 0; q--) {
    let lx = Number.POSITIVE_INFINITY;
    let ly = lx;
    let lz = lx;
    let ux = -lx;
    let uy = -lx;
    let uz = -lx;
    const leaf = q >= leaves - 1;
    const first = leaf ? leafStart(tree, q) : 2 * q + 1;
    const last = leaf ? leafStart(tree, q + 1) : 2 * q + 3;
    const from = leaf ? boxes : nodes;
    for (let i = first; i < last; i++) {
      const b = 6 * (leaf ? order[i] : i);
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

/** Orders the primitives by medians of their boxes' centres, along the longest side of each node in turn. */
function buildTree(tree: Tree): void {
  const { count, leaves, order, boxes } = tree;
  for (let k = 0; k < count; k++) order[k] = k;
  // level by level: the ranges of a level are known from the leaf numbers
  for (let width = leaves; width > 1; width /= 2)
    for (let f = 0; f < leaves; f += width) {
      const first = Math.floor((f * count) / leaves);
      const middle = Math.floor(((f + width / 2) * count) / leaves);
      const last = Math.floor(((f + width) * count) / leaves);
      select(order, boxes, longestAxis(order, boxes, first, last), first, middle, last);
    }
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
