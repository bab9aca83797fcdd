/** Decision 0004: clamps by mirrored ghosts against two held rows. After `npm run build`: node docs/decisions/measure/clamps.mjs */
import { createSimulation, parseScene } from "../../../dist/index.js";
import { cantilever, ELASTICA, percent, table, tipError } from "./table.mjs";

const L = 0.3;
const tip = (scene) => {
  const s = createSimulation(parseScene(scene));
  s.step();
  return percent(tipError(s, L, ELASTICA[20]), 2);
};
const rows = [12, 24, 48].map((k) => {
  const sampling = { type: "grid", spacing: L / k };
  // two rows held, a spacing apart: what a clamp is without the mirror
  const two = [{ at: { region: { min: [0, 0], max: [(1.01 * L) / k, 1] } } }];
  return [
    `L/${k}`,
    tip(cantilever(20, sampling)),
    tip(cantilever(20, { type: "irregular", spacing: L / k })),
    tip(cantilever(20, sampling, { pins: two })),
  ];
});
console.log("cantilever, Γ = 20: distance of the tip from the elastica, over L");
table(["spacing", "mirrored, grid", "mirrored, irregular", "two rows held, grid"], rows);
