/**
 * The hot loops in WebAssembly, with the signatures of the TypeScript that they mirror.
 *
 * Kernels are instantiated on the arena's memory and work on its arrays where they are: a call passes
 * byte addresses, nothing is copied. Every array handed to them must be in that memory. They give the bits of the TypeScript on every engine.
 *
 * A kernel takes numbers only. CALLS says which: for every loop the arguments and the fields of its structs, in the order of the kernel.
 */
import type { Arena, ArenaMemory } from "../linalg/arena.ts";
import type { CholeskyKernels } from "../linalg/cholesky.ts";
import type { BlockRows, RowOperations } from "../linalg/rows.ts";
import type { SingleOperations } from "../linalg/single.ts";
import type { SparsePattern } from "../linalg/sparse.ts";
import type { Vectors } from "../linalg/vectors.ts";
import type { Level, TwoLevelOperations } from "../step/coarse-matrix.ts";
import type { FrameBlockOperations, FrameBlocks } from "../step/frame-blocks.ts";
import type { SingleLoops, SingleSolve } from "../step/single-solve.ts";
import type { Transfers } from "../step/transfers.ts";

import type { BoxTree } from "../system/contact/box-tree.ts";
import type { BroadPhase, Candidates } from "../system/contact/broad-phase.ts";
import type { ContactRows } from "../system/contact/contact-rows.ts";
import type { evaluateFriction } from "../system/contact/friction.ts";
import type { ContactOperations } from "../system/contact/operations.ts";
import type { FrameOperations, NodeRows } from "../system/frame-membrane.ts";
import type { Partner } from "./partner.ts";
import type { Team } from "./team.ts";
import { plain } from "./wasm.generated.ts";

export interface Kernels
  extends CholeskyKernels,
    Vectors,
    RowOperations,
    SingleOperations,
    TwoLevelOperations,
    FrameOperations,
    FrameBlockOperations,
    ContactOperations {
  readonly memory: ArenaMemory;
  /** Supernodes first … last − 1 of a factorisation by the addresses of its table and values: what a partner does. */
  factorSome(table: number, values: number, first: number, last: number): number;
  /** The inner solve in single precision, by one thread or by a team. */
  readonly single: SingleLoops;
  /** What a thread of a team does, until it is closed. */
  serveJobs(control: number, thread: number, threads: number): void;
}

export interface KernelOptions {
  /** A second thread on the same memory, for factorisations that were analysed for two. */
  readonly partner?: Partner;
  /** Threads that share the jobs of the inner solve. */
  readonly team?: Team;
  /** The build for memories that several threads share (wasm-shared.generated.ts), which is loaded only where it is needed. */
  readonly shared?: string;
}

/**
 * Compiles and instantiates at once, which Node and workers allow.
 *
 * @example
 * const { arena, value } = inOneMemory((memory) => prepareCholesky(memory, analysis));
 * attachKernels(value, instantiate(arena));
 */
export function instantiate(arena: Arena, options: KernelOptions = {}): Kernels {
  const module = new WebAssembly.Module(bytesFor(arena, options));
  return wrap(new WebAssembly.Instance(module, imports(arena)), arena, options);
}

function bytesFor({ memory }: Arena, { shared }: KernelOptions): Uint8Array<ArrayBuffer> {
  if (memory.buffer instanceof ArrayBuffer) return decode(plain);
  if (shared === undefined) throw new Error("shared memories need wasm-shared.generated.ts");
  return decode(shared);
}

/**
 * Wasm as text: a byte is one letter or two. Compressed (gzip) that is 15.9 kB; base64, whose digits straddle the bytes, is 20.9 kB and the bytes
 * themselves are 15.7 kB.
 */
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

// ------------------------------------------------------------------------------------- what they take

/** What a kernel takes as it is: numbers; flags as 0 or 1; arrays by address, none as 0. */
type Plain = number | boolean | Typed;
interface Typed {
  readonly byteOffset: number;
}
/** Plain fields of a struct, of structs in it, and lengths and first numbers of its arrays. */
type Field<T> = {
  [K in keyof T & string]: NonNullable<T[K]> extends Typed
    ? K | `${K}.length` | `${K}.0`
    : NonNullable<T[K]> extends Plain
      ? K
      : `${K}.${keyof NonNullable<T[K]> & string}`;
}[keyof T & string];
/** An argument by its number, "1", or a field of it, "1.start". */
type Path<A extends readonly unknown[]> = {
  [I in keyof A & `${number}`]: NonNullable<A[I]> extends Typed
    ? I | `${I}.length`
    : NonNullable<A[I]> extends Plain
      ? I
      : `${I}.${Field<NonNullable<A[I]>>}`;
}[keyof A & `${number}`];

