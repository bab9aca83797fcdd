/**
 * G7: wrinkles of a strip on a foundation of springs, its ends brought together.
 *
 * At 2.0 % of shortening even wrinkles branch into such as gather at one end, and are not stable beyond it (g7_wrinkle_sensitivity.py);
 * those have less energy (g7_wrinkle_branches.py; the first reference searched even wrinkles and such as gather amid the strip). Noise
 * then grows into them, and a trace of even waves for a while into even ones, so both branches are run, each against its own solution.
 *
 * What is compared follows from that. Amplitude over the strip, wavelength and energy are well determined everywhere. The height of
 * the largest wrinkle is not: on the plane curve itself a stiffness that changes by a thousandth along the strip raises it by 2 % at 1 % of
 * shortening, and without bound at 2 %. So it is held to a band at 1 %, and elsewhere only reported.
 */
import type { LinePlot } from "../picture/plots.ts";
import type { SamplingInput, SheetInput } from "../scene/input.ts";
import { foundationWrinkles } from "../scene/library/skin.ts";
import type { Vec3 } from "../scene/scene.ts";
import type { Simulation } from "../simulation.ts";
import { lineWavelength } from "../substrate/spectrum.ts";
import { type Shot, shot } from "./shot.ts";
import {
  type Claim,
  compared,
  MESHES,
  percent,
  type Row,
  readCsv,
  simulate,
  spread,
  type TestOptions,
  type TestResult,
  type ValidationTest,
} from "./test.ts";

type Branch = "uniform" | "end";

interface Branches {
  table: {
    branch: Branch;
    shortening_over_L: number;
    E_over_PcDelta: number;
    zmax_over_lambda0: number;
  }[];
}

/** The heights' dependence on unevenness; `stable_up_to` is the shortening at which even wrinkles branch. */
interface Sensitivity {
  stable_up_to: number;
}

interface First {
  table: {
    L_over_lambda0: number;
    shortening_over_L: number;
    half_waves: number;
    E_over_PcDelta: number;
    zmax_over_lambda0: number;
  }[];
}

const [D, K] = [1e-4, 1e4];

export const wrinkle: ValidationTest = {
  name: "G7",
  title: "Wrinkles on a foundation",
  exposes:
    "bending and foundation out of proportion, compression taken up by the mesh instead of by wrinkles",
  run,
};

/** How the strip starts: with noise alone, or with a trace of ten even half waves. */
type Start = "noise" | "even";

interface Case {
  stiffer: number;
  eps: number;
  start: Start;
  branch: Branch;
  /** Simulated; the ends are where they go after 1 s. */
  seconds: number;
  /** Points per wave. */
  spacings: readonly number[];
}

/** Coarse, medium, fine; only what is asked of heights needs the last. */
const [COARSE, MEDIUM, FINE] = [12, 20, 30];
const HEIGHT_LIMIT: Record<number, number> = { [COARSE]: 0.1, [MEDIUM]: 0.05, [FINE]: 0.05 };
/** From the side; every point is held along y, which is not worth a mark each. */
const VIEW: { from: Vec3; pins: boolean } = { from: [0.25, -1, 0.45], pins: false };
/** λ₀: 0.06 m of the first reference. */
const WIDTH = 0.955;

const CASES: readonly Case[] = [
  { ...noise(0.01), spacings: [COARSE, MEDIUM, FINE] },
  noise(0.02),
  { ...noise(0.02), stiffer: 4 },
  // not stable: it would gather within seconds
  { ...noise(0.05), start: "even", seconds: 1 },
  { ...noise(0.05), branch: "end", seconds: 5 },
];

function noise(eps: number): Case {
  const spacings = [COARSE, MEDIUM];
  return { stiffer: 1, eps, start: "noise", branch: "uniform", seconds: 3, spacings };
}

