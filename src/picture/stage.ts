/**
 * From a run to a picture: sheets in their colours or coloured by a measure, bodies where they are at that
 * time, pins, floor, legend, and a camera that holds the whole run.
 *
 * What must not change from frame to frame is decided once, from a sample of the frames: camera, height
 * of the floor, range of the colours. Ranges end at round numbers, and a few spikes do not set them: the
 * end is the value that 99.5 % of the points stay under, and the legend then says ≥.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { Recording } from "../recording/recording.ts";
import type { Vec3 } from "../scene/scene.ts";
import { alongGrain } from "../sheet/grain.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { smoothHalvings } from "../sheet/patches.ts";
import { type Camera, FOV, fitCamera, type Preset } from "./camera.ts";
import type { Picture } from "./canvas.ts";
import { type Coloring, type Measure, measureOf, rangeEnd } from "./coloring.ts";
import { createFlesh } from "./flesh.ts";
import { type Look, looksOf } from "./looks.ts";
import { createOutside, keepOutside, posesAt } from "./outside.ts";
import type { PictureMesh } from "./pool.ts";
import type { PictureScene } from "./render.ts";
import { collidersOf } from "./stage-bodies.ts";
import { drawnSurface } from "./stage-sheets.ts";
import { aroundAxis, floorOf, pinMarks, visible } from "./stage-view.ts";
import { createTexture, type Texture } from "./texture.ts";

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
  const laid = alongGrain(sheet, scene.sheets);
  const surfaceOf = drawnSurface(laid, options.subdivide ?? smoothHalvings(sheet.n));
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
