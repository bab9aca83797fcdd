/**
 * From a run to a picture: sheets in their colours or coloured by a measure, bodies where they are at that
 * time, pins, floor, legend, and a camera that holds the whole run.
 *
 * What must not change from frame to frame is decided once, from a sample of the frames: camera, height
 * of the floor, range of the colours. Ranges end at round numbers, and a few spikes do not set them: the
 * end is the value that 99.5 % of the points stay under, and the legend then says ≥.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import {
  createCurvature,
  edgeStrains,
  type MeasuredSheet,
  principalStrains,
} from "../recording/measures.ts";
import type { Recording } from "../recording/recording.ts";
import { colliderAt, createRigid, moveInPlace } from "../scene/motion.ts";
import type { Collider, Scene, Vec3 } from "../scene/scene.ts";
import { hasFrames } from "../sheet/frames.ts";
import { createHems, evaluateHems, type Hems, LIP } from "../sheet/hems.ts";
import type { ReadMesh, Sheet } from "../sheet/kinematics.ts";
import { pointNormals } from "../sheet/normals.ts";
import {
  createPatches,
  evaluatePatches,
  type Patches,
  patchCorners,
  smoothHalvings,
  spread,
} from "../sheet/patches.ts";
import { pick } from "../sheet/picks.ts";
import { verticesOf } from "../sheet/vertices.ts";
import { bodyMesh, creased } from "./bodies.ts";
import { type Camera, FOV, fitCamera, type Preset } from "./camera.ts";
import type { Picture } from "./canvas.ts";
import { BODY, balance, type ColorMap, ember } from "./color.ts";
import { createFlesh } from "./flesh.ts";
import { type Look, looksOf } from "./looks.ts";
import { createOutside, keepOutside } from "./outside.ts";
import type { PictureMesh, PictureScene } from "./render.ts";
import { createTexture, type Texture } from "./texture.ts";

export const COLORINGS = ["material", "edge-strain", "principal-strain", "curvature"] as const;
export type Coloring = (typeof COLORINGS)[number];

/** A number per point, and how to show it. */
export interface Measure {
  label: string;
  unit?: string;
  /** What values are multiplied by to be shown. */
  factor?: number;
  map: ColorMap;
  /** No range ends below this, so that nothing is not shown as a storm. */
  least: number;
  values(Y: ReadonlyF64): Float64Array;
}

export interface StageOptions {
  color?: Coloring | Measure;
  /** End of the colours, in the measure's own unit; from the run if not said. */
  max?: number;
  wire?: boolean;
  pins?: boolean;
  /** Halvings of every edge where samples have frames, 0 … 6; as many as look smooth if not said. */
  subdivide?: number;
  /** Needed for bodies of type mesh; without it they are left out. */
  readMesh?: ReadMesh;
  /** Needed for images on sheets; without it their colours are shown. */
  readImage?: (file: string) => Picture;
}

export interface StageMoment {
  title?: string | undefined;
  /** [colliders] s, where bodies were held back: what `bodyTimes` of a recording gives. All at the time of the frame if left out. */
  bodyTimes?: ReadonlyF64;
}

export interface Stage {
  /** Everything to be drawn when the sheets have the pose Y; as curved patches where it holds frames, [9n], and flat triangles else. */
  scene(Y: ReadonlyF64, time: number, more?: StageMoment): PictureScene;
  /**
   * A camera that holds all of the run; the scene's own for `auto`, if it has one.
   * With `turntable` it holds it from all sides, and looks at the axis in its middle.
   */
  camera(aspect: number, from?: Preset | Vec3, turntable?: boolean): Camera;
  /** Where the colours end. */
  readonly max: number;
}

/**
 * Colours, print and sheen of a piece of surface.
 * @param uv [6·triangles] m, material coordinates of its corners
 */