function run(options: TestOptions): TestResult {
  const { fast, read, say } = options;
  const { table } = JSON.parse(read("g7_wrinkle_branches.json")) as Branches;
  const first = (JSON.parse(read("g7_wrinkle.json")) as First).table;
  const { stable_up_to: stable } = JSON.parse(read("g7_wrinkle_sensitivity.json")) as Sensitivity;
  const rows: Row[] = [];
  const claims: Claim[] = [];
  const plots: LinePlot[] = [];
  const shots: Shot[] = [];
  const shape = readCsv(read("g7_wrinkle_shape_eps05.csv")).rows;
  for (const { stiffer, eps, start, branch, seconds, spacings } of fast ? [noise(0.02)] : CASES) {
    const known = table.find((r) => r.shortening_over_L === eps && r.branch === branch)!;
    // even wrinkles are the first reference's, and the second's solver must find the same
    const even = first.find((r) => r.L_over_lambda0 === 5 && r.shortening_over_L === eps);
    const expected = branch === "uniform" && even ? even : known;
    const what = `${stiffer === 1 ? "" : `${stiffer} D, `}shortened by ${(100 * eps).toFixed(0)} %, ${branch === "end" ? "gathered at one end" : "even"}`;
    for (const perWave of fast ? [MEDIUM] : spacings) {
      const amplitudes: number[] = [];
      for (const { name: mesh, sampling } of fast ? MESHES.slice(0, 1) : MESHES) {
        say(`${stiffer} D, shortened by ${eps} from ${start}, λ₀/${perWave}, ${mesh}`);
        const found = wrinkled(stiffer * D, eps, start, sampling, perWave, fast ? 1 : seconds);
        amplitudes.push(found.amplitude / found.lambda);
        rows.push(...comparedWith(expected, found, { what, eps, stable, branch, mesh, perWave }));
        claims.push(...claimsOf(found, even, { what, branch, mesh, perWave }));
        const told = branch === "end" ? "From noise, shortened by 5 %" : "From even waves, 5 %";
        if (perWave === MEDIUM && (fast || (eps === 0.05 && mesh !== "structured")))
          shots.push(shot(found.simulation, `${fast ? what : told}, ${mesh}`, VIEW));
        if (eps === 0.05 && mesh === "structured" && perWave === MEDIUM)
          plots.push(shapePlot(told, branch, shape, found));
      }
      if (branch === "uniform" && perWave === MEDIUM && !fast)
        claims.push({
          what: `${what}, λ₀/${perWave}: spread of the amplitude over meshes`,
          ours: percent(spread(amplitudes, expected.zmax_over_lambda0)),
          asked: "≤ 1.5 %",
          holds: spread(amplitudes, expected.zmax_over_lambda0) <= 0.015,
        });
    }
  }
  if (!fast) claims.push(growth(say));
  return {
    rows,
    claims,
    plots,
    shots,
    notes: [
      "The strip is a cut out of a wide sheet: held along y, so that it cannot turn on its edge (vertical springs would not hinder it).",
      "The reference does not stretch. Our membrane of 10⁴ N/m takes up P_c/10⁴ of the shortening itself, a fiftieth of it at 1 %, and leaves the rest to the wrinkles: their energy is asked over P_c times that rest (Δ′ = Δ less √(2E_m/K_m) of the length, by the membrane's own energy E_m) and told over P_c Δ. With 10⁵ N/m the energy over P_c Δ itself is within 0.2 %.",
      "Up and down are the same to the sheet: ours is drawn on the side of the reference's.",
      `The largest height is asked at 1 % only. Wrinkles share the shortening unevenly for next to no energy: on the plane curve itself springs that are half a hundredth stiffer at one end than at the other make the largest wrinkle 10 % higher at 1 % (g7_wrinkle_sensitivity.py), and at ${percent(stable, 1)} even wrinkles branch into gathered ones, so that at 2 % any unevenness of a mesh decides heights and at 5 % even wrinkles are an equilibrium that is not stable. Amplitude over the strip, wavelength and energy do not depend on that, and are asked everywhere.`,
      "At 5 % the strip that starts from noise gathers its wrinkles at one end, a branch that the first reference did not search; solved by itself (g7_wrinkle_branches.py) it has 0.9710 P_c Δ where even wrinkles have 0.9876. Started from a trace of gathered waves it comes to the same state; from a trace of even waves it keeps to them for a second.",
    ],
    short: [
      "On a membrane of 10⁵ N/m, which takes up less of the shortening, the wrinkles have not shared it evenly after 3 s: from noise at λ₀/20 and 1 % the largest height is 13 % off on a grid and 10 % on a jittered mesh, at an energy that is right to 0.2 %. So it is run on 10⁴ N/m.",
    ],
  };
}

