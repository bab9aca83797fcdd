/** Decision 0003: what contact as barriers in the same minimisation leaves. After `npm run build`: node docs/decisions/measure/contact.mjs */
import { createSimulation, edgeStrain, parseScene } from "../../../dist/index.js";
import { percent, table } from "./table.mjs";

const rows = [];
for (const points of [200, 400]) {
  const s = createSimulation(
    parseScene({
      h: 1 / 120,
      gravity: 9.81,
      air: { drag: 1 },
      contact: { self: true },
      sheet: {
        shape: { type: "rectangle", width: 0.6, height: 0.6 },
        sampling: { points },
        pose: { position: [-0.3, -0.3, 0.16] },
        material: { density: 0.2, D: 1e-5, thickness: 2e-3 },
      },
      colliders: [
        { body: { type: "sphere", radius: 0.15 }, friction: 0.3 },
        { body: { type: "plane" }, position: [0, 0, -0.15], friction: 0.3 },
      ],
    }),
  );
  let [deepest, rounds] = [0, 0];
  while (s.time < 1) {
    rounds += s.step().rounds;
    deepest = Math.max(deepest, s.contact().penetration);
  }
  const strain = edgeStrain(s.sheet, s.pose);
  rows.push([
    points,
    deepest.toExponential(1),
    percent(strain.mean),
    percent(strain.max, 2),
    (rounds / s.steps).toFixed(1),
  ]);
}
console.log("a square of 0.6 m dropped on a sphere on a floor, 1 s");
table(["points", "deepest penetration ever m", "edge mean", "edge max", "rounds a step"], rows);
