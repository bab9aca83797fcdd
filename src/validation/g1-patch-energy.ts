/** G1: bending energy and residuals of exact isometries, without any solve: flat, cylinders, cones. */
import { cos, PI, sin } from "../linalg/elementary.ts";
import type { SceneInput, ShapeInput } from "../scene/input.ts";
import type { Vec2, Vec3 } from "../scene/scene.ts";
import { averagingWeights } from "../sheet/charts.ts";
import type { Simulation } from "../simulation.ts";
import { isometry } from "../system/isometry.ts";
import { type Shot, shot, shotRow } from "./shot.ts";
import {
  type Claim,
  compared,
  MESHES,
  percent,
  type Row,
  simulate,
  type TestOptions,
  type TestResult,
  type ValidationTest,
} from "./test.ts";

interface Reference {
  params: { D_Nm: number; sheet_m: Vec2 };
  cylinder: { R_m: number; E_J: number }[];
  cone: { r0_m: number; r1_m: number; Phi_rad: number; half_apex_deg: number; E_J: number }[];
  MLS_residual_on_exact_cylinder: {
    R_m: number;
    h_m: number;
    stencil: string;
    max_abs_tr: number;
    max_abs_det: number;
  }[];
}

/** m, coarse to fine. */
const SPACINGS = [0.02, 0.01, 0.005];
const AXES = [0, 30, 45];

export const patchEnergy: ValidationTest = {
  name: "G1",
  title: "Patch energy: flat, cylinders, cones",
  exposes: "wrong scaling of the stiffness, dropped or raw boundary rows, hinge-type energies",
  run,
};

function run({ fast, read, say }: TestOptions): TestResult {
  const reference = JSON.parse(read("g1_patch_energy.json")) as Reference;
  const { D_Nm: D, sheet_m } = reference.params;
  const rows: Row[] = [];
  const claims: Claim[] = [];
  const [width, height] = sheet_m;
  let flat = 0;
  for (const spacing of fast ? SPACINGS.slice(0, 2) : SPACINGS)
    for (const { name: mesh, sampling } of MESHES) {
      say(`${mesh}, spacing ${spacing} m`);
      const energy = bendingOf({ type: "rectangle", width, height }, sampling, spacing, D);
      const resolution = Math.round(width / spacing);
      flat = Math.max(flat, Math.abs(energy((u, v) => [u, v, 0])));
      for (const { R_m: R, E_J } of reference.cylinder)
        for (const axis of AXES)
          rows.push(
            compared({
              what: `cylinder R = ${R} m, axis ${axis}°`,
              mesh,
              resolution,
              reference: E_J,
              ours: energy(cylinder(R, (axis * PI) / 180)),
              unit: "J",
              // the band is asked where a radius is five spacings or more
              limit: R >= 5 * spacing ? 0.01 : null,
            }),
          );
    }
  for (const { name: mesh, sampling } of MESHES)
    for (const spacing of fast ? [0.01] : [0.01, 0.005]) {
      const { r0_m, r1_m, Phi_rad } = reference.cone[0];
      const energy = bendingOf(sector(r0_m, r1_m, Phi_rad), sampling, spacing, D);
      for (const { half_apex_deg, E_J } of reference.cone)
        rows.push(
          compared({
            what: `cone of half apex ${half_apex_deg}°`,
            mesh,
            resolution: Math.round((r1_m - r0_m) / spacing),
            reference: E_J,
            ours: energy(cone((half_apex_deg * PI) / 180)),
            unit: "J",
            limit: 0.03,
          }),
        );
    }
  claims.push({
    what: "a flat sheet has no energy",
    ours: `${flat.toExponential(1)} J`,
    asked: "< 1e-12 J",
    holds: flat < 1e-12,
  });
  claims.push(...stencils(reference));
  return { rows, claims, plots: [], shots: shapes(reference, D), notes: [] };
}

/** What the energies are of, on the jittered mesh of 0.01 m. */
function shapes({ params, cone: [{ r0_m, r1_m, Phi_rad }] }: Reference, D: number): Shot[] {
  const { name: mesh, sampling } = MESHES[1];
  const [width, height] = params.sheet_m;
  const flat: ShapeInput = { type: "rectangle", width, height };
  const posed = (shape: ShapeInput, at: Pose, caption: string): Shot => {
    const simulation = simulate(unloaded(shape, sampling, 0.01, D));
    place(simulation, at);
    return shot(simulation, caption);
  };
  return [
    shotRow(
      [
        posed(flat, cylinder(0.05, 0), "cylinder, R = 0.05 m"),
        posed(flat, cylinder(0.1, PI / 6), "R = 0.1 m, axis 30°"),
        posed(sector(r0_m, r1_m, Phi_rad), cone(PI / 6), "cone of half apex 30°"),
      ],
      `Sheets put on cylinders and cones, ${mesh}, spacing 0.01 m`,
    ),
  ];
}

/** From material coordinates to a place, m. */
type Pose = (u: number, v: number) => Vec3;

function unloaded(shape: ShapeInput, sampling: object, spacing: number, D: number): SceneInput {
  return {
    gravity: 0,
    sheet: {
      shape,
      sampling: { ...sampling, spacing },
      material: { density: 0.1, D, poisson: 0.3 },
    },
  };
}

