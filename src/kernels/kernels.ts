/**
 * The hot loops in WebAssembly, with the signatures of the TypeScript that they mirror.
 *
 * Kernels are instantiated on the arena's memory and work on its arrays where they are: a call passes
 * byte offsets, nothing is copied. Every array handed to them must be in that memory.
 *
 * The default build gives the bits of the TypeScript on every engine. `relaxed: true` asks for fused
 * multiply-adds where the engine has them (WebAssembly.validate tells), which is faster and gives up
 * reproducible bits; where it has none the plain build is used, and `relaxed` of the result says so.
 */
import type { Arena, ArenaMemory, ReadonlyF64 } from "../linalg/arena.ts";
import type { Cholesky, CholeskyKernels } from "../linalg/cholesky.ts";
import type { BlockRows, RowOperations } from "../linalg/rows.ts";
import type { SingleOperations } from "../linalg/single.ts";
import type { SparseMatrix, SparsePattern } from "../linalg/sparse.ts";
import type { Vectors } from "../linalg/vectors.ts";
import type { FrameBlockOperations, FrameBlocks } from "../step/frame-blocks.ts";
import type { Level, TwoLevelOperations } from "../step/two-level.ts";
import type { BoxTree } from "../system/contact/box-tree.ts";
import type { BroadPhase, Candidates } from "../system/contact/broad-phase.ts";
import type { ContactOperations } from "../system/contact/operations.ts";
import type { Arcs, FrameOperations, NodeRows } from "../system/frame-membrane.ts";
import type {
  IsometryOperations,
  Limited,
  MetricGroups,
  TriangleStress,
} from "../system/isometry.ts";
import type { Partner } from "./partner.ts";
import { plain } from "./wasm.generated.ts";

export interface Kernels
  extends CholeskyKernels,
    Vectors,
    RowOperations,
    SingleOperations,
    IsometryOperations,
    TwoLevelOperations,
    FrameOperations,
    FrameBlockOperations,
    ContactOperations {
  /** Whether multiply-adds are fused: other last bits than the TypeScript. */
  readonly relaxed: boolean;
  readonly memory: ArenaMemory;
  /** Supernodes first … last − 1 of a factorisation by the addresses of its table and values: what a partner does. */
  factorSome(table: number, values: number, first: number, last: number): number;
}

/** The builds of wasm-variants.generated.ts, which only those load who want them. */
export interface KernelVariants {
  readonly relaxed: string;
  readonly plainShared: string;
  readonly relaxedShared: string;
}

export interface KernelOptions {
  /** A second thread on the same memory, for factorisations that were analysed for two. */
  readonly partner?: Partner;
  /** Ask for fused multiply-adds. */
  readonly relaxed?: boolean;
  /** Needed for fused multiply-adds and for memories that several threads share. */
  readonly variants?: KernelVariants;
}

/** Starts a second thread on a shared memory and gives what kernels on it need. */
export type StartPartner = (arena: Arena) => KernelOptions;

/**
 * Compiles and instantiates at once, which Node and workers allow.
 *
 * @example
 * const { arena, value } = inOneMemory((memory) => prepareCholesky(memory, analysis));
 * attachKernels(value, instantiate(arena));
 */
export function instantiate(arena: Arena, options: KernelOptions = {}): Kernels {
  const { bytes, relaxed: fused } = chosen(arena, options);
  const module = new WebAssembly.Module(bytes);
  return wrap(new WebAssembly.Instance(module, imports(arena)), arena, fused, options.partner);
}

/** The same for a browser's main thread, which refuses to compile while the page waits. */
export async function instantiateAsync(
  arena: Arena,
  options: KernelOptions = {},
): Promise<Kernels> {
  const { bytes, relaxed: fused } = chosen(arena, options);
  const { instance } = await WebAssembly.instantiate(bytes, imports(arena));
  return wrap(instance, arena, fused, options.partner);
}

/** Whether this engine has fused multiply-adds in WebAssembly. */
export function hasRelaxed({ relaxed }: KernelVariants): boolean {
  return WebAssembly.validate(decode(relaxed));
}

