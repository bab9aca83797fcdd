/**
 * Broad phase: which points may meet which triangles, and which edges may meet which edges, during a motion.
 *
 * Three bounding-volume trees, over points, triangles and edges. A primitive's box holds it at Y and at Y + dY, and so (motion is
 * straight) at all times between; boxes are widened such that every pair that comes within `margin` of each other
 * is found. Two trees are walked together, so that a subtree is rejected once for a whole other subtree. Of the pairs whose boxes
 * meet most are far apart all the same (boxes around a cloth are mostly empty), so a pair is kept only if its distance at Y is at most the
 * margin plus what its corners move relative to each other: a fifth to a tenth of the pairs, and the list is used many times.
 *
 * The tree is split at medians of the primitives' centres when it is built, and refitted after that. Sheets keep their neighbours, hence a tree
 * built in one pose serves the next; when its boxes have grown by half compared with what they were when built (relative to
 * the primitives' own boxes), update builds it anew.
 *
 * The trap: a run resumed from a checkpoint has another tree than the run that went through. Pairs are therefore sorted by primitive
 * and a pair is decided by its own box and distance, so that the list is a function of (Y, dY, margin) alone.
 *
 * Cost: O(n log n). A sheet in four layers 0.3 spacings apart, margin half a spacing (34 pairs a point found), refit and both
 * searches, in µs a point on one core (`isoplate bench`, in the kernels): 5.8, 6.8, 7.3, 7.7 at 676, 2 704, 14 884, 99 856 points.
 *
 * Tried and dropped: a uniform hash of the edges' boxes (cells of 1, 1.5 and 2 spacings) finds the same pairs in 0.8 to 1.7 × the time of
 * the tree, and has to be rebuilt for every motion and to be told a cell size; fast or uneven sheets put one box into hundreds of cells.
 */
import type { Allocator, ReadonlyF64, ReadonlyI32 } from "../../linalg/arena.ts";
import { type BoxTree, buildTree, createBoxTree, fillBoxes, overlap, refit } from "./box-tree.ts";
import { edgeEdge, pointTriangle } from "./distance.ts";

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
  /** [n] points of one number count as one (those of a seam that is being pulled together); each for itself when left out. */
  readonly sewn?: ArrayLike<number>;
}

/** Pairs found: in order of the first primitive, then the second. */
export interface Candidates {
  capacity: number;
  /** [1] pairs found by the last search; those beyond the capacity were counted but not kept: grow, and search again. */
  readonly found: Int32Array;
  /** [2·capacity] point and triangle, or edge and edge (first < second). */
  primitives: Int32Array;
  /** [4·capacity] the points of both: p, a, b, c or a, b, c, e. */
  points: Int32Array;
  /** [2·capacity] scratch of the sort. */
  unsorted: Int32Array;
}

