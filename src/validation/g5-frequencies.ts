/** G5: frequencies of strips, clamped without gravity and hanging, and the decay that the integrator alone explains. */
import { PI } from "../linalg/elementary.ts";
import type { SceneInput } from "../scene/input.ts";
import type { Vec3 } from "../scene/scene.ts";
import type { Simulation } from "../simulation.ts";
import { lowestModes, type Mode } from "./modes.ts";
import { type Shot, shot, shotRow } from "./shot.ts";
import {
  type Claim,
  compared,
  edgeMean,
  MESHES,
  percent,
  type Row,
  readCsv,
  resolutions,
  settled,
  simulate,
  spread,
  type TestOptions,
  type TestResult,
  type ValidationTest,
} from "./test.ts";

interface Reference {
  cantilever_zero_g: {
    L_m: number;
    width_m: number;
    sigma_kg_m2: number;
    D_Nm: number;
    f_Hz: number[];
  };
  hanging_strip: {
    L_m: number;
    g: number;
    D0_f_Hz: number[];
    finite: { Gamma: number; top: "pinned" | "clamped"; f_Hz: number[] }[];
  };
  backward_euler_law: { f_Hz: number; dt_s: number; amplitude_factor_per_period: number }[];
}

const SIGMA = 0.15;
/** Towards the camera. */
const SIDE: { from: Vec3 } = { from: [0.4, -1, 0.25] };

export const frequencies: ValidationTest = {
  name: "G5",
  title: "Frequencies",
  exposes: "wrong stiffness or mass, energy lost by the solver beyond the integrator's own loss",
  run,
};

function run(options: TestOptions): TestResult {
  const { fast, say } = options;
  const reference = JSON.parse(options.read("g5_frequencies.json")) as Reference;
  const rows: Row[] = [];
  const claims: Claim[] = [];
  const { L_m: L, width_m, sigma_kg_m2, D_Nm, f_Hz } = reference.cantilever_zero_g;
  const clamped = (sampling: object, resolution: number): SceneInput => ({
    gravity: 0,
    sheet: {
      shape: { type: "rectangle", width: L, height: width_m },
      sampling: { ...sampling, spacing: L / resolution },
      material: { density: sigma_kg_m2, D: D_Nm, poisson: 0, membraneStiffness: 1e5 },
    },
    pins: [{ at: { edge: "left" }, kind: "clamp" }],
  });
  for (const resolution of resolutions(options)) {
    const first: number[] = [];
    for (const { name: mesh, sampling } of MESHES) {
      say(`cantilever, L/${resolution}, ${mesh}`);
      const simulation = simulate(clamped(sampling, resolution));
      const found = bendingModes(simulation, 2, 3);
      found.forEach((omega, k) => {
        const limit = resolution === 60 ? 0.02 : null;
        const ours = omega / (2 * PI);
        if (k === 0) first.push(ours);
        rows.push(
          compared({
            what: `cantilever without gravity, mode ${k + 1}`,
            mesh,
            resolution,
            reference: f_Hz[k],
            ours,
            unit: "Hz",
            limit,
          }),
        );
      });
    }
    if (resolution === 30) claims.push(meshSpread("cantilever, mode 1", first, f_Hz[0]));
  }
  for (const { gamma, top, f } of hangingCases(reference, fast))
    for (const resolution of resolutions(options)) {
      const first: number[] = [];
      for (const { name: mesh, sampling } of MESHES) {
        say(`hanging, Γ = ${gamma}, ${top}, L/${resolution}, ${mesh}`);
        const { L_m: length, g } = reference.hanging_strip;
        const finite = gamma === Infinity ? 1e6 : gamma;
        const simulation = settled({
          gravity: g,
          sheet: {
            shape: { type: "rectangle", width: 0.1, height: length },
            sampling: { ...sampling, spacing: length / resolution },
            pose: { rotation: [90, 0, 0] },
            material: { density: SIGMA, D: (SIGMA * g * length ** 3) / finite, poisson: 0 },
          },
          pins: [{ at: { edge: "top" }, kind: top === "clamped" ? "clamp" : "hinge" }],
        });
        const found = bendingModes(simulation, 1, 3);
        found.forEach((omega, k) => {
          const ours = omega / (2 * PI);
          if (k === 0) first.push(ours);
          rows.push(
            compared({
              what: `hanging, Γ = ${gamma === Infinity ? "∞" : gamma}, ${top}, mode ${k + 1}`,
              mesh,
              resolution,
              reference: f[k],
              ours,
              unit: "Hz",
              limit: resolution === 60 ? 0.02 : null,
            }),
          );
        });
      }
      if (resolution === 30)
        claims.push(meshSpread(`hanging, Γ = ${gamma}, ${top}, mode 1`, first, f[0]));
    }
  const decay = swing(reference, options.read("g5_initial_mode1.csv"), clamped, say, fast);
  rows.push(...decay.rows);
  claims.push(...decay.claims);
  return {
    rows,
    claims,
    plots: [],
    shots: [decay.shot],
    notes: [
      "Frequencies are those of the second derivative of the energy at equilibrium, found by subspace iteration with direct solves: no time step is in them. Modes are told apart by their shape: bending moves whole rows across the strip, twisting does not. Where modes of nearly one frequency mix (a limp strip's), the mean of their squares, by the share of bending in each, is taken.",
      "Γ = ∞ is run at 1e6, where the bending length of 5 mm is below the spacing: some ways to flutter across the width have ω² < 0 there on irregular meshes, so that the flat strip would gather tiny wrinkles. The modes compared are those that move whole rows.",
    ],
  };
}

