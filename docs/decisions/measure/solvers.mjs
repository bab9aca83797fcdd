/** Decision 0002: the incremental potential against the paper's projections. After `npm run build`: node docs/decisions/measure/solvers.mjs */
import "../../../dist/methods.js";
import { createSimulation, edgeStrain, parseScene } from "../../../dist/index.js";
import { hung, percent, table } from "./table.mjs";

const schemes = [
  ["accurate", "frames", 1 / 240],
  ["accurate", "frames", 1 / 60],
  ["paper", "paper", 1e-3],
  ["paper", "paper", 1 / 60],
];

/** Runs, and says what happened to strain and energy; a throw ends it. */
function measured(scene, seconds) {
  const s = createSimulation(parseScene(scene));
  let [rounds, gained, lowest] = [0, 0, s.energy().total];
  try {
    while (s.time < seconds) {
      rounds += s.step().rounds;
      const now = s.energy().total;
      gained = Math.max(gained, now - lowest);
      lowest = Math.min(lowest, now);
    }
  } catch {
    return [`ends at ${s.time.toFixed(3)} s`, "", "", ""];
  }
  const strain = edgeStrain(s.sheet, s.pose);
  return [
    percent(strain.mean, 2),
    percent(strain.max, 1),
    (rounds / s.steps).toFixed(1),
    gained.toExponential(1),
  ];
}

const still = schemes.map(([solver, constraint, h]) => [
  solver,
  constraint,
  h.toFixed(4),
  ...measured(hung({ solver, constraint, h }, 1e-4, 200), 1),
]);
console.log("hanging: a square metre by two corners, 200 points, 1 s");
const names = [
  "solver",
  "constraint",
  "h s",
  "edge mean",
  "edge max",
  "rounds a step",
  "energy gained J",
];
table(names, still);

const yank = { keys: [{ time: 0.2 }, { time: 0.2 + 1 / 60, translate: [0.2, 0.3, 0.35] }] };
const yanked = schemes.map(([solver, constraint, h]) => {
  const scene = hung({ solver, constraint, h }, 1e-4, 200);
  for (const pin of scene.pins) pin.motion = yank;
  return [solver, constraint, h.toFixed(4), ...measured(scene, 0.7)];
});
console.log(
  "\nthe same, its pins moved by half a metre within 1/60 s (the pins' work counts as energy gained)",
);
table(names, yanked);
