/**
 * USD as text (.usda): each part a Mesh whose points, normals and extent are time samples, a point
 * cache that Houdini, Omniverse, Maya and Blender read. Metres, z up, one time code a frame.
 *
 * Text is four times larger than the binary crate, but the crate is specified by its source alone;
 * `usdcat` turns one into the other. uv is the primvar `st`, which is what all of them look for.
 */
import { pointNormals } from "../sheet/normals.ts";
import {
  type Animation,
  type DisplayColor,
  frameNormals,
  type OutputFile,
  partMesh,
  partsOf,
  plainName,
  type RigidBody,
  type Up,
  uniqueName,
} from "./animation.ts";
import { shortNumber, textChunks } from "./text.ts";

export function* usdaFiles(
  animation: Animation,
  startFrame: number,
  up: Up,
): Generator<OutputFile> {
  yield {
    name: `${plainName(animation.name)}.usda`,
    chunks: textChunks(stage(animation, startFrame, up)),
  };
}

function* stage(animation: Animation, startFrame: number, up: Up): Generator<string> {
  const root = plainName(animation.name);
  yield `#usda 1.0
(
    defaultPrim = "${root}"
    doc = "isoplate"
    endTimeCode = ${startFrame + animation.frames - 1}
    framesPerSecond = ${animation.rate}
    metersPerUnit = 1
    startTimeCode = ${startFrame}
    timeCodesPerSecond = ${animation.rate}
    upAxis = "${up.toUpperCase()}"
)

def Xform "${root}" (
    kind = "component"
)
{
`;
  const used = new Set<string>();
  for (const part of partsOf(animation)) {
    const mesh = partMesh(animation, part);
    const Y = new Float64Array(3 * animation.n);
    const own = Y.subarray(3 * part.firstPoint, 3 * (part.firstPoint + part.points));
    const N = new Float64Array(3 * animation.n);
    const normals = N.subarray(3 * part.firstPoint, 3 * (part.firstPoint + part.points));
    yield `    def Mesh "${uniqueName(part.name, used)}"\n    {\n`;
    yield `        uniform token subdivisionScheme = "none"\n        uniform bool doubleSided = 1\n`;
    yield* topology(mesh.triangles);
    yield displayColor(part.color);
    if (mesh.uv !== null) {
      yield "        texCoord2f[] primvars:st = [";
      yield* tuples(mesh.uv, 2);
      yield `] (\n            interpolation = "vertex"\n        )\n`;
    }
    const sampled = function* (
      head: string,
      write: (frame: number) => Iterable<string>,
      tail: string = "",
    ): Generator<string> {
      yield `        ${head}.timeSamples = {\n`;
      for (let frame = 0; frame < animation.frames; frame++) {
        animation.positions(frame, Y);
        yield `            ${startFrame + frame}: [`;
        yield* write(frame);
        yield "],\n";
      }
      yield `        }${tail}\n`;
    };
    yield* sampled("float3[] extent", () => [extent(own)]);
    yield* sampled("point3f[] points", () => tuples(own, 3));
    yield `        normal3f[] normals (\n            interpolation = "vertex"\n        )\n`;
    yield* sampled("normal3f[] normals", (frame) => {
      frameNormals(N, animation, frame, Y);
      return tuples(normals, 3);
    });
    yield "    }\n\n";
  }
  for (const body of animation.bodies ?? [])
    yield* rigid(body, animation.frames, startFrame, uniqueName(body.name, used));
  yield "}\n";
}

function* rigid(
  body: RigidBody,
  frames: number,
  startFrame: number,
  name: string,
): Generator<string> {
  const pose = new Float64Array(7);
  const sampled = function* (head: string, write: () => string): Generator<string> {
    yield `        ${head}.timeSamples = {\n`;
    for (let frame = 0; frame < frames; frame++) {
      body.pose(frame, pose);
      yield `            ${startFrame + frame}: ${write()},\n`;
    }
    yield "        }\n";
  };
  const numbers = (list: number[]) => list.map(shortNumber).join(", ");
  yield `    def Mesh "${name}"\n    {\n        uniform token subdivisionScheme = "none"\n`;
  yield* topology(body.triangles as Int32Array);
  yield displayColor(body.color);
  const normals = new Float64Array(body.positions.length);
  pointNormals(normals, body.positions, body.triangles);
  yield "        normal3f[] normals = [";
  yield* tuples(normals, 3);
  yield `] (\n            interpolation = "vertex"\n        )\n`;
  yield `        float3[] extent = [${extent(body.positions as Float64Array)}]\n`;
  yield "        point3f[] points = [";
  yield* tuples(body.positions as Float64Array, 3);
  yield "]\n";
  yield* sampled("double3 xformOp:translate", () => `(${numbers([pose[0], pose[1], pose[2]])})`);
  yield* sampled(
    "quatf xformOp:orient",
    () => `(${numbers([pose[6], pose[3], pose[4], pose[5]])})`,
  );
  yield `        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]\n    }\n\n`;
}

function displayColor(color: DisplayColor | undefined): string {
  if (color === undefined) return "";
  return `        color3f[] primvars:displayColor = [(${color.map(shortNumber).join(", ")})]\n`;
}

function* topology(triangles: Int32Array): Generator<string> {
  yield "        int[] faceVertexCounts = [";
  for (let t = 0; t < triangles.length; t += 3) yield t === 0 ? "3" : ", 3";
  yield "]\n        int[] faceVertexIndices = [";
  for (let k = 0; k < triangles.length; k++)
    yield k === 0 ? `${triangles[k]}` : `, ${triangles[k]}`;
  yield "]\n";
}

function* tuples(values: Float64Array, size: number): Generator<string> {
  for (let k = 0; k < values.length; k += size) {
    let text = k === 0 ? "(" : ", (";
    for (let c = 0; c < size; c++) text += (c === 0 ? "" : ", ") + shortNumber(values[k + c]);
    yield `${text})`;
  }
}

function extent(Y: Float64Array): string {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < Y.length; k++) {
    min[k % 3] = Math.min(min[k % 3], Y[k]);
    max[k % 3] = Math.max(max[k % 3], Y[k]);
  }
  return `(${min.map(shortNumber).join(", ")}), (${max.map(shortNumber).join(", ")})`;
}
