/**
 * Proves a recording anew: strain, exact non-intersection, energy and hash of every frame, from the files alone. Nothing of
 * the engine is used (tests/architecture.test.ts), so a fault of the engine cannot hide itself here.
 *
 * What is found goes into a certificate: the hashes of the files and of every frame, with what was measured of it. Only
 * + − × ÷ and √ decide its numbers, so another machine that verifies the same recording gets the same certificate, letter by letter.
 */

import type { ReadonlyI32 } from "../linalg/arena.ts";
import { type FramesLayout, readSeal, sceneSeal, sealOf } from "../recording/format.ts";
import { hashNumbers, sha256 } from "../recording/hash.ts";
import type { MeasuredSheet } from "../recording/measures.ts";
import type { Recording } from "../recording/recording.ts";
import type { Metrics } from "../recording/summary.ts";
import type { Body, Collider } from "../scene/scene.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { type VerticesAt, verticesOf } from "../sheet/vertices.ts";
import { depthIn, isInside, placedMesh } from "./bodies.ts";
import { CERTIFICATE_FORMAT, type Certificate, digestOf, type FrameProof } from "./certificate.ts";
import { createEnergies, ENERGIES, energyFaults, type FrameEnergy, isPassive } from "./energy.ts";
import { crossings, selfCrossings } from "./exact.ts";
import { createHeld } from "./held.ts";
import { frameStrain, materialLengths, strainOf, tangentFault } from "./strain.ts";
import { type HalvedSheet, halvedSheet } from "./surface.ts";

/** A recording with its bytes. */
export interface Evidence extends Recording {
  readonly layout: FramesLayout;
  readonly header: Uint8Array;
  readonly bytes: number;
  frameBytes(frame: number): Uint8Array;
  /** SHA-256 of files by name: scene.json, sheet, and those that the scene names. */
  readonly files: Readonly<Record<string, string>>;
  readonly readMesh: ReadMesh;
}

export interface VerifyOptions {
  /** Relative change of length that an edge may have; 2 % if left out. */
  strainLimit?: number;
  /** Looks for crossings and depth on the curved sheet, every edge halved, where samples have frames. */
  curved?: boolean;
  onFrame?: (done: number, total: number) => void;
}

export interface Verdict {
  /** Everything that is not as it should be: where, what, and what is allowed. */
  faults: string[];
  certificate: Certificate;
}

/** Relative difference of two numbers that were worked out in different orders. */
const ROUNDING = 1e-9;

/** Looks at every frame. Faults do not end it: all are listed. */
export function verifyRecording(
  evidence: Evidence,
  { strainLimit = 0.02, curved = false, onFrame }: VerifyOptions = {},
): Verdict {
  const { scene, sheet } = evidence;
  const judge = createEnergies(scene, sheet, evidence.frames > 0 ? evidence.pose(0) : null);
  const faults = fileFaults(evidence, judge.own);
  const halved = curved ? halvedOf(sheet) : null;
  const notes = notesOf(evidence, curved, halved !== null);
  const meshes = meshBodies(evidence);
  const heldAt = createHeld(scene, sheet);
  const heldInside = new Set<string>();
  const frames: FrameProof[] = [];
  const pose = new Float64Array((evidence.layout.framed ? 9 : 3) * sheet.n);
  const Y = pose.subarray(0, 3 * sheet.n);
  const { metrics: all } = evidence;
  let before = evidence.files.sheet;
  for (let frame = 0; frame < evidence.frames; frame++) {
    const bytes = evidence.frameBytes(frame);
    const time = evidence.time(frame);
    evidence.pose(frame, pose);
    const found: string[] = [];
    const hash = frameHash(evidence.layout, bytes, before, found);
    before = hash;
    if (!pose.every(Number.isFinite)) found.push("a position is not a number");
    const metrics = all[frame];
    found.push(...timeFaults(evidence, frame, time, metrics));
    const strain = judgeStrain(evidence, pose, strainLimit, metrics, found);
    const surface = surfaceOf(sheet, halved, pose);
    const bodyTimes = evidence.bodyTimes(frame);
    found.push(...lateFaults(evidence, frame, time, bodyTimes));
    const judged = { surface, bodyTimes, held: heldOn(surface, heldAt(time)), heldInside };
    const crossed = judgeCrossings(evidence, meshes, judged, found);
    const depth = judgeDepth(evidence, judged, found);
    const motion = evidence.motion(frame);
    const energy = judge.of(pose, motion);
    found.push(...energyFaults(energy, { scene, judge, metrics: all, frame, motion }));
    frames.push({ time, hash, ...strain, crossings: crossed, depth, energy: joules(energy) });
    for (const fault of found) faults.push(`frame ${frame} (${time.toFixed(4)} s): ${fault}`);
    onFrame?.(frame + 1, evidence.frames);
  }
  faults.push(...endFaults(evidence, Y));
  for (const name of heldInside)
    notes.push(
      `pins hold points inside of body "${name}": what hangs on them was not judged there`,
    );
  const certificate: Omit<Certificate, "digest"> = {
    format: CERTIFICATE_FORMAT,
    scene: scene.name,
    version: evidence.summary?.version ?? "",
    points: sheet.n,
    ended: evidence.summary !== null,
    strainLimit,
    files: { ...evidence.files },
    frames,
    notes,
  };
  return { faults, certificate: { ...certificate, digest: digestOf(certificate) } };
}

