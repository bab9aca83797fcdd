/**
 * Decision 0009: a cotton disc that falls over a round table: on a cylinder with a sharp rim, one with a rounded rim, and a mesh; at several thicknesses.
 * After `npm run build`: node docs/decisions/measure/tablecloth.mjs [points|all] [sharp|rounded|meshed|all] [thickness in mm|all] [seconds] [drag in N·s/m³]
 */
import { createSimulation, edgeStrain, parseScene } from "../../../dist/index.js";
import { selfIntersections } from "../../../dist/system/contact/intersections.js";
import { percent, table } from "./table.mjs";

const RADIUS = 0.5;
const LENGTH = 0.75;
const SECONDS = Number(process.argv[5] ?? 2);
/** N·s/m³: of the air. Without it nothing but the integrator damps the cloth. */
const DRAG = Number(process.argv[6] ?? 0);
/** m/s: the fastest point of a cloth at rest. */
const RESTING = 1e-3;
/** m: a fold is a maximum of the distance from the axis, along the rim of the cloth, that stands out by this much. */
const FOLD = 0.02;

const bodies = {
  sharp: { type: "cylinder", radius: RADIUS, length: LENGTH },
  rounded: { type: "cylinder", radius: RADIUS, length: LENGTH, rounding: 0.01 },
  meshed: { type: "mesh", file: "table.obj" },
};

/** A prism of 48 sides. */
function prism(sides = 48) {
  const positions = [];
  const triangles = [];
  for (const z of [-LENGTH / 2, LENGTH / 2]) {
    for (let k = 0; k < sides; k++) {
      const angle = (2 * Math.PI * k) / sides;
      positions.push(RADIUS * Math.cos(angle), RADIUS * Math.sin(angle), z);
    }
    positions.push(0, 0, z);
  }
  const top = sides + 1;
  for (let k = 0; k < sides; k++) {
    const next = (k + 1) % sides;
    triangles.push(sides, next, k, top + sides, top + k, top + next);
    triangles.push(k, next, top + next, k, top + next, top + k);
  }
  return { positions: Float64Array.from(positions), triangles: Int32Array.from(triangles) };
}

/** Maxima of the distance from the axis along the rim that stand out by FOLD from the minima beside them. */
export function folds(sheet, Y) {
  const rim = sheet.parts[0].edges.outer;
  const far = [...rim].map((i) => Math.hypot(Y[3 * i], Y[3 * i + 1]));
  const lowest = far.indexOf(Math.min(...far));
  let [count, low, high, isUp] = [0, far[lowest], far[lowest], false];
  for (let k = 1; k <= far.length; k++) {
    const r = far[(lowest + k) % far.length];
    if (isUp) {
      high = Math.max(high, r);
      if (r < high - FOLD) [isUp, low] = [false, r];
    } else {
      low = Math.min(low, r);
      if (r > low + FOLD) {
        [isUp, high] = [true, r];
        count++;
      }
    }
  }
  return count;
}

export function tablecloth(points, kind, thickness) {
  const input = {
    seconds: SECONDS,
    sheet: {
      shape: { type: "disc", radius: 0.8 },
      sampling: { points },
      pose: { position: [0, 0, 0.76] },
      material: { preset: "cotton", thickness },
    },
    contact: { self: true },
    air: { drag: DRAG },
    colliders: [{ name: "table", body: bodies[kind], position: [0, 0, LENGTH / 2], friction: 0.4 }],
  };
  return createSimulation(parseScene(input), { readMesh: () => prism() });
}

/** m/s */
function fastestPoint({ sheet, system }) {
  const { V } = system.state;
  let fastest = 0;
  for (let i = 0; i < sheet.n; i++)
    fastest = Math.max(fastest, Math.hypot(V[3 * i], V[3 * i + 1], V[3 * i + 2]));
  return fastest;
}

function measure(points, kind, millimetres) {
  const s = tablecloth(points, kind, millimetres / 1000);
  const before = process.cpuUsage().user;
  let [unsolved, rounds, most, crossings, rest] = [0, 0, 0, 0, 0];
  const speeds = [];
  while (s.time < SECONDS - 1e-9) {
    const report = s.step();
    rounds += report.rounds;
    if (!report.converged) unsolved++;
    const fastest = fastestPoint(s);
    if (fastest > RESTING) rest = s.time;
    if (s.steps % 240 === 0) speeds.push((1000 * fastest).toFixed(1));
    if (s.steps % 24 === 0) {
      most = Math.max(most, edgeStrain(s.sheet, s.pose).stretchMax);
      crossings += selfIntersections({ Y: s.Y, triangles: s.sheet.triangles }).length / 2;
    }
  }
  const seconds = (process.cpuUsage().user - before) / 1e6;
  return [
    points,
    kind,
    millimetres,
    folds(s.sheet, s.Y),
    `${unsolved} of ${s.steps}`,
    crossings,
    percent(most, 2),
    speeds.join(" "),
    rest < s.time ? `${rest.toFixed(1)} s` : "no",
    (rounds / s.steps).toFixed(1),
    seconds.toFixed(0),
  ];
}

const [points, kind, thickness] = process.argv.slice(2);
const chosen = (value, all) => (value && value !== "all" ? [value] : all);
const rows = [];
for (const n of chosen(points, [400, 1500]))
  for (const k of chosen(kind, Object.keys(bodies)))
    for (const mm of chosen(thickness, [0.2, 0.5, 2])) rows.push(measure(Number(n), k, Number(mm)));
console.log(
  `a cotton disc of 0.8 m on a round table of ${RADIUS} m, ${SECONDS} s, drag ${DRAG} N·s/m³`,
);
table(
  [
    "points",
    "table",
    "mm",
    "folds",
    "unsolved",
    "crossings",
    "stretch ever",
    "fastest, mm/s at 1, 2 … s",
    "at rest from",
    "rounds",
    "CPU s",
  ],
  rows,
);
