/**
 * Approximate minimum degree ordering, on a quotient graph.
 */
import type { SparsePattern } from "./sparse.ts";

/** Points that are not in any degree list, and the end of lists. */
const NONE = -1;

/** The graph while points are eliminated, and the order so far. */
interface Quotient {
  readonly n: number;
  /**
   * lists[at[v] … at[v]+length[v]): for a variable its elements (the first `elements[v]`), then its variables; for an element its variables.
   */
  lists: Int32Array<ArrayBuffer>;
  /** What compacting writes into. */
  spare: Int32Array<ArrayBuffer> | null;
  readonly at: Int32Array;
  readonly length: Int32Array;
  readonly elements: Int32Array;
  /** Where the lists end. */
  end: number;
  /** Points that a variable stands for; 0 once it is merged, eliminated or an element. */
  readonly weight: Int32Array;
  /** 1 while the point is an element that has not been absorbed. */
  readonly isElement: Uint8Array;
  readonly degree: Int32Array;
  /** Members of a variable: itself, then nextMember, …, up to lastMember. */
  readonly nextMember: Int32Array;
  readonly lastMember: Int32Array;
  /** Variables by degree, doubly linked. */
  readonly head: Int32Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;
  lowest: number;
  readonly order: Int32Array;
  ordered: number;
  /** The last pivot whose Lp held the variable. */
  readonly inPivot: Int32Array;
  /** base + |Lₑ∖Lp| where ≥ base; what earlier pivots left there is smaller. */
  readonly outside: Float64Array;
  base: number;
  /** Variables of Lp by hash of their lists. */
  readonly bucket: Int32Array;
  readonly nextInBucket: Int32Array;
  readonly hashOf: Int32Array;
  readonly seen: Int32Array;
  /** Counts comparisons: what `seen` is stamped with. */
  compared: number;
}

/**
 * Approximate minimum degree on the quotient graph (Amestoy, Davis and Duff, SIAM J. Matrix Anal.
 * Appl. 17, 1996).
 *
 * Eliminating p joins its neighbours Lp into a clique. The clique is never formed: p becomes an
 * *element* that lists Lp, and a remaining *variable* i keeps the variables Aᵢ and elements Eᵢ next
 * to it. Its degree is bounded instead of counted:
 *
 *   dᵢ = |Aᵢ∖i| + |Lp∖i| + Σ_{e ∈ Eᵢ∖p} |Lₑ∖Lp|
 *
 * where all |Lₑ∖Lp| come from one sweep over Lp. Variables with the same lists are merged into one
 * of larger weight, elements inside Lp are absorbed by p, and variables next to p alone are
 * eliminated with it. The quotient graph never grows, so the lists live in one array that is
 * compacted when it is full.
 */
export function minimumDegree(graph: SparsePattern): Int32Array {
  const Q = createQuotient(graph);
  while (Q.ordered < Q.n) {
    const p = takePivot(Q);
    const first = Q.end; // Lp is a new list at the end
    let live = formElement(Q, p); // points in Lp
    const widest = countOutside(Q, first);
    live -= shortenLists(Q, p, first);
    mergeVariables(Q, first);
    closeElement(Q, p, first, live);
    Q.base += widest + 1;
  }
  return Q.order;
}

function createQuotient(graph: SparsePattern): Quotient {
  const n = graph.rows;
  const none = (): Int32Array => new Int32Array(n).fill(NONE);
  const Q: Quotient = {
    n,
    lists: new Int32Array(Math.ceil(1.5 * graph.index.length) + 2 * n + 1),
    spare: null,
    at: new Int32Array(n),
    length: new Int32Array(n),
    elements: new Int32Array(n),
    end: graph.index.length,
    weight: new Int32Array(n).fill(1),
    isElement: new Uint8Array(n),
    degree: new Int32Array(n),
    nextMember: none(),
    lastMember: Int32Array.from({ length: n }, (_, i) => i),
    head: new Int32Array(n + 1).fill(NONE),
    next: none(),
    previous: none(),
    lowest: 0,
    order: new Int32Array(n),
    ordered: 0,
    inPivot: none(),
    outside: new Float64Array(n),
    base: 1,
    bucket: none(),
    nextInBucket: new Int32Array(n),
    hashOf: new Int32Array(n),
    seen: none(),
    compared: 0,
  };
  Q.lists.set(graph.index as Int32Array);
  for (let i = n - 1; i >= 0; i--) {
    Q.at[i] = graph.start[i];
    Q.length[i] = graph.start[i + 1] - graph.start[i];
    Q.degree[i] = Q.length[i];
    insert(Q, i);
  }
  return Q;
}

