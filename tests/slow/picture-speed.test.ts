import { expect, test } from "vitest";
import { render } from "../../src/picture/render.ts";
import { slowness } from "../yardstick.ts";

test("a frame of 1280 × 720 with 2704 points and 2 × 2 samples is drawn within its time", () => {
  const n = 52;
  const positions = new Float64Array(3 * n * n);
  const triangles: number[] = [];
  for (let j = 0; j < n; j++)
    for (let i = 0; i < n; i++) {
      const [u, v] = [i / (n - 1) - 0.5, j / (n - 1) - 0.5];
      positions.set([u, v, 0.1 * Math.cos(12 * u) * Math.sin(9 * v)], 3 * (j * n + i));
      const p = j * n + i;
      if (i + 1 < n && j + 1 < n) triangles.push(p, p + 1, p + n, p + 1, p + n + 1, p + n);
    }
  const scene = { meshes: [{ positions, triangles }], ground: -0.3 };
  render(scene, { width: 1280, height: 720 }); // the compiler warms up
  const times = [0, 1, 2].map(() => {
    const before = process.cpuUsage();
    render(scene, { width: 1280, height: 720 });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  });
  // 0.3 s on the machine of the promise, which is 0.5 s; caches that others use too may cost twice that
  expect(Math.min(...times)).toBeLessThan(2 * 0.5 * slowness());
});