export interface BroadPhase {
  readonly n: number;
  readonly pointTree: BoxTree;
  readonly triangleTree: BoxTree;
  readonly edgeTree: BoxTree;
  /** [6n] m, boxes of the moving points: lower xyz, upper xyz. */
  readonly swept: Float64Array;
  /** [n] and [groups²] of Primitives. */
  readonly group: Int32Array;
  readonly wanted: Uint8Array;
  readonly groups: number;
  /** [n] of Primitives. */
  readonly sewn: Int32Array;
  /** [n or edges, +1] counters of the sort. */
  readonly counter: Int32Array;
  readonly stack: Int32Array;
  /** [1] m, of the last update. */
  readonly margin: Float64Array;
  /** [1] how often a tree was built anew. */
  readonly rebuilds: Int32Array;
}

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
  const sewn = memory.copyI32(primitives.sewn ? Int32Array.from(primitives.sewn) : identity);
  return {
    n,
    pointTree: createBoxTree(memory, identity, 1),
    triangleTree: createBoxTree(memory, triangles, 3),
    edgeTree: createBoxTree(memory, edges, 2),
    swept: memory.f64(6 * n),
    group: member,
    wanted: all,
    groups,
    sewn,
    counter: memory.i32(Math.max(n, edges.length / 2) + 1),
    stack: memory.i32(1024),
    margin: memory.f64(1),
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

/** Room for `capacity` pairs, outside the one memory and so out of the kernels' reach. What was found is lost. */
export function growCandidates(out: Candidates, capacity: number): void {
  if (capacity <= out.capacity) return;
  out.capacity = capacity;
  out.found[0] = 0;
  out.primitives = new Int32Array(2 * capacity);
  out.points = new Int32Array(4 * capacity);
  out.unsorted = new Int32Array(2 * capacity);
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
  broad.margin[0] = margin;
  sweepPoints(broad.swept, broad.n, Y, dY);
  // the points' tree is renewed with the triangles'
  const renewed = updateTree(broad, broad.triangleTree, margin);
  if (renewed) broad.pointTree.quality[0] = 0;
  updateTree(broad, broad.pointTree, 0);
  updateTree(broad, broad.edgeTree, margin / 2);
}

/**
 * Pairs of point and triangle that share no point and may come within the margin of the last update, whose Y and dY these are.
 * Returns how many were found (see Candidates.found).
 */
export function findPointTriangles(
  out: Candidates,
  broad: BroadPhase,
  Y: ReadonlyF64,
  dY: ReadonlyF64 | null,
  operations: SearchOperations = { pairUp },
): number {
  return find(out, broad, broad.pointTree, broad.triangleTree, Y, dY, operations);
}

/** Pairs of edges, each once, as findPointTriangles. */
export function findEdgeEdges(
  out: Candidates,
  broad: BroadPhase,
  Y: ReadonlyF64,
  dY: ReadonlyF64 | null,
  operations: SearchOperations = { pairUp },
): number {
  return find(out, broad, broad.edgeTree, broad.edgeTree, Y, dY, operations);
}

function find(
  out: Candidates,
  broad: BroadPhase,
  A: BoxTree,
  B: BoxTree,
  Y: ReadonlyF64,
  dY: ReadonlyF64 | null,
  operations: SearchOperations,
): number {
  const { found, capacity, primitives, points } = out;
  found[0] = A.count === 0 || B.count === 0 ? 0 : operations.pairUp(out, broad, A, B, Y, dY);
  sortCandidates(out, broad.counter, A.count);
  const kept = Math.min(found[0], capacity);
  for (let k = 0; k < kept; k++)
    for (let c = 0; c < 4; c++)
      points[4 * k + c] =
        c < A.arity
          ? A.corners[A.arity * primitives[2 * k] + c]
          : B.corners[B.arity * primitives[2 * k + 1] + c - A.arity];
  return found[0];
}

/** Two trees walked together, or one with itself; pairs into `unsorted`, in the order of the trees. Returns how many there are. */
export function pairUp(
  out: Candidates,
  broad: BroadPhase,
  A: BoxTree,
  B: BoxTree,
  Y: ReadonlyF64,
  dY: ReadonlyF64 | null,
): number {
  const { stack, groups, group, wanted, sewn } = broad;
  const { corners } = B;
  const isPoint = A.arity === 1;
  const margin = broad.margin[0];
  out.found[0] = 0;
  stack[0] = 0;
  stack[1] = 0;
  let top = 2;
  while (top > 0) {
    const b = stack[--top];
    const a = stack[--top];
    if (!overlap(A.nodes, a, B.nodes, b)) continue;
    const isOne = a === b && A === B;
    const leafA = a - A.leaves + 1;
    const leafB = b - B.leaves + 1;
    if (leafA >= 0 && leafB >= 0) {
      const lastA = A.first[leafA + 1];
      const firstB = B.first[leafB];
      const lastB = B.first[leafB + 1];
      for (let i = A.first[leafA]; i < lastA; i++) {
        if (!overlap(A.boxes, i, B.nodes, b)) continue;
        for (let j = isOne ? i + 1 : firstB; j < lastB; j++) {
          if (!overlap(A.boxes, i, B.boxes, j)) continue;
          let s = A.order[i];
          let t = B.order[j];
          // smaller number first, so that the rounding of the distance does not depend on the tree
          if (!isPoint && t < s) [s, t] = [t, s];
          const p = isPoint ? s : corners[2 * s];
          const q = isPoint ? corners[3 * t] : corners[2 * s + 1];
          const c = isPoint ? corners[3 * t + 1] : corners[2 * t];
          const e = isPoint ? corners[3 * t + 2] : corners[2 * t + 1];
          if (sewn[p] === sewn[c] || sewn[p] === sewn[e]) continue;
          if (isPoint ? sewn[p] === sewn[q] : sewn[q] === sewn[c] || sewn[q] === sewn[e]) continue;
          if (groups > 1 && wanted[groups * group[p] + group[isPoint ? q : c]] === 0) continue;
          if (isPoint) pointTriangle(d2, w, 0, Y, p, q, c, e);
          else edgeEdge(d2, w, 0, Y, p, q, c, e);
          let far = margin;
          if (dY !== null) {
            const both = Math.max(relative2(dY, p, c), relative2(dY, p, e));
            const more = isPoint
              ? relative2(dY, p, q)
              : Math.max(relative2(dY, q, c), relative2(dY, q, e));
            far += Math.sqrt(Math.max(both, more));
          }
          if (d2[0] <= far * far) keep(out, s, t);
        }
      }
    } else if (isOne) {
      const l = 2 * a + 1;
      top = push(stack, top, l, l);
      top = push(stack, top, l, l + 1);
      top = push(stack, top, l + 1, l + 1);
    } else if (leafA >= 0 || (leafB < 0 && b <= a)) {
      // the node with the smaller number is nearer to its root: split that one
      top = push(stack, top, a, 2 * b + 1);
      top = push(stack, top, a, 2 * b + 2);
    } else {
      top = push(stack, top, 2 * a + 1, b);
      top = push(stack, top, 2 * a + 2, b);
    }
  }
  return out.found[0];
}

function push(stack: Int32Array, top: number, a: number, b: number): number {
  stack[top] = a;
  stack[top + 1] = b;
  return top + 2;
}

/** The loop that kernels repeat: pairs found, those that fit in `unsorted`. */
export interface SearchOperations {
  pairUp: typeof pairUp;
}

const d2 = new Float64Array(1);
const w = new Float64Array(4);

/** |Δᵢ − Δⱼ|²: no two points of two features move farther relative to each other than their corners do. */
function relative2(dY: ReadonlyF64, i: number, j: number): number {
  const x = dY[3 * i] - dY[3 * j];
  const y = dY[3 * i + 1] - dY[3 * j + 1];
  const z = dY[3 * i + 2] - dY[3 * j + 2];
  return x * x + y * y + z * z;
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

function sweepPoints(swept: Float64Array, n: number, Y: ReadonlyF64, dY: ReadonlyF64 | null): void {
  for (let i = 0; i < n; i++)
    for (let c = 0; c < 3; c++) {
      const from = Y[3 * i + c];
      const to = dY === null ? from : from + dY[3 * i + c];
      swept[6 * i + c] = Math.min(from, to);
      swept[6 * i + 3 + c] = Math.max(from, to);
    }
}

/** Boxes for the motion; builds the tree if there is none or it has stretched. Says whether it did. */
function updateTree(broad: BroadPhase, tree: BoxTree, widen: number): boolean {
  if (tree.count === 0) return false;
  if (tree.quality[0] > 0) {
    const extent = fillBoxes(tree, broad.swept, widen);
    const nodes = refit(tree);
    // points have no extent of their own to compare with
    if (tree.arity === 1 || nodes <= STRETCHED * tree.quality[0] * extent) return false;
  }
  buildTree(tree, broad.swept, widen);
  broad.rebuilds[0]++;
  return true;
}
