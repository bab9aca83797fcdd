/** Images on sheets: read from PNG, laid upright by material coordinates, and told when they cannot be. */
import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { parseScene } from "../../src/index.ts";
import type { Picture } from "../../src/picture/canvas.ts";
import { encodePng } from "../../src/picture/png.ts";
import { decodePng } from "../../src/picture/read-png.ts";
import { render } from "../../src/picture/render.ts";
import { createTexture, lay } from "../../src/picture/texture.ts";
import { filesOf } from "../../src/scene/files.ts";

const inflate = (bytes: Uint8Array, most: number): Uint8Array =>
  inflateSync(bytes, { maxOutputLength: most });

/** Red left above, green right above, blue left below, white right below. */
const QUARTERS: Picture = {
  width: 8,
  height: 8,
  rgba: Uint8ClampedArray.from({ length: 256 }, (_, k) => {
    const [x, y, c] = [(k >> 2) % 8, k >> 5, k & 3];
    const color =
      y < 4 ? (x < 4 ? [255, 0, 0] : [0, 255, 0]) : x < 4 ? [0, 0, 255] : [255, 255, 255];
    return c === 3 ? 255 : color[c];
  }),
};

describe("reading PNG", () => {
  test("gives back what was written, with and without alpha", async () => {
    for (const alpha of [255, 90]) {
      const rgba = QUARTERS.rgba.map((x, k) => (k % 4 === 3 ? alpha : (x * (k % 7)) / 7));
      const bytes = await encodePng({ ...QUARTERS, rgba }, (raw) => deflateSync(raw));
      expect(decodePng(bytes, inflate)).toEqual({ ...QUARTERS, rgba });
    }
  });

  test("what is no PNG, cut off or damaged is an error, never a hang or a wrong picture", async () => {
    const bytes = await encodePng(QUARTERS, (raw) => deflateSync(raw));
    expect(() => decodePng(new TextEncoder().encode("GIF89a"), inflate)).toThrow("not a PNG image");
    for (let length = 0; length < bytes.length - 12; length++)
      expect(() => decodePng(bytes.slice(0, length), inflate)).toThrow();
    const vast = bytes.slice();
    new DataView(vast.buffer).setUint32(16, 0x7fffffff); // its width
    expect(() => decodePng(vast, inflate)).toThrow(/needs 1 … 8192 pixels/);
    const woven = bytes.slice();
    woven[28] = 1;
    expect(() => decodePng(woven, inflate)).toThrow(/interlaced/);
  });
});

describe("an image on a sheet", () => {
  const camera = { eye: [0.5, 0.5, 3], target: [0.5, 0.5, 0], up: [0, 1, 0], fov: 0.4 } as const;
  const square = {
    positions: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0],
    triangles: [0, 1, 2, 0, 2, 3],
    image: { texture: createTexture(QUARTERS), uv: [0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1] },
  };

  test("lies upright: u to the right of it, v up", () => {
    const { rgba, width } = render(
      { meshes: [square] },
      {
        width: 60,
        height: 60,
        camera: { ...camera, eye: [...camera.eye], target: [...camera.target], up: [...camera.up] },
        shadows: false,
      },
    );
    const at = (x: number, y: number): number[] => [
      ...rgba.subarray(4 * (y * width + x), 4 * (y * width + x) + 3),
    ];
    const [red, green, blue, white] = [at(20, 20), at(40, 20), at(20, 40), at(40, 40)];
    expect(red[0]).toBeGreaterThan(2 * Math.max(red[1], red[2]));
    expect(green[1]).toBeGreaterThan(2 * Math.max(green[0], green[2]));
    expect(blue[2]).toBeGreaterThan(1.5 * Math.max(blue[0], blue[1]));
    expect(Math.max(...white) - Math.min(...white)).toBeLessThan(60);
  });

  test("repeats, fades to its mean where a pixel covers all of it, and lets through what is clear", () => {
    const texture = createTexture(QUARTERS);
    const at = (u: number, v: number, soft: number): Float64Array => {
      const albedo = new Float64Array(3);
      lay(albedo, texture, u, v, soft);
      return albedo;
    };
    expect([...at(0.25, 0.75, 0.01)]).toEqual([1, 0, 0]);
    expect([...at(-2.75, 5.75, 0.01)]).toEqual([...at(0.25, 0.75, 0.01)]);
    for (const c of at(0.3, 0.8, 1)) expect(c).toBeCloseTo(0.5, 6); // two of four quarters have each colour
    const clear = createTexture({
      ...QUARTERS,
      rgba: QUARTERS.rgba.map((x, k) => (k % 4 === 3 ? 0 : x)),
    });
    const albedo = Float64Array.of(0.1, 0.2, 0.3);
    lay(albedo, clear, 0.4, 0.4, 0.01);
    expect([...albedo]).toEqual([0.1, 0.2, 0.3]);
  });

  test("is a file that the scene names, and can be renamed as meshes can", () => {
    const scene = parseScene({
      sheet: { shape: { type: "disc", radius: 1 }, look: { image: "rose.png", size: 0.3 } },
    });
    const [entry] = filesOf(scene);
    expect([entry.kind, entry.file, entry.path]).toEqual([
      "image",
      "rose.png",
      ["sheet", "look", "image"],
    ]);
    entry.rename("kept/rose.png");
    expect(scene.sheets[0].look?.image).toBe("kept/rose.png");
  });
});
