/** Decision 0005: the tolerance as a limit. After `npm run build`: node docs/decisions/measure/tolerance.mjs */
import { createSimulation, edgeStrain, parseScene } from "../../../dist/index.js";
import { hung, percent, table } from "./table.mjs";

const rows = [1, 0.1, 0.01, 0.001].map((tolerance) => {
  const s = createSimulation(parseScene(hung({ tolerance, h: 1 / 240 })));
  let rounds = 0;
  while (s.time < 1) rounds += s.step().rounds;
  const strain = edgeStrain(s.sheet, s.pose);
  return [tolerance, percent(strain.mean), percent(strain.max, 2), (rounds / s.steps).toFixed(2)];
});
console.log(
  "a square metre hung by two opposite corners, 331 points, 1 s; at tolerance 1 the membrane is only as stiff as its material",
);
table(["tolerance", "edge mean", "edge max", "rounds a step"], rows);
