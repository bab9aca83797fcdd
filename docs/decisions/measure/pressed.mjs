/**
 * Decision 0009: ten sheets that fall onto each other and a floor, and a film crumpled into a ball of 13 cm.
 * After `npm run build`: node docs/decisions/measure/pressed.mjs [layers|crumple] [points]
 */
import { createSimulation, edgeStrain, parseScene } from "../../../dist/index.js";
import { libraryScene } from "../../../dist/scenes.js";
import { selfIntersections } from "../../../dist/system/contact/intersections.js";
import { percent, table } from "./table.mjs";

const BALL = 0.13;
const LAYERS = 10;

/** Squares of 0.3 m, 4 mm apart, over a floor. */
function layers(points) {
  const sheets = Array.from({ length: LAYERS }, (_, k) => ({
    name: `layer ${k}`,
    shape: { type: "rectangle", width: 0.3, height: 0.3 },
    sampling: { points },
    pose: { position: [0.01 * (k % 3), 0.01 * (k % 2), 0.004 * (k + 1)] },
    material: { density: 0.2, D: 1e-4, thickness: 1e-3 },
  }));
  return {
    seconds: 1,
    air: { drag: 1 },
    contact: { self: true, friction: 0.3 },
    sheets,
    colliders: [{ name: "floor", body: { type: "plane" }, friction: 0.3 }],
  };
}

/** The library's crumple with its planes closer. */
function crumple(points) {
  const input = libraryScene("crumple").input();
  input.sheet.sampling = { points };
  for (const { body, motion } of input.colliders)
    for (const key of motion.keys)
      if (key.time < 2) key.translate = body.normal.map((x) => x * (0.22 - BALL / 2));
  return input;
}

function measure(name, input) {
  const s = createSimulation(parseScene(input));
  let [unsolved, rounds, most, crossings] = [0, 0, 0, 0];
  while (s.time < s.scene.seconds - 1e-9) {
    const report = s.step();
    rounds += report.rounds;
    if (!report.converged) unsolved++;
    most = Math.max(most, edgeStrain(s.sheet, s.pose).stretchMax);
    if (s.steps % 24 === 0)
      crossings += selfIntersections({ Y: s.Y, triangles: s.sheet.triangles }).length / 2;
  }
  const { V } = s.system.state;
  let fastest = 0;
  for (let k = 0; k < 3 * s.sheet.n; k++) fastest = Math.max(fastest, Math.abs(V[k]));
  return [
    name,
    s.sheet.n,
    `${unsolved} of ${s.steps}`,
    crossings,
    percent(most, 2),
    `${(1000 * fastest).toFixed(2)} mm/s`,
    (rounds / s.steps).toFixed(1),
  ];
}

const [which, points] = process.argv.slice(2);
const rows = [];
if (which !== "crumple") rows.push(measure("ten layers", layers(Number(points ?? 60))));
if (which !== "layers") rows.push(measure("crumple, 13 cm", crumple(Number(points ?? 1000))));
table(["scene", "points", "unsolved", "crossings", "stretch ever", "fastest", "rounds"], rows);
