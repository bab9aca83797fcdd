/**
 * Bodies that bend: the vertices of a triangle mesh at any time, from the frames of a file. Between frames they move straight;
 * before the first and after the last they stand still.
 */
import type { Body } from "../scene/scene.ts";
import type { ReadMesh, TriangleMesh, VertexFrames } from "./kinematics.ts";
import { SheetError } from "./sheet-error.ts";

/** Writes the points of a body's file at a time (s) into out [3·points], m: as they are in the file, times the scale. */
export type VerticesAt = (out: Float64Array, time: number) => void;

type MeshBodyScene = Extract<Body, { type: "mesh" }>;

/** How the vertices of a mesh body move; null if they do not. */
export function verticesOf(
  name: string,
  { file, scale, vertices }: MeshBodyScene,
  mesh: TriangleMesh,
  readMesh: ReadMesh,
): VerticesAt | null {
  if (vertices === null) return null;
  const { frames } = vertices.file === file ? mesh : readMesh(vertices.file);
  if (!frames || frames.times.length === 0)
    throw new SheetError(name, [`nothing moves in ${vertices.file}`]);
  const { times, positions, inFrames } = frames;
  const points = mesh.positions.length / 3;
  const moving = positions.length / times.length / 3;
  if (moving !== points)
    throw new SheetError(name, [
      `${vertices.file} moves ${moving} points, and ${file} has ${points}`,
    ]);
  const seconds = times.map(
    (time) => vertices.start + (inFrames ? (time - times[0]) / vertices.rate : time),
  );
  return (out, time) => interpolate(out, { times: seconds, positions }, scale, time);
}

/** Linear between frames. Allocates nothing. */
function interpolate(
  out: Float64Array,
  { times, positions }: Pick<VertexFrames, "times" | "positions">,
  scale: number,
  time: number,
): void {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  const span = times[high] - times[low];
  const s = span > 0 ? Math.min(1, Math.max(0, (time - times[low]) / span)) : 0;
  const [a, b] = [low * out.length, high * out.length];
  for (let k = 0; k < out.length; k++)
    out[k] = scale * (positions[a + k] + s * (positions[b + k] - positions[a + k]));
}
