/**
 * STL, ascii and binary: triangles without indices. Points are welded where their coordinates are
 * the same; the stored normals are ignored, because half of the programs write them wrong.
 *
 * The trap: "solid" at the start does not mean ascii, since many binary files say so too. The size
 * decides: a binary file is 84 bytes and 50 per triangle.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { type Animation, frameNumber, type OutputFile, plainName } from "./animation.ts";
import { FileError, quoted } from "./file-error.ts";
import { checkCount, GrowingF64, type TriangleMesh, weld } from "./mesh.ts";

export function parseStl(bytes: Uint8Array): TriangleMesh {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const triangles = bytes.length >= 84 ? view.getUint32(80, true) : -1;
  const solid = startsWithSolid(bytes);
  if (triangles >= 0 && 84 + 50 * triangles === bytes.length) return binary(view, triangles);
  if (solid) return ascii(bytes);
  if (triangles < 0)
    throw new FileError(
      "STL",
      "byte 0",
      `${bytes.length} bytes`,
      `needs "solid", or 84 bytes and more`,
    );
  if (84 + 50 * triangles > bytes.length)
    throw new FileError(
      "STL",
      "byte 80",
      `promises ${triangles} triangles`,
      `the ${bytes.length} bytes of the file hold ${Math.floor((bytes.length - 84) / 50)}`,
    );
  return binary(view, triangles); // more bytes than needed: some programs append colours
}

function startsWithSolid(bytes: Uint8Array): boolean {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 512)).trimStart();
  return head.toLowerCase().startsWith("solid");
}

function binary(view: DataView, triangles: number): TriangleMesh {
  checkCount("STL", "byte 80", 0, 3 * triangles);
  const positions = new Float64Array(9 * triangles);
  for (let t = 0; t < triangles; t++)
    for (let k = 0; k < 9; k++) {
      const x = view.getFloat32(84 + 50 * t + 12 + 4 * k, true);
      if (!Number.isFinite(x))
        throw new FileError(
          "STL",
          `triangle ${t}`,
          `a coordinate is ${x}`,
          "needs a finite number",
        );
      positions[9 * t + k] = x;
    }
  return weld(
    positions,
    Int32Array.from({ length: 3 * triangles }, (_, k) => k),
    null,
  );
}

/** Only the words count: `vertex x y z`, three to a facet. */
function ascii(bytes: Uint8Array): TriangleMesh {
  const positions = new GrowingF64();
  let at = 0;
  let line = 1;
  const word = (): string => {
    while (at < bytes.length && bytes[at] <= 32) if (bytes[at++] === 10) line++;
    const first = at;
    while (at < bytes.length && bytes[at] > 32) at++;
    return String.fromCharCode(...bytes.subarray(first, Math.min(at, first + 64)));
  };
  for (let text = word(); text !== ""; text = word()) {
    const name = text.toLowerCase();
    if (name === "vertex") {
      checkCount("STL", `line ${line}`, 0, positions.length / 3 + 1);
      for (let c = 0; c < 3; c++) {
        const number = word();
        const x = number === "" ? Number.NaN : Number(number);
        if (!Number.isFinite(x))
          throw new FileError(
            "STL",
            `line ${line}`,
            `got ${quoted(number)}`,
            "needs a finite number",
          );
        positions.push(x);
      }
    } else if (name === "endfacet" && positions.length % 9 !== 0) {
      throw new FileError("STL", `line ${line}`, "a facet without three points", "needs triangles");
    }
  }
  if (positions.length % 9 !== 0 || positions.length === 0)
    throw new FileError(
      "STL",
      `line ${line}`,
      "the last facet is not whole",
      "needs three points each",
    );
  const corners = positions.length / 3;
  return weld(
    positions.done(),
    Int32Array.from({ length: corners }, (_, k) => k),
    null,
  );
}

/** A mesh as binary STL. */
export function* writeStl(mesh: TriangleMesh): Generator<Uint8Array> {
  yield stlBytes(mesh.positions, mesh.triangles);
}

/** One binary STL file per frame. */
export function* stlSequence(animation: Animation, startFrame: number): Generator<OutputFile> {
  const Y = new Float64Array(3 * animation.n);
  const last = startFrame + animation.frames - 1;
  for (let frame = 0; frame < animation.frames; frame++)
    yield {
      name: `${plainName(animation.name)}_${frameNumber(startFrame + frame, last)}.stl`,
      chunks: (function* () {
        animation.positions(frame, Y);
        yield stlBytes(Y, animation.triangles);
      })(),
    };
}

function stlBytes(P: ReadonlyF64, triangles: ReadonlyI32): Uint8Array {
  const count = triangles.length / 3;
  const view = new DataView(new ArrayBuffer(84 + 50 * count));
  const title = "isoplate, binary, metres";
  for (let k = 0; k < title.length; k++) view.setUint8(k, title.charCodeAt(k));
  view.setUint32(80, count, true);
  for (let t = 0; t < count; t++) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[3 * t + k]);
    const u = [0, 1, 2].map((k) => P[b + k] - P[a + k]);
    const v = [0, 1, 2].map((k) => P[c + k] - P[a + k]);
    const normal = [
      u[1] * v[2] - u[2] * v[1],
      u[2] * v[0] - u[0] * v[2],
      u[0] * v[1] - u[1] * v[0],
    ];
    const length = Math.hypot(...normal) || 1;
    let at = 84 + 50 * t;
    for (let k = 0; k < 3; k++, at += 4) view.setFloat32(at, normal[k] / length, true);
    for (const i of [a, b, c])
      for (let k = 0; k < 3; k++, at += 4) view.setFloat32(at, P[i + k], true);
  }
  return new Uint8Array(view.buffer);
}
