/**
 * Decisions 0008 and 0021: inner solves in single and in double precision. After `npm run build`:
 *
 *   node docs/decisions/measure/precision.mjs [points …]
 */
import { createSimulation, parseScene } from "../../../dist/index.js";
import { prepare } from "../../../dist/step/incremental-potential.js";
import { gradient, hessianProduct, toSingle } from "../../../dist/step/minimise.js";
import { descend, turn } from "../../../dist/step/single-solve.js";
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

/** ms of one iteration of the inner solve of a step in motion, the least of many. */
function iteration({ simulation: { system }, potential }) {
  const { minimise: work, twoLevel } = system.work;
  gradient(system.state.Y, potential, work);
  twoLevel.update(work, potential);
  work.p.set(system.state.V);
  work.d.set(system.state.V);
  const once = potential.single ? inSingle(potential, work) : inDouble(potential, work, twoLevel);
  let least = Infinity;
  for (let k = 0; k < 200; k++) {
    const start = performance.now();
    once();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

function inSingle(potential, work) {
  toSingle(potential, work.sheet, work);
  return () => {
    turn(work.sheet, potential, work, 1e-3, false);
    descend(work.sheet, 1e-9);
  };
}

function inDouble(potential, work, twoLevel) {
  const { p, residual, z, d, Ad, ops } = work;
  return () => {
    hessianProduct(Ad, potential, work, d);
    ops.dot(d, Ad);
    ops.axpy(p, 1e-9, d);
    ops.axpy(residual, -1e-9, Ad);
    twoLevel.apply(z, residual, work);
    ops.dot(residual, z);
    ops.xpby(d, z, 1e-3);
  };
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
    const ms = both.map(iteration);
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
    "ms an iteration, single",
    "double",
    "inner iterations, single",
    "double",
    "ms a step, single",
    "double",
    "apart after all steps, rms",
  ],
  rows,
);
