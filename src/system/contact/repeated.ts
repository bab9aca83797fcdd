/**
 * Removes what mesh files repeat: points at one place, which STL lists for every triangle, and triangles. Contact would test every copy: 3000 copies
 * of one triangle took minutes a step.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../../linalg/arena.ts";

/** Number of the first point at each point's place, and the places, scaled. */
export function mergePoints(
  points: ReadonlyF64,
  scale: number,
): { merged: Int32Array; kept: number[]; source: Int32Array } {
  const source: number[] = [];
  const seen = new Map<string, number>();
  const merged = new Int32Array(points.length / 3);
  const kept: number[] = [];
  for (let i = 0; i < merged.length; i++) {
    const [x, y, z] = [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
    const key = `${x},${y},${z}`; // 0 and −0 read the same
    const known = seen.get(key);
    merged[i] = known ?? kept.length / 3;
    if (known !== undefined) continue;
    seen.set(key, kept.length / 3);
    kept.push(scale * x, scale * y, scale * z);
    source.push(i);
  }
  return { merged, kept, source: Int32Array.from(source) };
}

/** Triangles with three different points, each once: from whatever corner it begins, but turned over it is another. */
export function distinctTriangles(triangles: ReadonlyI32, merged: Int32Array): number[] {
  const corners: number[] = [];
  const known = new Set<string>();
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [merged[triangles[t]], merged[triangles[t + 1]], merged[triangles[t + 2]]];
    const key = a < b && a < c ? `${a} ${b} ${c}` : b < c ? `${b} ${c} ${a}` : `${c} ${a} ${b}`;
    if (a !== b && b !== c && c !== a && !known.has(key)) corners.push(a, b, c);
    known.add(key);
  }
  return corners;
}
