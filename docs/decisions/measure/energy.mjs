/**
 * What implicit Euler and BDF2 lose without damping at 1/240 s (decision 0013).
 *
 *   node docs/decisions/measure/energy.mjs [seconds]
 *
 * After `npm run build`.
 */
import { createSimulation, edgeStrain, parseScene } from "../../../dist/index.js";

const seconds = Number(process.argv[2] ?? 3);
const rectangle = (width, height, points, material) => ({
  shape: { type: "rectangle", width, height },
  sampling: { points },
  material,
});
const scenes = {
  tumble: {
    gravity: 0,
    sheet: {
      ...rectangle(0.3, 0.3, 80, { density: 0.2, D: 1e-3 }),
      velocity: [1, 0.5, 0.2],
      spin: [200, 0, 400],
    },
  },
  swing: {
    sheet: {
      ...rectangle(0.1, 0.5, 80, { density: 0.15, D: 1.8e-3 }),
      pose: { rotation: [60, 0, 0] },
    },
    pins: [{ at: { edge: "top" }, kind: "hinge" }],
  },
  "two corners": {
    sheet: rectangle(0.5, 0.5, 100, { density: 0.2, D: 1e-4 }),
    pins: [{ at: { corner: "top-left" } }, { at: { corner: "top-right" } }],
  },
};

/** Spin about the centre of mass, kg m²/s. */
function spinOf({ Y, V, sheet }) {
  const centre = [0, 0, 0];
  let area = 0;
  for (let i = 0; i < sheet.n; i++) {
    area += sheet.area[i];
    for (let c = 0; c < 3; c++) centre[c] += sheet.area[i] * Y[3 * i + c];
  }
  const L = [0, 0, 0];
  for (let i = 0; i < sheet.n; i++)
    for (let c = 0; c < 3; c++) {
      const [u, v] = [(c + 1) % 3, (c + 2) % 3];
      const x = (k) => Y[3 * i + k] - centre[k] / area;
      L[c] += sheet.area[i] * (x(u) * V[3 * i + v] - x(v) * V[3 * i + u]);
    }
  return Math.hypot(...L);
}

console.log(
  "| scene | integrator | energy, % | gained at most, % | spin, % | stretch, % | rounds |",
);
console.log("|---|---|---|---|---|---|---|");
for (const [name, scene] of Object.entries(scenes))
  for (const integrator of ["euler", "bdf2"]) {
    const simulation = createSimulation(parseScene({ ...scene, integrator }));
    const [first, spin] = [simulation.energy(), spinOf(simulation)];
    let [most, lowest, stretch, rounds, steps] = [0, first.gravity, 0, 0, 0];
    while (simulation.time < seconds - 1e-9) {
      rounds += simulation.step().rounds;
      steps++;
      const { total, gravity } = simulation.energy();
      most = Math.max(most, total - first.total);
      lowest = Math.min(lowest, gravity);
      stretch = Math.max(stretch, edgeStrain(simulation.sheet, simulation.pose).stretchMax);
    }
    const scale = scene.gravity === 0 ? first.total : first.gravity - lowest;
    const share = (x) => ((100 * x) / scale).toFixed(2);
    const turned = spin > 0 ? (100 * (spinOf(simulation) / spin - 1)).toFixed(2) : "";
    console.log(
      `| ${name} | ${integrator} | ${share(simulation.energy().total - first.total)} | ${share(most)} | ${turned} | ${(100 * stretch).toFixed(2)} | ${(rounds / steps).toFixed(1)} |`,
    );
  }
