/** Looks: prints that follow the material, the same in pictures and pages, and colours by material. */
import { describe, expect, test } from "vitest";
import { checkScene, PRINTS, parseScene, sceneInput } from "../../src/index.ts";
import type { Camera } from "../../src/picture/camera.ts";
import { hex } from "../../src/picture/color.ts";
import { inkAt, lookOf } from "../../src/picture/looks.ts";
import { render } from "../../src/picture/render.ts";

/** Mean ink over one repeat, by midpoints. */
function coverage(print: (typeof PRINTS)[number], soft: number): number {
  const n = 200;
  let sum = 0;
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) sum += inkAt(print, (i + 0.5) / n, (j + 0.5) / n, soft);
  return sum / (n * n);
}

describe("prints", () => {
  test("cover the share of the cloth that their shape says, sharp or soft", () => {
    const shares = { plain: 0, stripes: 0.5, checks: 0.5, gingham: 0.5, dots: Math.PI * 0.28 ** 2 };
    // a soft rim of a disc is a little wider outside than inside: π soft²/12
    for (const [print, share] of Object.entries(shares))
      for (const soft of [1e-3, 0.2])
        expect(Math.abs(coverage(print as (typeof PRINTS)[number], soft) - share)).toBeLessThan(
          2e-3 + 0.3 * soft * soft,
        );
    expect(coverage("grid", 1e-3)).toBeCloseTo(1 - 0.94 ** 2, 2);
  });

  test("repeat after one, and fade to their mean where a pixel covers a repeat", () => {
    for (const print of PRINTS)
      for (const [u, v] of [
        [0.13, 0.71],
        [0.5, 0.02],
      ])
        expect(inkAt(print, u + 3, v - 2, 0.01)).toBeCloseTo(inkAt(print, u, v, 0.01), 9);
    const soft = [0.1, 0.35, 0.6, 0.85].map((u) => inkAt("stripes", u, 0, 1));
    expect(Math.max(...soft) - Math.min(...soft)).toBeLessThan(0.51);
  });

  test("a picture has the ink where the material has it, and the same light elsewhere", () => {
    const positions = [-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1];
    const triangles = [0, 1, 2, 0, 2, 3];
    const uv = [0, 0, 2, 0, 2, 2, 0, 0, 2, 2, 0, 2]; // two repeats across
    const camera: Camera = { eye: [0, -6, 0], target: [0, 0, 0], up: [0, 0, 1], fov: 0.5 };
    const draw = (print?: { kind: "stripes"; ink: ReturnType<typeof hex>; uv: number[] }) =>
      render(
        {
          meshes: [
            {
              positions,
              triangles,
              color: hex("#b4472f"),
              ...(print === undefined ? {} : { print }),
            },
          ],
        },
        {
          camera,
          width: 160,
          height: 160,
        },
      );
    const plain = draw();
    const printed = draw({ kind: "stripes", ink: hex("#ffffff"), uv });
    const at = (picture: typeof plain, x: number): number[] => {
      // x in −1 … 1 over the square, which is 2/(2·6·tan 0.25) of the picture wide
      const px = Math.round(80 + (80 * x) / (6 * Math.tan(0.25)));
      return [...picture.rgba.subarray(4 * (80 * 160 + px), 4 * (80 * 160 + px) + 3)];
    };
    // ink from ¼ to ¾ of each repeat: −0.5 is the middle of the first, −0.98 its beginning
    expect(at(printed, -0.98)).toEqual(at(plain, -0.98));
    expect(at(printed, 0.02)).toEqual(at(plain, 0.02));
    for (const x of [-0.5, 0.5])
      for (let c = 0; c < 3; c++) expect(at(printed, x)[c]).toBeGreaterThan(at(plain, x)[c]);
  });
});

describe("looks of scenes", () => {
  test("paper looks like paper, what a scene says comes first, and it survives writing and reading", () => {
    const scene = parseScene({
      sheets: [
        { name: "a", shape: { type: "disc", radius: 1 }, material: "paper" },
        {
          name: "b",
          shape: { type: "disc", radius: 1 },
          material: "paper",
          look: { front: "#112233", print: "dots", size: 0.02 },
        },
      ],
    });
    const [paper, said] = scene.sheets.map(lookOf);
    expect(paper.front.every((c) => c > 0.85)).toBe(true);
    expect(paper.sheen).toBe(0);
    expect(said.front).toEqual(hex("#112233"));
    expect([said.print, said.size]).toEqual(["dots", 0.02]);
    expect(parseScene(sceneInput(scene)).sheets[1].look).toEqual(scene.sheets[1].look);
  });

  test("a wrong colour or print is told with its place", () => {
    const wrong = {
      sheet: { shape: { type: "disc", radius: 1 }, look: { front: "red", print: "tartan" } },
    };
    expect(() => checkScene(wrong)).toThrow(/sheet\.look\.front: got "red", needs a colour/);
    expect(() => checkScene(wrong)).toThrow(/sheet\.look\.print: got "tartan"/);
  });
});