function dressed(
  look: Look,
  uv: () => Float64Array,
  textureOf: (file: string) => Texture | null,
): Partial<PictureMesh> {
  const { front, back, ink, print, size, sheen } = look;
  const texture = look.image === null ? null : textureOf(look.image);
  const plain = { color: front, backColor: back, sheen };
  if (print === "plain" && texture === null) return plain;
  const places = uv().map((x) => x / size);
  return {
    ...plain,
    ...(print === "plain" ? {} : { print: { kind: print, ink, uv: places } }),
    ...(texture === null ? {} : { image: { texture, uv: imagePlaces(places, texture) } }),
  };
}

/** As wide as a repeat; as high as the image is beside its width. */
function imagePlaces(places: Float64Array, { levels: [{ width, height }] }: Texture): Float64Array {
  return places.map((x, k) => (k % 2 === 0 ? x : (x * width) / height));
}

/** Textures of the images that looks name, each read once. */
function textures(readImage: StageOptions["readImage"]): (file: string) => Texture | null {
  const known = new Map<string, Texture>();
  return (file) => {
    if (!readImage) return null;
    const texture = known.get(file) ?? createTexture(readImage(file));
    known.set(file, texture);
    return texture;
  };
}

/** Frames that are looked at to place the camera: enough to catch a swing, few enough to be quick. */
const LOOKS = 24;

/** @example const stage = createStage(recording, { color: "edge-strain" }) */
export function createStage(
  recording: Pick<Recording, "scene" | "sheet" | "frames" | "time" | "pose">,
  options: StageOptions = {},
): Stage {
  const { scene, sheet } = recording;
  const { wire = false, pins = true } = options;
  const measure = measureOf(sheet, options.color ?? "material");

  // a look at the run
  const looks: { Y: Float64Array; time: number }[] = [];
  const count = Math.min(LOOKS, recording.frames);
  for (let k = 0; k < count; k++) {
    const frame = count === 1 ? 0 : Math.round((k * (recording.frames - 1)) / (count - 1));
    looks.push({ Y: recording.pose(frame), time: recording.time(frame) });
  }
  const colliders = collidersOf(scene, sheet, options.readMesh);
  const flesh = createFlesh(scene, sheet);
  const fleshEnd = looks.length > 0 ? flesh?.at(looks[0].Y).positions : undefined;
  const seen = visible(looks, sheet.n, colliders, fleshEnd ?? []);
  const floor = flesh && scene.view.ground ? flesh.bottom : floorOf(scene, seen);
  const max = measure ? (options.max ?? rangeEnd(measure, looks)) : 0;
  const surfaceOf = drawnSurface(sheet, options.subdivide ?? smoothHalvings(sheet.n));
  const outside = createOutside(scene, sheet);

  const textureOf = textures(options.readImage);
  const dress = looksOf(scene);

  return {
    max,
    scene(Y, time, { title, bodyTimes } = {}) {
      const values = measure?.values(Y);
      const surface = surfaceOf(Y, (positions) => {
        if (outside !== null) keepOutside(positions, outside, posesAt(scene, time, bodyTimes));
      });
      const shown = values ? surface.values(values) : null;
      const pieces = [
        ...surface.mesh.parts.map((part) => ({ ...surface.part(part), wire })),
        ...surface.lips(dress.map(({ hem }) => hem)),
      ];
      const meshes: PictureMesh[] = pieces.map((piece, k) => {
        const { points, uv, ...shape } = piece;
        if (!measure || !shown)
          return { ...shape, ...dressed(dress[k % dress.length], uv, textureOf) };
        const min = measure.map.signed ? -max : 0;
        const values = Float64Array.from(points, (i) => shown[i]);
        return { ...shape, field: { values, map: measure.map, min, max } };
      });
      if (flesh) meshes.push(flesh.at(Y));
      for (const body of colliders) meshes.push(body.at(bodyTimes?.[body.number] ?? time));
      const clipped = values?.some((v) => Math.abs(v) > max * (1 + 1e-9)) ?? false;
      return {
        meshes,
        ...(floor === null ? {} : { ground: floor }),
        ...(pins ? { pins: pinMarks(scene, sheet, Y, time) } : {}),
        ...(title === undefined ? {} : { title }),
        ...(measure
          ? {
              legend: {
                map: measure.map,
                min: measure.map.signed ? -max : 0,
                max,
                label: measure.label,
                ...(measure.unit === undefined ? {} : { unit: measure.unit }),
                ...(measure.factor === undefined ? {} : { factor: measure.factor }),
                clipped,
              },
            }
          : {}),
      };
    },
    camera(aspect, from = "auto", turntable = false) {
      const own = scene.view.camera;
      if (from === "auto" && own !== "auto" && !turntable)
        return { eye: own.eye, target: own.target, up: [0, 0, 1], fov: own.fov };
      return fitCamera(turntable ? aroundAxis(seen.points) : seen.points, {
        from: from === "auto" ? seen.from : from,
        aspect,
        fov: FOV,
        margin: 0.1,
      });
    },
  };
}