function hangingCases(
  { hanging_strip }: Reference,
  fast: boolean,
): { gamma: number; top: "pinned" | "clamped"; f: number[] }[] {
  const finite = hanging_strip.finite
    .filter(({ Gamma, top }) => (fast ? Gamma === 1000 && top === "clamped" : Gamma <= 1000))
    .map(({ Gamma, top, f_Hz }) => ({ gamma: Gamma, top, f: f_Hz }));
  return fast ? finite : [...finite, { gamma: Infinity, top: "pinned", f: hanging_strip.D0_f_Hz }];
}

function meshSpread(what: string, values: readonly number[], scale: number): Claim {
  const wide = spread(values, scale);
  return {
    what: `${what}: spread over the meshes at L/30`,
    ours: percent(wide, 3),
    asked: "≤ 1.5 %",
    holds: wide <= 0.015,
  };
}

/** Of the motion of a mode, or of modes of nearly one frequency, the least share that whole rows make together. */
const TOGETHER = 0.8;
/** 1: frequencies this near mix. A limp strip hardly cares whether its two halves swing together. */
const NEAR = 0.02;

/** Frequencies (rad/s) of the first modes that move whole rows across the strip along `axis`. */
function bendingModes(simulation: Simulation, axis: number, count: number): number[] {
  let found: number[] = [];
  // a limp strip twists and flutters across its width in many ways before it bends for the third time
  for (const among of [10, 24, 48]) {
    const modes = lowestModes(simulation, among).map((mode) => ({
      square: mode.square,
      share: together(simulation, mode, axis),
    }));
    found = [];
    for (let k = 0; k < modes.length; k++) {
      // mixed modes: the mean of their squares is that of the unmixed one
      let [share, square] = [0, 0];
      let last = k;
      for (let j = k; j < modes.length; j++) {
        if (modes[j].square > modes[k].square * (1 + NEAR) ** 2) break;
        share += modes[j].share;
        square += modes[j].share * modes[j].square;
        last = j;
        if (share > TOGETHER) break;
      }
      if (modes[k].share < 0.1 || share < TOGETHER) continue;
      found.push(Math.sqrt(square / share));
      k = last;
    }
    if (found.length >= count) break;
  }
  // a mode that is not found is a number out of its band, not one left out
  return Array.from({ length: count }, (_, k) => found[k] ?? Number.NaN);
}