/** Fields of a struct that is argument number `at`. */
const fields = <I extends number, F extends string>(at: I, names: readonly F[]): `${I}.${F}`[] =>
  names.map((name): `${I}.${F}` => `${at}.${name}`);

const ROWS: readonly Field<BlockRows>[] = ["rowsPer", "blocks", "start", "index", "J"];
const PATTERN: readonly Field<SparsePattern>[] = ["rows", "start", "index"];
const TRANSFERS: readonly Field<Transfers>[] = ["start", "index", "weight"];
const UNION: readonly Field<Level>[] = ["unionFirst", "places", "localFirst", "localOf"];
const SEARCH: readonly Field<BroadPhase>[] = ["stack", "groups", "group", "wanted", "sewn"];
const TREE: readonly Field<BoxTree>[] = ["leaves", "first", "order", "boxes", "nodes"];
const FOUND: readonly Field<Candidates>[] = ["unsorted", "capacity"];
const NODES: readonly Field<NodeRows>[] = ["g", "J", "sigma", "stiffness", "scale", "n"];
const BLOCKS: readonly Field<FrameBlocks>[] = ["B", "n"];
const SLIP: readonly Field<Parameters<typeof evaluateFriction>[0]>[] = [
  ...(["g", "J", "index", "base", "force", "sigma", "weight"] as const),
];
const CONTACTS: readonly Field<ContactRows>[] = [
  ...(["index", "J", "g", "sigma", "weight", "pair", "weights", "factor", "sums"] as const),
];

/** Loops whose kernel takes more than what is listed, or is several. */
type Apart = "memory" | "factor" | "factorSome" | "solve" | "serveJobs" | "single";
type Calls = {
  readonly [K in Exclude<keyof Kernels, Apart>]: readonly Path<Parameters<Kernels[K]>>[];
};

/** For every kernel what it takes, in order. */
const CALLS: Calls = {
  dot: ["0", "1", "0.length"],
  axpy: ["0", "1", "2", "2.length"],
  xpby: ["0", "1", "2", "1.length"],
  negate: ["0", "1", "1.length"],
  add: ["0", "1", "2", "1.length"],
  largest: ["0", "1"],
  multiplyScalar3: ["0", ...fields(1, PATTERN), "1.values", "2"],

  addTransposed: ["0", ...fields(1, ROWS), "2"],
  addNormalProduct: ["0", ...fields(1, ROWS), "2", "3"],
  addNormalDiagonal: ["0", ...fields(1, ROWS), "2"],
  invertDiagonal: ["0", "1", "1.length"],
  applyDiagonal: ["0", "1", "2", "0.length"],

  toPoints: ["0", "1", "1.length"],
  fromPoints: ["0", "1", "0.length"],
  toScaledRows: ["0", "1.rowsPer", "1.blocks", "1.start", "1.J", "2"],
  addSingleRows: ["0", "1.rowsPer", "1.blocks", "1.start", "1.index", "2", "3"],
  dotSingle: ["0", "1", "0.length"],
  largestSingle: ["0", "0.length"],
  stepToRadiusSingle: ["0", "1", "2", "0.length"],

  arcs: ["0.table", "1"],
  arcEnergy: ["0.table", "1"],
  addArcForce: ["0", "1.table"],
  addArcProduct: ["0", "1.table", "2"],
  arcsToSingle: ["0.table"],
  nodeRows: [...fields(0, NODES), "1"],
  nodeEnergy: ["0.stiffness", "0.scale", "0.n", "1"],
  retract: ["0", "1", "2", "3", "4", "4.length"],
  invertedBlocks: [
    ...fields(0, BLOCKS),
    ...fields(0, ["at", "first", "incident", "cornerFirst", "corner", "scratch"]),
    ...(["1", "2", "3.J", "3.weight", "4.table", "5"] as const),
  ],
  applyBlocks: ["0", ...fields(1, BLOCKS), "2"],

  addCoarseRows: [
    ...fields(0, ["values", "Jc", "blocks"]),
    ...fields(1, ["rowsPer", "start", "index", "J", "weight"]),
    ...fields(0, ["zStart", "zWeight"]),
    ...fields(0, UNION),
    "2",
  ],
  addCoarseForms: ["0", ...fields(1, ["edges", "start", "weight", "at"]), "2"],
  restrict: ["0.rhs", "0.coarse", "1", "0.samples", ...fields(0, TRANSFERS)],
  prolong: ["0", "1.samples", "1.rhs", "2", ...fields(1, TRANSFERS)],

  pairUp: [
    ...fields(0, FOUND),
    ...fields(1, SEARCH),
    "1.margin.0",
    "4",
    "5",
    ...fields(2, TREE),
    ...fields(3, TREE),
    "3.corners",
  ],
  squaredDistances: ["0", "1", "2", "3", "4"],
  safeTime: ["0", "1", "2", "3", "4", "5", "6", "7", "8.distance", "8.displacement"],
  contactRows: [
    ...fields(0, CONTACTS),
    "1",
    "2",
    ...fields(3, ["pairs", "count", "first", "before.distance", "before.displacement", "keep"]),
    "4",
    "5",
    "6",
    "7",
    "8",
  ],
  evaluateFriction: [...fields(0, SLIP), "1", "0.blocks", "2", "3"],
};