/** m: frames are the pose's central differences over so much, exact to 1e-10. */
const NEARBY = 1e-5;

function place({ sheet, Y, pose }: Simulation, at: Pose): void {
  const { n, uv, spacing } = sheet;
  const isFramed = pose.length === 9 * n;
  for (let i = 0; i < n; i++) {
    const [u, v] = [uv[2 * i], uv[2 * i + 1]];
    Y.set(at(u, v), 3 * i);
    if (!isFramed) continue;
    const scale = spacing[i] / (2 * NEARBY);
    const along = difference(at(u + NEARBY, v), at(u - NEARBY, v), scale);
    const across = difference(at(u, v + NEARBY), at(u, v - NEARBY), scale);
    pose.set(along, 3 * n + 6 * i);
    pose.set(across, 3 * n + 6 * i + 3);
  }
}

function difference([x, y, z]: Vec3, [a, b, c]: Vec3, scale: number): Vec3 {
  return [scale * (x - a), scale * (y - b), scale * (z - c)];
}

/** Bending energy of a sheet of that shape at a pose given by its material coordinates. */
function bendingOf(
  shape: ShapeInput,
  sampling: object,
  spacing: number,
  D: number,
): (at: Pose) => number {
  const simulation = simulate(unloaded(shape, sampling, spacing, D));
  return (at) => {
    place(simulation, at);
    return simulation.energy().bending;
  };
}

/** Rolled around an axis that makes the angle with v. */
function cylinder(R: number, angle: number): Pose {
  const [c, s] = [cos(angle), sin(angle)];
  return (u, v) => {
    const [around, along] = [c * u + s * v, c * v - s * u];
    return [R * sin(around / R), along, R * (1 - cos(around / R))];
  };
}

/** Half a ring, as a polygon whose arcs have chords far shorter than any spacing. */
function sector(r0: number, r1: number, angle: number): ShapeInput {
  const pieces = 180;
  const arc = (r: number): Vec2[] =>
    Array.from({ length: pieces + 1 }, (_, k) => {
      const phi = (angle * k) / pieces;
      return [r * cos(phi), r * sin(phi)];
    });
  return { type: "polygon", points: [...arc(r1), ...arc(r0).reverse()] };
}

/** The point at (r, φ) of the plane, φ from −π/2 on, goes to azimuth φ/sin α at the same distance from the apex. */
function cone(alpha: number): (u: number, v: number) => Vec3 {
  const [c, s] = [cos(alpha), sin(alpha)];
  return (u, v) => {
    const r = Math.sqrt(u * u + v * v);
    const azimuth = (Math.atan2(-u, v) + PI / 2) / s; // jumps at φ = −π/2, away from the sector
    return [r * s * cos(azimuth), r * s * sin(azimuth), -r * c];
  };
}

/** tr and det of one neighbourhood on an exact cylinder, worst over its axis, against the reference's stencils. */
function stencils(reference: Reference): Claim[] {
  const places: Record<string, Vec2[]> = {
    "hex6 interior": Array.from({ length: 6 }, (_, k) => [cos((k * PI) / 3), sin((k * PI) / 3)]),
    "quad8 interior": square(-1),
    "quad8 half-disc boundary": square(0),
  };
  let worst = 0;
  for (const {
    R_m: R,
    h_m: h,
    stencil,
    max_abs_tr,
    max_abs_det,
  } of reference.MLS_residual_on_exact_cylinder) {
    const around = places[stencil];
    const n = around.length;
    const near = {
      start: Int32Array.of(0, n + 1),
      index: Int32Array.from({ length: n + 1 }, (_, k) => (k + 1) % (n + 1)),
      X: Float64Array.from([...around.flatMap(([u, v]) => [h * u, h * v]), 0, 0]),
    };
    const B = averagingWeights(near, new Float64Array(n + 1).fill(1));
    const g = new Float64Array(2);
    const J = new Float64Array(6 * (n + 1));
    const Y = new Float64Array(3 * (n + 1));
    let [tr, det] = [0, 0];
    for (let k = 0; k <= 60; k++) {
      const roll = cylinder(R, (PI * k) / 60);
      for (let e = 0; e <= n; e++) Y.set(roll(near.X[2 * e], near.X[2 * e + 1]), 3 * near.index[e]);
      isometry(g, J, Y, { n: 1, start: near.start, index: near.index, B });
      tr = Math.max(tr, Math.abs(g[0]));
      det = Math.max(det, Math.abs(g[1]));
    }
    worst = Math.max(worst, Math.abs(tr / max_abs_tr - 1), Math.abs(det / max_abs_det - 1));
  }
  return [
    {
      what: "residual of the averaged F on exact cylinders, all stencils and radii",
      ours: `within ${percent(worst, 4)} of the reference`,
      asked: "≤ 5 %",
      holds: worst <= 0.05,
    },
  ];
}

/** The eight neighbours of a square lattice, or those with y ≥ lowest. */
function square(lowest: number): Vec2[] {
  const out: Vec2[] = [];
  for (const i of [-1, 0, 1])
    for (let j = lowest; j <= 1; j++) if (i !== 0 || j !== 0) out.push([i, j]);
  return out;
}