/** The share of a mode's motion that is along the axis and alike across the strip. */
function together({ sheet, system: { m } }: Simulation, { shape }: Mode, axis: number): number {
  const { uv } = sheet;
  const along = axis === 2 ? 0 : 1;
  let length = 0;
  for (let i = 0; i < sheet.n; i++) length = Math.max(length, uv[2 * i + along]);
  const slices = 16;
  const mass = new Float64Array(slices);
  const sum = new Float64Array(slices);
  let whole = 0;
  for (let i = 0; i < sheet.n; i++) {
    const slice = Math.min(slices - 1, Math.floor((slices * uv[2 * i + along]) / length));
    mass[slice] += m[i];
    sum[slice] += m[i] * shape[3 * i + axis];
    for (let c = 0; c < 3; c++) whole += m[i] * shape[3 * i + c] ** 2;
  }
  let alike = 0;
  for (let k = 0; k < slices; k++) if (mass[k] > 0) alike += sum[k] ** 2 / mass[k];
  return alike / whole;
}

/** The first mode released: its period, and how much of its amplitude a period of implicit Euler leaves. */
function swing(
  reference: Reference,
  start: string,
  clamped: (sampling: object, resolution: number) => SceneInput,
  say: (what: string) => void,
  fast: boolean,
): { rows: Row[]; claims: Claim[]; shot: Shot } {
  say("cantilever released from its first mode, implicit Euler at 1 ms");
  const h = 1e-3;
  const simulation = simulate({
    ...clamped({ type: "irregular" }, fast ? 15 : 30),
    h,
    integrator: "euler",
    seconds: 1.1,
  });
  const curve = readCsv(start).rows;
  const { sheet, Y } = simulation;
  for (let i = 0; i < sheet.n; i++) {
    const [x, z] = along(curve, sheet.uv[2 * i]);
    Y[3 * i] = x;
    Y[3 * i + 2] = z;
  }
  simulation.setState({}); // the step before was elsewhere
  const [heights, shots]: [number[], Shot[]] = [[], [shot(simulation, "0 s", SIDE)]];
  for (let k = 0; k < Math.round(1.05 / h); k++) {
    simulation.step();
    heights.push(edgeMean(simulation, "right")[2]);
    // a quarter and a half of the period of 0.51 s
    if (k === 126 || k === 253)
      shots.push(shot(simulation, `${simulation.time.toFixed(3)} s`, SIDE));
  }
  // extremes: down, up again, down
  const peaks: { time: number; height: number }[] = [{ time: 0, height: along(curve, 1e9)[1] }];
  for (let k = 1; k + 1 < heights.length; k++) {
    const [a, b, c] = [heights[k - 1], heights[k], heights[k + 1]];
    if ((b - a) * (c - b) >= 0) continue;
    const shift = (0.5 * (a - c)) / (a - 2 * b + c);
    peaks.push({ time: (k + 1 + shift) * h, height: b - 0.25 * (a - c) * shift });
  }
  const period = peaks[2].time - peaks[0].time;
  const factor = peaks[2].height / peaks[0].height;
  const law = reference.backward_euler_law.find(
    ({ f_Hz, dt_s }) => Math.abs(f_Hz - reference.cantilever_zero_g.f_Hz[0]) < 1e-9 && dt_s === h,
  )!;
  return {
    shot: shotRow(shots, "A cantilever released from its first mode, jittered"),
    rows: [
      compared({
        what: "cantilever released from its first mode: frequency",
        mesh: "jittered",
        resolution: fast ? 15 : 30,
        reference: reference.cantilever_zero_g.f_Hz[0],
        ours: 1 / period,
        unit: "Hz",
        limit: 0.02,
      }),
    ],
    claims: [
      {
        what: "amplitude left after one period of implicit Euler at 1 ms",
        ours: factor.toFixed(4),
        asked: `${law.amplitude_factor_per_period.toFixed(4)}, at most half as much decay again`,
        holds: 1 - factor <= 1.5 * (1 - law.amplitude_factor_per_period) && factor < 1,
      },
    ],
  };
}

/** x and z of the curve at arc length s. */
function along(curve: readonly Record<string, number>[], s: number): [number, number] {
  const last = curve[curve.length - 1];
  if (s >= last.s_m) return [last.x_m, last.z_m];
  const k = curve.findIndex((row) => row.s_m > s);
  const [a, b] = [curve[k - 1], curve[k]];
  const t = (s - a.s_m) / (b.s_m - a.s_m);
  return [a.x_m + t * (b.x_m - a.x_m), a.z_m + t * (b.z_m - a.z_m)];
}