/** One mesh of one case. */
interface Sample {
  what: string;
  branch: Branch;
  mesh: string;
  perWave: number;
}

/** Height, energy, amplitude and wavelength against the reference. */
function comparedWith(
  expected: { zmax_over_lambda0: number; E_over_PcDelta: number },
  found: Wrinkled,
  { what, eps, stable, branch, mesh, perWave }: Sample & { eps: number; stable: number },
): Row[] {
  const { lambda } = found;
  const common = { mesh, resolution: 5 * perWave };
  const rows = [
    compared({
      what: `${what}: largest height`,
      ...common,
      reference: expected.zmax_over_lambda0,
      ours: found.height / lambda,
      unit: "λ₀",
      limit: eps < stable ? HEIGHT_LIMIT[perWave] : null,
    }),
    compared({
      what: `${what}: energy over what wrinkles took up`,
      ...common,
      reference: expected.E_over_PcDelta,
      ours: found.energy / (1 - found.stretched),
      unit: "P_c Δ′",
      limit: perWave === COARSE ? null : 0.02,
    }),
    compared({
      what: `${what}: energy`,
      ...common,
      reference: expected.E_over_PcDelta,
      ours: found.energy,
      unit: "P_c Δ",
    }),
  ];
  if (branch === "uniform")
    rows.push(
      compared({
        what: `${what}: amplitude (√2 times the root mean square)`,
        ...common,
        reference: expected.zmax_over_lambda0,
        ours: found.amplitude / lambda,
        unit: "λ₀",
        limit: 0.05,
      }),
      compared({
        what: `${what}: wavelength`,
        ...common,
        reference: 1,
        ours: found.wavelength / lambda,
        unit: "λ₀",
        limit: 0.03,
      }),
    );
  return rows;
}

/** Even wrinkles are as many as the reference has; gathered ones have less energy than even ones. */
function claimsOf(
  found: Wrinkled,
  even: { E_over_PcDelta: number } | undefined,
  { what, branch, mesh, perWave }: Sample,
): Claim[] {
  const waves = halfWaves(found.profile);
  const still = `${found.speed.toExponential(0)} m/s`;
  if (branch === "uniform")
    return [
      {
        what: `${what}, λ₀/${perWave}, ${mesh}: half waves`,
        ours: `${waves} (still moving by ${still})`,
        asked: "9 to 11 (reference 10)",
        holds: waves >= 9 && waves <= 11,
      },
    ];
  if (perWave === COARSE || !even) return [];
  const ownEnergy = found.energy / (1 - found.stretched);
  return [
    {
      what: `${what}, λ₀/${perWave}, ${mesh}: energy below that of even wrinkles`,
      ours: `${ownEnergy.toFixed(4)} P_c Δ′ (still moving by ${still})`,
      asked: `< ${even.E_over_PcDelta.toFixed(4)}`,
      holds: ownEnergy < even.E_over_PcDelta,
    },
  ];
}

function shapePlot(
  title: string,
  branch: Branch,
  shape: readonly Record<string, number>[],
  { profile, lambda, move, side }: Wrinkled,
): LinePlot {
  return {
    title,
    x: { label: "x", unit: "λ₀" },
    y: { label: "z", unit: "λ₀" },
    series: [
      {
        name: branch === "end" ? "even wrinkles (more energy)" : "elastica on springs",
        x: shape.map((r) => r.x_over_lambda0),
        y: shape.map((r) => r.z_over_lambda0),
        style: "reference",
      },
      {
        name: "ours",
        x: profile.map((p) => (p.x - move) / lambda),
        y: profile.map((p) => (side * p.z) / lambda),
        style: "points",
      },
    ],
  };
}

interface Wrinkled {
  simulation: Simulation;
  /** m, λ₀ */
  lambda: number;
  /** m, of each end */
  move: number;
  height: number;
  /** m: √2 times the root mean square, the amplitude of a sine. */
  amplitude: number;
  /** m, by spectrum */
  wavelength: number;
  /** P_c Δ */
  energy: number;
  /** Share of the shortening that the membrane took up. */
  stretched: number;
  profile: { x: number; z: number }[];
  /** 1 or −1: on which side the waves are, against ten half waves that begin upwards. */
  side: number;
  /** m/s, largest, at the end. */
  speed: number;
}

