/** A cloth over a ball, held at one corner. */
import type { SceneInput } from "isoplate";

export const scene: SceneInput = {
  solver: "interactive",
  h: 1 / 120,
  sheet: {
    name: "cloth",
    shape: { type: "rectangle", width: 1, height: 1 },
    sampling: { points: 500 },
    pose: { type: "flat", position: [-0.5, -0.5, 0.45] },
    material: "cotton",
  },
  pins: [{ name: "corner", at: { corner: "top-left" } }],
  colliders: [{ name: "ball", body: { type: "sphere", radius: 0.25 }, friction: 0.4 }],
};