/** J of every energy, or null. */
function joules(found: FrameEnergy): FrameProof["energy"] {
  const entries = ENERGIES.map((name) => [name, found[name]?.energy ?? null]);
  return Object.fromEntries(entries) as FrameProof["energy"];
}

/** The scene is the one that was recorded, the file of frames is whole, the sheet is its own. */
function fileFaults(evidence: Evidence, masses: Float64Array): string[] {
  const { layout, header, bytes, sheet, files, frames, metrics } = evidence;
  const faults: string[] = [];
  if (layout.sealed && sceneSeal(header) !== files["scene.json"])
    faults.push("scene.json: is not the scene that was recorded: its hash does not match");
  const rest = bytes - header.length - frames * layout.frameBytes;
  if (rest !== 0) faults.push(`frames: cut short, ${rest} bytes of a frame that is not whole`);
  if (metrics.length !== frames)
    faults.push(`frames: there are ${frames}, and ${metrics.length} lines in metrics.csv`);
  const [least, most] = materialLengths(sheet.edges, sheet.triangles, sheet.corners, sheet.n);
  for (let e = 0; e < sheet.edgeLength.length; e++) {
    const length = sheet.edgeLength[e];
    if (length >= least[e] * (1 - ROUNDING) && length <= most[e] * (1 + ROUNDING)) continue;
    faults.push(
      `sheet: edge ${edgeName(sheet, e)} has the rest length ${length} m, its triangles say ${least[e]} m`,
    );
    break;
  }
  const wrong = masses.findIndex((m, i) => !(Math.abs(m - sheet.m[i]) <= ROUNDING * m));
  if (wrong >= 0)
    faults.push(
      `sheet: sample ${wrong} has ${sheet.m[wrong]} kg, its triangles and the density say ${masses[wrong]} kg`,
    );
  const crooked = sheet.tangent && tangentFault(sheet, sheet.tangent);
  if (crooked) faults.push(`sheet: ${crooked}`);
  return faults;
}

function frameHash(
  layout: FramesLayout,
  bytes: Uint8Array,
  before: string,
  found: string[],
): string {
  if (!layout.sealed) return sha256(bytes);
  const seal = readSeal(bytes);
  if (sealOf(bytes, before) !== seal)
    found.push("its hash does not match: it was changed, or is not in its place");
  return seal;
}

function timeFaults(
  evidence: Evidence,
  frame: number,
  time: number,
  metrics: Metrics | undefined,
): string[] {
  const faults: string[] = [];
  const { h } = evidence.scene;
  if (frame > 0 && !(time > evidence.time(frame - 1)))
    faults.push(`does not come after the frame before it, at ${evidence.time(frame - 1)} s`);
  if (metrics !== undefined && metrics.time !== time)
    faults.push(`metrics.csv says ${metrics.time} s`);
  if (evidence.scene.static === null && Math.abs(time / h - Math.round(time / h)) > 1e-6)
    faults.push(`is not at a whole number of steps of ${h} s`);
  return faults;
}

/** How much faster than on its path a body that was held back may catch up, and rounding. */
const CATCH_UP = 2 + 1e-6;

/** A body stands where it should be, or was held back: its time on its path never runs ahead or back, nor jumps. */
function lateFaults(
  { scene, time: timeOf, bodyTimes }: Evidence,
  frame: number,
  time: number,
  times: Float64Array,
): string[] {
  const before = frame > 0 ? bodyTimes(frame - 1) : times;
  const passed = frame > 0 ? time - timeOf(frame - 1) : 0;
  return scene.colliders.flatMap(({ name }, k) => {
    const isSound =
      times[k] <= time && times[k] >= before[k] && times[k] - before[k] <= CATCH_UP * passed;
    const onTime = frame > 0 || times[k] === time;
    return isSound && onTime ? [] : [`body "${name}" stands at ${times[k]} s of its path`];
  });
}