/** [12·colliders] where bodies are at a time, or each at its own. */
function posesAt({ colliders }: Scene, time: number, times?: ArrayLike<number>): Float64Array {
  const poses = new Float64Array(12 * colliders.length);
  colliders.forEach((collider, k) => {
    colliderAt(poses.subarray(12 * k, 12 * k + 12), collider, times?.[k] ?? time);
  });
  return poses;
}

/** A piece of the sheet as it is drawn. */
interface Piece extends PictureMesh {
  /** The points of the surface that its own belong to. */
  points: Int32Array;
  /** [6·triangles] m, material coordinates of its corners. */
  uv(): Float64Array;
}

/** The sheet as it is drawn: its points and triangles, or those of its curved patches. */
interface DrawnSurface {
  readonly mesh: { readonly parts: Patches["parts"] };
  /** One of its parts, counted from the part's first point. */
  part(part: Patches["parts"][number]): Piece;
  /** The lips around its parts, of these radii (m). */
  lips(radius: readonly number[]): Piece[];
  /** Values of the points from those of the samples. */
  values(own: Float64Array): Float64Array;
}

/**
 * Patches are laid out when the first pose with frames comes.
 * @param placed is given the points of patches before they are drawn
 */
function drawnSurface(
  sheet: MeasuredSheet,
  halvings: number,
): (Y: ReadonlyF64, placed: (positions: Float64Array) => void) => DrawnSurface {
  let curved: { patches: Patches; hems: Hems; corners: Float64Array } | null = null;
  let flat: Hems | null = null;
  return (Y, placed) => {
    if (!hasFrames(sheet, Y)) {
      flat ??= createHems(sheet);
      const hems = flat;
      const normals = new Float64Array(3 * sheet.n);
      pointNormals(normals, Y, sheet.triangles);
      return {
        mesh: sheet,
        part: (part) => partShape(sheet, sheet.corners, part, Y, null),
        lips: (radius) => lipShapes(hems, sheet.corners, Y, normals, radius),
        values: (own) => own,
      };
    }
    if (curved === null) {
      const patches = createPatches(sheet, halvings);
      const corners = patchCorners(patches, sheet.corners);
      curved = { patches, hems: createHems(patches), corners };
    }
    const { patches: made, hems, corners } = curved;
    const positions = new Float64Array(3 * made.n);
    const normals = new Float64Array(3 * made.n);
    evaluatePatches(positions, normals, made, Y);
    placed(positions);
    return {
      mesh: made,
      part: (part) => ({
        ...partShape(made, corners, part, positions, normals),
        wireEdges: Uint8Array.from(
          { length: part.triangles },
          (_, t) => made.grid.rim[t % made.grid.rim.length],
        ),
      }),
      lips: (radius) => lipShapes(hems, corners, positions, normals, radius),
      values(own) {
        const out = new Float64Array(made.n);
        spread(out, made, own);
        return out;
      },
    };
  };
}

