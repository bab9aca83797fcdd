/**
 * From a Scene back to its input form, complete and exact: parseScene(sceneInput(scene)) is the same scene, bit for bit.
 * Angles are therefore written as { radians }, since degrees and back would round.
 */
import type {
  AngleInput,
  KeyInput,
  MotionInput,
  RotationInput,
  SceneInput,
  ShapeInput,
  SheetInput,
} from "./input.ts";
import type { Motion, Scene, Shape, SheetScene, Vec3 } from "./scene.ts";

/**
 * The input form of a scene, with every default spelt out.
 *
 * @example
 * const text = JSON.stringify(sceneInput(simulation.scene), null, 2);
 */
export function sceneInput(scene: Scene): SceneInput {
  const { foundation, substrate, static: equilibrium, view, ...rest } = structuredClone(scene);
  return {
    ...rest,
    ...(equilibrium === null ? {} : { static: equilibrium }),
    ...(foundation === null ? {} : { foundation }),
    sheets: rest.sheets.map(sheetInput),
    pins: rest.pins.map((pin) => ({ ...pin, motion: motionInput(pin.motion) })),
    attachments: rest.attachments.map((a) => ({
      ...a,

      motion: motionInput(a.motion),
    })),
    colliders: rest.colliders.map((c) => ({
      ...c,
      rotation: turned(c.rotation),
      motion: motionInput(c.motion),
    })),
    ...(substrate === null
      ? {}
      : {
          substrate: {
            ...substrate,
            held: substrate.held.map((held) => ({ ...held, motion: motionInput(held.motion) })),
          },
        }),
    view: {
      camera: view.camera === "auto" ? "auto" : { ...view.camera, fov: angled(view.camera.fov) },
      ground: view.ground,
    },
  };
}

function angled(radians: number): AngleInput {
  return { radians };
}

function turned(radians: Vec3): RotationInput {
  return { radians };
}

function sheetInput(sheet: SheetScene): SheetInput {
  const { sampling, pose, material } = sheet;
  const angle = angled(sampling.angle);
  const rotation = turned(pose.rotation);
  return {
    ...sheet,
    shape: shapeInput(sheet.shape),
    sampling:
      sampling.type === "mesh"
        ? { type: "mesh", angle }
        : "points" in sampling
          ? { type: sampling.type, points: sampling.points, angle }
          : { type: sampling.type, spacing: sampling.spacing, angle },
    pose:
      pose.type === "cylinder"
        ? { ...pose, rotation, angle: angled(pose.angle) }
        : pose.type === "cone"
          ? { ...pose, rotation, halfAngle: angled(pose.halfAngle) }
          : { ...pose, rotation },
    spin: turned(sheet.spin),
    material: { ...material },
    curvature: curvatureInput(sheet.curvature),
  };
}

function curvatureInput(
  curvature: SheetScene["curvature"],
): NonNullable<SheetInput["curvature"]> | null {
  if (curvature === null || curvature === "pose") return curvature;
  return { value: curvature.value, angle: angled(curvature.angle) };
}

function shapeInput(shape: Shape): ShapeInput {
  if (shape.type !== "garment") return shape;
  return {
    ...shape,
    panels: shape.panels.map(({ grain, ...panel }) => ({
      ...panel,
      ...(grain === undefined ? {} : { grain: angled(grain) }),
      place: { ...panel.place, rotation: turned(panel.place.rotation) },
    })),
  };
}

function motionInput(motion: Motion | null): MotionInput | null {
  if (motion === null) return null;
  const keys: KeyInput[] = motion.keys.map((key) => ({ ...key, rotate: turned(key.rotate) }));
  return {
    ...(keys.length === 0 ? {} : { keys }),
    smooth: motion.smooth,
    pivot: motion.pivot,
    spin: motion.spin && {
      axis: motion.spin.axis,
      rates: motion.spin.rates.map(({ time, rate }) => ({ time, rate: angled(rate) })),
    },
  };
}
