/** Decision 0007: how far a blow strains a sheet. After `npm run build`: node docs/decisions/measure/blows.mjs */
import { createSimulation, edgeStrain, parseScene } from "../../../dist/index.js";
import { libraryScene } from "../../../dist/scenes.js";
import { percent, table } from "./table.mjs";

const rows = [];
for (const points of [100, 200])
  for (const speed of [10, 20, 40]) {
    const input = libraryScene("impact").input();
    input.sheet.sampling.points = points;
    const [key] = input.colliders[0].motion.keys;
    key.time *= 20 / speed;
    const s = createSimulation(parseScene(input));
    let [ever, rounds] = [0, 0];
    while (s.time < key.time + 0.025) {
      rounds += s.step().rounds;
      ever = Math.max(ever, edgeStrain(s.sheet, s.pose).max);
    }
    rows.push([points, speed, percent(ever, 2), (rounds / s.steps).toFixed(0)]);
  }
console.log("impact: a ball hits a hanging sheet and stops after 0.3 m; until 0.025 s after that");
table(["points", "m/s", "edge max ever", "rounds a step"], rows);
