/**
 * What a step of the falling cloth costs and how far it is from the same step solved a hundred times better: rounds, inner iterations, and the root mean
 * square and the largest difference of velocity. After `npm run build`: node docs/decisions/measure/step-error.mjs [points [solver [h [K]]]]
 */
import { createSimulation, parseScene } from "../../../dist/index.js";
import { createStepReport } from "../../../dist/step/outcome.js";
import { accurateSolver } from "../../../dist/step/solvers.js";
import { step } from "../../../dist/step/step.js";
import { hung, table } from "./table.mjs";

const [points = 662, solver = "accurate", h = 1 / 240, K = 1e4] = process.argv.slice(2);
const MOMENTS = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.8];

const input = hung({ solver, h: Number(h) }, 1e-4, Number(points));
input.sheet.material.membraneStiffness = Number(K);
input.pins = input.pins.map(({ at: { corner } }) => ({ at: { corner } }));
const simulation = createSimulation(parseScene(input));
const { system, Y, V } = simulation;

const accurate = accurateSolver(system);
const exact = {
  ...accurate,
  speedTolerance: 1e-2 * accurate.speedTolerance,
  relativeTolerance: 1e-2 * accurate.relativeTolerance,
  options: { ...accurate.options, cgTolerance: 5e-2 },
};

const rows = [];
let [rounds, inner] = [0, 0];
for (const time of MOMENTS) {
  while (simulation.time < time - 1e-9) simulation.step();
  const state = simulation.save();
  step(system, exact, createStepReport());
  const reference = Y.slice();
  simulation.restore(state);
  const cost = { ...simulation.step() };
  let [sum, most, speed] = [0, 0, 0];
  for (let k = 0; k < Y.length; k++) {
    const error = Math.abs(Y[k] - reference[k]) / Number(h);
    sum += error * error;
    most = Math.max(most, error);
    speed += V[k] * V[k];
  }
  const mean = (x) => Math.sqrt((3 * x) / Y.length);
  rounds += cost.rounds;
  inner += cost.cgIterations;
  const mm = [mean(speed), mean(sum), most].map((x) => (1000 * x).toFixed(2));
  rows.push([time, cost.rounds, cost.cgIterations, ...mm]);
}
rows.push(["all", rounds, inner, "", "", ""]);
table(["s", "rounds", "inner", "mm/s", "error mm/s", "largest"], rows);
