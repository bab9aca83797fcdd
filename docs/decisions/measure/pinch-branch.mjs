/**
 * One shape of folds on four meshes: a square metre whose upper corners are brought to 0.3 m has many equilibria, and each mesh falls into another.
 * The end of one run (1656 points, seed 2, 5 s) is carried to the other meshes, and statics takes each to its equilibrium.
 *
 *   node docs/decisions/measure/pinch-branch.mjs
 *
 * After `npm run build`.
 */
import { createSimulation, edgeStrain, parseScene } from "../../../dist/index.js";

const pinched = (points, seed, more, keys) =>
  createSimulation(
    parseScene({
      seed,
      ...more,
      sheet: {
        shape: { type: "rectangle", width: 1, height: 1 },
        sampling: { points },
        pose: { rotation: [90, 0, 0] },
        material: { density: 0.2, D: 1e-4 },
      },
      pins: [1, -1].map((side) => ({
        at: { corner: side > 0 ? "top-left" : "top-right" },
        motion: { keys: keys([side * 0.35, 0, 0]) },
      })),
    }),
  );

const source = pinched(1656, 2, { seconds: 5, air: { drag: 1.5 } }, (translate) => [
  { time: 0 },
  { time: 1, translate },
]);
while (source.time < 5 - 1e-9) source.step();

/** Barycentric coordinates of (u, v) in triangle t of the source. */
function coordinates({ uv, triangles }, t, u, v) {
  const [a, b, c] = [0, 1, 2].map((k) => 2 * triangles[3 * t + k]);
  const [bu, bv, cu, cv] = [
    uv[b] - uv[a],
    uv[b + 1] - uv[a + 1],
    uv[c] - uv[a],
    uv[c + 1] - uv[a + 1],
  ];
  const det = bu * cv - cu * bv;
  const second = ((u - uv[a]) * cv - cu * (v - uv[a + 1])) / det;
  const third = (bu * (v - uv[a + 1]) - (u - uv[a]) * bv) / det;
  return [1 - second - third, second, third];
}

/** The triangle of the source that holds (u, v), or the nearest. */
function locate(sheet, u, v) {
  let best = { least: Number.NEGATIVE_INFINITY };
  for (let t = 0; 3 * t < sheet.triangles.length; t++) {
    const weights = coordinates(sheet, t, u, v);
    const least = Math.min(...weights);
    if (least > best.least) best = { least, t, weights };
  }
  return best;
}

/** Positions blended from the tangent planes of the three corners, frames interpolated; statics does the rest. */
function carry({ sheet, pose }, { sheet: from, pose: P }) {
  for (let i = 0; i < sheet.n; i++) {
    const [u, v] = [sheet.uv[2 * i], sheet.uv[2 * i + 1]];
    const { t, weights } = locate(from, u, v);
    const smooth = weights.map((l) => l * l * (3 - 2 * l));
    const sum = smooth[0] + smooth[1] + smooth[2];
    const [y, F] = [Array(3).fill(0), Array(6).fill(0)];
    for (let k = 0; k < 3; k++) {
      const q = from.triangles[3 * t + k];
      const [f, s] = [3 * from.n + 6 * q, from.spacing[q]];
      const [du, dv] = [u - from.uv[2 * q], v - from.uv[2 * q + 1]];
      for (let c = 0; c < 3; c++)
        y[c] += (smooth[k] / sum) * (P[3 * q + c] + (P[f + c] * du + P[f + 3 + c] * dv) / s);
      for (let c = 0; c < 6; c++) F[c] += (weights[k] * P[f + c]) / s;
    }
    pose.set(y, 3 * i);
    pose.set(
      F.map((x) => x * sheet.spacing[i]),
      3 * sheet.n + 6 * i,
    );
  }
}

const line = (cells) => console.log(`| ${cells.join(" | ")} |`);
line(["points", "E_b (mJ)", "E_m + E_r", "E_b + E_m + E_r", "with gravity", "stretch max %"]);
line(Array(6).fill("---"));
for (const [points, seed] of [
  [331, 1],
  [662, 1],
  [1656, 2],
  [2716, 1],
]) {
  const simulation = pinched(
    points,
    seed,
    { static: { forceTolerance: 1e-3, maxIterations: 2000 } },
    (translate) => [{ time: 0, translate }],
  );
  if (points === 1656) simulation.pose.set(source.pose);
  else carry(simulation, source);
  const { converged } = simulation.step();
  const { bending, membrane, gravity } = simulation.energy();
  const { stretchMax } = edgeStrain(simulation.sheet, simulation.pose);
  line([
    `${points}${converged ? "" : " (unsolved)"}`,
    ...[bending, membrane, bending + membrane, bending + membrane + gravity].map((E) =>
      (1e3 * E).toFixed(2),
    ),
    (100 * stretchMax).toFixed(2),
  ]);
}