/** Puts a variable into the list of its degree. */
function insert(Q: Quotient, i: number): void {
  const { head, next, previous } = Q;
  const d = Q.degree[i];
  next[i] = head[d];
  previous[i] = NONE;
  if (head[d] !== NONE) previous[head[d]] = i;
  head[d] = i;
  if (d < Q.lowest) Q.lowest = d;
}

/** Takes it out again. */
function remove({ head, next, previous, degree }: Quotient, i: number): void {
  if (previous[i] === NONE) head[degree[i]] = next[i];
  else next[previous[i]] = next[i];
  if (next[i] !== NONE) previous[next[i]] = previous[i];
}

/** All members of a variable come next in the order. */
function emit(Q: Quotient, i: number): void {
  for (let v = i; v !== NONE; v = Q.nextMember[v]) Q.order[Q.ordered++] = v;
}

/** Moves the lists that are still needed to the front. */
function compact(Q: Quotient): void {
  const { n, weight, isElement, at, length, lists } = Q;
  const spare = Q.spare ?? new Int32Array(lists.length);
  let to = 0;
  for (let v = 0; v < n; v++) {
    if (weight[v] === 0 && isElement[v] === 0) continue;
    const from = at[v];
    at[v] = to;
    for (let q = from; q < from + length[v]; q++) spare[to++] = lists[q];
  }
  Q.lists = spare;
  Q.spare = lists;
  Q.end = to;
}

/** A variable of the lowest degree, with room for its list behind the others. */
function takePivot(Q: Quotient): number {
  const { head, weight, at, length, elements } = Q;
  while (head[Q.lowest] === NONE) Q.lowest++;
  const p = head[Q.lowest];
  remove(Q, p);
  let room = length[p] - elements[p];
  for (let q = at[p]; q < at[p] + elements[p]; q++) room += length[Q.lists[q]];
  if (Q.end + Math.min(room, Q.n) > Q.lists.length) compact(Q);
  weight[p] = 0; // keeps p out of Lp
  return p;
}

/** Writes Lp at the end of the lists; p and the elements that it absorbs are done. Returns how many points Lp stands for. */
function formElement(Q: Quotient, p: number): number {
  const { at, elements, length, lists, isElement } = Q;
  let live = gather(Q, p, at[p] + elements[p], at[p] + length[p]);
  for (let q = at[p]; q < at[p] + elements[p]; q++) {
    const e = lists[q];
    if (isElement[e] === 0) continue;
    live += gather(Q, p, at[e], at[e] + length[e]);
    isElement[e] = 0; // absorbed by p
  }
  emit(Q, p);
  return live;
}

/** Adds the live variables of a list to Lp; returns how many points they stand for. */
function gather(Q: Quotient, p: number, from: number, to: number): number {
  const { lists, weight, inPivot } = Q;
  let points = 0;
  for (let q = from; q < to; q++) {
    const i = lists[q];
    if (weight[i] === 0 || inPivot[i] === p) continue;
    inPivot[i] = p;
    lists[Q.end++] = i;
    points += weight[i];
    remove(Q, i);
  }
  return points;
}

/** |Lₑ∖Lp| of every element next to Lp; returns the largest degree among them. */
function countOutside(Q: Quotient, first: number): number {
  const { lists, end, at, elements, isElement, outside, base, degree, weight } = Q;
  let widest = 0;
  for (let r = first; r < end; r++) {
    const i = lists[r];
    for (let q = at[i]; q < at[i] + elements[i]; q++) {
      const e = lists[q];
      if (isElement[e] === 0) continue;
      if (outside[e] < base) {
        outside[e] = base + degree[e];
        if (degree[e] > widest) widest = degree[e];
      }
      outside[e] -= weight[i];
    }
  }
  return widest;
}

