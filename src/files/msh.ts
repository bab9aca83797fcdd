/**
 * Gmsh's .msh (ascii, versions 2 and 4): nodes and four-node tetrahedra; everything else in the file is skipped.
 *
 *   $MeshFormat / 2.2 0 8            $Nodes: count, then  tag x y z         $Elements: count, then  tag type ntags … nodes
 *   $MeshFormat / 4.1 0 8            $Nodes: blocks nodes min max; per block: dim entity parametric count, tags, then xyz
 *                                    $Elements: blocks …; per block: dim entity type count, then  tag nodes
 *
 * Tags are any positive numbers; nodes come out in the order of the file, numbered from 0. Type 4 is the tetrahedron with
 * four nodes. Those with ten (type 11) give their corners.
 *
 * The trap: counts come from strangers, so nothing is allocated by them; words are read one at a time.
 */
import { FileError, quoted } from "./file-error.ts";
import { checkCount, GrowingF64, GrowingI32, type TriangleMesh } from "./mesh.ts";

const TETRAHEDRON = 4;
const TETRAHEDRON_10 = 11;
/** Nodes of Gmsh's element types 1 … 31, 0 where there is none that a linear mesher writes. */
// biome-ignore format: a table
const NODES = [0, 2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5, 6, 20, 35, 56];

/** A mesh with `tetrahedra` [4·cells]; its `triangles` are empty. */
export function parseMsh(bytes: Uint8Array): TriangleMesh & { tetrahedra: Int32Array } {
  const words = new Words(bytes);
  const positions = new GrowingF64();
  const corners = new GrowingI32();
  const number = new Map<number, number>();
  let version = 0;
  for (let word = words.next(); word !== ""; word = words.next()) {
    if (word === "$MeshFormat") {
      version = words.number();
      if (words.number() !== 0)
        throw words.fault("a binary file", "needs ascii: gmsh -save -format msh22 or msh41");
      if (!(version >= 2 && version < 3) && !(version >= 4 && version < 5))
        throw words.fault(`version ${version}`, "needs 2.x or 4.x");
    } else if (word === "$Nodes") {
      if (version >= 4) nodes4(words, positions, number);
      else nodes2(words, positions, number);
    } else if (word === "$Elements") {
      if (version >= 4) elements4(words, corners, number);
      else elements2(words, corners, number);
    }
  }
  if (version === 0) throw words.fault("no $MeshFormat", "needs a Gmsh .msh file");
  if (corners.length === 0) throw words.fault("no tetrahedra", "needs a mesh of a volume");
  return {
    positions: positions.done(),
    triangles: new Int32Array(0),
    uv: null,
    tetrahedra: corners.done(),
  };
}

function nodes2(words: Words, positions: GrowingF64, number: Map<number, number>): void {
  const count = words.count();
  for (let k = 0; k < count; k++) {
    note(words, number, words.count());
    for (let c = 0; c < 3; c++) positions.push(words.number());
  }
}

function nodes4(words: Words, positions: GrowingF64, number: Map<number, number>): void {
  const blocks = words.count();
  for (let k = 0; k < 3; k++) words.number();
  for (let b = 0; b < blocks; b++) {
    const dimension = words.count();
    words.number();
    const parametric = words.count();
    const count = words.count();
    for (let k = 0; k < count; k++) note(words, number, words.count());
    const width = 3 + (parametric ? dimension : 0);
    for (let k = 0; k < count; k++)
      for (let c = 0; c < width; c++) {
        const x = words.number();
        if (c < 3) positions.push(x);
      }
  }
}

function elements2(words: Words, corners: GrowingI32, number: Map<number, number>): void {
  const count = words.count();
  for (let k = 0; k < count; k++) {
    words.count();
    const type = words.count();
    const tags = words.count();
    for (let t = 0; t < tags; t++) words.number();
    element(words, corners, number, type);
  }
}

function elements4(words: Words, corners: GrowingI32, number: Map<number, number>): void {
  const blocks = words.count();
  for (let k = 0; k < 3; k++) words.number();
  for (let b = 0; b < blocks; b++) {
    words.count();
    words.number();
    const type = words.count();
    const count = words.count();
    for (let k = 0; k < count; k++) {
      words.count();
      element(words, corners, number, type);
    }
  }
}

function element(
  words: Words,
  corners: GrowingI32,
  number: Map<number, number>,
  type: number,
): void {
  const size = NODES[type] ?? 0;
  if (size === 0) throw words.fault(`element type ${type}`, "needs Gmsh's types 1 to 31");
  const solid = type === TETRAHEDRON || type === TETRAHEDRON_10;
  for (let c = 0; c < size; c++) {
    const tag = words.count();
    if (!solid || c >= 4) continue;
    const node = number.get(tag);
    if (node === undefined) throw words.fault(`node ${tag} is not in $Nodes`, "");
    corners.push(node);
  }
}

function note(words: Words, number: Map<number, number>, tag: number): void {
  checkCount("MSH", "$Nodes", number.size + 1, 0);
  if (number.has(tag)) throw words.fault(`node ${tag} is there twice`, "");
  number.set(tag, number.size);
}

/** The words of a text and the line they are on. */
class Words {
  private readonly bytes: Uint8Array;
  private at = 0;
  private line = 1;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** "" at the end. */
  next(): string {
    const { bytes } = this;
    while (this.at < bytes.length && bytes[this.at] <= 32) if (bytes[this.at++] === 10) this.line++;
    const first = this.at;
    while (this.at < bytes.length && bytes[this.at] > 32) this.at++;
    return String.fromCharCode(...bytes.subarray(first, Math.min(this.at, first + 64)));
  }

  number(): number {
    const word = this.next();
    const x = word === "" ? Number.NaN : Number(word);
    if (!Number.isFinite(x))
      throw this.fault(
        word === "" ? "the file ends early" : `got ${quoted(word)}`,
        "needs a finite number",
      );
    return x;
  }

  count(): number {
    const x = this.number();
    if (!(Number.isInteger(x) && x >= 0)) throw this.fault(`got ${x}`, "needs a whole number");
    return x;
  }

  fault(what: string, allowed: string): FileError {
    return new FileError("MSH", `line ${this.line}`, what, allowed);
  }
}
