/**
 * Elimination orders that keep the Cholesky factor sparse.
 *
 * Two of them, because neither wins everywhere. Minimum degree (minimum-degree.ts) needs only the graph, takes
 * milliseconds, and is as good as anything on a few thousand points. Nested dissection uses the rest
 * coordinates: it halves the sheet by a line, orders the points on the line last, and so on down; on
 * a large sheet that costs O(n log n) fill and O(n^1.5) operations, which minimum degree misses by a
 * growing factor.
 *
 * A graph here is a symmetric SparsePattern without diagonal. An order is a permutation: order[k] is
 * the point eliminated k-th. Everything is deterministic: ties go to what comes first in storage.
 */
import type { ReadonlyF64 } from "./arena.ts";
import { minimumDegree } from "./minimum-degree.ts";
import { patternFromLists, type SparsePattern } from "./sparse.ts";

/** No point: the end of lists. */
const NONE = -1;

/** Parts of at most this many points are ordered by exact minimum degree. From 30 to 80: within 1 %. */
const LEAF = 48;
/** Cuts tried in each direction, as the share of points on the first side. */
const CUTS = [0.5, 0.475, 0.525, 0.45, 0.55, 0.425, 0.575];
/** Normals of the cuts tried, in a plane and in space. */
const DIRECTIONS: readonly (readonly (readonly number[])[])[] = [
  [
    [1, 0],
    [0, 1],
    [1, 1],
    [1, -1],
    [2, 1],
    [1, 2],
    [2, -1],
    [1, -2],
  ],
  [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
  ],
];
/** Smaller parts try only the first of the directions and cuts: their separators matter little. */
const LARGE = 250;
const FEW = { directions: 4, cuts: 3 };
/** A direction is tried when the part is at least this long in it, relative to its longest. */
const ELONGATION = 0.5;

/**
 * Geometric nested dissection.
 *
 * A part is cut by a line (a plane). The edges across the cut form a bipartite graph, and its minimum
 * vertex cover (by König: from a maximum matching) is the smallest separator that this cut allows. Of
 * some dozens of cuts we take the one that promises the fewest operations, here and one level down:
 *
 *   F(s, b) + F(s₁, b₁) + F(s₂, b₂),   F(s, b) = s³/3 + s²b + sb²
 *
 * the work of eliminating s points next to b others. s is the separator, b the later points around the
 * part, bᵢ those around side i including the separator, and sᵢ = rings·√nᵢ what will be the separator
 * of a side of nᵢ points when the graph reaches `rings` rings of a sheet. Looking down keeps parts
 * compact: on 15 039 points it saves 7 % of all operations over the smallest balanced separator.
 * Parts of LEAF points are ordered by exact minimum degree, counting the separators around them.
 *
 * Cost: about 50 µs a point (0.13 s at 2716, 0.75 s at 15 039), growing as n log n.
 *
 * @param coordinates  [2n] or [3n], rest positions
 */
export function nestedDissection(graph: SparsePattern, coordinates: ReadonlyF64): Int32Array {
  const n = graph.rows;
  const order = Int32Array.from({ length: n }, (_, i) => i);
  const dissection = prepareDissection(graph, coordinates);
  const pending: { from: number; to: number }[] = [{ from: 0, to: n }];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const { from, to } = part;
    const points = order.subarray(from, to);
    const cut = points.length > LEAF ? bestCut(dissection, points) : null;
    if (cut === null) {
      if (points.length <= 4 * LEAF) orderLeaf(dissection, points);
      else orderUncut(dissection, points);
      continue;
    }
    points.set(cut.first, 0);
    points.set(cut.second, cut.first.length);
    points.set(cut.separator, cut.first.length + cut.second.length);
    const middle = from + cut.first.length;
    pending.push({ from, to: middle }, { from: middle, to: middle + cut.second.length });
  }
  return order;
}

/** A part of the graph without its separator falls into two that share no edge. */
interface Cut {
  readonly first: Int32Array;
  readonly second: Int32Array;
  readonly separator: Int32Array;
}