function judgeStrain(
  { sheet }: Evidence,
  pose: Float64Array,
  limit: number,
  metrics: Metrics | undefined,
  found: string[],
): { stretch: number; compression: number } {
  const { n, spacing, tangent } = sheet;
  const arcs = tangent && { n, spacing, tangent };
  const edges = { points: sheet.edges, length: sheet.edgeLength };
  const strain = strainOf(pose, arcs ? { ...edges, arcs } : edges);
  const { stretchMax: stretch, compressionMax: compression } = strain;
  const worst = Math.max(stretch, compression);
  // an arc that turns by more than a right angle between two samples is shorter: a fold too sharp for the mesh, not a strain
  const judged = arcs ? stretch : worst;
  if (!(judged <= limit))
    found.push(
      `edge ${edgeName(sheet, arcs ? strain.longest : strain.edge)} is strained by ${percent(judged)}, allowed are ${percent(limit)}`,
    );
  if (arcs) {
    const frame = frameStrain(pose, arcs);
    if (!(frame.strain <= limit))
      found.push(
        `the frame of sample ${frame.sample} is strained by ${percent(frame.strain)}, allowed are ${percent(limit)}`,
      );
  }
  if (metrics === undefined) return { stretch, compression };
  const claims = [
    ["edgeMean", strain.mean],
    ["edgeMax", worst],
    ["stretchMax", stretch],
    ["compressionMax", compression],
  ] as const;
  for (const [name, value] of claims) {
    if (metrics[name] === undefined) continue; // recordings of 0.1 do not tell signs
    const off = ROUNDING * Math.max(1e-3, value);
    if (!(Math.abs(metrics[name] - value) <= off))
      found.push(`metrics.csv says ${name} ${metrics[name]}, its positions say ${value}`);
  }
  return { stretch, compression };
}

/** The triangles that crossings and depth are judged on. */
interface JudgedSurface {
  readonly positions: Float64Array;
  readonly triangles: ReadonlyI32;
  readonly sewn: ReadonlyI32 | undefined;
}

/** What is judged of one frame. */
interface JudgedFrame {
  readonly surface: JudgedSurface;
  /** [colliders] s on their paths */
  readonly bodyTimes: Float64Array;
  /** [points of the surface] 1: the scene puts it there */
  readonly held: Uint8Array;
  /** Names of bodies that held points are inside of. */
  readonly heldInside: Set<string>;
}

/** Held points of a surface: the samples first, then middles, which are held by none. */
function heldOn({ positions }: JudgedSurface, samples: Uint8Array): Uint8Array {
  const held = new Uint8Array(positions.length / 3);
  held.set(samples);
  return held;
}

/** Says whether triangle t has a corner that is held inside. */
function hangingOn(
  triangles: ReadonlyI32,
  held: Uint8Array,
  isInsideAt: (i: number) => boolean,
): (t: number) => boolean {
  return (t) =>
    [0, 1, 2].some((k) => {
      const i = triangles[3 * t + k];
      return held[i] === 1 && isInsideAt(i);
    });
}

function halvedOf(sheet: MeasuredSheet): HalvedSheet | null {
  const { n, spacing, tangent } = sheet;
  return tangent ? halvedSheet(sheet, { n, spacing, tangent }) : null;
}

function surfaceOf(
  { n, triangles, sewn }: MeasuredSheet,
  halved: HalvedSheet | null,
  pose: Float64Array,
): JudgedSurface {
  if (halved) return { ...halved, positions: halved.place(pose) };
  return { positions: pose.subarray(0, 3 * n), triangles, sewn };
}

function judgeCrossings(
  { scene, sheet }: Evidence,
  meshes: readonly MeshBody[],
  { surface, bodyTimes, held, heldInside }: JudgedFrame,
  found: string[],
): number {
  const { positions: Y } = surface;
  let count = 0;
  if (scene.contact.self) {
    const pairs = selfCrossings(surface, surface.sewn);
    count += pairs.length;
    if (pairs.length > 0)
      found.push(
        `${pairs.length} pairs of triangles cut through each other, the first ${pairs[0].join(" and ")}, ${placeOf(surface, pairs[0][0])}`,
      );
  }
  for (const { collider, number, body, mesh, move } of meshes) {
    const time = bodyTimes[number];
    move?.(mesh.positions, time);
    const placed = placedMesh(collider, mesh, time);
    const isInsideAt = (i: number): boolean => !body.closed || isInside(placed, Y, i);
    const hangs = hangingOn(surface.triangles, held, isInsideAt);
    const all = crossings(surface, placed);
    const pairs = all.filter(([t]) => !hangs(t));
    if (pairs.length < all.length) heldInside.add(collider.name);
    count += pairs.length;
    if (pairs.length > 0)
      found.push(
        `${pairs.length} triangles cut through body "${collider.name}", the first ${pairs[0][0]}, ${placeOf(surface, pairs[0][0])}`,
      );
    else if (
      body.closed &&
      all.length === 0 &&
      sheet.parts.some(({ firstPoint }) => isInsideAt(firstPoint))
    ) {
      count += 1;
      found.push(`a sheet is inside of body "${collider.name}"`);
    }
  }
  return count;
}