function wrinkled(
  rigidity: number,
  eps: number,
  start: Start,
  sampling: SamplingInput,
  perWave: number,
  seconds: number,
): Wrinkled {
  const lambda = 2 * Math.PI * (rigidity / K) ** 0.25;
  const L = 5 * lambda;
  const scene = foundationWrinkles({
    D: rigidity,
    shortening: eps,
    perWave,
    width: WIDTH * lambda,
  });
  const simulation = simulate({
    ...scene,
    seconds,
    sheet: {
      ...(scene.sheet as SheetInput),
      sampling: { ...sampling, spacing: lambda / perWave },
      noise: start === "noise" ? 1e-5 : 0,
    },
  });
  const { sheet, Y } = simulation;
  if (start === "even")
    for (let i = 0; i < sheet.n; i++)
      Y[3 * i + 2] = 1e-3 * lambda * Math.sin((10 * Math.PI * sheet.uv[2 * i]) / L);
  while (simulation.time < seconds) simulation.step();
  let [height, springs, area, speed] = [0, 0, 0, 0];
  for (let i = 0; i < sheet.n; i++) {
    height = Math.max(height, Math.abs(Y[3 * i + 2]));
    springs += 0.5 * K * sheet.area[i] * Y[3 * i + 2] ** 2;
    area += sheet.area[i];
    speed = Math.max(speed, Math.abs(simulation.V[3 * i + 2]));
  }
  const critical = 2 * Math.sqrt(rigidity * K);
  const { bending, membrane } = simulation.energy();
  const { membraneStiffness } = simulation.scene.sheets[0].material;
  const u = Float64Array.from({ length: sheet.n }, (_, i) => sheet.uv[2 * i]);
  const z = u.map((_, i) => Y[3 * i + 2]);
  const profile = Array.from(u.keys())
    .sort((i, j) => u[i] - u[j])
    .map((i) => ({ x: Y[3 * i], z: z[i] }));
  return {
    simulation,
    lambda,
    move: (eps * L) / 2,
    height,
    amplitude: Math.sqrt((4 * springs) / (K * area)),
    wavelength: lineWavelength(u, z, sheet.area, lambda / 3),
    energy: (bending + springs) / (critical * eps * area),
    stretched: Math.sqrt((2 * membrane) / (membraneStiffness * area)) / eps,
    profile,
    side: z.reduce((sum, x, i) => sum + x * Math.sin((10 * Math.PI * u[i]) / L), 0) < 0 ? -1 : 1,
    speed,
  };
}

/** The wavelength grows as D^¼, on one strip over two decades of D. */
function growth(say: (what: string) => void): Claim {
  const found = [1e-5, 1e-4, 1e-3].map((rigidity) => {
    say(`D = ${rigidity}, half a metre long`);
    const simulation = simulate(
      foundationWrinkles({ D: rigidity, length: 0.5, shortening: 0.01, perWave: 16 }),
    );
    while (simulation.time < 1) simulation.step();
    const { sheet, Y } = simulation;
    const u = Float64Array.from({ length: sheet.n }, (_, i) => sheet.uv[2 * i]);
    const z = u.map((_, i) => Y[3 * i + 2]);
    return lineWavelength(u, z, sheet.area, 0.01);
  });
  const exponent = Math.log(found[2] / found[0]) / Math.log(100);
  return {
    what: `the wavelength over two decades of D, on one strip (${found.map((x) => `${(1000 * x).toFixed(1)} mm`).join(", ")}): exponent`,
    ours: exponent.toFixed(4),
    asked: "0.25 ± 0.02",
    holds: Math.abs(exponent - 0.25) <= 0.02,
  };
}

/** Changes of sign along the line, with those at the ends left out, and one more. */
function halfWaves(line: readonly { z: number }[]): number {
  let most = 0;
  for (const { z } of line) most = Math.max(most, Math.abs(z));
  let count = 0;
  let sign = 0;
  for (const { z } of line) {
    if (Math.abs(z) < 0.1 * most) continue;
    const now = z < 0 ? -1 : 1;
    if (now !== sign) count++;
    sign = now;
  }
  return count;
}
