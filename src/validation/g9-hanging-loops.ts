/**
 * G9: a strip whose ends are joined hangs as a ring or as a pear, two of the loops with which laboratories measure D of cloth and paper.
 *
 * Ring: the common tangent of both ends is level. Pear: both ends point straight down. The strip starts on an isometric curve with these ends, along
 * which its clamps take their directions.
 */
import { type Shot, shot, shotRow } from "./shot.ts";
import {
  type Claim,
  compared,
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

/** m, kg/m², m/s²; `HALF` is half of the strip's length. */
const [HALF, DENSITY, G] = [0.25, 0.15, 9.81];
const WIDTH = HALF / 5;
/** The share of each half along which the pear starts straight, so that its clamps point down on every mesh. */
const STRAIGHT = 0.15;

export const hangingLoops: ValidationTest = {
  name: "G9",
  title: "Hanging ring and pear loop",
  exposes:
    "bending of closed curves: wrong rigidity, clamps that turn, locking where a loop is narrow",
  run,
};

type LoopName = "ring" | "pear";

interface Loop {
  /** From the support to the lowest point, largest half width: over the half length. */
  height: number;
  width: number;
  /** Bending energy of one half, in D w/Lh. */
  energy: number;
  shot: Shot;
}

function loopOf(name: LoopName, gamma: number, sampling: object, resolution: number): Loop {
  const D = (DENSITY * G * HALF ** 3) / gamma;
  const sheet = {
    shape: { type: "rectangle", width: 2 * HALF, height: WIDTH },
    sampling: { ...sampling, spacing: HALF / resolution },
    material: { density: DENSITY, D, poisson: 0 },
  } as const;
  const curve = curveOf(name);
  const { uv, n } = simulate({ sheet }).sheet;
  const positions = new Float64Array(3 * n);
  for (let i = 0; i < n; i++) {
    const [x, z] = curve(uv[2 * i] / HALF);
    positions.set([HALF * x, uv[2 * i + 1], HALF * z], 3 * i);
  }
  const simulation = settled(
    {
      gravity: G,
      sheet: { ...sheet, pose: { type: "file", file: "loop.obj" } },
      pins: ["left", "right"].map((edge) => ({ at: { edge }, kind: "clamp" as const })),
    },
    { readMesh: () => ({ positions, triangles: new Int32Array(0), uv: null }) },
  );
  const { Y } = simulation;
  let [low, wide] = [0, 0];
  for (let i = 0; i < n; i++) {
    wide = Math.max(wide, Math.abs(Y[3 * i]));
    low = Math.min(low, Y[3 * i + 2]);
  }
  return {
    height: -low / HALF,
    width: wide / HALF,
    energy: simulation.energy().bending / ((2 * D * WIDTH) / HALF),
    shot: shot(simulation, `${name}, Gamma = ${gamma}`),
  };
}

/** The start curve, x and z over the half length, at the share s (0 … 2) of it; both ends at the origin. */
function curveOf(name: LoopName): (s: number) => [number, number] {
  if (name === "ring") {
    const radius = 1 / Math.PI;
    return (s) => [radius * Math.sin(s / radius), radius * (Math.cos(s / radius) - 1)];
  }
  // downward angle along one half: straight down, outwards, and level at the lowest point, for the bulge that closes the curve
  const angle = (s: number, bulge: number): number => {
    const t = Math.max(0, (s - STRAIGHT) / (1 - STRAIGHT));
    return Math.PI / 2 + (Math.PI / 2) * t ** 3 - bulge * t * t * (1 - t);
  };
  const steps = 2000;
  const traced = (bulge: number): Float64Array => {
    const at = new Float64Array(2 * steps + 2);
    for (let k = 0; k < steps; k++) {
      const a = angle((k + 0.5) / steps, bulge);
      at[2 * k + 2] = at[2 * k] + Math.cos(a) / steps;
      at[2 * k + 3] = at[2 * k + 1] - Math.sin(a) / steps;
    }
    return at;
  };
  let [low, high] = [0, 20];
  for (let k = 0; k < 60; k++) {
    const bulge = (low + high) / 2;
    if (traced(bulge)[2 * steps] < 0) low = bulge;
    else high = bulge;
  }
  const curve = traced(low);
  return (s) => {
    const side = s <= 1 ? 1 : -1;
    const at = (s <= 1 ? s : 2 - s) * steps;
    const k = Math.min(steps - 1, Math.floor(at));
    const c = (j: number): number =>
      curve[2 * k + j] + (at - k) * (curve[2 * k + 2 + j] - curve[2 * k + j]);
    return [side * c(0), c(1)];
  };
}

/** The reference's table has the loop's name in its first column, which readCsv takes for NaN. */
function referenceOf(text: string, name: LoopName): Record<string, number>[] {
  const [head, ...lines] = text.trim().split(/\r?\n/);
  return readCsv([head, ...lines.filter((line) => line.startsWith(name))].join("\n")).rows;
}

function run(options: TestOptions): TestResult {
  const { fast, read, say } = options;
  const rows: Row[] = [];
  const claims: Claim[] = [];
  const shots: Shot[] = [];
  for (const name of ["ring", "pear"] as const) {
    const reference = referenceOf(read("g9_hanging_loops.csv"), name);
    for (const gamma of fast ? [10] : [1, 10, 100]) {
      const expected = reference.find((row) => row.Gamma_h === gamma)!;
      for (const resolution of resolutions(options)) {
        const heights: number[] = [];
        for (const { name: mesh, sampling } of MESHES) {
          say(`${name}, Γ = ${gamma}, Lh/${resolution}, ${mesh}`);
          const loop = loopOf(name, gamma, sampling, resolution);
          heights.push(loop.height);
          const row = (what: string, value: number, known: number, limit: number): Row =>
            compared({
              what: `${name}, Γ = ${gamma}, ${what}`,
              mesh,
              resolution,
              reference: known,
              ours: value,
              unit: what === "energy" ? "D w/Lh" : "Lh",
              limit: resolution >= (fast ? 30 : 60) ? limit : null,
            });
          rows.push(
            row("height", loop.height, expected.H_over_Lh, 0.005),
            row("half width", loop.width, expected.W_over_Lh, 0.005),
            row("energy", loop.energy, expected.E_half_Lh_over_Dw, 0.01),
          );
          if (mesh === "jittered" && resolution === 30) shots.push(loop.shot);
        }
        if (resolution !== 30) continue;
        const apart = spread(heights, expected.H_over_Lh);
        claims.push({
          what: `${name}, Γ = ${gamma}: spread of the height over the meshes at Lh/30`,
          ours: percent(apart, 3),
          asked: "≤ 0.5 %",
          holds: apart <= 0.005,
        });
      }
    }
  }
  return {
    rows,
    claims,
    plots: [],
    shots: [shotRow(shots, "Loops at rest, jittered, Lh/30")],
    notes: ["Γ = σgLh³/D with half the length of the strip. Both ends are clamps at one place."],
  };
}