/** The lips around the parts; none where there is no rim. */
function lipShapes(
  hems: Hems,
  corners: ReadonlyF64,
  Y: ReadonlyF64,
  normals: Float64Array,
  radius: readonly number[],
): Piece[] {
  const positions = new Float64Array(3 * LIP * hems.count);
  const own = new Float64Array(3 * LIP * hems.count);
  evaluateHems(positions, own, 0, hems, Y, normals, radius);
  return hems.parts.map(({ first, points, firstTriangle, triangles }) => {
    const from = LIP * first;
    const to = LIP * (first + points);
    const turned = hems.triangles
      .subarray(3 * firstTriangle, 3 * (firstTriangle + triangles))
      .map((v) => v - from);
    return {
      positions: positions.subarray(3 * from, 3 * to),
      normals: own.subarray(3 * from, 3 * to),
      triangles: turned,
      points: Int32Array.from(
        { length: to - from },
        (_, v) => hems.point[first + Math.floor(v / LIP)],
      ),
      uv: () =>
        Float64Array.from({ length: 2 * turned.length }, (_, k) => {
          const corner = hems.corner[first + Math.floor(turned[k >> 1] / LIP)];
          return corners[2 * corner + (k & 1)];
        }),
    };
  });
}

function partShape(
  { triangles }: Pick<MeasuredSheet, "triangles">,
  corners: ReadonlyF64,
  part: Patches["parts"][number],
  Y: ReadonlyF64,
  normals: Float64Array | null,
): Piece {
  const first = part.firstPoint;
  const own = new Int32Array(3 * part.triangles);
  for (let k = 0; k < own.length; k++) own[k] = triangles[3 * part.firstTriangle + k] - first;
  const positions = new Float64Array(3 * part.points);
  for (let k = 0; k < positions.length; k++) positions[k] = Y[3 * first + k];
  const from = 6 * part.firstTriangle;
  const shape = {
    positions,
    triangles: own,
    points: Int32Array.from({ length: part.points }, (_, i) => first + i),
    uv: () => Float64Array.from({ length: 6 * part.triangles }, (_, k) => corners[from + k]),
  };
  if (!normals) return shape;
  return { ...shape, normals: normals.subarray(3 * first, 3 * (first + part.points)) };
}

/**
 * The measure of that name, prepared for many frames; null for plain colours.
 *
 * @example
 * const strain = measureOf(simulation.sheet, "edge-strain")!;
 * const values = strain.values(simulation.pose); // one a point
 */
export function measureOf(sheet: MeasuredSheet, color: Coloring | Measure): Measure | null {
  if (typeof color !== "string") return color;
  switch (color) {
    case "material":
      return null;
    case "edge-strain": {
      const strains = new Float64Array(sheet.edgeLength.length);
      const percent = { label: "edge strain", unit: "%", factor: 100 };
      return {
        ...percent,
        map: ember,
        least: 1e-3,
        values(Y) {
          edgeStrains(strains, sheet, Y);
          const worst = new Float64Array(sheet.n);
          for (let e = 0; e < 2 * strains.length; e++) {
            const i = sheet.edges[e];
            worst[i] = Math.max(worst[i], Math.abs(strains[e >> 1]));
          }
          return worst;
        },
      };
    }
    case "principal-strain": {
      const strains = new Float64Array((2 * sheet.triangles.length) / 3);
      return {
        label: "principal strain",
        unit: "%",
        factor: 100,
        map: ember,
        least: 1e-3,
        values(Y) {
          principalStrains(strains, sheet, Y);
          const worst = new Float64Array(sheet.n);
          for (let k = 0; k < sheet.triangles.length; k++) {
            const t = Math.floor(k / 3);
            const size = Math.max(Math.abs(strains[2 * t]), Math.abs(strains[2 * t + 1]));
            const i = sheet.triangles[k];
            worst[i] = Math.max(worst[i], size);
          }
          return worst;
        },
      };
    }
    case "curvature":
      return {
        label: "mean curvature",
        unit: "1/m",
        map: balance,
        least: 0.1,
        values: createCurvature(sheet),
      };
  }
}

/**
 * The next round number: 1, 2 or 5 times a power of ten.
 *
 * @example
 * roundUp(0.013); // 0.02
 */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 2, 5, 10]) if (step * power >= value * (1 - 1e-9)) return step * power;
  return 10 * power;
}

