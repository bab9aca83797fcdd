import { describe, expect, test } from "vitest";
import { parseMesh } from "../../src/files/read-mesh.ts";
import {
  block,
  checkedMesh,
  cylinder,
  SolidError,
  type SolidMesh,
  signedVolume,
  solidMesh,
} from "../../src/substrate/tetrahedra.ts";

const sum = (values: Float64Array): number => values.reduce((a, b) => a + b, 0);

/** Area and the sum of area vectors of the surface. */
function shell({ surface, rest }: SolidMesh): { area: number; closed: number; volume: number } {
  const total = [0, 0, 0];
  let area = 0;
  let volume = 0;
  for (let t = 0; t < surface.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => [0, 1, 2].map((e) => rest[3 * surface[t + k] + e]));
    const u = b.map((x, e) => x - a[e]);
    const v = c.map((x, e) => x - a[e]);
    const n = [
      (u[1] * v[2] - u[2] * v[1]) / 2,
      (u[2] * v[0] - u[0] * v[2]) / 2,
      (u[0] * v[1] - u[1] * v[0]) / 2,
    ];
    area += Math.hypot(...n);
    for (let e = 0; e < 3; e++) total[e] += n[e];
    volume += (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / 3; // Gauss
  }
  return { area, closed: Math.hypot(...total), volume };
}

describe("blocks", () => {
  const mesh = block({ size: [3, 2, 1], cells: [4, 3, 2], grading: 3 });

  test("cells fill the box, all of positive volume", () => {
    expect(mesh.volume.length).toBe(5 * 24);
    expect(sum(mesh.volume)).toBeCloseTo(6, 12);
    expect(Math.min(...mesh.volume)).toBeGreaterThan(0);
  });

  test("neighbours share whole faces: what is left over is exactly the box's own surface, facing outwards", () => {
    const { area, closed, volume } = shell(mesh);
    expect(area).toBeCloseTo(2 * (6 + 3 + 2), 12); // an unmatched diagonal inside would add to it
    expect(closed).toBeLessThan(1e-12);
    expect(volume).toBeCloseTo(6, 12);
  });

  test("faces have their nodes, and grading makes the lowest layer so many times thicker", () => {
    expect(mesh.faces.left.length).toBe(4 * 3);
    expect(mesh.faces.top.length).toBe(5 * 4);
    for (const p of mesh.faces.back) expect(mesh.rest[3 * p + 1]).toBe(1);
    const heights = [...new Set([...mesh.rest].filter((_, k) => k % 3 === 2))].sort(
      (a, b) => a - b,
    );
    expect((heights[1] - heights[0]) / (heights[2] - heights[1])).toBeCloseTo(3, 12);
  });
});

describe("cylinders", () => {
  test("cells fill a prism of 6n sides, and the surface is closed", () => {
    const [n, radius, height] = [4, 0.5, 0.7];
    const mesh = cylinder({ radius, height, cells: n });
    const polygon = 3 * n * radius * radius * Math.sin(Math.PI / (3 * n));
    expect(sum(mesh.volume)).toBeCloseTo(polygon * height, 12);
    expect(Math.min(...mesh.volume)).toBeGreaterThan(0);
    const { closed, area, volume } = shell(mesh);
    expect(closed).toBeLessThan(1e-12);
    expect(volume).toBeCloseTo(polygon * height, 12);
    const side = 6 * n * 2 * radius * Math.sin(Math.PI / (6 * n)) * height;
    expect(area).toBeCloseTo(2 * polygon + side, 12);
    for (const p of mesh.faces.side)
      expect(Math.hypot(mesh.rest[3 * p], mesh.rest[3 * p + 1])).toBeCloseTo(radius, 12);
  });
});