function chosen(
  { memory }: Arena,
  options: KernelOptions,
): { bytes: Uint8Array<ArrayBuffer>; relaxed: boolean } {
  const shared = !(memory.buffer instanceof ArrayBuffer);
  const { relaxed = false, variants } = options;
  if (!shared && !relaxed) return { bytes: decode(plain), relaxed: false };
  if (variants === undefined)
    throw new Error("relaxed kernels and shared memories need wasm-variants.generated.ts");
  if (relaxed && hasRelaxed(variants))
    return { bytes: decode(shared ? variants.relaxedShared : variants.relaxed), relaxed: true };
  return { bytes: decode(shared ? variants.plainShared : plain), relaxed: false };
}

/** A byte is a letter, or two: servers compress that better than base64, whose digits straddle the bytes, or two digits each. */
function decode(letters: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(letters.length);
  let length = 0;
  for (let i = 0, shift = 0; i < letters.length; i++) {
    const code = letters.charCodeAt(i);
    if (code > 124) shift = 89 * (code - 124);
    else {
      bytes[length++] = shift + code - (code < 92 ? 38 : 39); // below 0 it wraps to 253 … 255
      shift = 0;
    }
  }
  return bytes.slice(0, length);
}

function imports({ memory }: Arena): WebAssembly.Imports {
  return { env: { memory: memory as WebAssembly.Memory } };
}

/** What the module exports: byte addresses in, numbers out. */
interface Exports {
  factor(table: number, values: number): number;
  factorSome(table: number, values: number, from: number, to: number): number;
  solveOne(table: number, x: number): void;
  solveFour(table: number, x: number, lanes: number): void;
  solveXyz(table: number, x: number): void;
  dot(x: number, y: number, n: number): number;
  axpy(y: number, a: number, x: number, n: number): void;
  xpby(y: number, x: number, b: number, n: number): void;
  multiplyScalar3(
    y: number,
    rows: number,
    start: number,
    index: number,
    values: number,
    x: number,
  ): void;
}

/** The same of single.as.ts. */
interface Exports {
  toSingle(to: number, from: number, n: number): void;
  toPoints(to: number, from: number, n: number): void;
  fromPoints(to: number, from: number, n: number): void;
  toScaledRows(
    to: number,
    rowsPer: number,
    blocks: number,
    start: number,
    J: number,
    w: number,
  ): void;
  multiplySingle(
    y: number,
    rows: number,
    start: number,
    index: number,
    values: number,
    x: number,
  ): void;
  addSingleRows(
    y: number,
    rowsPer: number,
    blocks: number,
    start: number,
    index: number,
    S: number,
    x: number,
  ): void;
}

/** The same of rows.as.ts, isometry.as.ts, two-level.as.ts and contact.as.ts. */
interface Exports {
  pairUp(...numbers: number[]): number;
  squaredDistances(d2: number, pairs: number, count: number, first: number, Y: number): void;
  safeTime(
    pairs: number,
    count: number,
    first: number,
    separation: number,
    Y: number,
    dY: number,
    reach: number,
    limit: number,
    before: number,
    gone: number,
  ): number;
  contactRows(...numbers: number[]): number;
  rub(...numbers: number[]): number;
  addCoarseRows(...numbers: number[]): void;
  addCoarseForms(
    values: number,
    edges: number,
    start: number,
    weight: number,
    at: number,
    S: number,
  ): void;
  restrict(
    R: number,
    coarse: number,
    r: number,
    n: number,
    zStart: number,
    zIndex: number,
    zWeight: number,
  ): void;
  prolong(
    z: number,
    n: number,
    R: number,
    fixed: number,
    zStart: number,
    zIndex: number,
    zWeight: number,
  ): void;
  addTransposed(
    y: number,
    rowsPer: number,
    blocks: number,
    start: number,
    index: number,
    J: number,
    s: number,
  ): void;
  addNormalProduct(
    y: number,
    rowsPer: number,
    blocks: number,
    start: number,
    index: number,
    J: number,
    w: number,
    x: number,
  ): void;
  addNormalDiagonal(
    D: number,
    rowsPer: number,
    blocks: number,
    start: number,
    index: number,
    J: number,
    w: number,
  ): void;
  invertDiagonal(D: number, fixed: number, length: number): void;
  applyDiagonal(z: number, D: number, r: number, length: number): void;
  metric(
    g: number,
    J: number,
    Y: number,
    blocks: number,
    start: number,
    index: number,
    triStart: number,
    local: number,
    q: number,
  ): void;
  metricEnergy(
    Y: number,
    blocks: number,
    index: number,
    triStart: number,
    local: number,
    q: number,
    stiffness: number,
    lambda: number,
    tolerance: number,
    shorter: number,
    limit: number,
  ): number;
  edgeStress(
    s: number,
    length: number,
    stress: number,
    blocks: number,
    triStart: number,
    tri: number,
    q: number,
  ): void;
  limitMetric(...numbers: number[]): void;
  addTriangleStress(
    values: number,
    triangles: number,
    ee: number,
    dual: number,
    at: number,
    s: number,
    clamp: number,
  ): void;
}

