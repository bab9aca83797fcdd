/**
 * The tables of decision 0010: what samples with frames give where chords lock.
 *
 *   node docs/decisions/measure/frames.mjs cantilever [--fine]     tip error in % of L, over meshes, Γ and K
 *   node docs/decisions/measure/frames.mjs cloth [--fine]          two-corner cloth held by its corner points, over meshes, D and K
 *   node docs/decisions/measure/frames.mjs cylinder                energies of exact cylinders, worst of six axes
 *   node docs/decisions/measure/frames.mjs pinch                   the same cloth with two corners brought to 0.3 m
 *
 * Numbers behind the name choose from a table: `cantilever --fine 48`, `cloth --fine 2716 1e-4 5e4`, `pinch 331 662`.
 * After `npm run build`. Counts of iterations are the same on every machine; times are not printed.
 */
import { readFileSync } from "node:fs";
import { createSimulation, edgeStrain, parseScene } from "../../../dist/index.js";

const [what, ...flags] = process.argv.slice(2);
const fine = flags.includes("--fine");
/** Sizes and rigidities that are asked for, if not all: numbers behind the name of a table. */
const asked = flags.map(Number).filter((value) => value > 0);
const some = (values) => {
  const wanted = values.filter((value) => asked.includes(value));
  return wanted.length > 0 ? wanted : values;
};
const line = (cells) => console.log(`| ${cells.join(" | ")} |`);

function settled(input) {
  const simulation = createSimulation(
    parseScene({ static: { forceTolerance: 1e-3, maxIterations: 1000 }, ...input }),
  );
  return { simulation, report: simulation.step() };
}

const MESHES = {
  "seed 1": [{ type: "irregular" }, 1],
  "seed 2": [{ type: "irregular" }, 2],
  "seed 3": [{ type: "irregular" }, 3],
  grid: [{ type: "grid" }, 1],
  turned: [{ type: "rotated", angle: 30 }, 1],
};

function cantilever() {
  const file = new URL("../../../validation/reference/g2_cantilever.csv", import.meta.url);
  const [head, ...rows] = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .filter((row) => !row.startsWith("#"));
  const names = head.split(",");
  const reference = rows.map((row) =>
    Object.fromEntries(row.split(",").map((v, k) => [names[k], Number(v)])),
  );
  const [L, density, g] = [0.3, 0.15, 9.81];
  const load = density * g * L;
  const stiffness = [1e3, 1e4, 1e5, 1e6];
  line([
    "Γ",
    "spacing",
    "mesh",
    ...stiffness.map((K) => `K = ${K.toExponential(0)} σgL`),
    "iterations",
  ]);
  line(["---", "---", "---", ...stiffness.map(() => "---"), "---"]);
  for (const gamma of [20, 100, 1000])
    for (const points of some(fine ? [12, 24, 48] : [12, 24]))
      for (const [name, [sampling, seed]] of Object.entries(MESHES)) {
        const exact = reference.find((row) => row.Gamma === gamma);
        let rounds = 0;
        const errors = stiffness.map((K) => {
          const { simulation, report } = settled({
            seed,
            static: { forceTolerance: 1e-5, maxIterations: 1000 },
            sheet: {
              shape: { type: "rectangle", width: L, height: 0.1 },
              sampling: { ...sampling, spacing: L / points },
              material: {
                density,
                D: (load * L * L) / gamma,
                poisson: 0,
                membraneStiffness: K * load,
              },
            },
            pins: [{ at: { edge: "left" }, kind: "clamp" }],
          });
          const { edges } = simulation.sheet.parts[0];
          const mean = (edge, c) =>
            edges[edge].reduce((sum, i) => sum + simulation.Y[3 * i + c], 0) / edges[edge].length;
          rounds += report.rounds;
          const error = Math.hypot(
            (mean("right", 0) - mean("left", 0)) / L - exact.W_over_L,
            mean("right", 2) / L + exact.H_over_L,
          );
          return `${(100 * error).toFixed(3)}${report.converged ? "" : " (unsolved)"}`;
        });
        line([gamma, `L/${points}`, name, ...errors, rounds]);
      }
}

/** Puts a sheet with exact frames on a cylinder whose axis lies at an angle to v. */
function roll({ sheet, pose }, R, degrees) {
  const angle = (degrees * Math.PI) / 180;
  const [c, s, n] = [Math.cos(angle), Math.sin(angle), sheet.n];
  for (let i = 0; i < n; i++) {
    const [u, v, l] = [sheet.uv[2 * i], sheet.uv[2 * i + 1], sheet.spacing[i]];
    const around = (c * u + s * v) / R;
    const [x, z] = [Math.cos(around), Math.sin(around)];
    pose.set([R * z, c * v - s * u, R * (1 - x)], 3 * i);
    pose.set([l * c * x, -l * s, l * c * z, l * s * x, l * c, l * s * z], 3 * n + 6 * i);
  }
}

