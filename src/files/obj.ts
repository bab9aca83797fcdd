/**
 * Wavefront OBJ, read as it is indexed: one point per `v`, in the order of the file, so that a pose
 * can be read onto a sheet point by point. Polygons are cut into triangles; texture seams become
 * `cornerUv`; normals, groups and materials are passed over, because the simulator makes its own.
 */
import {
  type Animation,
  frameNormals,
  frameNumber,
  type OutputFile,
  partsOf,
  plainName,
} from "./animation.ts";
import { FileError, quoted } from "./file-error.ts";
import { checkCount, Faces, GrowingF64, type TriangleMesh } from "./mesh.ts";
import { shortNumber, textChunks } from "./text.ts";

/**
 * @example
 * const mesh = parseObj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
 */
export function parseObj(text: string): TriangleMesh {
  const positions = new GrowingF64();
  const coordinates = new GrowingF64();
  const faces = new Faces("OBJ");
  const words = new LineWords(text);
  while (words.nextLine()) {
    const place = `line ${words.line}`;
    switch (words.next()) {
      case "v":
        checkCount("OBJ", place, positions.length / 3 + 1, 0);
        for (let c = 0; c < 3; c++) {
          const word = words.next();
          if (word === "")
            throw new FileError("OBJ", place, `a point has ${c} numbers`, "needs x y z");
          positions.push(finite(word, words.line));
        }
        break;
      case "vt": {
        checkCount("OBJ", place, coordinates.length / 2 + 1, 0);
        const [u, v] = [words.next(), words.next()];
        if (u === "") throw new FileError("OBJ", place, "an empty vt", "needs u v");
        coordinates.push(finite(u, words.line));
        coordinates.push(v === "" ? 0 : finite(v, words.line));
        break;
      }
      case "f":
        faces.begin(words.line);
        for (let word = words.next(); word !== ""; word = words.next()) {
          const slash = word.indexOf("/");
          const point = slash < 0 ? word : word.slice(0, slash);
          const texture = slash < 0 ? "" : word.slice(slash + 1).split("/", 1)[0];
          faces.corner(
            index(point, positions.length / 3, words.line),
            texture === "" ? -1 : index(texture, coordinates.length / 2, words.line),
          );
        }
        break;
      case "surf":
      case "curv":
        throw new FileError("OBJ", place, "a curved surface", "needs polygons (f)");
    }
  }
  return faces.mesh(positions, coordinates, "line");
}

/**
 * The words of a text line by line, one at a time: a line may be as long as the file. A # starts a comment, a backslash at
 * the end of a line joins the next one to it.
 */
class LineWords {
  /** Number of the line that began last, as an editor shows it. */
  line = 0;
  private readonly text: string;
  private at = 0;
  /** Lines that the present one goes on over. */
  private joined = 1;

  constructor(text: string) {
    this.text = text;
  }

  /** Goes to the beginning of the next line; false at the end of the text. */
  nextLine(): boolean {
    if (this.line > 0) {
      while (this.next() !== "");
      this.at++; // the line's end
    }
    this.line += this.line === 0 ? 1 : this.joined;
    this.joined = 1;
    return this.at < this.text.length;
  }

  /** The next word of the line, "" at its end. */
  next(): string {
    const { text } = this;
    let { at } = this;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH && this.joins(at)) {
        at = text.indexOf("\n", at);
        this.joined++;
        if (at < 0) at = text.length;
      } else if (code === HASH) {
        at = text.indexOf("\n", at);
        if (at < 0) at = text.length;
        break;
      } else if (code === NEWLINE || !isBlank(code)) break;
    }
    const first = at;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE || code === HASH || isBlank(code)) break;
      if (code === BACKSLASH && this.joins(at)) break;
    }
    this.at = at;
    return text.slice(first, at);
  }

  /** Whether the backslash here is the last of its line. */
  private joins(at: number): boolean {
    const { text } = this;
    return (
      text[at + 1] === "\n" ||
      (text[at + 1] === "\r" && text[at + 2] === "\n") ||
      at + 1 === text.length
    );
  }
}

const NEWLINE = 10;
const HASH = 35;
const BACKSLASH = 92;

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== NEWLINE);
}