type Address = (array: { buffer: ArrayBufferLike; byteOffset: number }) => number;

function frameKernels(wasm: Exports, address: Address): FrameOperations & FrameBlockOperations {
  return {
    arcs: (A: Arcs, Y) => wasm.arcs(address(A.table), address(Y)),
    arcEnergy: (A, Y) => wasm.arcEnergy(address(A.table), address(Y)),
    addArcForce: (y, A) => wasm.addArcForce(address(y), address(A.table)),
    addArcProduct: (y, A, x) => wasm.addArcProduct(address(y), address(A.table), address(x)),
    arcsToSingle: (A) => wasm.arcsToSingle(address(A.table)),
    addArcProductSingle: (y, A, x) =>
      wasm.addArcProductSingle(address(y), address(A.table), address(x)),
    nodeRows: ({ n, g, J, sigma, stiffness, scale }: NodeRows, Y) =>
      wasm.nodeRows(
        address(g),
        address(J),
        address(sigma),
        address(stiffness),
        address(scale),
        n,
        address(Y),
      ),
    setBlocks: ({ n, at, B }: FrameBlocks, A, D, { J, weight }) =>
      wasm.setBlocks(
        address(B),
        n,
        address(at),
        address(A),
        address(D),
        address(J),
        address(weight),
      ),
    addArcBlocks: ({ B }, A) => wasm.addArcBlocks(address(B), address(A.table)),
    invertBlocks: ({ n, B }, fixed) => wasm.invertBlocks(address(B), n, address(fixed)),
    applyBlocks: (z, { n, B }, r) => wasm.applyBlocks(address(z), address(B), n, address(r)),
  };
}

/** The same of frames.as.ts; A is the table of Arcs. */
interface Exports {
  arcs(A: number, Y: number): number;
  arcEnergy(A: number, Y: number): number;
  addArcForce(y: number, A: number): void;
  addArcProduct(y: number, A: number, x: number): void;
  arcsToSingle(A: number): void;
  addArcProductSingle(y: number, A: number, x: number): void;
  nodeRows(...numbers: number[]): number;
  setBlocks(...numbers: number[]): void;
  addArcBlocks(B: number, A: number): void;
  invertBlocks(B: number, n: number, fixed: number): void;
  applyBlocks(z: number, B: number, n: number, r: number): void;
}