interface Dissection {
  readonly graph: SparsePattern;
  readonly dimension: number;
  readonly coordinates: ReadonlyF64;
  /** Rings of a triangulated sheet that the graph's neighbourhoods hold: 6 neighbours are 1, 18 are 2. */
  readonly rings: number;
  /** The part that a point is in; separators keep the number of the part that they divided. */
  readonly part: Int32Array;
  parts: number;
  /** Position along the direction at hand: a cut has the points below its threshold on one side. */
  readonly key: Float64Array;
  /** Partner across the cut, or NONE. */
  readonly partner: Int32Array;
  /** Marks of the searches: the last search that reached the point. */
  readonly reached: Int32Array;
  searches: number;
  /** The last cut whose separator holds the point, and the last count that saw it from either side. */
  readonly cover: Int32Array;
  cuts: number;
  readonly seen: readonly [Int32Array, Int32Array];
  /** Place within a leaf and its surroundings, or NONE. */
  readonly local: Int32Array;
}

function prepareDissection(graph: SparsePattern, coordinates: ReadonlyF64): Dissection {
  const n = graph.rows;
  const degree = graph.index.length / Math.max(n, 1);
  const marks = (): Int32Array => new Int32Array(n).fill(NONE);
  return {
    graph,
    dimension: n === 0 ? 2 : coordinates.length / n,
    coordinates,
    rings: (Math.sqrt(9 + 12 * degree) - 3) / 6, // k rings hold 3k(k+1) points
    part: marks(),
    parts: 0,
    key: new Float64Array(n),
    partner: marks(),
    reached: marks(),
    searches: 0,
    cover: marks(),
    cuts: 0,
    seen: [marks(), marks()],
    local: marks(),
  };
}

/** The best of the cuts tried, or null when none leaves points on both sides. */
function bestCut(dissection: Dissection, points: Int32Array): Cut | null {
  const { dimension, part, key } = dissection;
  const m = points.length;
  const own = dissection.parts++;
  for (const i of points) part[i] = own;
  const surroundings = around(dissection, points, own);

  const directions = DIRECTIONS[dimension - 2].slice(0, m > LARGE ? undefined : FEW.directions);
  const shares = CUTS.slice(0, m > LARGE ? undefined : FEW.cuts);
  const sorted = directions.map((direction) => {
    project(dissection, points, direction);
    return Float64Array.from(points, (i) => key[i]).sort();
  });
  const extent = sorted.map((along) => along[m - 1] - along[0]);
  const longest = Math.max(...extent);

  let best = -1;
  let threshold = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let d = 0; d < directions.length; d++) {
    if (!(extent[d] > 0) || extent[d] < ELONGATION * longest) continue;
    project(dissection, points, directions[d]);
    const reach = longestEdge(dissection, points, own);
    for (const share of shares) {
      const at = sorted[d][Math.round(share * m)];
      const promised = cost(dissection, points, own, at, reach, surroundings, least);
      if (promised >= least) continue;
      least = promised;
      threshold = at;
      best = d;
    }
  }
  if (best === -1) return null;

  project(dissection, points, directions[best]);
  cover(dissection, points, own, threshold, longestEdge(dissection, points, own));
  const inSeparator = (i: number): boolean => dissection.cover[i] === dissection.cuts;
  const first = points.filter((i) => !inSeparator(i) && key[i] < threshold);
  const second = points.filter((i) => !inSeparator(i) && key[i] >= threshold);
  const separator = points.filter(inSeparator);
  // neighbours along the separator stay together, so that its rows form runs in later fronts
  const across = directions[best];
  project(dissection, separator, [-across[1], across[0], across[0] + across[1]]);
  separator.sort((a, b) => key[a] - key[b] || a - b);
  return { first, second, separator };
}

/** key = the coordinate along a direction, in its unit. */
function project(
  { dimension, coordinates, key }: Dissection,
  points: Int32Array,
  direction: readonly number[],
): void {
  let square = 0;
  for (let c = 0; c < dimension; c++) square += direction[c] * direction[c];
  const length = Math.sqrt(square);
  for (const i of points) {
    let sum = 0;
    for (let c = 0; c < dimension; c++) sum += direction[c] * coordinates[dimension * i + c];
    key[i] = sum / length;
  }
}

