/**
 * What contact costs at rest, beside a hung sheet of the same size. After `npm run build`: node docs/decisions/measure/contact-cost.mjs [points].
 * By CPU time, so that other work on the machine does not count, and without sleep. All run until nothing moves by 1 mm/s, three seconds at least and ten at
 * most; at 2716 points that takes minutes.
 */
import { createSimulation, parseScene } from "../../../dist/index.js";
import { libraryScene } from "../../../dist/scenes.js";
import { table } from "./table.mjs";

const points = Number(process.argv[2] ?? 845);
const resting = (name, change = {}) => {
  const input = { ...libraryScene(name).input(), h: 1 / 240, sleep: false, ...change };
  input.sheet.sampling = { points };
  const simulation = createSimulation(parseScene(input));
  const isMoving = () => simulation.system.state.V.some((v) => Math.abs(v) > 1e-3);
  while (simulation.time < 3 || (simulation.time < 10 && isMoving())) simulation.step();
  return simulation;
};
const simulations = {
  "hung, no contact": resting("pinned-cloth"),
  "on a body": resting("drape-sphere", { contact: { self: false } }),
  "on a body and itself": resting("drape-sphere"),
  "folded onto itself": resting("fold"),
};

const STEPS = 20;
const times = Object.keys(simulations).map(() => []);
for (let repetition = 0; repetition < 9; repetition++)
  for (const [k, simulation] of Object.values(simulations).entries()) {
    const start = process.cpuUsage();
    for (let step = 0; step < STEPS; step++) simulation.step();
    const { user, system } = process.cpuUsage(start);
    times[k].push((user + system) / 1e3 / STEPS);
  }
const medians = times.map((list) => list.sort((a, b) => a - b)[list.length >> 1]);
console.log(`${points} points at rest, medians of ${STEPS} steps, alternating`);
table(
  ["sheet", "ms of CPU a step", "ratio"],
  Object.keys(simulations).map((name, k) => [
    name,
    medians[k].toFixed(1),
    (medians[k] / medians[0]).toFixed(2),
  ]),
);
