/**
 * Symbolic analysis: everything about a Cholesky factorisation that depends on the pattern alone.
 *
 * Multifrontal, supernodal. Columns of L with (nearly) the same rows below form a *supernode*. Its
 * *front* is a dense symmetric matrix: `columns` pivots, then `rows` rows below. Eliminating the
 * pivots leaves a Schur complement on the rows below, the *update* U, which is added into the front
 * of the parent ("extend-add"). All arithmetic is dense; all indices are found here, once.
 *
 *   1. elimination tree of the permuted graph, postorder          (Liu 1990)
 *   2. entries per column of L, from row subtrees
 *   3. supernodes: columns j, j+1 with j+1 = parent(j) and one entry fewer; then a child joins its
 *      parent while a model of the time says that it pays, zeros and all
 *   4. rows of every supernode, and where they stand in the parent's front
 *   5. storage of L and U, and the destination of every block of the matrix in L
 *
 * Storage, made for 4×4 register tiles. With c = columns rounded up to 4 (`width`):
 *
 *   L   rows in panels of 4, first the c pivot rows, then the rows below, rounded up to 4 as well.
 *       A panel is stored by columns, 4 numbers each, those of pivot rows up to the diagonal tile:
 *       entry (r, k) of the front is at L[factorStart + panelStart(⌊r/4⌋, c) + 4k + r mod 4].
 *       Columns and rows of the padding stay zero.
 *   U   lower triangle in 4×4 tiles, by rows of tiles, each tile by columns: entry (r, k), r and k
 *       counted from the first row below, at U[updateStart + 16·(t(t+1)/2 + ⌊k/4⌋) + 4(k mod 4) +
 *       r mod 4] with t = ⌊r/4⌋.
 *
 * Updates live from their creation to the parent's assembly; places in U are reused, planned here.
 */
import { columnCounts, eliminationTree, inverse } from "./elimination-tree.ts";
import type { BlockPattern, BlockSize, SparsePattern } from "./sparse.ts";
import { mergedSupernodes, type Supernodes } from "./supernodes.ts";

export interface Analysis {
  /** Points (block rows), and scalars per point. */
  readonly n: number;
  readonly block: BlockSize;
  /** [n] the point at each place of the elimination order, and its inverse. */
  readonly order: Int32Array;
  readonly place: Int32Array;

  readonly supernodes: number;
  /** [supernodes+1] places (block columns) of a supernode: firstPlace[s] … firstPlace[s+1]−1. */
  readonly firstPlace: Int32Array;
  /** [supernodes] scalar columns and scalar rows below. */
  readonly columns: Int32Array;
  readonly rows: Int32Array;
  /** Block rows below, as places, increasing: rowPlace[rowStart[s]] … */
  readonly rowStart: Int32Array; // [supernodes+1]
  readonly rowPlace: Int32Array;
  /** The same rows in the parent's front: the scalar row at which the block starts, padding counted. */
  readonly rowInParent: Int32Array;
  /** [supernodes] how many of the block rows below are pivots of the parent; these come first. */
  readonly pivotsOfParent: Int32Array;
  /** Children, in the order in which they are added: child[childStart[s]] … */
  readonly childStart: Int32Array; // [supernodes+1]
  readonly child: Int32Array;
  /** [supernodes] −1 for roots. */
  readonly parent: Int32Array;

  /** [supernodes] where a supernode's part of L and U starts, in numbers. */
  readonly factorStart: Int32Array;
  readonly updateStart: Int32Array;
  /**
   * With two threads: supernodes 0 … middle − 1 and middle … top − 1 need nothing of each other and share no place in U; those from
   * top on need both. Null for one thread, or a tree that has no two halves.
   */
  readonly halves: { readonly middle: number; readonly top: number } | null;
  readonly factorLength: number;
  readonly updateLength: number;
  /** The largest rows + columns of a front, both rounded up to 4. */
  readonly largestFront: number;

  /**
   * Blocks of the matrix by supernode: block p = entryBlock[q], or ~p to be transposed, goes to row
   * entryRow[q] (padding counted) and column entryColumn[q] of the front.
   */
  readonly entryStart: Int32Array; // [supernodes+1]
  readonly entryBlock: Int32Array;
  readonly entryRow: Int32Array;
  readonly entryColumn: Int32Array;