/** Shortens the lists of the variables of Lp, bounds their degrees and hashes them. Returns how many points were eliminated with p. */
function shortenLists(Q: Quotient, p: number, first: number): number {
  const { lists, end, weight } = Q;
  let gone = 0;
  for (let r = first; r < end; r++) {
    const i = lists[r];
    if (shortenList(Q, p, i)) continue;
    // next to p alone: eliminated with it, for free
    emit(Q, i);
    gone += weight[i];
    weight[i] = 0;
  }
  return gone;
}

/** The list of one variable of Lp; false if nothing but p is left in it. */
function shortenList(Q: Quotient, p: number, i: number): boolean {
  const { lists, at, elements, length, isElement, outside, base, weight, inPivot, degree } = Q;
  let to = at[i];
  let bound = 0;
  let hash = p;
  const variables = at[i] + elements[i];
  const stop = at[i] + length[i];
  for (let q = at[i]; q < variables; q++) {
    const e = lists[q];
    if (isElement[e] === 0) continue;
    const beyond = outside[e] - base;
    if (beyond === 0) {
      isElement[e] = 0; // Lₑ ⊆ Lp: e is absorbed by p
      continue;
    }
    lists[to++] = e;
    bound += beyond;
    hash += e;
  }
  // p takes the place of one of its parts: i reached p through an element or a variable that has gone from its list, so there is
  // room; shift the first variable if it stands there
  const firstVariable = to - at[i];
  let kept = 0;
  for (let q = variables; q < stop; q++) {
    const j = lists[q];
    if (weight[j] === 0 || inPivot[j] === p) continue;
    lists[to + kept++] = j;
    bound += weight[j];
    hash += j;
  }
  if (bound === 0) return false;
  lists[to + kept] = lists[to];
  lists[to] = p;
  elements[i] = firstVariable + 1;
  length[i] = elements[i] + kept;
  degree[i] = Math.min(bound, degree[i]); // completed in closeElement, when |Lp| is final
  Q.hashOf[i] = hash % Q.n;
  return true;
}

/** Merges variables of Lp that cannot be told apart. */
function mergeVariables(Q: Quotient, first: number): void {
  const { lists, end, weight, bucket, nextInBucket, hashOf } = Q;
  for (let r = first; r < end; r++) {
    const i = lists[r];
    if (weight[i] === 0) continue;
    nextInBucket[i] = bucket[hashOf[i]];
    bucket[hashOf[i]] = i;
  }
  for (let r = first; r < end; r++) {
    if (weight[lists[r]] === 0) continue;
    const chain = hashOf[lists[r]];
    for (let i = bucket[chain]; i !== NONE && nextInBucket[i] !== NONE; i = nextInBucket[i])
      mergeInto(Q, i);
    bucket[chain] = NONE;
  }
}

/** Those behind i in its bucket that have the same lists become members of it. */
function mergeInto(Q: Quotient, i: number): void {
  const { lists, at, length, elements, seen, weight, nextInBucket, nextMember, lastMember } = Q;
  const mark = ++Q.compared;
  for (let q = at[i]; q < at[i] + length[i]; q++) seen[lists[q]] = mark;
  let before = i;
  for (let j = nextInBucket[i]; j !== NONE; j = nextInBucket[j]) {
    let same = length[j] === length[i] && elements[j] === elements[i];
    for (let q = at[j]; same && q < at[j] + length[j]; q++) same = seen[lists[q]] === mark;
    if (!same) {
      before = j;
      continue;
    }
    weight[i] += weight[j];
    weight[j] = 0;
    nextMember[lastMember[i]] = j;
    lastMember[i] = lastMember[j];
    nextInBucket[before] = nextInBucket[j];
  }
}

/** p becomes an element; the variables of Lp return to the degree lists. */
function closeElement(Q: Quotient, p: number, first: number, live: number): void {
  const { lists, end, weight, degree, at, length, elements, isElement } = Q;
  let to = first;
  for (let r = first; r < end; r++) {
    const i = lists[r];
    if (weight[i] === 0) continue;
    lists[to++] = i;
    degree[i] = Math.min(degree[i] + live - weight[i], Q.n - Q.ordered - weight[i]);
    insert(Q, i);
  }
  at[p] = first;
  length[p] = to - first;
  elements[p] = 0;
  degree[p] = live;
  isElement[p] = length[p] > 0 ? 1 : 0;
  Q.end = to;
}
