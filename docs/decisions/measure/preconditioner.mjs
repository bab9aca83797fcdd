/** Decision 0006: inner iterations with and without the coarse level. After `npm run build`: node docs/decisions/measure/preconditioner.mjs */
import { createSimulation, parseScene } from "../../../dist/index.js";
import { accurateSolver } from "../../../dist/step/solvers.js";
import { step } from "../../../dist/step/step.js";
import { hung, table } from "./table.mjs";

const rows = [];
for (const points of [331, 1656])
  for (const h of [1 / 60, 1 / 240, 1e-3]) {
    const counts = [false, true].map((coarse) => {
      const { system } = createSimulation(parseScene(hung({ h }, 1e-4, points)));
      const solver = {
        ...accurateSolver(system),
        preconditioner: coarse ? system.work.twoLevel : system.work.fine,
      };
      solver.options = { ...solver.options, cgTolerance: 0.1, cgMax: 2000 };
      const report = {};
      let [inner, t] = [0, 0];
      const steps = 20;
      for (let k = 0; k < steps; k++) {
        const t0 = performance.now();
        step(system, solver, report);
        t += performance.now() - t0;
        inner += report.cgIterations;
      }
      return [(inner / steps).toFixed(0), (t / steps).toFixed(1)];
    });
    rows.push([points, h.toFixed(4), counts[0][0], counts[1][0], counts[0][1], counts[1][1]]);
  }
console.log("a square metre falling from two corners, first 20 steps, inner solves to 0.1");
table(
  ["points", "h s", "inner, blocks alone", "inner, two-level", "ms, blocks alone", "ms, two-level"],
  rows,
);
