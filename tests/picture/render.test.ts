import { describe, expect, test } from "vitest";
import type { Camera } from "../../src/picture/camera.ts";
import type { Picture } from "../../src/picture/canvas.ts";
import {
  type Color,
  colorAt,
  fromLinear,
  hex,
  toLinear,
  viridis,
} from "../../src/picture/color.ts";
import { irradiance, type Lights } from "../../src/picture/light.ts";
import type { PictureMesh } from "../../src/picture/pool.ts";
import { render } from "../../src/picture/render.ts";

/** Looks along +y at the xz plane; 2 m high at the origin. */
const front: Camera = {
  eye: [0, -10, 0],
  target: [0, 0, 0],
  up: [0, 0, 1],
  fov: 2 * Math.atan(0.1),
};
const lights: Lights = { key: [0, -0.6, 0.8], fill: [0.6, -0.8, 0] };
const white: Color = [1, 1, 1];
const grey: Color = hex("#909090");

/** A square that faces the camera, at depth y, from −size to size. */
function square(size: number, y: number, more: Partial<PictureMesh> = {}): PictureMesh {
  const positions = [-size, y, -size, size, y, -size, size, y, size, -size, y, size];
  return { positions, triangles: [0, 1, 2, 0, 2, 3], solid: true, ...more };
}

function pixel({ rgba, width }: Picture, x: number, y: number): number[] {
  return Array.from(rgba.slice(4 * (y * width + x), 4 * (y * width + x) + 3));
}

function luma(picture: Picture, x: number, y: number): number {
  return pixel(picture, x, y).reduce((a, b) => a + b, 0) / 3;
}

const small = { width: 64, height: 64, camera: front, lights, background: white };

describe("light", () => {
  test("a flat square shows albedo × irradiance of its normal, through sRGB", () => {
    const color = hex("#80a040");
    const picture = render(
      { meshes: [square(0.5, 0, { color })] },
      { ...small, shadows: false, samples: 1 },
    );
    const E = new Float64Array(3);
    irradiance(E, 0, -1, 0, lights, 1, 1);
    const expected = color.map((c, k) => 255 * fromLinear(toLinear(c) * E[k]));
    const seen = pixel(picture, 32, 32);
    for (let k = 0; k < 3; k++) expect(Math.abs(seen[k] - expected[k])).toBeLessThanOrEqual(1); // dither
  });

  test("the irradiance is sky, plus key and fill by the cosine, and each lamp only from its side", () => {
    const E = new Float64Array(3);
    const away = new Float64Array(3);
    irradiance(E, ...lights.key, lights, 0, 1);
    expect(Array.from(E)).toEqual([0.72, 0.685, 0.635]); // facing the key, no sky
    irradiance(away, -lights.key[0], -lights.key[1], -lights.key[2], lights, 0, 1);
    expect(Array.from(away)).toEqual([0, 0, 0]);
    irradiance(E, 0, 0, 1, lights, 1, 0);
    expect(Array.from(E)).toEqual([0.48, 0.495, 0.52]); // straight up: all sky
  });

  test("an open square facing the lamp is as bright with shadows as without", () => {
    const scene = { meshes: [square(0.5, 0, { color: hex("#909090") })] };
    const plain = pixel(render(scene, { ...small, shadows: false }), 20, 40);
    const shaded = pixel(render(scene, small), 20, 40);
    for (let k = 0; k < 3; k++) expect(Math.abs(plain[k] - shaded[k])).toBeLessThanOrEqual(2);
  });

  test("a sheet between the lamp and a wall darkens the wall behind it and nothing else", () => {
    const above: Lights = { key: [0, -0.8, 0.6], fill: [1, 0, 0] };
    const wall = square(0.9, 0, { color: hex("#a0a0a0") });
    const hat = square(0.2, -1, { color: hex("#a0a0a0") }); // shades z ∈ [−0.95, −0.55]
    const lit = render({ meshes: [wall] }, { ...small, lights: above });
    const shaded = render({ meshes: [wall, hat] }, { ...small, lights: above });
    // one pixel is 1/32 m; row of z = −0.75 is 56, of z = 0.6 is 12
    expect(luma(shaded, 32, 56)).toBeLessThan(0.8 * luma(lit, 32, 56));
    expect(luma(shaded, 32, 12)).toBeGreaterThan(0.97 * luma(lit, 32, 12));
  });

  test("a penumbra fades without steps, though the lamp is a dozen directions", () => {
    // the edge of a roof a metre before the wall: half of the wall's light fades over some 45 pixels
    const wall = square(2, 0);
    const roof = square(2, -1, { color: grey });
    for (let i = 0; i < 12; i += 3) (roof.positions as number[])[i] -= 1.2;
    const straight: Lights = { key: [0, -1, 0], fill: [0, 0, 1] };
    const aside: Camera = { ...front, eye: [6, -8, 0], target: [0.4, 0, 0] };
    const picture = render(
      { meshes: [wall, roof] },
      { ...small, width: 400, height: 400, camera: aside, lights: straight },
    );
    const row = Array.from({ length: 120 }, (_, x) => luma(picture, 180 + x, 200));
    expect(row[119] - row[0]).toBeGreaterThan(60);
    // steps of a dozen directions would be 6; rounding to bytes is 1
    for (let x = 1; x < 120; x++) expect(Math.abs(row[x] - row[x - 1])).toBeLessThan(5.5);
    expect(new Set(row.map(Math.round)).size).toBeGreaterThan(30);
  });

  test("a coarse fold goes from light to shadow without facets that shade themselves", () => {
    // Half a cylinder of six flat strips about the vertical, bulging at the camera, lit from its left. Light
    // ends at 314°, just before the middle of the strip 300° … 330°, which as a facet lies all in the dark.
    const strips = 6;
    const positions: number[] = [];
    const triangles: number[] = [];
    for (let k = 0; k <= strips; k++) {
      const a = Math.PI * (1 + k / strips);
      for (const z of [-0.8, 0.8]) positions.push(0.8 * Math.cos(a), 0.8 * Math.sin(a), z);
      if (k < strips) triangles.push(2 * k, 2 * k + 2, 2 * k + 1, 2 * k + 1, 2 * k + 2, 2 * k + 3);
    }
    const side: Lights = { key: [-0.719, -0.695, 0], fill: [0, -1, 0] };
    const mesh = { positions, triangles, color: grey };
    const picture = render({ meshes: [mesh] }, { ...small, width: 128, height: 128, lights: side });
    // brightest where the normal meets the lamp, at x = −0.58; from there on it only gets darker, slowly
    for (let i = 30; i < 100; i++) {
      const step = luma(picture, i + 1, 64) - luma(picture, i, 64);
      expect(step).toBeLessThan(2.5);
      expect(step).toBeGreaterThan(-5);
    }
  });

  test("the front and the back of a sheet have their own colours", () => {
    const colors = { color: hex("#c03020"), backColor: hex("#2030c0"), solid: false };
    const [r, , b] = pixel(render({ meshes: [square(0.5, 0, colors)] }, small), 32, 32);
    expect(r).toBeGreaterThan(2 * b);
    const flipped = { ...square(0.5, 0, colors), triangles: [0, 2, 1, 0, 3, 2] };
    const [r2, , b2] = pixel(render({ meshes: [flipped] }, small), 32, 32);
    expect(b2).toBeGreaterThan(2 * r2);
  });
});

