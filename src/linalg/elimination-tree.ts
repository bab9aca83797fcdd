/**
 * The elimination tree of a permuted graph (Liu 1990), its postorder, and the number of entries in each column of L.
 */
import type { SparsePattern } from "./sparse.ts";

export function inverse(order: Int32Array): Int32Array {
  const place = new Int32Array(order.length);
  for (let k = 0; k < order.length; k++) place[order[k]] = k;
  return place;
}

// ----------------------------------------------------------------------------------- 1, 2: the tree

export interface EliminationTree {
  /** [n] a postorder: children before parents, subtrees contiguous. */
  readonly order: Int32Array;
  readonly place: Int32Array;
  /** [n] by place; −1 for roots. */
  readonly parent: Int32Array;
}

/** parent(k) is the row of the first entry below the diagonal in column k of L. */
export function eliminationTree(graph: SparsePattern, order: Int32Array): EliminationTree {
  const n = order.length;
  const place = inverse(order);
  const parent = new Int32Array(n).fill(-1);
  const ancestor = new Int32Array(n).fill(-1); // shortcuts towards the root of each subtree so far
  for (let k = 0; k < n; k++) {
    const i = order[k];
    for (let p = graph.start[i]; p < graph.start[i + 1]; p++) {
      let v = place[graph.index[p]];
      while (v !== -1 && v < k) {
        const up = ancestor[v];
        ancestor[v] = k;
        if (up === -1) parent[v] = k;
        v = up;
      }
    }
  }
  const post = postorder(parent);
  const renumbered = inverse(post);
  const postParent = new Int32Array(n);
  for (let k = 0; k < n; k++) {
    const up = parent[post[k]];
    postParent[k] = up === -1 ? -1 : renumbered[up];
  }
  const postOrder = Int32Array.from(post, (k) => order[k]);
  return { order: postOrder, place: inverse(postOrder), parent: postParent };
}

/** Nodes of a forest, children (in increasing order) before their parent. */
function postorder(parent: Int32Array): Int32Array {
  const n = parent.length;
  const firstChild = new Int32Array(n).fill(-1);
  const sibling = new Int32Array(n).fill(-1);
  for (let v = n - 1; v >= 0; v--) {
    if (parent[v] === -1) continue;
    sibling[v] = firstChild[parent[v]];
    firstChild[parent[v]] = v;
  }
  const post = new Int32Array(n);
  let count = 0;
  for (let root = 0; root < n; root++) {
    if (parent[root] !== -1) continue;
    for (let v = root; v !== -1; ) {
      while (firstChild[v] !== -1) {
        const down = firstChild[v];
        firstChild[v] = sibling[down]; // visited: the next visit of v goes to the next child
        v = down;
      }
      post[count++] = v;
      v = v === root ? -1 : parent[v];
    }
  }
  return post;
}

/**
 * Entries of each column of L, diagonal included, in blocks. Row k of L has an entry in column v
 * exactly where v is on a tree path from a neighbour of k to k.
 */
export function columnCounts(graph: SparsePattern, tree: EliminationTree): Int32Array {
  const { order, place, parent } = tree;
  const n = order.length;
  const counts = new Int32Array(n).fill(1);
  const seen = new Int32Array(n).fill(-1);
  for (let k = 0; k < n; k++) {
    seen[k] = k;
    const i = order[k];
    for (let p = graph.start[i]; p < graph.start[i + 1]; p++) {
      for (let v = place[graph.index[p]]; v < k && seen[v] !== k; v = parent[v]) {
        seen[v] = k;
        counts[v]++;
      }
    }
  }
  return counts;
}
