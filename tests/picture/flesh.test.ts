import { expect, test } from "vitest";
import { createFlesh } from "../../src/picture/flesh.ts";
import { skinUniaxial } from "../../src/scene/library/skin.ts";
import { parseScene } from "../../src/scene/scene.ts";

/** Two triangles on a unit square at height 0, in the plane z = 0. */
const square = {
  triangles: Int32Array.from([0, 1, 2, 0, 2, 3]),
  parts: [{ firstTriangle: 0, triangles: 2 }],
};
const Y = Float64Array.from([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);

test("the walls of the flesh go round the rim, down to the lower face, and look outwards", () => {
  const scene = parseScene(skinUniaxial());
  const flesh = createFlesh(scene, square)!;
  expect(flesh.bottom).toBeCloseTo(-0.015, 12); // as deep as one and a half waves of 10 mm
  const { positions: p, triangles } = flesh.at(Y);
  let area = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) =>
      [0, 1, 2].map((x) => p[3 * triangles[t + k] + x] as number),
    );
    const u = b.map((x, k) => x - a[k]);
    const v = c.map((x, k) => x - a[k]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    area += 0.5 * Math.hypot(...n);
    // away from the middle of the square
    expect(n[0] * (a[0] - 0.5) + n[1] * (a[1] - 0.5)).toBeGreaterThan(0);
  }
  expect(area).toBeCloseTo(4 * 0.015, 12); // the perimeter, without the diagonal
});

test("a scene without a solid has none", () => {
  expect(createFlesh({ substrate: null }, square)).toBeNull();
});