/** How far an edge within the part goes along the direction: only so near a cut can edges cross it. */
function longestEdge({ graph, part, key }: Dissection, points: Int32Array, own: number): number {
  const { start, index } = graph;
  let reach = 0;
  for (const i of points) {
    for (let p = start[i]; p < start[i + 1]; p++) {
      if (part[index[p]] === own) reach = Math.max(reach, key[index[p]] - key[i]);
    }
  }
  return reach;
}

interface Surroundings {
  /** Points of the part with neighbours outside it. */
  readonly border: Int32Array;
  /** How many these neighbours are. */
  readonly count: number;
}

function around(dissection: Dissection, points: Int32Array, own: number): Surroundings {
  const { graph, part, seen } = dissection;
  const { start, index } = graph;
  const stamp = ++dissection.cuts;
  let count = 0;
  const border = points.filter((i) => {
    let onBorder = false;
    for (let p = start[i]; p < start[i + 1]; p++) {
      const j = index[p];
      if (part[j] === own) continue;
      onBorder = true;
      if (seen[0][j] === stamp) continue;
      seen[0][j] = stamp;
      count++;
    }
    return onBorder;
  });
  return { border, count };
}

/** Operations that a cut promises, or infinity if it leaves a side empty or cannot beat `least`. */
function cost(
  dissection: Dissection,
  points: Int32Array,
  own: number,
  threshold: number,
  reach: number,
  { border, count }: Surroundings,
  least: number,
): number {
  const { graph, rings, part, key, seen } = dissection;
  const { start, index } = graph;
  const { below, separatorBelow, separator } = cover(dissection, points, own, threshold, reach);
  const size = [below - separatorBelow, points.length - below - (separator - separatorBelow)];
  if (size[0] === 0 || size[1] === 0) return Number.POSITIVE_INFINITY;

  // what the sides cost at least: nothing later around them but the separator
  const outside = [0, 0];
  const total = (): number =>
    eliminationWork(separator, count) +
    eliminationWork(rings * Math.sqrt(size[0]), separator + outside[0]) +
    eliminationWork(rings * Math.sqrt(size[1]), separator + outside[1]);
  if (total() >= least) return Number.POSITIVE_INFINITY;
  for (const i of border) {
    if (dissection.cover[i] === dissection.cuts) continue;
    const side = key[i] < threshold ? 0 : 1;
    for (let p = start[i]; p < start[i + 1]; p++) {
      const j = index[p];
      if (part[j] === own || seen[side][j] === dissection.cuts) continue;
      seen[side][j] = dissection.cuts;
      outside[side]++;
    }
  }
  return total();
}

/** Multiply-adds to eliminate s points that are all connected with each other and with b more. */
function eliminationWork(s: number, b: number): number {
  return (s * s * s) / 3 + s * s * b + s * b * b;
}

/**
 * Marks in dissection.cover, with a new number dissection.cuts, a smallest set of points that touches
 * every edge across the cut.
 */
