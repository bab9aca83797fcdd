/**
 * What the default membrane costs and what it hides (src/scene/materials.ts, DEFAULT_MEMBRANE).
 *
 *   node docs/decisions/measure/membrane.mjs
 *
 * After `npm run build`. Counts of iterations are the same on every machine; times are not printed.
 */
import { createSimulation, edgeStrain, parseScene } from "../../../dist/index.js";
import { libraryScene } from "../../../dist/scenes.js";

const line = (cells) => console.log(`| ${cells.join(" | ")} |`);

function dynamic(name, points, seconds, K) {
  const { sheet, ...input } = libraryScene(name).input();
  const simulation = createSimulation(
    parseScene({
      ...input,
      sheet: {
        ...sheet,
        sampling: { points },
        material: { ...sheet.material, membraneStiffness: K },
      },
    }),
  );
  let [rounds, inner, steps, unsolved, ever] = [0, 0, 0, 0, 0];
  while (simulation.time < seconds - 1e-9) {
    const report = simulation.step();
    rounds += report.rounds;
    inner += report.cgIterations;
    steps++;
    unsolved += report.converged ? 0 : 1;
    ever = Math.max(ever, edgeStrain(simulation.sheet, simulation.pose).stretchMax);
  }
  line([
    `${name}, ${points} points, ${seconds} s`,
    K / 1000,
    (rounds / steps).toFixed(1),
    (inner / steps).toFixed(0),
    `${unsolved} of ${steps}`,
    (100 * ever).toFixed(2),
  ]);
}

/** A strip of 150 g/m² on edge, clamped at one end, too stiff to buckle sideways: its sag in % of its length. */
function onEdge(length, width, K) {
  const simulation = createSimulation(
    parseScene({
      static: { forceTolerance: 1e-4 },
      sheet: {
        shape: { type: "rectangle", width: length, height: width },
        sampling: { type: "grid", spacing: width / 8 },
        pose: { rotation: [90, 0, 0] },
        material: {
          density: 0.15,
          D: 1e-2 * (length / 0.3) ** 3,
          ...(K === null ? {} : { membraneStiffness: K }),
        },
      },
      pins: [{ at: { edge: "left" }, kind: "clamp" }],
    }),
  );
  simulation.step();
  const { edges } = simulation.sheet.parts[0];
  const height = (edge) =>
    edges[edge].reduce((sum, i) => sum + simulation.Y[3 * i + 2], 0) / edges[edge].length;
  line([
    `${length} × ${width} m`,
    simulation.scene.sheets[0].material.membraneStiffness / 1000,
    ((100 * (height("left") - height("right"))) / length).toFixed(3),
  ]);
}

line(["scene", "K, kN/m", "rounds a step", "inner iterations", "unsolved", "stretch ever, %"]);
line(Array(6).fill("---"));
for (const K of [1e4, 4e4]) dynamic("pinned-cloth", 300, 0.6, K);
for (const K of [5e3, 1e4, 4e4]) dynamic("drape-coarse", 400, 1, K);
console.log();
line(["strip on edge", "K, kN/m", "sag, % of its length"]);
line(Array(3).fill("---"));
for (const [length, width] of [
  [0.3, 0.1],
  [1, 0.33],
])
  onEdge(length, width, null);