  /** Numbers in L, without and with the zeros of merged supernodes; multiply-adds doubled. */
  readonly nonzeros: number;
  readonly storedNonzeros: number;
  readonly flops: number;
}

/** Rounds up to a multiple of 4, the side of a register tile. */
export function roundUp4(x: number): number {
  return (x + 3) & ~3;
}

/** Where panel t of a supernode starts: pivot panels grow by a tile each, the others have `width` columns. */
export function panelStart(t: number, width: number): number {
  const pivotPanels = width >> 2;
  if (t <= pivotPanels) return 8 * t * (t + 1);
  return 8 * pivotPanels * (pivotPanels + 1) + 4 * width * (t - pivotPanels);
}

/** Numbers in an update of so many rows: 16 per tile of the lower triangle. */
export function updateSize(rows: number): number {
  const tiles = roundUp4(rows) >> 2;
  return 8 * tiles * (tiles + 1);
}

/**
 * @param pattern  lower block triangle
 * @param graph    the same as a graph, graphOf(pattern)
 * @param order    the point eliminated k-th; improved to a postorder of the same fill
 */
export function symbolicAnalysis(
  pattern: BlockPattern,
  graph: SparsePattern,
  block: BlockSize,
  order: Int32Array,
  threads: 1 | 2 = 1,
): Analysis {
  const n = pattern.n;
  const tree = eliminationTree(graph, order);
  const counts = columnCounts(graph, tree);
  const merged = mergedSupernodes(tree, counts, block);

  // ---- final numbering
  const { firstPlace, parent, childStart, child } = merged;
  const supernodes = merged.parent.length;
  const finalOrder = Int32Array.from(merged.columnOrder, (k) => tree.order[k]);
  const place = inverse(finalOrder);

  const below = rowsBelow(graph, merged, finalOrder, place);
  const { rowStart, rowPlace } = below;
  const storage = factorStorage(firstPlace, rowStart, block);
  const { columns, rows } = storage;
  const halves = threads === 2 ? halvesOf(childStart, child, storage.flopsBefore) : null;
  const { updateStart, updateLength } = planUpdates(rows, childStart, child, halves);
  const entries = entriesBySupernode(pattern, place, supernodesOf(firstPlace, n), supernodes);
  const places = placesInFronts(merged, below, columns, block, entries);

  let nonzeros = 0;
  for (let k = 0; k < n; k++) {
    nonzeros += (counts[k] - 1) * block * block + (block * (block + 1)) / 2;
  }
  return {
    n,
    block,
    order: finalOrder,
    place,
    supernodes,
    firstPlace,
    columns,
    rows,
    rowStart,
    rowPlace,
    rowInParent: places.rowInParent,
    pivotsOfParent: places.pivotsOfParent,
    childStart,
    child,
    parent,
    factorStart: storage.factorStart,
    updateStart,
    halves,
    factorLength: storage.factorLength,
    updateLength,
    largestFront: storage.largestFront,
    entryStart: entries.start,
    entryBlock: entries.block,
    entryRow: places.entryRow,
    entryColumn: places.entryColumn,
    nonzeros,
    storedNonzeros: storage.storedNonzeros,
    flops: storage.flops,
  };
}

/** Block rows below every supernode: those of the matrix and those of its children, without its own columns. */
function rowsBelow(
  graph: SparsePattern,
  { firstPlace, parent, childStart, child }: Supernodes,
  order: Int32Array,
  place: Int32Array,
): Pick<Analysis, "rowStart" | "rowPlace"> {
  const supernodes = parent.length;
  const lists: Int32Array[] = [];
  const rowStart = new Int32Array(supernodes + 1);
  const seen = new Int32Array(order.length).fill(-1);
  for (let s = 0; s < supernodes; s++) {
    const end = firstPlace[s + 1];
    const list: number[] = [];
    const add = (k: number): void => {
      if (k < end || seen[k] === s) return;
      seen[k] = s;
      list.push(k);
    };
    for (let k = firstPlace[s]; k < end; k++) {
      const i = order[k];
      for (let p = graph.start[i]; p < graph.start[i + 1]; p++) add(place[graph.index[p]]);
    }
    for (let q = childStart[s]; q < childStart[s + 1]; q++) {
      const rowsOfChild = lists[child[q]];
      for (let r = 0; r < rowsOfChild.length; r++) add(rowsOfChild[r]);
    }
    lists.push(Int32Array.from(list).sort());
    rowStart[s + 1] = rowStart[s] + list.length;
  }
  const rowPlace = new Int32Array(rowStart[supernodes]);
  for (let s = 0; s < supernodes; s++) rowPlace.set(lists[s], rowStart[s]);
  return { rowStart, rowPlace };
}