function cover(
  dissection: Dissection,
  points: Int32Array,
  own: number,
  threshold: number,
  reach: number,
): { below: number; separatorBelow: number; separator: number } {
  const { graph, part, key, partner, reached } = dissection;
  const { start, index } = graph;
  const cut = ++dissection.cuts;
  const isAbove = (j: number): boolean => part[j] === own && key[j] >= threshold;

  // only points within an edge's reach of the cut can have edges across it
  const nearBelow: number[] = [];
  const nearAbove: number[] = [];
  let below = 0;
  for (const i of points) {
    const distance = key[i] - threshold;
    if (distance < 0) {
      below++;
      if (distance < -reach) continue;
      nearBelow.push(i);
    } else {
      if (distance > reach) continue;
      nearAbove.push(i);
    }
    partner[i] = NONE;
  }

  // a maximum matching of the edges across: greedily, then by augmenting paths
  for (const i of nearBelow) {
    for (let p = start[i]; p < start[i + 1]; p++) {
      const j = index[p];
      if (!isAbove(j) || partner[j] !== NONE) continue;
      partner[i] = j;
      partner[j] = i;
      break;
    }
  }
  const augment = (i: number, search: number): boolean => {
    for (let p = start[i]; p < start[i + 1]; p++) {
      const j = index[p];
      if (!isAbove(j) || reached[j] === search) continue;
      reached[j] = search;
      if (partner[j] !== NONE && !augment(partner[j], search)) continue;
      partner[i] = j;
      partner[j] = i;
      return true;
    }
    return false;
  };
  for (const i of nearBelow) if (partner[i] === NONE) augment(i, ++dissection.searches);

  // König: walk alternating paths from the free points below; the cover is what is matched and not
  // reached below, and what is reached above
  const search = ++dissection.searches;
  const stack = nearBelow.filter((i) => partner[i] === NONE);
  for (const i of stack) reached[i] = search;
  for (let i = stack.pop(); i !== undefined; i = stack.pop()) {
    for (let p = start[i]; p < start[i + 1]; p++) {
      const j = index[p];
      if (!isAbove(j) || reached[j] === search) continue;
      reached[j] = search;
      const back = partner[j]; // never free: the matching would not be maximal
      if (reached[back] === search) continue;
      reached[back] = search;
      stack.push(back);
    }
  }
  let separatorBelow = 0;
  for (const i of nearBelow) {
    if (partner[i] === NONE || reached[i] === search) continue;
    dissection.cover[i] = cut;
    separatorBelow++;
  }
  let separator = separatorBelow;
  for (const j of nearAbove) {
    if (reached[j] !== search) continue;
    dissection.cover[j] = cut;
    separator++;
  }
  return { below, separatorBelow, separator };
}

/**
 * Orders a small part in place by exact minimum degree.
 *
 * Row i of a bit matrix holds the neighbours of point i among the part and its surroundings (which
 * are eliminated later and count in every degree). Eliminating b is: OR row b into its neighbours.
 */
function orderLeaf({ graph, local }: Dissection, points: Int32Array): void {
  const { start, index } = graph;
  const m = points.length;
  const around = Array.from(points);
  for (let q = 0; q < m; q++) local[points[q]] = q;
  for (const i of points) {
    for (let p = start[i]; p < start[i + 1]; p++) {
      const j = index[p];
      if (local[j] !== NONE) continue;
      local[j] = around.length;
      around.push(j);
    }
  }
  const words = (around.length + 31) >> 5;
  const bits = new Int32Array(m * words);
  for (let q = 0; q < m; q++) {
    for (let p = start[points[q]]; p < start[points[q] + 1]; p++) {
      const k = local[index[p]];
      bits[q * words + (k >> 5)] |= 1 << (k & 31);
    }
  }
  for (const i of around) local[i] = NONE;

  const degree = new Int32Array(m);
  const count = (q: number): void => {
    degree[q] = 0;
    for (let w = q * words; w < (q + 1) * words; w++) degree[q] += bitCount(bits[w]);
  };
  for (let q = 0; q < m; q++) count(q);
  const left = points.slice();
  const gone = new Uint8Array(m);
  for (let k = 0; k < m; k++) {
    let b = NONE;
    for (let q = 0; q < m; q++) if (!gone[q] && (b === NONE || degree[q] < degree[b])) b = q;
    gone[b] = 1;
    points[k] = left[b];
    for (let q = 0; q < m; q++) {
      if (gone[q] || !((bits[q * words + (b >> 5)] >>> (b & 31)) & 1)) continue;
      for (let w = 0; w < words; w++) bits[q * words + w] |= bits[b * words + w];
      bits[q * words + (q >> 5)] &= ~(1 << (q & 31));
      bits[q * words + (b >> 5)] &= ~(1 << (b & 31));
      count(q);
    }
  }
}

/** A part that no cut divides (points in one place, a dense graph) goes to minimum degree, alone. */
function orderUncut({ graph, local }: Dissection, points: Int32Array): void {
  const { start, index } = graph;
  const m = points.length;
  for (let q = 0; q < m; q++) local[points[q]] = q;
  const lists = Array.from(points, (i) => {
    const near: number[] = [];
    for (let p = start[i]; p < start[i + 1]; p++) {
      if (local[index[p]] !== NONE) near.push(local[index[p]]);
    }
    return near;
  });
  for (const i of points) local[i] = NONE;
  const left = points.slice();
  minimumDegree(patternFromLists(m, lists)).forEach((q, k) => {
    points[k] = left[q];
  });
}

function bitCount(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
