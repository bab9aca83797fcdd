/** What the studio's camera holds: the sheet, what will move, what it will fall to; and when it follows. */
import { describe, expect, test } from "vitest";
import { createSimulation, parseScene, type SceneInput } from "../../src/index.ts";
import { fitCamera } from "../../src/view/index.ts";
import { openedMessage } from "../../studio/src/engine/opening.ts";
import type { Opened } from "../../studio/src/engine/protocol.ts";
import { glideAt, leavesPicture } from "../../studio/src/theatre/following.ts";
import { subjectOf } from "../../studio/src/theatre/subject.ts";

const cloth: SceneInput = {
  sheet: {
    shape: { type: "rectangle", width: 1, height: 1 },
    sampling: { points: 60 },
    pose: { position: [-0.5, -0.5, 0.7] },
  },
};

function opened(more: Partial<SceneInput>): Opened {
  const simulation = createSimulation(parseScene({ ...cloth, ...more }));
  const Y = Float64Array.from(simulation.Y);
  const message = openedMessage(1, simulation, Y, null, undefined, {});
  simulation.dispose();
  return message;
}

/** Least and largest coordinate of what the camera holds. */
function reach(scene: Partial<SceneInput>, c: number, begins = true): [number, number] {
  const own = opened(scene);
  const { points } = subjectOf(own, own.start, own.startPoses, begins);
  const along = points.filter((_, k) => k % 3 === c);
  return [Math.min(...along), Math.max(...along)];
}

describe("what the camera holds", () => {
  const led = (x: number): Partial<SceneInput> => ({
    pins: [
      {
        name: "left",
        at: { edge: "left" },
        motion: { keys: [{ time: 1, translate: [x, 0, 0] }] },
      },
    ],
  });

  test("where keyframes lead a pin, at the beginning and not later", () => {
    expect(reach(led(-0.4), 0)[0]).toBeCloseTo(-0.9, 6);
    expect(reach(led(-0.4), 0, false)[0]).toBeCloseTo(-0.5, 6);
  });

  test("not what is led so far away that all else would be tiny", () => {
    expect(reach(led(-40), 0)[0]).toBeCloseTo(-0.5, 6);
  });

  test("where keyframes lead a body, and the rims of round ones", () => {
    const [, high] = reach(
      {
        colliders: [
          {
            name: "post",
            body: { type: "cylinder", radius: 0.1, length: 0.3 },
            position: [0, 0, 0.4],
            motion: { keys: [{ time: 1, translate: [0.9, 0, 0] }] },
          },
        ],
      },
      0,
    );
    expect(high).toBeCloseTo(1, 6);
  });

  test("the floor that a loose sheet falls to, unless a body is in the way", () => {
    const floor = { name: "floor", body: { type: "plane" as const } };
    const ball = { name: "ball", body: { type: "sphere" as const, radius: 0.1 } };
    expect(reach({ colliders: [floor] }, 2)[0]).toBe(0);
    expect(reach({ colliders: [floor, { ...ball, position: [0, 0, 0.5] }] }, 2)[0]).toBeCloseTo(
      0.4,
      6,
    );
  });

  test("the flesh under a skin", () => {
    const skin: Partial<SceneInput> = {
      sheet: { ...cloth.sheet!, pose: { position: [-0.5, -0.5, 0] } },
      substrate: {
        shape: { type: "block", size: [1, 1, 0.3], cells: [4, 4, 2] },
        young: 1e4,
        poisson: 0.45,
        density: 1000,
        position: [0, 0, -0.15],
      },
    };
    const own = opened({ sheet: skin.sheet! });
    const scene = parseScene({ ...cloth, ...skin });
    const { points } = subjectOf({ ...own, scene }, own.start, own.startPoses, true);
    expect(Math.min(...points.filter((_, k) => k % 3 === 2))).toBeCloseTo(-0.3, 6);
  });
});

describe("following", () => {
  const points = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.4];
  const size = { width: 600, height: 400 };
  const camera = fitCamera(points, { aspect: 1.5, margin: 0.05 });

  test("nothing has left a picture that was made to hold it", () => {
    expect(leavesPicture(camera, points, size)).toBe(false);
  });

  test("a point that goes far has, in whatever direction, also behind the eye", () => {
    for (const far of [
      [9, 0, 0],
      [0, 0, 9],
      [0, 0, -9],
      camera.eye.map((x, c) => 2 * x - camera.target[c]),
    ])
      expect(leavesPicture(camera, [...points, ...far], size)).toBe(true);
  });

  test("a glide begins where the camera is and ends where it shall be", () => {
    const to = fitCamera([...points, 3, 0, 0], { aspect: 1.5 });
    const glide = { from: camera, to, began: 1000 };
    expect(glideAt(glide, 1000).camera.eye).toEqual(camera.eye);
    expect(glideAt(glide, 1000).arrived).toBe(false);
    expect(glideAt(glide, 9000)).toEqual({ camera: to, arrived: true });
  });
});