describe("pixels", () => {
  test("a square of half the height covers half of the rows and columns, and no more", () => {
    const picture = render(
      { meshes: [square(0.5, 0, { color: hex("#000000") })] },
      { ...small, samples: 1 },
    );
    const wrong: number[][] = [];
    for (let j = 0; j < 64; j++)
      for (let i = 0; i < 64; i++) {
        const inside = i >= 16 && i < 48 && j >= 16 && j < 48;
        if (luma(picture, i, j) < 128 !== inside) wrong.push([i, j]);
      }
    expect(wrong).toEqual([]);
  });

  test("an edge through the middle of a pixel covers half of it, in linear light", () => {
    // 0.5 + 1/64 m is half a pixel more
    const mesh = square(0.5 + 1 / 64, 0, { color: hex("#000000") });
    const background = hex("#b0b0b0"); // below the shoulder of the tone curve
    const picture = render({ meshes: [mesh] }, { ...small, background, samples: 2 });
    const half = 255 * fromLinear(toLinear(background[0]) / 2);
    expect(Math.abs(luma(picture, 15, 32) - half)).toBeLessThan(2);
  });

  test("a plain background comes out as it was asked for, white too", () => {
    for (const code of ["#ffffff", "#808080", "#102030", "#f4f1ec"]) {
      const background = hex(code);
      const seen = pixel(render({ meshes: [] }, { ...small, background }), 10, 10);
      for (let k = 0; k < 3; k++)
        expect(Math.abs(seen[k] - 255 * background[k])).toBeLessThanOrEqual(1);
    }
  });

  test("nearer hides farther", () => {
    const near = square(0.3, -1, { color: hex("#20c020") });
    const far = square(0.5, 1, { color: hex("#c02020") });
    for (const meshes of [
      [near, far],
      [far, near],
    ]) {
      const [r, g] = pixel(render({ meshes }, small), 32, 32);
      expect(g).toBeGreaterThan(2 * r);
    }
  });

  test("a field takes the colours of its map: higher values are the map's later colours", () => {
    const field = { values: [0.5, 0.5, 0.5, 0.5], map: viridis, min: 0, max: 1 };
    const [r, g, b] = pixel(render({ meshes: [square(0.5, 0, { field })] }, small), 32, 32);
    const [mr, mg, mb] = colorAt(viridis, 0.5);
    // hue survives the light: ratios of linear channels
    expect(toLinear(g / 255) / toLinear(r / 255) / (toLinear(mg) / toLinear(mr))).toBeCloseTo(1, 0);
    expect(toLinear(g / 255) / toLinear(b / 255) / (toLinear(mg) / toLinear(mb))).toBeCloseTo(1, 0);
  });

  test("a smooth sphere shades without facets: neighbours differ by little", () => {
    const n = 24;
    const positions: number[] = [];
    const triangles: number[] = [];
    for (let j = 0; j <= n; j++)
      for (let i = 0; i < 2 * n; i++) {
        const t = (Math.PI * j) / n;
        const a = (Math.PI * i) / n;
        positions.push(Math.sin(t) * Math.cos(a), Math.sin(t) * Math.sin(a), Math.cos(t));
        const p = j * 2 * n + i;
        const q = j * 2 * n + ((i + 1) % (2 * n));
        if (j < n) triangles.push(p, p + 2 * n, q, q, p + 2 * n, q + 2 * n);
      }
    const ball = positions.map((x) => 0.9 * x);
    const picture = render(
      { meshes: [{ positions: ball, triangles, solid: true }] },
      { ...small, width: 128, height: 128, shadows: false },
    );
    for (let i = 40; i < 88; i++)
      expect(Math.abs(luma(picture, i + 1, 64) - luma(picture, i, 64))).toBeLessThan(5);
  });

  test("wires lie on the edges of the triangles and nowhere else", () => {
    const plain = render({ meshes: [square(0.9, 0, { color: grey })] }, small);
    const wired = render({ meshes: [square(0.9, 0, { color: grey, wire: true })] }, small);
    expect(luma(wired, 32, 31)).toBeLessThan(luma(plain, 32, 31) - 30); // the diagonal
    expect(pixel(wired, 20, 12)).toEqual(pixel(plain, 20, 12));
  });

  test("the floor is the backdrop but for the shadow, which is darkest under the subject", () => {
    const camera: Camera = { eye: [0, -8, 3], target: [0, 0, 0.3], up: [0, 0, 1], fov: 0.5 };
    const raised = {
      positions: [-0.5, -0.5, 0.4, 0.5, -0.5, 0.4, 0.5, 0.5, 0.4, -0.5, 0.5, 0.4],
      triangles: [0, 1, 2, 0, 2, 3],
    };
    const options = { width: 160, height: 100, camera, background: hex("#e0e0e0") };
    const above: Lights = { key: [0, 0, 1], fill: [0, -1, 0] };
    const picture = render({ meshes: [raised], ground: 0 }, { ...options, lights: above });
    const bare = render({ meshes: [raised] }, { ...options, lights: above });
    // below the square's front edge on the screen is the floor under it
    const rows = [50, 52, 54, 56, 58];
    expect(Math.min(...rows.map((j) => luma(picture, 80, j)))).toBeLessThan(
      luma(bare, 80, 60) - 25,
    );
    expect(Math.abs(luma(picture, 4, 96) - luma(bare, 4, 96))).toBeLessThan(6);
  });

  test("pins, legend and title appear, and the rest stays as it is", () => {
    const scene = { meshes: [square(0.5, 0)] };
    const plain = render(scene, { ...small, width: 320, height: 200 });
    const marked = render(
      {
        ...scene,
        pins: [[0.25, 0, 0.25]],
        title: "t = 1 s",
        legend: { map: viridis, min: 0, max: 0.01, label: "edge strain", unit: "%", factor: 100 },
      },
      { ...small, width: 320, height: 200 },
    );
    let changed = 0;
    for (let p = 0; p < 320 * 200; p++) if (plain.rgba[4 * p] !== marked.rgba[4 * p]) changed++;
    expect(changed).toBeGreaterThan(300);
    expect(changed).toBeLessThan(0.12 * 320 * 200);
    expect(pixel(marked, 160, 100)).toEqual(pixel(plain, 160, 100));
  });
});

describe("robustness", () => {
  test("NaN positions, empty meshes and no meshes at all still give a picture", () => {
    const broken = { positions: [0, 0, 0, 1, Number.NaN, 0, 0, 0, 1], triangles: [0, 1, 2] };
    for (const meshes of [
      [],
      [{ positions: [], triangles: [] }],
      [broken],
      [broken, square(0.5, 0)],
    ]) {
      const { rgba } = render({ meshes, ground: -1 }, { ...small, width: 24, height: 16 });
      expect(rgba.length).toBe(4 * 24 * 16);
      expect(rgba.every((v, k) => k % 4 !== 3 || v === 255)).toBe(true);
    }
  });

  test("wrong indices and sizes are refused by name", () => {
    expect(() => render({ meshes: [{ positions: [0, 0, 0], triangles: [0, 1, 2] }] })).toThrow(
      "mesh 0: triangle 0 names point 1 of 1",
    );
    expect(() => render({ meshes: [] }, { width: 0 })).toThrow("picture of 0 × 720");
  });

  test("the same scene gives the same bytes", () => {
    const scene = { meshes: [square(0.5, 0), square(0.2, -0.5)], ground: -1 };
    expect(render(scene, small).rgba).toEqual(render(scene, small).rgba);
  });
});