/** Sizes of the fronts, where each supernode is in L, and what that costs. */
function factorStorage(
  firstPlace: Int32Array,
  rowStart: Int32Array,
  block: BlockSize,
): Pick<
  Analysis,
  "columns" | "rows" | "factorStart" | "factorLength" | "largestFront" | "storedNonzeros" | "flops"
> & { flopsBefore: Float64Array } {
  const supernodes = rowStart.length - 1;
  const columns = new Int32Array(supernodes);
  const rows = new Int32Array(supernodes);
  const factorStart = new Int32Array(supernodes);
  let factorLength = 0;
  let largestFront = 0;
  let storedNonzeros = 0;
  let flops = 0;
  const flopsBefore = new Float64Array(supernodes + 1);
  for (let s = 0; s < supernodes; s++) {
    columns[s] = block * (firstPlace[s + 1] - firstPlace[s]);
    rows[s] = block * (rowStart[s + 1] - rowStart[s]);
    const width = roundUp4(columns[s]);
    const height = width + roundUp4(rows[s]);
    factorStart[s] = factorLength;
    factorLength += panelStart(height >> 2, width);
    largestFront = Math.max(largestFront, height);
    for (let k = 0; k < columns[s]; k++) {
      const below = columns[s] - k + rows[s];
      storedNonzeros += below;
      flops += below * below;
    }
    flopsBefore[s + 1] = flops;
  }
  return {
    columns,
    rows,
    factorStart,
    factorLength,
    largestFront,
    storedNonzeros,
    flops,
    flopsBefore,
  };
}

/** [n] the supernode of every place. */
function supernodesOf(firstPlace: Int32Array, n: number): Int32Array {
  const supernodeOf = new Int32Array(n);
  for (let s = 0; s + 1 < firstPlace.length; s++)
    supernodeOf.fill(s, firstPlace[s], firstPlace[s + 1]);
  return supernodeOf;
}

/** Rows in the front of the parent, and blocks of the matrix in the front of their own supernode. */
function placesInFronts(
  { firstPlace, childStart, child }: Supernodes,
  { rowStart, rowPlace }: Pick<Analysis, "rowStart" | "rowPlace">,
  columns: Int32Array,
  block: BlockSize,
  entries: ReturnType<typeof entriesBySupernode>,
): Pick<Analysis, "rowInParent" | "pivotsOfParent" | "entryRow" | "entryColumn"> {
  const supernodes = columns.length;
  const rowInParent = new Int32Array(rowPlace.length);
  const pivotsOfParent = new Int32Array(supernodes);
  const entryRow = new Int32Array(entries.block.length);
  const entryColumn = new Int32Array(entries.block.length);
  const frontRow = new Int32Array(firstPlace[supernodes]); // of the places of the supernode at hand
  for (let s = 0; s < supernodes; s++) {
    const first = firstPlace[s];
    const width = roundUp4(columns[s]);
    for (let k = first; k < firstPlace[s + 1]; k++) frontRow[k] = block * (k - first);
    for (let q = rowStart[s]; q < rowStart[s + 1]; q++) {
      frontRow[rowPlace[q]] = width + block * (q - rowStart[s]);
    }
    for (let c = childStart[s]; c < childStart[s + 1]; c++) {
      const from = child[c];
      for (let q = rowStart[from]; q < rowStart[from + 1]; q++) {
        rowInParent[q] = frontRow[rowPlace[q]];
        if (rowPlace[q] < firstPlace[s + 1]) pivotsOfParent[from]++;
      }
    }
    for (let q = entries.start[s]; q < entries.start[s + 1]; q++) {
      entryRow[q] = frontRow[entries.rowPlace[q]];
      entryColumn[q] = frontRow[entries.columnPlace[q]];
    }
  }
  return { rowInParent, pivotsOfParent, entryRow, entryColumn };
}

// --------------------------------------------------------------------------------- 5: the storage

