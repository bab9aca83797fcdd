/**
 * Decision 0021: what a falling cloth costs and how far it is from the same fall solved ten times better at 1/960 s. Rounds and inner iterations a second,
 * CPU seconds a second, the largest stretch of all sixtieths, and the mean distance of points at five moments. After `npm run build`:
 *
 *   node docs/decisions/measure/falls.mjs [points]
 */
import { createSimulation, edgeStrain, parseScene } from "../../../dist/index.js";
import { createStepReport } from "../../../dist/step/outcome.js";
import { accurateSolver, interactiveSolver } from "../../../dist/step/solvers.js";
import { step } from "../../../dist/step/step.js";
import { hung, percent, table } from "./table.mjs";

const points = Number(process.argv[2] ?? 662);
const MOMENTS = [0.25, 0.5, 0.75, 1, 1.25];

/** Falls by a solver with some of its numbers changed. */
function fall(h, make, integrator, change = {}) {
  const input = hung({ h, integrator }, 1e-4, points);
  input.pins = input.pins.map(({ at: { corner } }) => ({ at: { corner } }));
  const simulation = createSimulation(parseScene(input));
  const { system, Y } = simulation;
  const plain = make(system);
  const { cgTolerance = plain.options.cgTolerance, share = 1, maxIterations } = change;
  const solver = {
    ...plain,
    speedTolerance: share * plain.speedTolerance,
    relativeTolerance: share * plain.relativeTolerance,
    options: { ...plain.options, cgTolerance, ...(maxIterations && { maxIterations }) },
  };
  const report = createStepReport();
  let [rounds, inner, steps, stretch] = [0, 0, 0, 0];
  const places = [];
  const before = process.cpuUsage();
  for (const moment of MOMENTS) {
    while (system.state.steps * h < moment - 1e-9) {
      step(system, solver, report);
      rounds += report.rounds;
      inner += report.cgIterations;
      if (++steps % Math.round(1 / 60 / h) === 0)
        stretch = Math.max(stretch, edgeStrain(simulation.sheet, simulation.pose).stretchMax);
    }
    places.push(Y.slice(0, 3 * simulation.sheet.n));
  }
  const { user, system: kernel } = process.cpuUsage(before);
  const seconds = MOMENTS.at(-1);
  return {
    places,
    numbers: [rounds / seconds, inner / seconds].map(Math.round),
    cpu: (user + kernel) / 1e6 / seconds,
    stretch,
  };
}

/** mm between two falls at every moment. */
const apart = (a, b) =>
  a.map((Y, k) => {
    let sum = 0;
    for (let i = 0; i < Y.length; i += 3)
      sum += Math.hypot(Y[i] - b[k][i], Y[i + 1] - b[k][i + 1], Y[i + 2] - b[k][i + 2]);
    return ((3000 * sum) / Y.length).toFixed(1);
  });

const ten = { share: 0.1, cgTolerance: 0.02 };
const converged = fall(1 / 960, accurateSolver, "bdf2", ten);
const cases = [
  ["accurate 1/240", fall(1 / 240, accurateSolver, "bdf2")],
  ["accurate 1/240, Euler", fall(1 / 240, accurateSolver, "euler")],
  ["accurate 1/240, Euler, ten times better", fall(1 / 240, accurateSolver, "euler", ten)],
  ["interactive 1/60", fall(1 / 60, interactiveSolver, "euler")],
];
table(
  [
    "solver",
    "rounds a s",
    "inner a s",
    "CPU s a s",
    "stretch",
    ...MOMENTS.map((t) => `mm at ${t}`),
  ],
  cases.map(([name, { places, numbers, cpu, stretch }]) => [
    name,
    ...numbers,
    cpu.toFixed(2),
    percent(stretch, 2),
    ...apart(places, converged.places),
  ]),
);
