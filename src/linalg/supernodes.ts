/**
 * Supernodes: columns of L with (nearly) the same rows below, merged while a model of the time says that it pays.
 */
import type { EliminationTree } from "./elimination-tree.ts";
import type { BlockSize } from "./sparse.ts";
import { roundUp4 } from "./symbolic.ts";

// -------------------------------------------------------------------------------- 3: the supernodes

export interface Supernodes {
  /** [n] places of the tree's order, supernode by supernode. */
  readonly columnOrder: Int32Array;
  readonly firstPlace: Int32Array;
  readonly parent: Int32Array;
  readonly childStart: Int32Array;
  readonly child: Int32Array;
}

/**
 * Time to eliminate a front, in units of one multiply-add. Tiles are whole, so sizes count rounded
 * up to 4, which by itself favours supernodes of whole tiles. An entry of L is cleared, written and
 * read by two solves; one of U is written, read, and added elsewhere; a front costs its calls.
 *
 * The weights are estimates, not fits. Tried on S, B and A at 662, 2716 and 15 039 points, on a busy machine: factorEntry 2 … 10, updateEntry 5 and
 * front 1000 … 2000 move the factorisation by up to
 * 4 %, which is the noise; updateEntry 20 slows the small ones by up to 10 %.
 */
const COST = { factorEntry: 4, updateEntry: 10, front: 400 };

function frontCost(columns: number, rows: number): number {
  const c = roundUp4(columns);
  const r = roundUp4(rows);
  const multiplyAdds = (c * c * c) / 6 + (c * c * r) / 2 + (c * r * r) / 2;
  const factorEntries = c * (c + r);
  const updateEntries = (r * (r + 4)) / 2;
  return (
    multiplyAdds + COST.factorEntry * factorEntries + COST.updateEntry * updateEntries + COST.front
  );
}

/**
 * Finds supernodes of equal structure, then lets parents absorb children. A child of c columns and r
 * rows joining a parent of C columns and R rows makes one of C + c columns and R rows, because its
 * rows lie within the parent's front.
 */
export function mergedSupernodes(
  { parent }: EliminationTree,
  counts: Int32Array,
  block: BlockSize,
): Supernodes {
  const n = parent.length;

  // equal structure
  const first: number[] = [];
  const owner = new Int32Array(n);
  for (let k = 0; k < n; k++) {
    const joins = k > 0 && parent[k - 1] === k && counts[k - 1] === counts[k] + 1;
    if (!joins) first.push(k);
    owner[k] = first.length - 1;
  }
  const m = first.length;
  first.push(n);
  const width = new Int32Array(m); // in blocks
  const below = new Int32Array(m);
  const up = new Int32Array(m);
  const children: number[][] = Array.from({ length: m }, () => []);
  for (let s = 0; s < m; s++) {
    const last = first[s + 1] - 1;
    width[s] = first[s + 1] - first[s];
    below[s] = counts[last] - 1;
    up[s] = parent[last] === -1 ? -1 : owner[parent[last]];
    if (up[s] !== -1) children[up[s]].push(s);
  }

  // parents absorb children while that saves time, the best first; members keep the tree's order
  const members: number[][] = Array.from({ length: m }, (_, s) => [s]);
  const absorbed = new Uint8Array(m);
  const cost = (w: number, b: number): number => frontCost(block * w, block * b);
  for (let s = 0; s < m; s++) {
    for (;;) {
      let best = -1;
      let bestGain = 0;
      const own = cost(width[s], below[s]);
      for (const c of children[s]) {
        const apart = own + cost(width[c], below[c]);
        const gain = apart - cost(width[s] + width[c], below[s]);
        if (gain > bestGain) {
          bestGain = gain;
          best = c;
        }
      }
      if (best === -1) break;
      width[s] += width[best];
      members[s] = members[best].concat(members[s]);
      children[s] = children[s].filter((c) => c !== best).concat(children[best]);
      absorbed[best] = 1;
    }
    // large updates first: the space of the smaller ones comes and goes beside them
    children[s].sort((a, b) => below[b] - below[a] || a - b);
  }

  // postorder of the merged tree
  const final: number[] = [];
  const visit: number[] = [];
  const nextChild = new Int32Array(m);
  for (let root = 0; root < m; root++) {
    if (up[root] !== -1 || absorbed[root]) continue;
    visit.push(root);
    while (visit.length > 0) {
      const s = visit[visit.length - 1];
      if (nextChild[s] < children[s].length) visit.push(children[s][nextChild[s]++]);
      else final.push(visit.pop()!);
    }
  }

  // in the new numbering
  const supernodes = final.length;
  const number = new Int32Array(m);
  const columnOrder = new Int32Array(n);
  const firstPlace = new Int32Array(supernodes + 1);
  const childStart = new Int32Array(supernodes + 1);
  let columns = 0;
  final.forEach((s, at) => {
    number[s] = at;
    members[s].sort((a, b) => a - b);
    for (const member of members[s]) {
      for (let k = first[member]; k < first[member + 1]; k++) columnOrder[columns++] = k;
    }
    firstPlace[at + 1] = columns;
    childStart[at + 1] = childStart[at] + children[s].length;
  });
  const child = new Int32Array(childStart[supernodes]);
  const finalParent = new Int32Array(supernodes).fill(-1);
  final.forEach((s, at) => {
    children[s].forEach((c, q) => {
      child[childStart[at] + q] = number[c];
      finalParent[number[c]] = at;
    });
  });
  return { columnOrder, firstPlace, parent: finalParent, childStart, child };
}