function wrap(
  instance: WebAssembly.Instance,
  { memory }: Arena,
  fused: boolean,
  partner: Partner | undefined,
): Kernels {
  const wasm = instance.exports as unknown as Exports;
  const { buffer } = memory;

  /** The address of an array, which must be in the kernels' memory: elsewhere it means other bytes. */
  const address = (array: { buffer: ArrayBufferLike; byteOffset: number }): number => {
    if (array.buffer !== buffer) throw new Error("kernels need arrays of their own memory");
    return array.byteOffset;
  };

  const tree = (t: BoxTree): [number, number, number, number, number] => [
    t.leaves,
    address(t.first),
    address(t.order),
    address(t.boxes),
    address(t.nodes),
  ];
  const search = (
    out: Candidates,
    broad: BroadPhase,
    Y: ReadonlyF64,
    dY: ReadonlyF64 | null,
  ): number[] => [
    address(out.unsorted),
    out.capacity,
    address(broad.stack),
    broad.groups,
    address(broad.group),
    address(broad.wanted),
    address(broad.sewn),
    broad.margin[0],
    address(Y),
    dY === null ? 0 : address(dY),
  ];

  return {
    ...frameKernels(wasm, address),
    relaxed: fused,
    memory,
    pairUp: (out, broad, A, B, Y, dY) =>
      wasm.pairUp(...search(out, broad, Y, dY), ...tree(A), ...tree(B), address(B.corners)),
    squaredDistances: (d2, pairs, count, first, Y) =>
      wasm.squaredDistances(address(d2), address(pairs), count, first, address(Y)),
    safeTime: (pairs, count, first, separation, Y, dY, reach, limit, before) =>
      wasm.safeTime(
        address(pairs),
        count,
        first,
        address(separation),
        address(Y),
        address(dY),
        reach,
        limit,
        before ? address(before.distance) : 0,
        before ? address(before.gone) : 0,
      ),
    contactRows: (rows, block, most, list, Y, start, points, reach, scale) =>
      wasm.contactRows(
        address(rows.index),
        address(rows.J),
        address(rows.g),
        address(rows.sigma),
        address(rows.weight),
        address(rows.pair),
        address(rows.weights),
        address(rows.factor),
        address(rows.sums),
        block,
        most,
        address(list.pairs),
        list.count,
        list.first,
        address(list.before.distance),
        address(list.before.gone),
        address(list.keep),
        address(Y),
        address(start),
        points,
        reach,
        scale,
      ),
    rub: ({ g, J, index, base, force, sigma, weight, blocks }, points, Y, reach) =>
      wasm.rub(
        address(g),
        address(J),
        address(index),
        address(base),
        address(force),
        address(sigma),
        address(weight),
        points,
        blocks,
        address(Y),
        reach,
      ),
    factor: (cholesky: Cholesky, values: ReadonlyF64) => {
      const [table, from] = [address(cholesky.table), address(values)];
      const { partnerTable, analysis } = cholesky;
      const { halves, supernodes } = analysis;
      if (
        !halves ||
        !partnerTable ||
        !partner?.begin(address(partnerTable), from, 0, halves.middle)
      )
        return wasm.factor(table, from);
      const own = wasm.factorSome(table, from, halves.middle, halves.top);
      return partner.end() || own || wasm.factorSome(table, from, halves.top, supernodes);
    },
    factorSome: (table: number, values: number, first: number, last: number) =>
      wasm.factorSome(table, values, first, last),
    solve: (cholesky: Cholesky, x: Float64Array, rhsCount: number) => {
      const { n, block } = cholesky.analysis;
      const table = address(cholesky.table);
      for (let first = 0; first < rhsCount; first += 4) {
        const at = address(x) + 8 * block * n * first;
        const lanes = Math.min(4, rhsCount - first);
        if (lanes === 1) wasm.solveOne(table, at);
        else wasm.solveFour(table, at, lanes);
      }
    },
    solveXyz: (cholesky: Cholesky, x: Float64Array) =>
      wasm.solveXyz(address(cholesky.table), address(x)),
    dot: (x: ReadonlyF64, y: ReadonlyF64) => wasm.dot(address(x), address(y), x.length),
    axpy: (y: Float64Array, a: number, x: ReadonlyF64) =>
      wasm.axpy(address(y), a, address(x), x.length),
    xpby: (y: Float64Array, x: ReadonlyF64, b: number) =>
      wasm.xpby(address(y), address(x), b, x.length),
    multiplyScalar3: (y: Float64Array, A: SparseMatrix, x: ReadonlyF64) =>
      wasm.multiplyScalar3(
        address(y),
        A.rows,
        address(A.start),
        address(A.index),
        address(A.values),
        address(x),
      ),
    addTransposed: (y: Float64Array, R: BlockRows, s: ReadonlyF64) =>
      wasm.addTransposed(
        address(y),
        R.rowsPer,
        R.blocks,
        address(R.start),
        address(R.index),
        address(R.J),
        address(s),
      ),
    addNormalProduct: (y: Float64Array, R: BlockRows, w: ReadonlyF64, x: ReadonlyF64) =>
      wasm.addNormalProduct(
        address(y),
        R.rowsPer,
        R.blocks,
        address(R.start),
        address(R.index),
        address(R.J),
        address(w),
        address(x),
      ),
    addNormalDiagonal: (D: Float64Array, R: BlockRows, w: ReadonlyF64) =>
      wasm.addNormalDiagonal(
        address(D),
        R.rowsPer,
        R.blocks,
        address(R.start),
        address(R.index),
        address(R.J),
        address(w),
      ),
    invertDiagonal: (D: Float64Array, fixed: Uint8Array) =>
      wasm.invertDiagonal(address(D), address(fixed), fixed.length),
    applyDiagonal: (z: Float64Array, D: ReadonlyF64, r: ReadonlyF64) =>
      wasm.applyDiagonal(address(z), address(D), address(r), z.length),
    toSingle: (to: Float32Array, from: ReadonlyF64) =>
      wasm.toSingle(address(to), address(from), from.length),
    toPoints: (to: Float32Array, from: ReadonlyF64) =>
      wasm.toPoints(address(to), address(from), from.length / 3),
    fromPoints: (to: Float64Array, from: Float32Array) =>
      wasm.fromPoints(address(to), address(from), to.length / 3),
    toScaledRows: (to: Float32Array, R: BlockRows, w: ReadonlyF64) =>
      wasm.toScaledRows(
        address(to),
        R.rowsPer,
        R.blocks,
        address(R.start),
        address(R.J),
        address(w),
      ),
    multiplySingle: (y: Float32Array, A: SparsePattern, values: Float32Array, x: Float32Array) =>
      wasm.multiplySingle(
        address(y),
        A.rows,
        address(A.start),
        address(A.index),
        address(values),
        address(x),
      ),
    addSingleRows: (y: Float32Array, R: BlockRows, S: Float32Array, x: Float32Array) =>
      wasm.addSingleRows(
        address(y),
        R.rowsPer,
        R.blocks,
        address(R.start),
        address(R.index),
        address(S),
        address(x),
      ),
    metric: (g: Float64Array, J: Float64Array, Y: ReadonlyF64, G: MetricGroups) =>
      wasm.metric(
        address(g),
        address(J),
        address(Y),
        G.blocks,
        address(G.start),
        address(G.index),
        address(G.triStart),
        address(G.local),
        address(G.q),
      ),
    metricEnergy: (
      Y: ReadonlyF64,
      G: MetricGroups,
      lambda: ReadonlyF64,
      tolerance: number,
      shorter: number,
      limit: number,
    ) =>
      wasm.metricEnergy(
        address(Y),
        G.blocks,
        address(G.index),
        address(G.triStart),
        address(G.local),
        address(G.q),
        address(G.stiffness),
        address(lambda),
        tolerance,
        shorter,
        limit,
      ),
    edgeStress: (s: Float64Array, stress: ReadonlyF64, G: MetricGroups) =>
      wasm.edgeStress(
        address(s),
        s.length,
        address(stress),
        G.blocks,
        address(G.triStart),
        address(G.tri),
        address(G.q),
      ),
    limitRows: (set: Limited) =>
      wasm.limitMetric(
        address(set.extremes),
        address(set.g),
        address(set.J),
        address(set.sigma),
        address(set.stress),
        address(set.weight),
        address(set.stretches),
        address(set.lambda),
        address(set.stiffness),
        set.blocks,
        address(set.start),
        set.tolerance,
        set.shorter,
        set.limit,
      ),
    addTriangleStress: (A: SparseMatrix, { ee, dual, at, s }: TriangleStress, clamp: boolean) =>
      wasm.addTriangleStress(
        address(A.values),
        s.length / 3,
        address(ee),
        address(dual),
        address(at),
        address(s),
        clamp ? 1 : 0,
      ),
    addCoarseRows: (level: Level, set: BlockRows & { weight: ReadonlyF64 }, fixed: Uint8Array) =>
      wasm.addCoarseRows(
        address(level.values),
        address(level.lower.start),
        address(level.lower.index),
        address(level.column),
        address(level.Jc),
        level.blocks,
        set.rowsPer,
        address(set.start),
        address(set.index),
        address(set.J),
        address(set.weight),
        level.share,
        address(level.zStart),
        address(level.zWeight),
        address(level.unionFirst),
        address(level.unionIndex),
        address(level.localFirst),
        address(level.localOf),
        address(fixed),
      ),
    addCoarseForms: (values, { edges, start, weight, at }, S) =>
      wasm.addCoarseForms(
        address(values),
        edges,
        address(start),
        address(weight),
        address(at),
        address(S),
      ),
    restrict: (level: Level, r: ReadonlyF64) =>
      wasm.restrict(
        address(level.rhs),
        level.coarse,
        address(r),
        level.n,
        address(level.zStart),
        address(level.zIndex),
        address(level.zWeight),
      ),
    prolong: (z: Float64Array, level: Level, fixed: Uint8Array) =>
      wasm.prolong(
        address(z),
        level.n,
        address(level.rhs),
        address(fixed),
        address(level.zStart),
        address(level.zIndex),
        address(level.zWeight),
      ),
  };
}
