/** Decision 0008: inner solves in single and in double precision. After `npm run build`: node docs/decisions/measure/precision.mjs [points …] */
import { createSimulation, parseScene } from "../../../dist/index.js";
import { prepare } from "../../../dist/step/incremental-potential.js";
import { gradient, hessianProduct, toSingle } from "../../../dist/step/minimise.js";
import { hung, table } from "./table.mjs";

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [662, 2716];
const H = 1 / 240;
const [FIRST, STEPS] = [60, 40]; // the fall is fastest then

/** A simulation whose inner solves are forced into one precision. */
function forced(points, D, single) {
  const simulation = createSimulation(parseScene(hung({ h: H }, D, points)));
  const potential = prepare(simulation.system, H, false, 0);
  Object.defineProperty(potential, "single", { get: () => single, set: () => {} });
  return { simulation, potential };
}

/** ms of one product with the matrix of a step in motion, the least of many. */
function product({ simulation: { system }, potential }) {
  const { minimise: work } = system.work;
  gradient(system.state.Y, potential, work);
  toSingle(potential, work);
  work.p.set(system.state.V);
  let least = Infinity;
  for (let k = 0; k < 200; k++) {
    const start = performance.now();
    hessianProduct(work.Ad, potential, work, work.p);
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

const rows = [];
for (const points of sizes)
  for (const D of [1e-6, 1e-4, 1e-2]) {
    const both = [true, false].map((single) => forced(points, D, single));
    const inner = [0, 0];
    const took = [0, 0];
    for (let k = 0; k < FIRST + STEPS; k++)
      for (const [which, { simulation }] of both.entries()) {
        const start = performance.now();
        const { cgIterations } = simulation.step();
        if (k < FIRST) continue;
        took[which] += (performance.now() - start) / STEPS;
        inner[which] += cgIterations / STEPS;
      }
    const [single, double] = both.map(({ simulation }) => simulation.Y);
    let squared = 0;
    for (let k = 0; k < single.length; k++) squared += (single[k] - double[k]) ** 2;
    const apart = Math.sqrt((3 * squared) / single.length);
    const ms = both.map(product);
    rows.push([
      points,
      D.toExponential(0),
      ...ms.map((t) => t.toFixed(3)),
      ...inner.map((n) => n.toFixed(1)),
      ...took.map((t) => t.toFixed(1)),
      `${(1e3 * apart).toFixed(2)} mm`,
    ]);
  }
console.log(
  `a square metre falling from two corners, h = 1/240 s, steps ${FIRST} to ${FIRST + STEPS}`,
);
table(
  [
    "points",
    "D N·m",
    "ms a product, single",
    "double",
    "inner iterations, single",
    "double",
    "ms a step, single",
    "double",
    "apart after all steps, rms",
  ],
  rows,
);
