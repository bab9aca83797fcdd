/**
 * Wavefront OBJ, read as it is indexed: one point per `v`, in the order of the file, so that a pose
 * can be read onto a sheet point by point. Polygons are cut into triangles; texture seams become
 * `cornerUv`; normals, groups and materials are passed over, because the simulator makes its own.
 */
import { type Animation, frameNumber, type OutputFile, partsOf, plainName } from "./animation.ts";
import { FileError, quoted } from "./file-error.ts";
import { Faces, GrowingF64, type TriangleMesh } from "./mesh.ts";
import { shortNumber, textChunks } from "./text.ts";

/**
 * @example
 * const mesh = parseObj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
 */
export function parseObj(text: string): TriangleMesh {
  const positions = new GrowingF64();
  const coordinates = new GrowingF64();
  const faces = new Faces("OBJ");
  for (const { line, number } of lines(text)) {
    const words = wordsOf(line);
    if (words.length === 0) continue;
    if (words[0] === "v") {
      if (words.length < 4)
        throw new FileError(
          "OBJ",
          `line ${number}`,
          `a point has ${words.length - 1} numbers`,
          "needs x y z",
        );
      for (let c = 1; c <= 3; c++) positions.push(finite(words[c], number));
    } else if (words[0] === "vt") {
      if (words.length < 2)
        throw new FileError("OBJ", `line ${number}`, "an empty vt", "needs u v");
      coordinates.push(finite(words[1], number));
      coordinates.push(words.length > 2 ? finite(words[2], number) : 0);
    } else if (words[0] === "f") {
      faces.begin(number);
      for (let k = 1; k < words.length; k++) {
        const [point, texture = ""] = words[k].split("/", 2);
        faces.corner(
          index(point, positions.length / 3, number),
          texture === "" ? -1 : index(texture, coordinates.length / 2, number),
        );
      }
    } else if (words[0] === "surf" || words[0] === "curv") {
      throw new FileError("OBJ", `line ${number}`, "a curved surface", "needs polygons (f)");
    }
  }
  return faces.mesh(positions, coordinates, "line");
}

/** Lines with the number that an editor shows; a backslash at the end joins the next one to it. */
function* lines(text: string): Generator<{ line: string; number: number }> {
  const parts: string[] = [];
  let first = 1;
  let number = 0;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, text[end - 1] === "\r" && end > at ? end - 1 : end);
    at = end + 1;
    number++;
    if (line.endsWith("\\")) {
      parts.push(line.slice(0, -1));
      continue;
    }
    if (parts.length === 0) yield { line, number };
    else yield { line: [...parts, line].join(" "), number: first };
    parts.length = 0;
    first = number + 1;
  }
  if (parts.length > 0) yield { line: parts.join(" "), number: first };
}

function wordsOf(line: string): string[] {
  const hash = line.indexOf("#");
  const words = (hash < 0 ? line : line.slice(0, hash)).split(/[ \t\f\v]+/);
  if (words[0] === "") words.shift();
  if (words.at(-1) === "") words.pop();
  return words;
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

/** One OBJ file per frame; parts are objects. Numbers to 9 digits, as a 32-bit float needs. */
export function* objSequence(animation: Animation, startFrame: number): Generator<OutputFile> {
  const tail = [...textChunks(facesText(animation))]; // the same for every frame
  const Y = new Float64Array(3 * animation.n);
  const last = startFrame + animation.frames - 1;
  for (let frame = 0; frame < animation.frames; frame++)
    yield {
      name: `${plainName(animation.name)}_${frameNumber(startFrame + frame, last)}.obj`,
      chunks: (function* () {
        animation.positions(frame, Y);
        yield* textChunks(pointsText(Y));
        yield* tail;
      })(),
    };
}

function* pointsText(Y: Float64Array): Generator<string> {
  for (let k = 0; k < Y.length; k += 3)
    yield `v ${shortNumber(Y[k])} ${shortNumber(Y[k + 1])} ${shortNumber(Y[k + 2])}\n`;
}

function* facesText(animation: Animation): Generator<string> {
  const { uv, triangles } = animation;
  if (uv !== null)
    for (let k = 0; k < uv.length; k += 2)
      yield `vt ${shortNumber(uv[k])} ${shortNumber(uv[k + 1])}\n`;
  for (const part of partsOf(animation)) {
    yield `o ${plainName(part.name)}\n`;
    for (let k = 3 * part.firstTriangle; k < 3 * (part.firstTriangle + part.triangles); k += 3) {
      const [a, b, c] = [triangles[k] + 1, triangles[k + 1] + 1, triangles[k + 2] + 1];
      yield uv === null ? `f ${a} ${b} ${c}\n` : `f ${a}/${a} ${b}/${b} ${c}/${c}\n`;
    }
  }
}