function cylinder() {
  const [density, g, L, D, spacing] = [0.15, 9.81, 0.3, 1e-4, 0.02];
  const membraneStiffness = 1e6 * density * g * L;
  const radii = { "ℓ/R = 0.25": 0.25, "ℓ/R = 0.6": 0.6, "longest edge/R = 0.25": null };
  const names = Object.keys(radii);
  line(["mesh", "longest edge/ℓ", ...names.flatMap((name) => [`${name}: E_b off %`, "E_m/E_b"])]);
  line(Array(2 + 2 * names.length).fill("---"));
  for (const [name, [sampling, seed]] of Object.entries(MESHES)) {
    const simulation = createSimulation(
      parseScene({
        seed,
        gravity: 0,
        sheet: {
          shape: { type: "rectangle", width: L, height: 0.2 },
          sampling: { ...sampling, spacing },
          material: { density, D, poisson: 0, membraneStiffness },
        },
      }),
    );
    const { sheet, system, pose } = simulation;
    const area = sheet.triangleArea.reduce((sum, a) => sum + a, 0);
    const longest = Math.max(...sheet.edgeLength);
    const cells = Object.values(radii).flatMap((ratio) => {
      const R = ratio === null ? longest / 0.25 : spacing / ratio;
      const exact = (D * area) / (2 * R * R);
      let [bending, membrane] = [0, 0];
      for (const axis of [0, 20, 45, 70, 90, 135]) {
        roll(simulation, R, axis);
        bending = Math.max(bending, Math.abs(simulation.energy().bending / exact - 1));
        const stretched = system.membrane.reduce((sum, set) => sum + set.energy(pose), 0);
        membrane = Math.max(membrane, stretched / exact);
      }
      return [(100 * bending).toFixed(3), membrane.toExponential(1)];
    });
    line([name, (longest / spacing).toFixed(2), ...cells]);
  }
}

/** A square metre; how it hangs, and how it is strained. */
function hung(input) {
  const { simulation, report } = settled(input);
  const { Y, sheet, pose } = simulation;
  let [lowest, mean, area, folded] = [0, 0, 0, 0];
  for (let i = 0; i < sheet.n; i++) {
    lowest = Math.min(lowest, Y[3 * i + 2]);
    mean -= Y[3 * i + 2] * sheet.area[i];
    area += sheet.area[i];
  }
  for (let e = 0; e < sheet.edgeLength.length; e++) {
    const [a, b] = [3 * sheet.edges[2 * e], 3 * sheet.edges[2 * e + 1]];
    if (
      Math.hypot(Y[a] - Y[b], Y[a + 1] - Y[b + 1], Y[a + 2] - Y[b + 2]) <
      0.9 * sheet.edgeLength[e]
    )
      folded++;
  }
  const strain = edgeStrain(sheet, pose);
  const { bending } = simulation.energy();
  return {
    sag: -lowest,
    deflection: mean / area,
    bending,
    strain,
    folded: folded / sheet.edgeLength.length,
    report,
  };
}

function cloth() {
  const meshes = [
    ["662", { points: 662 }, 1],
    ["662, seed 2", { points: 662 }, 2],
    ["625 grid", { type: "grid", points: 625 }, 1],
    ["625 turned", { type: "rotated", angle: 30, points: 625 }, 1],
  ];
  if (fine) meshes.push(["1656", { points: 1656 }, 1], ["2716", { points: 2716 }, 1]);
  line([
    "D",
    "mesh",
    "K",
    "sag",
    "deflection",
    "E_b (mJ)",
    "stretch mean %",
    "stretch max %",
    "chords < 0.9 %",
    "iterations",
  ]);
  line(Array(10).fill("---"));
  for (const D of some(fine ? [1e-6, 1e-5, 1e-4, 1e-3, 1e-2] : [1e-6, 1e-4, 1e-2]))
    for (const [name, sampling, seed] of meshes) {
      if (!some(meshes.map(([, { points }]) => points)).includes(sampling.points)) continue;
      for (const K of some([5e3, 5e4, 5e5])) {
        const end = hung({
          seed,
          sheet: {
            shape: { type: "rectangle", width: 1, height: 1 },
            sampling,
            material: { density: 0.2, D, membraneStiffness: K },
          },
          pins: [{ at: { corner: "top-left" } }, { at: { corner: "bottom-right" } }],
        });
        const { sag, deflection, bending, strain, folded, report } = end;
        line([
          D.toExponential(0),
          name,
          K.toExponential(0),
          sag.toFixed(4),
          deflection.toFixed(4),
          (1e3 * bending).toFixed(2),
          (100 * strain.mean).toFixed(3),
          (100 * strain.stretchMax).toFixed(3),
          (100 * folded).toFixed(1),
          `${report.rounds}${report.converged ? "" : " (unsolved)"}`,
        ]);
      }
    }
}

function pinch() {
  line(["points", "E_b (mJ)", "stretch max %", "iterations"]);
  line(["---", "---", "---", "---"]);
  for (const points of some([331, 662, 1656, 2716])) {
    const simulation = createSimulation(
      parseScene({
        seconds: 4,
        sheet: {
          shape: { type: "rectangle", width: 1, height: 1 },
          sampling: { points },
          pose: { rotation: [90, 0, 0] },
          material: { density: 0.2, D: 1e-4 },
        },
        air: { drag: 1.5 },
        pins: [1, -1].map((side) => ({
          at: { corner: side > 0 ? "top-left" : "top-right" },
          motion: { keys: [{ time: 0 }, { time: 1, translate: [side * 0.35, 0, 0] }] },
        })),
      }),
    );
    let rounds = 0;
    while (simulation.time < 4) rounds += simulation.step().rounds;
    const { stretchMax } = edgeStrain(simulation.sheet, simulation.pose);
    line([
      points,
      (1e3 * simulation.energy().bending).toFixed(1),
      (100 * stretchMax).toFixed(2),
      rounds,
    ]);
  }
}

const tables = { cantilever, cylinder, cloth, pinch };
if (!(what in tables)) {
  console.error(`usage: node frames.mjs ${Object.keys(tables).join("|")} [--fine]`);
  process.exit(2);
}
tables[what]();
