/**
 * What a PLY file is read from: its header, which declares elements with properties, scalars or lists, in any order and of any name; and the
 * values behind it, as text or binary in either byte order.
 */
import { FileError, quoted } from "./file-error.ts";

export type Scalar = "i1" | "u1" | "i2" | "u2" | "i4" | "u4" | "f4" | "f8";

interface Property {
  name: string;
  type: Scalar;
  /** Type of the count of a list; null for a scalar. */
  counted: Scalar | null;
}
export interface Element {
  name: string;
  count: number;
  properties: Property[];
}

/** A map, not an object: a file may name a type "constructor". */
const TYPES: ReadonlyMap<string, Scalar> = new Map([
  ...["char", "int8"].map((name) => [name, "i1"] as const),
  ...["uchar", "uint8"].map((name) => [name, "u1"] as const),
  ...["short", "int16"].map((name) => [name, "i2"] as const),
  ...["ushort", "uint16"].map((name) => [name, "u2"] as const),
  ...["int", "int32"].map((name) => [name, "i4"] as const),
  ...["uint", "uint32"].map((name) => [name, "u4"] as const),
  ...["float", "float32"].map((name) => [name, "f4"] as const),
  ...["double", "float64"].map((name) => [name, "f8"] as const),
]);
const SIZES: Readonly<Record<Scalar, number>> = {
  i1: 1,
  u1: 1,
  i2: 2,
  u2: 2,
  i4: 4,
  u4: 4,
  f4: 4,
  f8: 8,
};
/** Programs write about twenty; the search for a name twice is quadratic. */
const MOST_HEADER_LINES = 10_000;

/** The header: the format, the elements in their order, and the byte at which the values begin. */
export function readHeader(bytes: Uint8Array): {
  format: string;
  elements: Element[];
  end: number;
} {
  const elements: Element[] = [];
  let format = "";
  let at = 0;
  for (let number = 1; ; number++) {
    // a header line is short; binary data behind a lost end_header is not searched for newlines
    const newline = bytes.subarray(at, at + 4096).indexOf(10);
    const place = `line ${number}`;
    if (newline < 0 || number > MOST_HEADER_LINES)
      throw new FileError("PLY", place, "the header does not end", "needs a line end_header");
    const line = latin(bytes.subarray(at, at + newline)).trim();
    at += newline + 1;
    const words = line.split(/\s+/);
    if (number === 1) {
      if (line !== "ply") throw new FileError("PLY", place, `got ${quoted(line)}`, `needs "ply"`);
    } else if (words[0] === "format") {
      format = words[1] ?? "";
      if (!["ascii", "binary_little_endian", "binary_big_endian"].includes(format))
        throw new FileError(
          "PLY",
          place,
          `format ${quoted(format)}`,
          "needs ascii, binary_little_endian or binary_big_endian",
        );
    } else if (words[0] === "element") {
      const count = Number(words[2] ?? Number.NaN);
      if (words.length !== 3 || !Number.isInteger(count) || count < 0)
        throw new FileError("PLY", place, `got ${quoted(line)}`, "needs: element name count");
      if (elements.some((e) => e.name === words[1]))
        throw new FileError("PLY", place, `element ${quoted(words[1])} comes twice`);
      elements.push({ name: words[1], count, properties: [] });
    } else if (words[0] === "property") {
      const list = words[1] === "list";
      const type = TYPES.get(words[list ? 3 : 1] ?? "");
      const counted = list ? TYPES.get(words[2] ?? "") : null;
      const name = words[list ? 4 : 2];
      const element = elements.at(-1);
      if (
        type === undefined ||
        counted === undefined ||
        name === undefined ||
        element === undefined ||
        counted?.startsWith("f")
      )
        throw new FileError(
          "PLY",
          place,
          `got ${quoted(line)}`,
          `needs: property type name, or property list type type name, of ${[...TYPES.keys()].join(" ")}`,
        );
      element.properties.push({ name, type, counted });
    } else if (words[0] === "end_header") {
      break;
    } else if (words[0] !== "comment" && words[0] !== "obj_info" && line !== "") {
      throw new FileError(
        "PLY",
        place,
        `got ${quoted(line)}`,
        "needs format, element, property, comment or end_header",
      );
    }
  }
  if (format === "") throw new FileError("PLY", "header", "has no format line");
  const vertex = elements.find((e) => e.name === "vertex");
  for (const name of ["x", "y", "z"])
    if (!vertex?.properties.some((p) => p.name === name && p.counted === null))
      throw new FileError("PLY", "header", `element vertex has no ${name}`, "needs x, y and z");
  return { format, elements, end: at };
}

/** Where the values behind the header come from. */
export interface Source {
  read(type: Scalar): number;
  skip(type: Scalar, count: number): void;
  /** The fewest bytes that one value takes. */
  size(type: Scalar): number;
  left(): number;
  place(): string;
}

export class BinarySource implements Source {
  private readonly view: DataView;
  private readonly little: boolean;
  private at: number;

  constructor(bytes: Uint8Array, at: number, little: boolean) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
    this.little = little;
  }

  read(type: Scalar): number {
    const { view, at, little } = this;
    this.skip(type, 1);
    switch (type) {
      case "i1":
        return view.getInt8(at);
      case "u1":
        return view.getUint8(at);
      case "i2":
        return view.getInt16(at, little);
      case "u2":
        return view.getUint16(at, little);
      case "i4":
        return view.getInt32(at, little);
      case "u4":
        return view.getUint32(at, little);
      case "f4":
        return view.getFloat32(at, little);
      case "f8":
        return view.getFloat64(at, little);
    }
  }

  skip(type: Scalar, count: number): void {
    const end = this.at + count * SIZES[type];
    if (end > this.view.byteLength)
      throw new FileError("PLY", this.place(), "the file ends here", "the header promises more");
    this.at = end;
  }

  size(type: Scalar): number {
    return SIZES[type];
  }

  left(): number {
    return this.view.byteLength - this.at;
  }

  place(): string {
    return `byte ${this.at}`;
  }
}

export class AsciiSource implements Source {
  private readonly bytes: Uint8Array;
  private at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  read(): number {
    const { bytes } = this;
    let at = this.at;
    while (at < bytes.length && bytes[at] <= 32) at++;
    const first = at;
    while (at < bytes.length && bytes[at] > 32) at++;
    this.at = at;
    if (first === at)
      throw new FileError("PLY", this.place(), "the file ends here", "the header promises more");
    const word = latin(bytes.subarray(first, Math.min(at, first + 400)));
    const value = Number(word);
    if (Number.isNaN(value) && word.toLowerCase() !== "nan")
      throw new FileError("PLY", `byte ${first}`, `got ${quoted(word)}`, "needs a number");
    return value;
  }

  skip(_type: Scalar, count: number): void {
    for (let k = 0; k < count; k++) this.read();
  }

  /** A digit and a separator; the last value needs none. */
  size(): number {
    return 2;
  }

  left(): number {
    return this.bytes.length - this.at + 1;
  }

  place(): string {
    return `byte ${this.at}`;
  }
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
