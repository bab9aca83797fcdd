/**
 * Decision 0016: a balloon of two discs that are sewn at the rim and start in one plane, at the default membrane, with and without contact of its layers. For
 * five meshes: volume in motion and in equilibrium, of the 1.2185 R³ that two inextensible discs can hold, and pairs of triangles that intersect at the end.
 *
 *   node docs/decisions/measure/balloon.mjs [points] [seconds] [seeds, as 1,2] [contact: with contact alone]
 *
 * After `npm run build`.
 */
import { createSimulation, parseScene } from "../../../dist/index.js";
import { selfIntersections } from "../../../dist/system/contact/intersections.js";
import { table } from "./table.mjs";

const points = Number(process.argv[2] ?? 120);
const seconds = Number(process.argv[3] ?? 0.5);
const R = 0.25;
const SIDES = 24;
const rim = Array.from({ length: SIDES }, (_, k) => {
  const angle = (2 * Math.PI * k) / SIDES;
  return [R * Math.cos(angle), R * Math.sin(angle)];
});
const edges = { up: [0, SIDES / 2], down: [SIDES / 2, 0] };

function balloon(seed, self, rest) {
  const shape = {
    type: "garment",
    panels: [
      { name: "front", points: rim, edges },
      { name: "back", points: rim, edges, place: { rotation: [180, 0, 0] } },
    ],
    seams: [
      { from: "front:up", to: "back:down", reversed: true },
      { from: "front:down", to: "back:up", reversed: true },
    ],
  };
  const material = { D: 1e-5, density: 0.1, thickness: 5e-4 };
  return createSimulation(
    parseScene({
      seed,
      gravity: 0,
      pressure: 100,
      air: { drag: 0.5 },
      contact: { self },
      sheet: { shape, sampling: { points }, material },
      ...rest,
    }),
  );
}

/** Share of what two inextensible discs can hold. */
function volume({ Y, sheet: { triangles } }) {
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    for (let k = 0; k < 3; k++) {
      const [u, v] = [(k + 1) % 3, (k + 2) % 3];
      sum += (Y[a + k] * (Y[b + u] * Y[c + v] - Y[b + v] * Y[c + u])) / 6;
    }
  }
  return sum / (1.2185 * R ** 3);
}

const rows = [];
const seeds = (process.argv[4] ?? "1,2,3,4,5").split(",").map(Number);
const kinds = process.argv[5] === "contact" ? [true] : [false, true];
for (const self of kinds)
  for (const seed of seeds) {
    const [moving, still] = [balloon(seed, self, {}), balloon(seed, self, { static: {} })];
    let unsolved = 0;
    while (moving.time < seconds - 1e-9) if (!moving.step().converged) unsolved++;
    const isReached = still.step().converged;
    const { Y, sheet } = moving;
    rows.push([
      self ? "yes" : "no",
      seed,
      volume(moving).toFixed(4),
      isReached ? volume(still).toFixed(4) : "not reached",
      `${(100 * (volume(moving) / volume(still) - 1)).toFixed(1)} %`,
      selfIntersections({ Y, triangles: sheet.triangles, sewn: sheet.sewn }).length / 2,
      unsolved,
    ]);
  }
console.log(`a balloon of ${points} points after ${seconds} s`);
table(
  [
    "contact of layers",
    "seed",
    "in motion",
    "in equilibrium",
    "apart",
    "intersecting pairs",
    "unsolved",
  ],
  rows,
);
