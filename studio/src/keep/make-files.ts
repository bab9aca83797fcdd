/**
 * Files of what was simulated, made in the worker: other programs' formats through isoplate/files, and the recording
 * itself as the folder that the command line reads, packed into one .zip.
 */

import {
  type Animation,
  encodeCheckpoint,
  encodeFrame,
  encodeFramesHeader,
  encodeSheet,
  exportAnimation,
  type FormatName,
  filesOf,
  framesContent,
  framesLayout,
  type RigidBody,
} from "../../../src/files/index.ts";
import {
  colliderAt,
  createRigid,
  edgeStrains,
  hashNumbers,
  METRICS,
  type ReadMesh,
  type Recording,
  type SceneInput,
  type Simulation,
  type Summary,
  sceneInput,
  type Tally,
  version,
} from "../../../src/index.ts";
import { alongGrain, bodyMesh } from "../../../src/view/index.ts";
import { bodyTimes } from "../engine/bodies.ts";
import type { ExportRequest, Files, MadeFile } from "../engine/protocol.ts";
import { joined, type ZipEntry, zip } from "./zip.ts";

export interface Source {
  recording: Recording;
  simulation: Simulation;
  readMesh: ReadMesh | undefined;
  /** What the scene names. */
  files: Files;
  input: SceneInput;
  /** The recorded frame that is shown; null: the present. */
  frame: number | null;
  summary(): Summary;
  tally: Tally;
  /** Told now and then; throws if the file is no longer wanted. */
  onProgress(share: number): void;
}

export async function makeFiles(
  { what, format }: ExportRequest,
  source: Source,
): Promise<MadeFile[]> {
  const name = plain(source.simulation.scene.name);
  if (what === "scene") return [textFile(`${name}.json`, sceneJson(source.input))];
  if (what === "summary")
    return [textFile("summary.json", JSON.stringify(source.summary(), null, 2))];
  if (format === "isoplate") return [await recordingFile(name, source)];
  const animation = what === "frame" ? oneFrame(source) : wholeRun(source);
  const { files, notes } = exportAnimation({ ...animation, name }, format as FormatName);
  const made: ZipEntry[] = [];
  // files come one by one: one a frame in some formats, one or two in the others
  const expected = what === "recording" && /obj|ply|stl|vtu/.test(format) ? animation.frames : 2;
  for (const { name: file, chunks } of files) {
    const count = Math.max(expected, made.length + 1);
    made.push({ name: file, bytes: await gathered(chunks, made.length, count, source) });
  }
  if (made.length === 1)
    return [{ name: `${name}${ending(made[0].name)}`, bytes: made[0].bytes, notes: [...notes] }];
  const packed = await zip(made.map((file) => ({ ...file, name: `${name}/${file.name}` })));
  return [{ name: `${name}-${format}.zip`, bytes: packed, notes: [...notes] }];
}

/** ms of work between looks for messages. */
const BREATH = 30;

/**
 * The chunks of one of several files, with a pause now and then in which messages are heard. How many chunks there
 * will be is not known: a file's share of the progress nears its end as they come.
 */
async function gathered(
  chunks: Iterable<Uint8Array>,
  k: number,
  count: number,
  { onProgress }: Source,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let last = performance.now();
  for (const chunk of chunks) {
    parts.push(chunk);
    if (performance.now() - last < BREATH) continue;
    onProgress((k + 1 - 1 / (1 + parts.length / 50)) / count);
    await new Promise((resume) => setTimeout(resume, 0));
    last = performance.now();
  }
  onProgress((k + 1) / count);
  return joined(parts);
}

/** A scene as the file that `isoplate run` reads. */
export function sceneJson(input: SceneInput): string {
  return `${JSON.stringify(input, null, 2)}\n`;
}

function wholeRun({ recording, simulation, readMesh }: Source): Animation {
  const { sheet, scene } = simulation;
  return {
    name: scene.name,
    n: sheet.n,
    triangles: sheet.triangles,
    uv: alongGrain(sheet, scene.sheets).uv,
    rate: scene.record.rate,
    frames: recording.frames,
    positions: (frame, out) => void recording.positions(frame, out),
    fields: [strainField(simulation, (frame, Y) => void recording.pose(frame, Y))],
    parts: sheet.parts,
    bodies: rigidBodies(simulation, readMesh, (frame) => recording.bodyTimes(frame)),
  };
}

function oneFrame({ recording, simulation, frame, readMesh }: Source): Animation {
  const { sheet, scene } = simulation;
  const Y = frame === null ? Float64Array.from(simulation.pose) : recording.pose(frame);
  const times = frame === null ? bodyTimes(simulation) : recording.bodyTimes(frame);
  return {
    name: scene.name,
    n: sheet.n,
    triangles: sheet.triangles,
    uv: alongGrain(sheet, scene.sheets).uv,
    rate: scene.record.rate,
    frames: 1,
    positions: (_, out) => out.set(Y.subarray(0, 3 * sheet.n)),
    fields: [strainField(simulation, (_, out) => out.set(Y))],
    parts: sheet.parts,
    bodies: rigidBodies(simulation, readMesh, () => times),
  };
}

