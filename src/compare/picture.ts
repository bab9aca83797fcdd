/** Pictures of how runs end, side by side: one camera, one range of colours, one legend. */
import { type Camera, fitCamera, type Preset } from "../picture/camera.ts";
import { type Picture, row, type SheetStyle } from "../picture/canvas.ts";
import { render } from "../picture/render.ts";
import { createStage } from "../picture/stage.ts";
import type { Recording } from "../recording/recording.ts";
import type { Vec3 } from "../scene/scene.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { spreadOf } from "./outline.ts";

/** Where the colours of strain end: beyond it one sees that the sheet has stretched. */
const STRAIN_END = 0.02;

export interface SideBySide {
  readonly recording: Recording;
  /** Lines below the picture. */
  readonly label: string;
}

export interface PictureOptions extends SheetStyle {
  width?: number;
  height?: number;
  /** Towards the camera. */
  from?: Preset | Vec3;
  readMesh?: ReadMesh;
}

/** The last frames, coloured by the strain of their edges. */
export function endPictures(
  runs: readonly SideBySide[],
  { width = 440, height = 400, from, readMesh, ...style }: PictureOptions = {},
): Picture {
  const camera = commonCamera(runs, width / height, from);
  const pictures = runs.map(({ recording }) => {
    const stage = createStage(recording, {
      color: "edge-strain",
      max: STRAIN_END,
      ...(readMesh ? { readMesh } : {}),
    });
    const last = recording.frames - 1;
    const scene = stage.scene(recording.pose(last), recording.time(last), {
      bodyTimes: recording.bodyTimes(last),
    });
    return render(scene, { width, height, camera });
  });
  const columns = Math.min(4, runs.length);
  return row(
    pictures,
    runs.map(({ label }) => label.replaceAll("\u00a0", " ")), // the pen has one blank
    { columns, ...style },
  );
}

/** Holds all last frames; the scene's own camera where it has one. */
function commonCamera(
  runs: readonly SideBySide[],
  aspect: number,
  from: Preset | Vec3 | undefined,
): Camera {
  const [first] = runs;
  const own = first.recording.scene.view.camera;
  if (from === undefined && own !== "auto")
    return { eye: own.eye, target: own.target, up: [0, 0, 1], fov: own.fov };
  const clouds = runs.map(({ recording }) => recording.positions(recording.frames - 1));
  const points = new Float64Array(clouds.reduce((sum, cloud) => sum + cloud.length, 0));
  let at = 0;
  for (const cloud of clouds) {
    points.set(cloud, at);
    at += cloud.length;
  }
  return fitCamera(points, { from: from ?? sideOf(clouds[0]), aspect, margin: 0.12 });
}

/**
 * Towards a camera that sees a long shape from the side and into it: 40° off its broad side, on the side of the usual
 * camera. From the broad side alone the wings of a cloth that does not fold hide behind each other.
 */
function sideOf(Y: Float64Array): Preset | Vec3 {
  const { along, across, ratio } = spreadOf(Y);
  if (ratio < LONG) return "auto";
  const [c, s] = [Math.cos(TURN), Math.sin(TURN)];
  const candidates = [1, -1].flatMap((p) =>
    [1, -1].map(
      (q): Vec3 => [p * c * across.x + q * s * along.x, p * c * across.y + q * s * along.y, 0.3],
    ),
  );
  const usual = (v: Vec3): number => 0.5 * v[0] - 0.8 * v[1];
  return candidates.reduce((best, v) => (usual(v) > usual(best) ? v : best));
}

/** Spread along over spread across from which a shape counts as long. */
const LONG = 1.3;
/** rad, off the broad side. */
const TURN = (40 * Math.PI) / 180;