function judgeDepth(
  { scene }: Evidence,
  { surface: { positions, triangles }, bodyTimes, held, heldInside }: JudgedFrame,
  found: string[],
): number {
  let most = 0;
  for (const [number, collider] of scene.colliders.entries()) {
    const { body } = collider;
    if (body.type === "mesh") continue;
    const depth = depthIn(collider, body, bodyTimes[number], positions, triangles, held);
    if (depth.held > 0) heldInside.add(collider.name);
    most = Math.max(most, depth.points, depth.triangles);
    if (depth.point >= 0)
      found.push(
        `point ${depth.point} is ${millimetres(depth.points)} inside of body "${collider.name}"`,
      );
    else if (depth.triangle >= 0)
      found.push(
        `triangle ${depth.triangle} reaches ${millimetres(depth.triangles)} into body "${collider.name}"`,
      );
  }
  return most;
}

/** The last frame is the one that the summary speaks of. */
function endFaults({ summary, frames, scene, time }: Evidence, Y: Float64Array): string[] {
  if (summary === null) return [];
  const faults: string[] = [];
  if (summary.frames !== frames)
    faults.push(`summary.json: speaks of ${summary.frames} frames, there are ${frames}`);
  if (frames > 0 && hashNumbers(Y) !== summary.hash)
    faults.push("summary.json: its hash is not that of the last frame");
  if (frames > 0 && scene.static === null && time(frames - 1) < scene.seconds - scene.h)
    faults.push(`ends at ${time(frames - 1)} s, the scene at ${scene.seconds} s`);
  return faults;
}

interface MeshBody {
  collider: Collider;
  /** Of the collider in the scene. */
  number: number;
  body: Extract<Body, { type: "mesh" }>;
  /** Its points in metres, where they were last asked for if they move. */
  mesh: { positions: Float64Array; triangles: Int32Array };
  move: VerticesAt | null;
}

function meshBodies({ scene, readMesh }: Evidence): MeshBody[] {
  return scene.colliders.flatMap((collider, number) => {
    const { body } = collider;
    if (body.type !== "mesh") return [];
    const read = readMesh(body.file);
    const mesh = { ...read, positions: read.positions.map((x) => body.scale * x) };
    return [
      { collider, number, body, mesh, move: verticesOf(collider.name, body, read, readMesh) },
    ];
  });
}

function notesOf(
  { scene, sheet, frames, motion }: Evidence,
  curved: boolean,
  halved: boolean,
): string[] {
  const notes: string[] = [];
  if (halved) notes.push("crossings were judged on the curved sheet, every edge halved");
  else if (curved)
    notes.push("samples have no frames: crossings were judged on the triangles as they are");
  if (!scene.contact.self)
    notes.push("contact.self is off: whether layers cut through each other was not judged");
  if (!isPassive(scene))
    notes.push("something drives the scene: whether its energy grows was not judged");
  if (frames > 0 && motion(0) === null)
    notes.push("velocities were not recorded: kinetic energy and smoothing were not judged");
  if (!sheet.tangent)
    notes.push("samples have no frames: energies of bending and membrane were not judged");
  if (scene.substrate !== null)
    notes.push(
      `the solid is not recorded: ${scene.substrate.coupling.twoWay ? "its energy, and those of motion and gravity, were" : "its energy was"} not judged`,
    );
  return notes;
}

function edgeName({ edges }: MeasuredSheet, e: number): string {
  return `${edges[2 * e]}–${edges[2 * e + 1]}`;
}

function placeOf({ positions: Y, triangles }: JudgedSurface, t: number): string {
  const i = 3 * triangles[3 * t];
  return `near (${[Y[i], Y[i + 1], Y[i + 2]].map((x) => x.toFixed(4)).join(", ")})`;
}

function percent(x: number): string {
  return `${(100 * x).toPrecision(3)} %`;
}

function millimetres(x: number): string {
  return `${(1000 * x).toPrecision(3)} mm`;
}
