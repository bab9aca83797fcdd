/** Decision 0001: what each constraint leaves of strain, roughness and shape. After `npm run build`: node docs/decisions/measure/constraints.mjs */
import { createSimulation, edgeStrain, parseScene, roughness, sag } from "../../../dist/index.js";
import { cantilever, ELASTICA, hung, percent, table, tipError } from "./table.mjs";

const rows = [];
for (const D of [1e-4, 1e-6])
  for (const constraint of ["metric", "strain", "paper"]) {
    const s = createSimulation(parseScene(hung({ constraint, h: 1 / 120 }, D)));
    while (s.time < 2) s.step();
    const strain = edgeStrain(s.sheet, s.pose);
    rows.push([
      D,
      constraint,
      percent(strain.mean),
      percent(strain.max, 2),
      sag(s.Y, []).toFixed(4),
      roughness(s.sheet, s.Y).toFixed(4),
    ]);
  }
console.log("a square metre hung by two opposite corners, 331 points, 2 s, solver accurate");
table(["D N·m", "constraint", "edge mean", "edge max", "sag m", "roughness rad"], rows);

const tips = [];
for (const constraint of ["metric", "strain", "paper"]) {
  const errors = [12, 24].map((k) => {
    const s = createSimulation(parseScene(cantilever(20, { spacing: 0.3 / k }, { constraint })));
    s.step();
    return percent(tipError(s, 0.3, ELASTICA[20]), 2);
  });
  tips.push([constraint, ...errors]);
}
console.log("\ncantilever, Γ = 20: distance of the tip from the elastica, over L");
table(["constraint", "spacing L/12", "L/24"], tips);