function rangeEnd(measure: Measure, looks: readonly { Y: Float64Array }[]): number {
  let end = measure.least;
  for (const { Y } of looks) {
    const sizes = measure.values(Y).map(Math.abs).filter(Number.isFinite).sort();
    if (sizes.length > 0) end = Math.max(end, sizes[Math.floor(0.995 * (sizes.length - 1))]);
  }
  return roundUp(end);
}

/** A body that can be put where it is at any time. */
interface Prop {
  /** Of the collider in the scene. */
  number: number;
  /** Ends somewhere, so that the camera should hold it. */
  finite: boolean;
  /** Height of a level floor, if it is one. */
  level: number | null;
  at(time: number): PictureMesh;
}

function collidersOf(scene: Scene, sheet: MeasuredSheet, readMesh: ReadMesh | undefined): Prop[] {
  const size = sizeOf(sheet.rest);
  const props: Prop[] = [];
  for (const [number, collider] of scene.colliders.entries()) {
    const { body } = collider;
    const own = bodyShape(collider, size, readMesh);
    if (!own) continue;
    const map = createRigid();
    colliderAt(map, collider, 0);
    const moves = collider.motion !== null;
    const up = body.type === "plane" ? worldUp(map, body.normal) : 0;
    // walls and ceilings would hide what they hold: only floors and slopes are drawn
    if (body.type === "plane" && up < 0.3) continue;
    const level = body.type === "plane" && up > 0.9999 && !moves ? map[11] : null;
    if (level !== null) {
      props.push({ number, finite: false, level, at: () => ({ positions: [], triangles: [] }) });
      continue;
    }
    const bends = bendingShape(collider, readMesh);
    props.push({
      number,
      finite: body.type !== "plane" && body.type !== "edge",
      level: null,
      at(time) {
        colliderAt(map, collider, time);
        const { positions, triangles, normals } = bends ? bends(time) : own;
        const placed = Float64Array.from(positions);
        const turned = normals ? Float64Array.from(normals) : null;
        for (let k = 0; k < placed.length; k += 3) moveInPlace(placed, k, map);
        if (turned) {
          const turn = map.slice();
          turn.fill(0, 9);
          for (let k = 0; k < turned.length; k += 3) moveInPlace(turned, k, turn);
        }
        return {
          positions: placed,
          triangles,
          ...(turned ? { normals: turned } : {}),
          color: BODY,
          // a plane is seen from both sides, and an open mesh too
          solid: body.type !== "plane" && !(body.type === "mesh" && !body.closed),
        };
      },
    });
  }
  return props;
}

/** The shape at a time of a mesh whose vertices move; null for every other body. */
function bendingShape(
  { name, body }: Collider,
  readMesh: ReadMesh | undefined,
): ((time: number) => ReturnType<typeof creased>) | null {
  if (body.type !== "mesh" || !body.vertices || !readMesh) return null;
  const mesh = readMesh(body.file);
  const move = verticesOf(name, body, mesh, readMesh)!;
  const out = new Float64Array(mesh.positions.length);
  return (time) => {
    move(out, time);
    return creased(out, mesh.triangles);
  };
}

function bodyShape(
  { body }: Collider,
  size: number,
  readMesh: ReadMesh | undefined,
): { positions: ArrayLike<number>; triangles: ArrayLike<number>; normals?: Float64Array } | null {
  if (body.type !== "mesh") return bodyMesh(body, { extent: 1.8 * size });
  if (!readMesh) return null;
  const { positions, triangles } = readMesh(body.file);
  return creased(
    positions.map((x) => x * body.scale),
    triangles,
  );
}

function worldUp(map: Float64Array, [x, y, z]: Vec3): number {
  return (map[6] * x + map[7] * y + map[8] * z) / Math.hypot(x, y, z);
}

/** m, diagonal of the box around points. */
function sizeOf(points: ArrayLike<number>): number {
  const { min, max } = boxOf(points);
  return min[0] <= max[0] ? Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) || 1 : 1;
}