/**
 * Two parts of the tree for two threads. Supernodes are in postorder, so what is below one lies before it without a gap: down from the
 * root as long as there is one child, then the children are dealt out so that the larger part is as small as can be.
 */
function halvesOf(
  childStart: Int32Array,
  child: Int32Array,
  flopsBefore: Float64Array,
): { middle: number; top: number } | null {
  const childrenOf = (s: number): Int32Array => child.subarray(childStart[s], childStart[s + 1]);
  let top = childStart.length - 2;
  if (top < 0) return null;
  while (childrenOf(top).length === 1 && childrenOf(top)[0] === top - 1) top--;
  let middle = 0;
  const larger = (m: number): number => Math.max(flopsBefore[m], flopsBefore[top] - flopsBefore[m]);
  for (const c of childrenOf(top))
    if (c + 1 < top && larger(c + 1) < larger(middle)) middle = c + 1;
  return middle > 0 ? { middle, top } : null;
}

/**
 * Places the updates in one array: each exists from its own front to its parent's, so this plays the
 * factorisation through with a first-fit list of gaps.
 */
function planUpdates(
  rows: Int32Array,
  childStart: Int32Array,
  child: Int32Array,
  halves: { middle: number; top: number } | null,
): { updateStart: Int32Array; updateLength: number } {
  const updateStart = new Int32Array(rows.length);
  let updateLength = 0;
  let gaps: { at: number; size: number }[] = [{ at: 0, size: Number.POSITIVE_INFINITY }];
  for (let s = 0; s < rows.length; s++) {
    // the other thread's places are its own
    if (s === halves?.middle) gaps = [{ at: updateLength, size: Number.POSITIVE_INFINITY }];
    const size = updateSize(rows[s]);
    if (size > 0) {
      const gap = gaps.find((g) => g.size >= size)!; // the last one is endless
      updateStart[s] = gap.at;
      gap.at += size;
      gap.size -= size;
      if (gap.size === 0) gaps.splice(gaps.indexOf(gap), 1);
      updateLength = Math.max(updateLength, updateStart[s] + size);
    }
    for (let q = childStart[s]; q < childStart[s + 1]; q++) {
      const freed = { at: updateStart[child[q]], size: updateSize(rows[child[q]]) };
      if (freed.size === 0) continue;
      const after = gaps.findIndex((g) => g.at > freed.at);
      const next = gaps[after];
      const before = gaps[after - 1];
      if (freed.at + freed.size === next.at) {
        next.at = freed.at;
        next.size += freed.size;
        if (before !== undefined && before.at + before.size === next.at) {
          before.size += next.size;
          gaps.splice(after, 1);
        }
      } else if (before !== undefined && before.at + before.size === freed.at) {
        before.size += freed.size;
      } else {
        gaps.splice(after, 0, freed);
      }
    }
  }
  return { updateStart, updateLength };
}

/** The blocks of the matrix, grouped by the supernode of their earlier place. */
function entriesBySupernode(
  pattern: BlockPattern,
  place: Int32Array,
  supernodeOf: Int32Array,
  supernodes: number,
): { start: Int32Array; block: Int32Array; rowPlace: Int32Array; columnPlace: Int32Array } {
  const blocks = pattern.index.length;
  const start = new Int32Array(supernodes + 1);
  const block = new Int32Array(blocks);
  const rowPlace = new Int32Array(blocks);
  const columnPlace = new Int32Array(blocks);
  for (let j = 0; j < pattern.n; j++) {
    for (let p = pattern.start[j]; p < pattern.start[j + 1]; p++) {
      start[supernodeOf[Math.min(place[j], place[pattern.index[p]])] + 1]++;
    }
  }
  for (let s = 0; s < supernodes; s++) start[s + 1] += start[s];
  const next = start.slice();
  for (let j = 0; j < pattern.n; j++) {
    for (let p = pattern.start[j]; p < pattern.start[j + 1]; p++) {
      const row = place[pattern.index[p]];
      const column = place[j];
      const q = next[supernodeOf[Math.min(row, column)]]++;
      block[q] = row < column ? ~p : p;
      rowPlace[q] = Math.max(row, column);
      columnPlace[q] = Math.min(row, column);
    }
  }
  return { start, block, rowPlace, columnPlace };
}
