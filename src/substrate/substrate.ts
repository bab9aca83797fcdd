/**
 * The solid under a skin, as a scene says it (§6 Skin).
 *
 * Two-way, the nodes of the solid are further points of the system: they have masses, held ones are pins, their cells and
 * the glue are row sets, and whatever steps or settles the sheet does the same to the solid.
 *
 * One-way, the solid is a system of its own, in equilibrium with its boundary at every time, and the skin follows it on
 * springs (coupling.ts).
 *
 * The first sheet of the scene is the skin; other sheets are not bonded.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import type { Pin, Scene, Substrate as SubstrateScene } from "../scene/scene.ts";
import type { ReadMesh, Sheet } from "../sheet/kinematics.ts";
import type { CompileSolid, PlannedSolid, SolvedSolid } from "../step/methods.ts";
import type { Preconditioner } from "../step/minimise.ts";
import { type BondOptions, type Bonds, bonds, type Cut, cutSkin } from "./coupling.ts";
import { checkMaterial, createSolid, type Solid } from "./solid.ts";
import {
  analyseSolid,
  createSolidSystem,
  type HeldNodes,
  heldNodes,
  type SolidAnalysis,
  type SolidSystem,
  solidFactor,
} from "./solid-solver.ts";
import { SolidError, type SolidMesh, solidMesh } from "./tetrahedra.ts";

/** What is known of a substrate before memory is handed out. */
export interface SubstrateModel extends PlannedSolid {
  readonly scene: SubstrateScene;
  readonly mesh: SolidMesh;
  readonly held: readonly HeldNodes[];
  /** One-way: the solid by itself. */
  readonly alone: SolidSystem | null;
}

/** @throws SolidError for a solid that cannot be simulated */
export function solidOf(
  scene: Scene,
  readMesh: ReadMesh | undefined,
  compile: CompileSolid | null,
): SubstrateModel | null {
  const { substrate } = scene;
  if (substrate === null) return null;
  checkMaterial(substrate);
  const mesh = solidMesh(substrate.shape, substrate.position, (file) => {
    if (!readMesh) throw new SolidError([`"${file}" cannot be read here: no readMesh was given`]);
    return readMesh(file);
  });
  const held = heldNodes(mesh, substrate.held);
  const { twoWay } = substrate.coupling;
  const m = new Float64Array(twoWay ? mesh.n : 0);
  if (twoWay)
    for (let k = 0; k < mesh.tetrahedra.length; k++)
      m[mesh.tetrahedra[k]] += 0.25 * substrate.density * mesh.volume[k >> 2];
  let prepared: PreparedSolid | null = null; // once, though memory is laid out twice
  const model: SubstrateModel = {
    scene: substrate,
    mesh,
    held,
    rest: twoWay ? mesh.rest : new Float64Array(0),
    m,
    alone: twoWay
      ? null
      : createSolidSystem(mesh, substrate, { held, gravity: scene.gravity, compile }),
    pins: (first) =>
      twoWay
        ? held.map(({ nodes, axes, motion }, k) => heldPin(mesh, nodes, axes, motion, first, k))
        : [],
    create(memory, scene, sheet, Y, first) {
      const skin = { points: sheet.parts[0].points, D: scene.sheets[0].material.D, first };
      const options = { ...substrate.coupling, ...skin };
      prepared ??= {
        cut: cutSkin(sheet, Y, mesh, substrate, options),
        analysis: twoWay ? analyseSolid(mesh) : null,
      };
      return createSubstrate(memory, model, sheet, prepared, options);
    },
  };
  return model;
}

function heldPin(
  mesh: SolidMesh,
  nodes: Int32Array,
  axes: Pin["axes"],
  motion: Pin["motion"],
  first: number,
  k: number,
): { pin: Pin; points: Int32Array; origin: Float64Array } {
  const origin = new Float64Array(3 * nodes.length);
  for (let p = 0; p < nodes.length; p++)
    for (let c = 0; c < 3; c++) origin[3 * p + c] = mesh.rest[3 * nodes[p] + c];
  const at = { sheet: 0, corners: [], edges: [], regions: [], nearest: [], points: [], radius: 0 };
  return {
    pin: { name: `substrate.held[${k}]`, at, kind: "pin", axes, motion, release: null },
    points: nodes.map((p) => p + first),
    origin,
  };
}

