/**
 * Static and dynamic ends of ten small scenes: how far the sheet has fallen on average, and by how much of its size the two differ (decision 0013).
 *
 *   node docs/decisions/measure/ends.mjs
 *
 * After `npm run build`. Dynamic runs end when no point is faster than 0.1 mm/s, after 8 s at the latest.
 */
import { createSimulation, parseScene } from "../../../dist/index.js";

const rectangle = (width, height, points, material, pose = {}) => ({
  shape: { type: "rectangle", width, height },
  sampling: { points },
  material: { density: 0.2, ...material },
  pose,
  noise: 1e-4,
});
const corners = (...names) => names.map((corner) => ({ at: { corner } }));
const strip = (gamma) => ({
  sheet: rectangle(0.3, 0.1, 100, { density: 0.15, D: (0.15 * 9.81 * 0.3 ** 3) / gamma }),
  pins: [{ at: { edge: "left" }, kind: "clamp" }],
});
const scenes = {
  "cantilever, Γ = 20": strip(20),
  "cantilever, Γ = 100": strip(100),
  "two opposite corners, D = 1e-2": {
    sheet: rectangle(1, 1, 120, { D: 1e-2 }),
    pins: corners("bottom-left", "top-right"),
  },
  "two opposite corners, D = 1e-3": {
    sheet: rectangle(1, 1, 120, { D: 1e-3 }),
    pins: corners("bottom-left", "top-right"),
  },
  "strip between hinges": {
    sheet: rectangle(
      0.5,
      0.2,
      100,
      { D: 1.8e-3 },
      { type: "arc", span: 0.4, rotation: [180, 0, 0] },
    ),
    pins: ["left", "right"].map((edge) => ({ at: { edge }, kind: "hinge" })),
  },
  "four corners": {
    sheet: rectangle(0.5, 0.5, 100, { D: 1e-3 }),
    pins: corners("bottom-left", "top-right", "bottom-right", "top-left"),
  },
  "one hinged edge": {
    sheet: rectangle(0.4, 0.3, 100, { D: 1e-3 }),
    pins: [{ at: { edge: "left" }, kind: "hinge" }],
  },
  "disc held in its middle": {
    sheet: {
      shape: { type: "disc", radius: 0.3 },
      sampling: { points: 120 },
      material: { density: 0.2, D: 5e-3 },
    },
    pins: [{ at: { nearest: [0, 0], radius: 0.05 } }],
  },
  "flag with a mass on its corner": {
    sheet: rectangle(0.4, 0.4, 100, { D: 1e-3 }, { rotation: [90, 0, 0] }),
    pins: [{ at: { edge: "left" } }],
    masses: [{ at: { corner: "bottom-right" }, mass: 0.02 }],
  },
  "over the edge of a table": {
    sheet: rectangle(0.6, 0.2, 120, { D: 1e-3 }, { position: [-0.4, -0.1, 0.002] }),
    colliders: [{ body: { type: "edge", radius: 0.02 }, friction: 0.6 }],
  },
};

/** m: mean height, and the root of the area. */
function measure({ sheet, Y }) {
  let [height, area] = [0, 0];
  for (let i = 0; i < sheet.n; i++) {
    height += sheet.area[i] * Y[3 * i + 2];
    area += sheet.area[i];
  }
  return { height: height / area, size: Math.sqrt(area) };
}

const line = (cells) => console.log(`| ${cells.join(" | ")} |`);
line(["scene", "static, m", "dynamic, m", "differ, % of its size", "after, s"]);
line(Array(5).fill("---"));
for (const [name, scene] of Object.entries(scenes)) {
  const still = createSimulation(parseScene({ ...scene, static: { forceTolerance: 1e-4 } }));
  const start = measure(still).height;
  const { converged } = still.step();
  const moving = createSimulation(parseScene({ ...scene, air: { drag: 3 } }));
  let speed = Number.POSITIVE_INFINITY;
  while (moving.time < 8 && (moving.time < 1 || speed > 1e-4)) {
    moving.step();
    speed = moving.V.slice(0, 3 * moving.sheet.n).reduce(
      (most, v) => Math.max(most, Math.abs(v)),
      0,
    );
  }
  const [a, b] = [measure(still), measure(moving)];
  line([
    name,
    `${(start - a.height).toFixed(4)}${converged ? "" : " (unsolved)"}`,
    (start - b.height).toFixed(4),
    ((100 * Math.abs(a.height - b.height)) / a.size).toFixed(3),
    moving.time.toFixed(1),
  ]);
}
