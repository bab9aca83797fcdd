import { expect, test } from "vitest";
import { bodyMesh } from "../../src/picture/bodies.ts";
import { pngBytes } from "../../src/picture/film.ts";
import type { PictureMesh } from "../../src/picture/pool.ts";
import { type PictureScene, render } from "../../src/picture/render.ts";
import type { Vec3 } from "../../src/scene/scene.ts";
import { slowness } from "../yardstick.ts";

/** 52 × 52 points over the unit square about the origin, put where `at` says. */
function sheet(at: (u: number, v: number) => Vec3): PictureMesh {
  const n = 52;
  const positions = new Float64Array(3 * n * n);
  const triangles: number[] = [];
  for (let j = 0; j < n; j++)
    for (let i = 0; i < n; i++) {
      const p = j * n + i;
      positions.set(at(i / (n - 1) - 0.5, j / (n - 1) - 0.5), 3 * p);
      if (i + 1 < n && j + 1 < n) triangles.push(p, p + 1, p + n, p + 1, p + n + 1, p + n);
    }
  return { positions, triangles };
}

/** Around a ball down to its equator, and from there straight down in eight folds. */
function draped(u: number, v: number): Vec3 {
  const radius = 0.25;
  const way = Math.hypot(u, v);
  const angle = Math.atan2(v, u);
  const hangs = Math.max(0, way - (radius * Math.PI) / 2);
  const bent = (way - hangs) / radius;
  const rho = 1.01 * radius * Math.sin(bent) + hangs * (0.4 + 0.3 * Math.cos(8 * angle));
  return [rho * Math.cos(angle), rho * Math.sin(angle), 1.01 * radius * Math.cos(bent) - hangs];
}

const waves = sheet((u, v) => [u, v, 0.1 * Math.cos(12 * u) * Math.sin(9 * v)]);
const ball = { ...bodyMesh({ type: "sphere", radius: 0.25 }), solid: true };
const scenes: [string, PictureScene][] = [
  ["a wavy sheet", { meshes: [waves], ground: -0.3 }],
  ["a sheet draped over a ball", { meshes: [sheet(draped), ball], ground: -0.5 }],
];

test.each(scenes)(
  "%s of 2704 points, 1280 × 720 with 2 × 2 samples, is drawn and compressed within its time",
  async (_, scene) => {
    const size = { width: 1280, height: 720 };
    for (let k = 0; k < 4; k++) render(scene, size); // the compiler warms up
    const times: number[] = [];
    for (let k = 0; k < 3; k++) {
      const before = process.cpuUsage();
      await pngBytes(render(scene, size));
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1e6);
    }
    // the limit is 0.5 s on the machine that limits hold for (yardstick.ts); caches that others use too may cost twice that
    expect(Math.min(...times)).toBeLessThan(2 * 0.5 * slowness());
  },
);