describe("meshes from files", () => {
  const corners = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1];
  const two = [0, 1, 2, 3, 1, 4, 2, 3];
  const positions = Float64Array.from(corners);
  const good = (): SolidMesh =>
    checkedMesh({ positions, tetrahedra: orient(positions, Int32Array.from(two)) });

  test("nodes without a tetrahedron are dropped; a mesh inside out as a whole is turned", () => {
    const stray = Float64Array.from([9, 9, 9, ...corners]);
    const cells = orient(positions, Int32Array.from(two)).map((p) => p + 1);
    const mesh = checkedMesh({ positions: stray, tetrahedra: cells });
    expect(mesh.n).toBe(5);
    expect(sum(mesh.volume)).toBeCloseTo(sum(good().volume), 15);
    const reversed = cells.slice();
    for (let t = 0; t < reversed.length; t += 4)
      [reversed[t], reversed[t + 1]] = [reversed[t + 1], reversed[t]];
    expect([...checkedMesh({ positions: stray, tetrahedra: reversed }).volume]).toEqual([
      ...mesh.volume,
    ]);
  });

  test("a tetrahedron against the sense of the others is told with its number and place", () => {
    const tetrahedra = orient(positions, Int32Array.from([...two, ...two.slice(0, 4)]));
    [tetrahedra[8], tetrahedra[9]] = [tetrahedra[9], tetrahedra[8]];
    expect(() => checkedMesh({ positions, tetrahedra })).toThrow(
      /1 inverted tetrahedron: 2 \(the first at/,
    );
  });

  test("flat tetrahedra, missing nodes and faces with three sides are told", () => {
    const flat = Float64Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1e-6]);
    expect(() => checkedMesh({ positions: flat, tetrahedra: Int32Array.of(0, 1, 2, 3) })).toThrow(
      /1 flat tetrahedron: 0/,
    );
    expect(() => checkedMesh({ positions, tetrahedra: Int32Array.of(0, 1, 2, 7) })).toThrow(
      /names node 7 of 5/,
    );
    const fan = Float64Array.from([...corners, -0.5, -0.5, -0.1]);
    const three = orient(fan, Int32Array.of(1, 2, 3, 0, 1, 2, 3, 4, 1, 2, 3, 5));
    expect(() => checkedMesh({ positions: fan, tetrahedra: three })).toThrow(
      /more than two tetrahedra/,
    );
  });

  const msh2 = `$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
3 1 "flesh of a thumb"
$EndPhysicalNames
$Nodes
5
10 0 0 0
11 1 0 0
12 0 1 0
13 0 0 1
20 1 1 1
$EndNodes
$Elements
3
1 2 2 0 1 10 11 12
2 4 2 1 1 10 11 12 13
3 4 2 1 1 11 20 12 13
$EndElements
`;
  const msh4 = `$MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
0 0 0 1
1 0 0 0 1 1 1 0 0
$EndEntities
$Nodes
2 5 10 20
2 1 0 2
10
11
0 0 0
1 0 0
3 1 0 3
12
13
20
0 1 0
0 0 1
1 1 1
$EndNodes
$Elements
2 3 1 3
2 1 2 1
1 10 11 12
3 1 4 2
2 10 11 12 13
3 11 20 12 13
$EndElements
`;
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

  test.each([
    ["2.2", msh2],
    ["4.1", msh4],
  ])("Gmsh %s gives its tetrahedra, whatever the tags", (_, text) => {
    const mesh = solidMesh({ type: "file", file: "thumb.msh" }, [0, 0, 2], (file) =>
      parseMesh(bytes(text), file),
    );
    expect(mesh.n).toBe(5);
    expect(sum(mesh.volume)).toBeCloseTo(sum(good().volume), 15);
    expect(mesh.rest[2]).toBe(2);
  });

  test("broken files end in one error with the line", () => {
    const error = (text: string) => () => parseMesh(bytes(text), "a.msh");
    expect(error(msh2.replace("2.2 0 8", "2.2 1 8"))).toThrow(/MSH, line 2: a binary file/);
    expect(error(msh2.slice(0, 200))).toThrow(/MSH, line \d+/);
    expect(error(msh2.replace("11 20 12 13", "11 99 12 13"))).toThrow(/node 99 is not in/);
    expect(error(msh2.replace("1 1 1\n$EndN", "1 nan 1\n$EndN"))).toThrow(/line 14: got "nan"/);
    expect(error(msh2.replace("$Nodes\n5", "$Nodes\n5000000000"))).toThrow(/line \d+: got/);
    expect(error("solid cube")).toThrow(/no \$MeshFormat/);
  });

  test("a file of triangles is no solid", () => {
    expect(() =>
      solidMesh({ type: "file", file: "a.obj" }, [0, 0, 0], () => ({ positions })),
    ).toThrow(SolidError);
  });
});

/** Every tetrahedron of positive volume. */
function orient(X: Float64Array, tetrahedra: Int32Array): Int32Array {
  const out = tetrahedra.slice();
  for (let t = 0; t < out.length; t += 4)
    if (signedVolume(X, out, t) < 0) [out[t], out[t + 1]] = [out[t + 1], out[t]];
  return out;
}
