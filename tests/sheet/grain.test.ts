import { describe, expect, test } from "vitest";
import { recordedAnimation } from "../../src/files/recorded.ts";
import { decodeSheet, encodeSheet } from "../../src/recording/sheet-bytes.ts";
import type { PanelInput, SceneInput } from "../../src/scene/input.ts";
import { parseScene } from "../../src/scene/scene.ts";
import { sceneInput } from "../../src/scene/write.ts";
import { alongGrain } from "../../src/sheet/grain.ts";
import { createSimulation } from "../../src/simulation.ts";

/** Two squares sewn along a side; crossed, so that the second one is mirrored. */
function garment(grains: readonly [number, number]): SceneInput {
  const panel = (name: string, x: number, grain: number): PanelInput => ({
    name,
    points: [[0, 0], [0.4, 0], [0.4, 0.4], [0, 0.4]], // biome-ignore format: an outline
    place: { position: [x, 0, 0] },
    ...(grain === 0 ? {} : { grain }),
  });
  return {
    name: "two-squares",
    sheet: {
      shape: {
        type: "garment",
        panels: [panel("a", 0, grains[0]), panel("b", 0.4, grains[1])],
        seams: [{ from: "a:e1", to: "b:e1", reversed: false }],
        sewing: { seconds: 0 },
      },
      sampling: { points: 120 },
    },
    pins: [{ at: { corner: "a:c3" } }],
  };
}

describe("grain", () => {
  test("what is drawn along the grain has v along it, also on a panel with its back outwards", () => {
    const { sheet, scene } = createSimulation(parseScene(garment([30, -50]), "test"));
    const [{ panels }] = sheet.parts;
    expect(panels?.map(({ mirrored }) => mirrored)).toEqual([false, true]);
    const laid = alongGrain(sheet, scene.sheets);
    const first = panels![0].triangles;
    for (let t = 0; t < sheet.triangles.length / 3; t++) {
      // along the grain as drawn: (−sin a, cos a), with −u where the panel is mirrored
      const a = ((t < first ? 30 : -50) * Math.PI) / 180;
      const [du, dv] = [t < first ? -Math.sin(a) : Math.sin(a), Math.cos(a)];
      for (let k = 3 * t; k < 3 * t + 3; k++) {
        const along = sheet.corners[2 * k] * du + sheet.corners[2 * k + 1] * dv;
        expect(laid.corners[2 * k + 1]).toBeCloseTo(along, 14);
        expect(Math.hypot(laid.corners[2 * k], laid.corners[2 * k + 1])).toBeCloseTo(
          Math.hypot(sheet.corners[2 * k], sheet.corners[2 * k + 1]),
          14,
        );
      }
    }
  });

  test("it changes no bit of the simulation, and straight grain none of the sheet", () => {
    const [turned, straight] = [garment([30, -50]), garment([0, 0])].map((input) => {
      const simulation = createSimulation(parseScene(input, "test"));
      for (let k = 0; k < 5; k++) simulation.step();
      return simulation;
    });
    expect(Array.from(turned.Y)).toEqual(Array.from(straight.Y));
    expect(alongGrain(straight.sheet, straight.scene.sheets)).toBe(straight.sheet);
  });

  test("it is kept by scene files and recordings, and exported UV are turned", () => {
    const simulation = createSimulation(parseScene(garment([30, -50]), "test"));
    const { scene } = simulation;
    const again = parseScene(sceneInput(scene), "again");
    expect(again).toEqual(scene);
    const sheet = decodeSheet(encodeSheet(simulation.sheet));
    expect(alongGrain(sheet, scene.sheets).corners).toEqual(
      alongGrain(simulation.sheet, scene.sheets).corners,
    );
    const { uv } = recordedAnimation({
      ...{ scene, sheet, frames: 1, bodyTimes: () => new Float64Array(0) },
      pose: () => simulation.pose,
    });
    const a = (30 * Math.PI) / 180;
    for (let i = 0; i < sheet.parts[0].panels![0].triangles; i++) {
      const p = sheet.triangles[3 * i];
      expect(uv![2 * p + 1]).toBeCloseTo(
        -sheet.uv[2 * p] * Math.sin(a) + sheet.uv[2 * p + 1] * Math.cos(a),
        12,
      );
    }
  });

  test("a recording whose panels do not add up is refused", () => {
    const { sheet } = createSimulation(parseScene(garment([30, 0]), "test"));
    const [part] = sheet.parts;
    const wrong = { ...part, panels: [{ triangles: 1e9, mirrored: false }] };
    expect(() => decodeSheet(encodeSheet({ ...sheet, parts: [wrong] }))).toThrow(/panels/);
  });
});