/** The solid with its solver. */
export interface SolvedSubstrate extends SolvedSolid {
  readonly model: SubstrateModel;
  readonly mesh: SolidMesh;
  readonly bonds: Bonds;
}

/** What is worked out before there is memory: the skin in patches, and coupled two-way the order of the factorisation. */
interface PreparedSolid {
  readonly cut: Cut;
  readonly analysis: SolidAnalysis | null;
}

function createSubstrate(
  memory: Allocator,
  model: SubstrateModel,
  sheet: Sheet,
  { cut, analysis }: PreparedSolid,
  options: BondOptions,
): SolvedSubstrate {
  const { mesh, alone, scene: substrate } = model;
  const { first } = options;
  const glue = bonds(memory, cut, options);
  const warnings = warningsOf(glue, mesh, sheet);
  const solid: Solid | null = analysis && createSolid(memory, mesh, substrate, first);
  const others: { of: Preconditioner | null } = { of: null };
  const ofOthers: Preconditioner = {
    update: (work, potential) => others.of?.update(work, potential),
    apply: (z, r, work) => others.of?.apply(z, r, work),
  };
  const factor = solid && analysis && solidFactor(memory, solid, analysis, ofOthers, glue);
  let now = Number.NaN;
  if (alone && glue.target.length > 0) glue.follow(alone.x);
  return {
    model,
    mesh,
    bonds: glue,
    sets: solid ? [...solid.sets, glue] : [glue],
    setTime(time) {
      if (alone === null || time === now) return;
      now = time;
      alone.settle(time);
      glue.follow(alone.x);
    },
    positions: (Y) => alone?.x ?? Y.subarray(3 * first, 3 * (first + mesh.n)),
    energy: (Y) => (solid?.energy(Y) ?? 0) + glue.energy(Y),
    precondition(by) {
      if (factor === null) return by;
      others.of = by;
      return factor;
    },
    attach: (kernels) => factor?.attach(kernels),
    memory: alone ? [alone.x] : [],
    warnings,
  };
}

function warningsOf(glue: Bonds, mesh: SolidMesh, sheet: Sheet): string[] {
  const { spacing, wavelength } = glue;
  const out: string[] = [];
  const mm = (x: number): string => `${Number((1000 * x).toPrecision(3))} mm`;
  let l = 0;
  const n = sheet.parts[0].points;
  for (let i = 0; i < n; i++) l += sheet.spacing[i] / n;
  if (spacing > wavelength / 3)
    out.push(
      `substrate.coupling.spacing of ${mm(spacing)} hides wrinkles of ${mm(wavelength)} from the solid; at most a sixth is good`,
    );
  if (l > wavelength / 6)
    out.push(
      `the skin's points are ${mm(l)} apart, too far for wrinkles of ${mm(wavelength)}; at most a tenth is good`,
    );
  const cell = cellSize(mesh.rest, glue.embedded.nodes);
  if (cell > wavelength / 3)
    out.push(
      `the solid's cells of ${mm(cell)} cannot follow wrinkles of ${mm(wavelength)}; at most a sixth is good`,
    );
  return out;
}

/** m: mean length of the edges of the cells that hold the patches. */
function cellSize(X: ReadonlyF64, nodes: Int32Array): number {
  let sum = 0;
  for (let t = 0; t < nodes.length; t += 4)
    for (let p = 0; p < 4; p++)
      for (let q = 0; q < p; q++) {
        const a = 3 * nodes[t + p];
        const b = 3 * nodes[t + q];
        const x = X[a] - X[b];
        const y = X[a + 1] - X[b + 1];
        const z = X[a + 2] - X[b + 2];
        sum += Math.sqrt(x * x + y * y + z * z);
      }
  return sum / (1.5 * nodes.length);
}
