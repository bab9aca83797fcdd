/** G7: wrinkles of a strip on a foundation of springs, its ends brought together. */
import type { LinePlot } from "../picture/plots.ts";
import { equilibrium } from "../step/equilibrium.ts";
import {
  type Claim,
  compared,
  MESHES,
  type Row,
  readCsv,
  simulate,
  type TestOptions,
  type TestResult,
  type ValidationTest,
} from "./test.ts";

interface Reference {
  table: {
    L_over_lambda0: number;
    shortening_over_L: number;
    half_waves: number;
    E_over_PcDelta: number;
    zmax_over_lambda0: number;
  }[];
}

const [D, K, WIDTH] = [1e-4, 1e4, 0.06];

export const wrinkle: ValidationTest = {
  name: "G7",
  title: "Wrinkles on a foundation",
  exposes:
    "bending and foundation out of proportion, compression taken up by the mesh instead of by wrinkles",
  run: (options) => run(options),
};

function run({ fast, read, say }: TestOptions): TestResult {
  const { table } = JSON.parse(read("g7_wrinkle.json")) as Reference;
  const shape = readCsv(read("g7_wrinkle_shape_eps05.csv")).rows;
  const rows: Row[] = [];
  const claims: Claim[] = [];
  const plots: LinePlot[] = [];
  for (const stiffer of fast ? [1] : [1, 4])
    for (const eps of fast ? [0.05] : stiffer === 1 ? [0.01, 0.02, 0.05, 0.1] : [0.05]) {
      const rigidity = stiffer * D;
      const lambda = 2 * Math.PI * (rigidity / K) ** 0.25;
      const L = 5 * lambda;
      const critical = 2 * Math.sqrt(rigidity * K);
      const expected = table.find((r) => r.shortening_over_L === eps)!;
      for (const { name: mesh, sampling } of fast ? MESHES.slice(1, 2) : MESHES)
        for (const perWave of fast ? [12] : [12, 20]) {
          say(`${stiffer} D, shortened by ${eps}, λ₀/${perWave}, ${mesh}`);
          const move = (eps * L) / 2;
          const simulation = simulate({
            gravity: 0,
            seconds: 1.4,
            h: 1 / 240,
            tolerance: 1e-3,
            air: { drag: 20 },
            foundation: { stiffness: K, axis: [0, 0, 1] },
            sheet: {
              shape: { type: "rectangle", width: L, height: WIDTH },
              sampling: { ...sampling, spacing: lambda / perWave },
              material: { density: 0.1, D: rigidity, poisson: 0, membraneStiffness: 2e4 },
              noise: 1e-5,
            },
            pins: [
              {
                at: { edge: "left" },
                kind: "hinge",
                motion: { keys: [{ time: 1, translate: [move, 0, 0] }] },
              },
              {
                at: { edge: "right" },
                kind: "hinge",
                motion: { keys: [{ time: 1, translate: [-move, 0, 0] }] },
              },
            ],
          });
          while (simulation.time < 1.4) simulation.step();
          const still = equilibrium(simulation.system, {
            forceTolerance: 1e-4,
            maxIterations: 300,
          });
          const { sheet, Y } = simulation;
          const profile = middleLine(simulation.sheet.uv, Y, sheet.n, WIDTH, lambda / perWave);
          let zmax = 0;
          for (let i = 0; i < sheet.n; i++) zmax = Math.max(zmax, Math.abs(Y[3 * i + 2]));
          let foundation = 0;
          for (let i = 0; i < sheet.n; i++)
            foundation += 0.5 * K * sheet.area[i] * Y[3 * i + 2] ** 2;
          const energy = (simulation.energy().bending + foundation) / (critical * eps * L * WIDTH);
          const waves = halfWaves(profile);
          const what = `${stiffer === 1 ? "" : `${stiffer} D, `}shortened by ${(100 * eps).toFixed(0)} %`;
          const common = { mesh, resolution: 5 * perWave };
          rows.push(
            compared({
              what: `${what}: largest height`,
              ...common,
              reference: expected.zmax_over_lambda0,
              ours: zmax / lambda,
              unit: "λ₀",
              limit: 0.1,
            }),
            compared({
              what: `${what}: energy`,
              ...common,
              reference: expected.E_over_PcDelta,
              ours: energy,
              unit: "P_c Δ",
              limit: perWave === 20 ? 0.02 : null,
            }),
          );
          claims.push({
            what: `${what}, λ₀/${perWave}, ${mesh}: half waves`,
            ours: `${waves}${still.converged ? "" : ` (equilibrium to ${still.force.toExponential(0)})`}`,
            asked: `9 to 11 (reference ${expected.half_waves})`,
            holds: waves >= 9 && waves <= 11,
          });
          if (eps === 0.05 && stiffer === 1 && mesh === "jittered" && plots.length === 0)
            plots.push({
              title: "Shape at 5 %",
              x: { label: "x", unit: "λ₀" },
              y: { label: "z", unit: "λ₀" },
              series: [
                {
                  name: "elastica on springs",
                  x: shape.map((r) => r.x_over_lambda0),
                  y: shape.map((r) => r.z_over_lambda0),
                  style: "reference",
                },
                {
                  name: "ours",
                  x: profile.map((p) => (p.x - move) / lambda),
                  y: profile.map((p) => p.z / lambda),
                  style: "points",
                },
              ],
            });
        }
    }
  return {
    rows,
    claims,
    plots,
    notes: [
      "Up and down are the same to the sheet: ours may be the mirror image of the reference's shape.",
    ],
  };
}

/** The points near the middle line, in the order of their material coordinate. */
function middleLine(
  uv: ArrayLike<number>,
  Y: ArrayLike<number>,
  n: number,
  width: number,
  spacing: number,
): { x: number; z: number }[] {
  const line: { u: number; x: number; z: number }[] = [];
  for (let i = 0; i < n; i++)
    if (Math.abs(uv[2 * i + 1] - width / 2) < 0.75 * spacing)
      line.push({ u: uv[2 * i], x: Y[3 * i], z: Y[3 * i + 2] });
  return line.sort((a, b) => a.u - b.u);
}

/** Changes of sign along the line, with those at the ends left out, and one more. */
function halfWaves(line: readonly { z: number }[]): number {
  let most = 0;
  for (const { z } of line) most = Math.max(most, Math.abs(z));
  let count = 0;
  let sign = 0;
  for (const { z } of line) {
    if (Math.abs(z) < 0.15 * most) continue;
    const now = z < 0 ? -1 : 1;
    if (now !== sign) count++;
    sign = now;
  }
  return count;
}