/** Worst |length/rest − 1| of the edges at a point. */
function strainField(
  { sheet, pose }: Simulation,
  poseAt: (frame: number, Y: Float64Array) => void,
): NonNullable<Animation["fields"]>[number] {
  const Y = new Float64Array(pose.length);
  const strains = new Float64Array(sheet.edgeLength.length);
  return {
    name: "edge_strain",
    per: "point",
    values(frame, out) {
      poseAt(frame, Y);
      edgeStrains(strains, sheet, Y);
      out.fill(0);
      for (let e = 0; e < 2 * strains.length; e++) {
        const i = sheet.edges[e];
        out[i] = Math.max(out[i], Math.abs(strains[e >> 1]));
      }
    },
  };
}

/** Colliders that end somewhere; a plane has no shape to take along. */
function rigidBodies(
  { scene }: Simulation,
  readMesh: ReadMesh | undefined,
  timesOf: (frame: number) => Float64Array,
): RigidBody[] {
  const rigid = createRigid();
  return scene.colliders.flatMap((collider, number): RigidBody[] => {
    const { body } = collider;
    if (body.type === "plane" || body.type === "edge") return [];
    const scale = body.type === "mesh" ? body.scale : 1;
    const shape = body.type === "mesh" ? readMesh?.(body.file) : bodyMesh(body);
    if (shape === undefined) return [];
    const { triangles } = shape;
    const positions = shape.positions.map((x) => scale * x);
    return [
      {
        name: collider.name,
        positions,
        triangles,
        pose(frame, out) {
          colliderAt(rigid, collider, timesOf(frame)[number]);
          out.set(rigid.subarray(9, 12), 0);
          quaternion(out, rigid);
        },
      },
    ];
  });
}

/** out[3 … 7] = xyzw of the rotation in rows 0 … 8 (Shepperd 1978: divide by the largest of the four). */
function quaternion(out: Float64Array, R: Float64Array): void {
  const [a, b, c, d, e, f, g, h, i] = R;
  const four = [1 + a - e - i, 1 - a + e - i, 1 - a - e + i, 1 + a + e + i];
  const k = four.indexOf(Math.max(...four));
  const s = 2 * Math.sqrt(four[k]);
  const rows = [
    [four[0] / s, (b + d) / s, (c + g) / s, (h - f) / s],
    [(b + d) / s, four[1] / s, (f + h) / s, (c - g) / s],
    [(c + g) / s, (f + h) / s, four[2] / s, (d - b) / s],
    [(h - f) / s, (c - g) / s, (d - b) / s, four[3] / s],
  ];
  out.set(rows[k], 3);
}

/** The folder of a recording (recording/folder.ts), packed. */
async function recordingFile(name: string, source: Source): Promise<MadeFile> {
  const { recording, simulation, tally } = source;
  const { scene, sheet } = simulation;
  const layout = framesLayout(sheet.n, framesContent(scene, sheet));
  const frames = new Uint8Array(64 + recording.frames * layout.frameBytes);
  frames.set(encodeFramesHeader(layout));
  const Y = new Float64Array(simulation.pose.length);
  for (let k = 0; k < recording.frames; k++) {
    const at = 64 + k * layout.frameBytes;
    recording.pose(k, Y);
    const bytes = frames.subarray(at, at + layout.frameBytes);
    const motion = recording.motion(k) ?? undefined;
    encodeFrame(bytes, layout, recording.time(k), Y, recording.bodyTimes(k), motion);
  }

  // what is said about the end is about the last frame that was kept
  const last = recording.frames - 1;
  const summary: Summary = {
    ...source.summary(),
    seconds: recording.time(last),
    frames: recording.frames,
    hash: hashNumbers(recording.positions(last)),
  };
  const lines = [
    METRICS.join(","),
    ...recording.metrics.map((m) => METRICS.map((k) => m[k]).join(",")),
  ];
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);
  const entries: ZipEntry[] = [
    { name: "scene.json", bytes: text(`${JSON.stringify(sceneInput(scene), null, 2)}\n`) },
    { name: "sheet", bytes: encodeSheet(sheet) },
    { name: "frames", bytes: frames },
    { name: "metrics.csv", bytes: text(`${lines.join("\n")}\n`) },
    { name: "summary.json", bytes: text(`${JSON.stringify(summary, null, 2)}\n`) },
  ];
  if (Math.abs(simulation.time - recording.time(last)) < 1e-9) {
    const head = { tally, frames: recording.frames, version };
    entries.push({ name: "checkpoint", bytes: encodeCheckpoint(head, simulation.save()) });
  }
  for (const { file } of filesOf(scene)) {
    const bytes = source.files[file];
    if (bytes !== undefined && !entries.some((entry) => entry.name === file))
      entries.push({ name: file, bytes });
  }
  const packed = await zip(entries.map((entry) => ({ ...entry, name: `${name}/${entry.name}` })));
  return { name: `${name}.isoplate.zip`, bytes: packed, notes: [] };
}

function textFile(name: string, text: string): MadeFile {
  return { name, bytes: new TextEncoder().encode(text), notes: [] };
}

function ending(name: string): string {
  return name.slice(name.lastIndexOf("."));
}

/** A name that every file system takes. */
function plain(name: string): string {
  return name.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|-+$/g, "") || "scene";
}