function boxOf(points: ArrayLike<number>): { min: Vec3; max: Vec3 } {
  const min: Vec3 = [Infinity, Infinity, Infinity];
  const max: Vec3 = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < points.length; k++) {
    const c = k % 3;
    if (points[k] < min[c]) min[c] = points[k];
    if (points[k] > max[c]) max[c] = points[k];
  }
  return { min, max };
}

/** What the camera has to hold. */
interface Seen {
  /** [3·…] m */
  points: Float64Array;
  /** m */
  lowest: number;
  size: number;
  level: number | null;
  /** A good direction: flat things are looked at from higher up. */
  from: Vec3;
}

function visible(
  looks: readonly { Y: Float64Array; time: number }[],
  n: number,
  props: readonly Prop[],
  others: ArrayLike<number>,
): Seen {
  const clouds: Float64Array[] = looks.map(({ Y }) => Y.subarray(0, 3 * n));
  const sheets = new Float64Array(clouds.reduce((sum, c) => sum + c.length, 0));
  let at = 0;
  for (const cloud of clouds) {
    sheets.set(cloud, at);
    at += cloud.length;
  }
  const { min, max } = boxOf(sheets);
  const wide = Math.hypot(max[0] - min[0], max[1] - min[1]);
  const flat = max[2] - min[2] < 0.3 * wide;
  let level: number | null = null;
  const bodies: number[] = Array.from(others);
  for (const prop of props) {
    if (prop.level !== null) level = Math.max(level ?? -Infinity, prop.level);
    if (!prop.finite) continue;
    for (const { time } of looks.length > 0 ? [looks[0], looks[looks.length - 1]] : []) {
      const { positions } = prop.at(time);
      for (let k = 0; k < positions.length; k++) bodies.push(positions[k]);
    }
  }
  const points = new Float64Array(sheets.length + bodies.length);
  points.set(sheets);
  points.set(bodies, sheets.length);
  const box = boxOf(points);
  return {
    points,
    lowest: box.min[2],
    size: sizeOf(points),
    level,
    from: flat ? [0.45, -0.75, 0.62] : [0.5, -0.8, 0.34],
  };
}

/** Circles that hold what points sweep when they turn about the vertical through the middle of their box. */
function aroundAxis(points: Float64Array): Float64Array {
  const { min, max } = boxOf(points);
  const [x, y] = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2];
  const layers = 48;
  const sides = 32;
  const radius = new Float64Array(layers + 1).fill(-1);
  for (let k = 0; k < points.length; k += 3) {
    const r = Math.hypot(points[k] - x, points[k + 1] - y);
    const layer = Math.round(((points[k + 2] - min[2]) / (max[2] - min[2] || 1)) * layers);
    if (r > radius[layer]) radius[layer] = r;
  }
  const swept: number[] = [];
  radius.forEach((r, layer) => {
    if (r < 0) return;
    const z = min[2] + ((max[2] - min[2]) * layer) / layers;
    for (let s = 0; s < sides; s++) {
      const a = (2 * Math.PI * s) / sides;
      swept.push(x + r * Math.cos(a), y + r * Math.sin(a), z);
    }
  });
  return Float64Array.from(swept);
}

/** Under everything, with a little air, unless the scene has a level plane of its own. */
function floorOf(scene: Scene, seen: Seen): number | null {
  if (seen.level !== null) return seen.level;
  if (!scene.view.ground || !Number.isFinite(seen.lowest)) return null;
  return seen.lowest - 0.06 * seen.size;
}

/** The places that pins hold, without the patches around them. */
function pinMarks(scene: Scene, sheet: MeasuredSheet, Y: ReadonlyF64, time: number): Vec3[] {
  const marks = new Map<number, Vec3>();
  for (const pin of scene.pins) {
    if (pin.release !== null && pin.release <= time) continue;
    // `pick` looks at parts, uv and triangles only, which recordings keep
    for (const i of pick(sheet as Sheet, { ...pin.at, radius: 0 }))
      marks.set(i, [Y[3 * i], Y[3 * i + 1], Y[3 * i + 2]]);
  }
  return [...marks.values()];
}