function finite(word: string, line: number): number {
  const value = Number(word);
  if (!Number.isFinite(value))
    throw new FileError("OBJ", `line ${line}`, `got ${quoted(word)}`, "needs a finite number");
  return value;
}

/** OBJ counts from 1, or with a minus back from the last one before the face. */
function index(word: string, before: number, line: number): number {
  const value = Number(word);
  const i = value > 0 ? value - 1 : before + value;
  if (value === 0 || !Number.isInteger(i) || i < 0 || i >= 2 ** 31)
    throw new FileError(
      "OBJ",
      `line ${line}`,
      `a face names ${quoted(word)}`,
      `needs a whole number, from 1 up or from −1 down to −${before}`,
    );
  return i;
}

/**
 * A mesh as OBJ text, in chunks. Numbers come back exactly.
 *
 * @example
 * const text = writeObj(mesh);
 */
export function* writeObj(mesh: TriangleMesh): Generator<Uint8Array> {
  yield* textChunks(meshText(mesh));
}

function* meshText({ positions, triangles, uv, cornerUv }: TriangleMesh): Generator<string> {
  for (let k = 0; k < positions.length; k += 3)
    yield `v ${positions[k] + 0} ${positions[k + 1] + 0} ${positions[k + 2] + 0}\n`;
  const coordinates = cornerUv ?? uv;
  if (coordinates !== null)
    for (let k = 0; k < coordinates.length; k += 2)
      yield `vt ${coordinates[k] + 0} ${coordinates[k + 1] + 0}\n`;
  for (let t = 0; t < triangles.length; t += 3) {
    const corner = (k: number): string => {
      if (coordinates === null) return `${triangles[k] + 1}`;
      return `${triangles[k] + 1}/${cornerUv ? k + 1 : triangles[k] + 1}`;
    };
    yield `f ${corner(t)} ${corner(t + 1)} ${corner(t + 2)}\n`;
  }
}

/** One OBJ file per frame, with normals unless switched off; parts are objects. Numbers to 9 digits, as a 32-bit float needs. */
export function* objSequence(
  animation: Animation,
  startFrame: number,
  hasNormals: boolean = true,
): Generator<OutputFile> {
  const tail = [...textChunks(facesText(animation, hasNormals))]; // the same for every frame
  const Y = new Float64Array(3 * animation.n);
  const normals = new Float64Array(Y.length);
  const last = startFrame + animation.frames - 1;
  for (let frame = 0; frame < animation.frames; frame++)
    yield {
      name: `${plainName(animation.name)}_${frameNumber(startFrame + frame, last)}.obj`,
      chunks: (function* () {
        animation.positions(frame, Y);
        yield* textChunks(vectorsText("v", Y));
        if (hasNormals) {
          frameNormals(normals, animation, frame, Y);
          yield* textChunks(vectorsText("vn", normals));
        }
        yield* tail;
      })(),
    };
}

function* vectorsText(kind: "v" | "vn", Y: Float64Array): Generator<string> {
  for (let k = 0; k < Y.length; k += 3)
    yield `${kind} ${shortNumber(Y[k])} ${shortNumber(Y[k + 1])} ${shortNumber(Y[k + 2])}\n`;
}

function* facesText(animation: Animation, hasNormals: boolean): Generator<string> {
  const { uv, triangles } = animation;
  if (uv !== null)
    for (let k = 0; k < uv.length; k += 2)
      yield `vt ${shortNumber(uv[k])} ${shortNumber(uv[k + 1])}\n`;
  // point/uv/normal, all of one number
  const corner = (i: number): string => {
    if (hasNormals) return uv === null ? `${i}//${i}` : `${i}/${i}/${i}`;
    return uv === null ? `${i}` : `${i}/${i}`;
  };
  for (const part of partsOf(animation)) {
    yield `o ${plainName(part.name)}\n`;
    for (let k = 3 * part.firstTriangle; k < 3 * (part.firstTriangle + part.triangles); k += 3) {
      const [a, b, c] = [triangles[k] + 1, triangles[k + 1] + 1, triangles[k + 2] + 1];
      yield `f ${corner(a)} ${corner(b)} ${corner(c)}\n`;
    }
  }
}