/** Jobs of a team, as team.as.ts numbers them. */
const TURN = 1;
const DESCEND = 2;

type Numbers = (...numbers: number[]) => number;
type Loop = (...given: unknown[]) => number;

/** The loop of the kernels that takes these. Resolves its paths at every call, since structs change; 20 of them cost 0.2 µs. */
function bind(kernel: Numbers, paths: readonly string[], address: Address): Loop {
  const steps = paths.map((path) => path.split("."));
  const argument = steps.map(([number]) => Number(number));
  const given: unknown[] = new Array(9).fill(null); // as many as a loop has at most
  const values: unknown[] = Array.from(steps, () => undefined);
  // nine parameters and arrays that are kept: a rest parameter would be a new array at every call
  return (a, b, c, d, e, f, g, h, i) => {
    given[0] = a;
    given[1] = b;
    given[2] = c;
    given[3] = d;
    given[4] = e;
    given[5] = f;
    given[6] = g;
    given[7] = h;
    given[8] = i;
    for (let k = 0; k < steps.length; k++) {
      let value = given[argument[k]];
      const path = steps[k];
      for (let s = 1; s < path.length; s++)
        value = (value as Record<string, unknown> | null | undefined)?.[path[s]];
      if (typeof value === "object" && value) values[k] = address(value as ArrayBufferView);
      else values[k] = typeof value === "number" ? value : value ? 1 : 0;
    }
    return kernel.apply(undefined, values as number[]);
  };
}

type Address = (array: { buffer: ArrayBufferLike; byteOffset: number }) => number;

function wrap(
  instance: WebAssembly.Instance,
  { memory }: Arena,
  { partner, team }: KernelOptions,
): Kernels {
  const wasm = instance.exports as unknown as Record<string, Numbers>;
  const { buffer } = memory;

  /** The address of an array, which must be in the kernels' memory: elsewhere it means other bytes. */
  const address: Address = (array) => {
    if (array.buffer !== buffer) throw new Error("kernels need arrays of their own memory");
    return array.byteOffset;
  };

  const bound = Object.entries(CALLS).map(([name, paths]) => [
    name,
    bind(wasm[name], paths, address),
  ]);
  return {
    ...(Object.fromEntries(bound) as Omit<Kernels, Apart>),
    memory,
    factor(cholesky, values) {
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
    serveJobs: (control, thread, threads) => wasm.serveJobs(control, thread, threads),
    factorSome: (table, values, first, last) => wasm.factorSome(table, values, first, last),
    single: singleOf(wasm, team, address),
    solve: (cholesky, x) => wasm.solveOne(address(cholesky.table), address(x)),
  };
}

/** The inner solve in single precision: two jobs, by one thread or by a team. */
function singleOf(
  wasm: Record<string, Numbers>,
  team: Team | undefined,
  address: Address,
): SingleLoops {
  // what is asked for; kept, since a closure for every job would be a new object
  const asked = { job: 0, table: 0, control: 0, value: 0, flag: 0 };
  const run = (threads: number): void => {
    wasm.runJob(asked.control, threads, asked.job, asked.table, asked.value, asked.flag);
  };
  const perform = (job: number, solve: SingleSolve, value: number, flag: number): void => {
    asked.job = job;
    asked.table = address(solve.table);
    asked.control = address(solve.control);
    asked.value = value;
    asked.flag = flag;
    team?.run(run);
  };
  return {
    packMatrix: (solve) => wasm.packMatrix(address(solve.table)),
    packBlocks: (solve) => wasm.packBlocks(address(solve.table)),
    turn(solve, beta, isFirst) {
      if (team) perform(TURN, solve, beta, isFirst ? 1 : 0);
      else wasm.turnShare(address(solve.table), 0, 1, beta, isFirst ? 1 : 0);
    },
    descend(solve, alpha) {
      if (team) perform(DESCEND, solve, alpha, 0);
      else wasm.descendShare(address(solve.table), 0, 1, alpha);
    },
  };
}
