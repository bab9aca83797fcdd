/** Decision 0002: what a tube that buckles costs. After `npm run build`: node docs/decisions/measure/buckling.mjs */
import { createSimulation, parseScene } from "../../../dist/index.js";
import { libraryScene } from "../../../dist/scenes.js";
import { table } from "./table.mjs";

const rows = [0, 0.005, 0.02, 0.05].map((damping) => {
  const input = libraryScene("cylinder-coarse").input();
  input.sheet.material.damping = damping;
  const s = createSimulation(parseScene(input));
  let rounds = 0;
  let halved = 0;
  while (s.time < 0.2 - 1e-9) {
    const report = s.step();
    rounds += report.rounds;
    if (report.substeps > 0) halved++;
  }
  const { bending, membrane } = s.energy();
  return [damping, (rounds / s.steps).toFixed(1), halved, bending.toFixed(3), membrane.toFixed(3)];
});
console.log("cylinder-coarse, 979 points, its first 0.2 s in 48 steps");
table(
  ["damping of bending, s", "rounds a step", "steps in halves", "bending, J", "membrane, J"],
  rows,
);
