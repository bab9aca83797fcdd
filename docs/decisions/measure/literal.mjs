/**
 * The paper's projection as it is written beside ours, one change at a time (docs/guide/projection.md).
 *
 *   node docs/decisions/measure/literal.mjs [points] [seconds]
 *
 * After `npm run build`. A square of 1 m, 0.2 kg/m², D = 10⁻⁴ N·m, level, let go with two opposite corners held, steps of 1 ms. The fall is what gravity gave
 * away until the end; "gained" sums every rise of the total energy from one step to the next.
 */
import { createSimulation, edgeStrain, parseScene } from "../../../dist/index.js";

const [points, seconds] = [Number(process.argv[2] ?? 331), Number(process.argv[3] ?? 1)];
const line = (cells) => console.log(`| ${cells.join(" | ")} |`);

function run(name, tolerance, projection, more = {}) {
  const simulation = createSimulation(
    parseScene({
      gravity: 9.81,
      solver: "paper",
      constraint: "paper",
      h: 1e-3,
      tolerance,
      projection,
      sheet: {
        shape: { type: "rectangle", width: 1, height: 1 },
        sampling: { points },
        material: { density: 0.2, D: 1e-4 },
      },
      pins: [{ at: { corner: "bottom-left" } }, { at: { corner: "top-right" } }],
      ...more,
    }),
  );
  const start = simulation.energy();
  let [before, gained, rounds, most, none, steps, unsolved, strain] = [
    start.total,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
  ];
  while (simulation.time < seconds - 1e-9) {
    const report = simulation.step();
    const { total } = simulation.energy();
    gained += Math.max(0, total - before);
    before = total;
    rounds += report.rounds;
    most = Math.max(most, report.rounds);
    none += report.rounds === 0 ? 1 : 0;
    unsolved += report.converged ? 0 : 1;
    steps++;
    strain = Math.max(strain, edgeStrain(simulation.sheet, simulation.pose).max);
  }
  const end = simulation.energy();
  const fall = start.gravity - end.gravity;
  line([
    name,
    tolerance,
    `${(rounds / steps).toFixed(2)} (${most})`,
    `${none} of ${steps}`,
    unsolved,
    `${((100 * gained) / fall).toFixed(1)} %`,
    `${((100 * (end.total - start.total)) / fall).toFixed(1)} %`,
    `${(100 * edgeStrain(simulation.sheet, simulation.pose).mean).toFixed(2)} / ${(100 * strain).toFixed(0)} %`,
    `${(1000 * end.bending).toFixed(1)} mJ`,
  ]);
}

line([
  "what",
  "tolerance",
  "rounds (most)",
  "steps without one",
  "unsolved",
  "gained",
  "total change",
  "edges: mean at the end / largest ever",
  "E_bend",
]);
line(Array.from({ length: 9 }, () => "---"));
const literal = { slack: false, everyStep: false, bending: "points" };
for (const tolerance of [0.1, 0.01, 0.001]) {
  run("ours", tolerance, {});
  run("without slack", tolerance, { slack: false });
  run("not every step", tolerance, { everyStep: false });
  run("bending of points", tolerance, { bending: "points" });
  run("without slack, not every step", tolerance, { slack: false, everyStep: false });
  run("literal", tolerance, literal);
  run("literal, bending of edges, every step", tolerance, {
    ...literal,
    bending: "edges",
    everyStep: true,
  });
  run("literal without geometric stiffness", tolerance, { ...literal, geometricStiffness: false });
}
