/** How a case of a test ends, to be drawn when the page is written. */
import type { Preset } from "../picture/camera.ts";
import { type Picture, row } from "../picture/canvas.ts";
import { render } from "../picture/render.ts";
import { createStage } from "../picture/stage.ts";
import type { Vec3 } from "../scene/scene.ts";
import type { Simulation } from "../simulation.ts";

export interface Shot {
  /** What is seen, and on which mesh. */
  caption: string;
  draw(): Picture;
}

/** The sheet as it is now, its edges drawn: where a test falls short one sees on which mesh. `from`: towards the camera. */
export function shot(
  {
    scene,
    sheet,
    Y,
    pose = Y,
    time,
  }: Pick<Simulation, "scene" | "sheet" | "Y" | "time"> & { pose?: Float64Array },
  caption: string,
  { from, pins = true }: { from?: Preset | Vec3; pins?: boolean } = {},
): Shot {
  const now = pose.slice();
  const frame = { frames: 1, time: () => time, pose: () => now };
  return {
    caption,
    draw() {
      const stage = createStage({ scene, sheet, ...frame }, { wire: true, pins });
      const [width, height] = [640, 400];
      const camera = stage.camera(width / height, from);
      return render(stage.scene(now, time), { width, height, camera });
    },
  };
}

/** Several moments or loads of one case beside each other. */
export function shotRow(shots: readonly Shot[], caption: string): Shot {
  return {
    caption,
    draw: () =>
      row(
        shots.map((one) => one.draw()),
        shots.map((one) => one.caption),
        { columns: Math.min(3, shots.length) },
      ),
  };
}
