/** The meaning of a sheet: its shape, points, start and material with all defaults, and whether they fit together. */
import { PI } from "../linalg/elementary.ts";
import { radians, rotationOf } from "./convert.ts";
import { DEFAULTS, FEWEST_POINTS, MOST_POINTS } from "./defaults.ts";
import type { Faults, Path } from "./faults.ts";
import type { MaterialInput, PoseInput, SamplingInput, ShapeInput, SheetInput } from "./input.ts";
import { DEFAULT_MATERIAL, defaultMembraneStiffness, plateRigidity, presets } from "./materials.ts";
import type { Material, Pose, Sampling, Shape, SheetScene, Vec2, Vec3 } from "./scene.ts";
import { boxOf, measureOf } from "./shapes.ts";

export interface SheetContext {
  name: string;
  /** kg, what hangs on it. */
  hung: number;
  gravity: Vec3;
  faults: Faults;
}

export function sheetOf(sheet: SheetInput, path: Path, context: SheetContext): SheetScene {
  const { faults } = context;
  const shape = shapeOf(sheet.shape, [...path, "shape"], faults);
  return {
    name: sheet.name ?? context.name,
    shape,
    sampling: samplingOf(sheet, path, faults),
    neighbourhood: neighbourhoodOf(sheet.neighbourhood, [...path, "neighbourhood"], faults),
    pose: poseOf(sheet.pose, sheet.shape, [...path, "pose"], faults),
    velocity: sheet.velocity ?? [0, 0, 0],
    spin: rotationOf(sheet.spin),
    material: materialOf(sheet, [...path, "material"], context),
    curvature: curvatureOf(sheet.curvature ?? null),
    noise: sheet.noise ?? 0,
    ...(sheet.look === undefined ? {} : { look: { ...sheet.look } }),
  };
}

function curvatureOf(given: NonNullable<SheetInput["curvature"]> | null): SheetScene["curvature"] {
  if (given === null || given === "pose") return given;
  return { value: given.value, angle: radians(given.angle ?? 0) };
}

function shapeOf(shape: ShapeInput, path: Path, faults: Faults): Shape {
  switch (shape.type) {
    case "rectangle":
    case "disc":
    case "tube":
      return { ...shape };
    case "annulus":
      if (shape.inner >= shape.outer)
        faults.add(
          [...path, "inner"],
          `got ${shape.inner}, needs less than outer (${shape.outer} m)`,
        );
      return { ...shape };
    case "polygon": {
      checkLoop(shape.points, [...path, "points"], faults);
      for (const [k, hole] of (shape.holes ?? []).entries())
        checkLoop(hole, [...path, "holes", k], faults);
      return { type: "polygon", points: shape.points, holes: shape.holes ?? [] };
    }
    case "mesh":
      checkFile(shape.file, [...path, "file"], faults);
      return { type: "mesh", file: shape.file, scale: shape.scale ?? 1, uv: shape.uv ?? false };
    case "garment":
      if (shape.file !== undefined)
        faults.add([...path, "file"], `"${shape.file}": no way to read files was given`);
      else if (shape.panels === undefined)
        faults.add([...path, "panels"], "missing, needs panels, or a pattern as file");
      return {
        type: "garment",
        panels: (shape.panels ?? []).map((panel, k) => {
          checkLoop(panel.points, [...path, "panels", k, "points"], faults);
          for (const [name, ends] of Object.entries(panel.edges ?? {}))
            if (ends.some((vertex) => vertex >= panel.points.length))
              faults.add(
                [...path, "panels", k, "edges", name],
                `got [${ends.join(", ")}], needs 0 … ${panel.points.length - 1}`,
              );
          return {
            name: panel.name,
            points: panel.points,
            edges: { ...panel.edges },
            holes: panel.holes ?? [],
            place: {
              position: panel.place?.position ?? [0, 0, 0],
              rotation: rotationOf(panel.place?.rotation),
              wrap: panel.place?.wrap ?? null,
            },
            ...(panel.grain == null ? {} : { grain: radians(panel.grain) }),
          };
        }),
        seams: (shape.seams ?? []).map((seam) => ({ ...seam, reversed: seam.reversed ?? false })),
        sewing: shape.sewing ?? null,
      };
  }
}

function checkLoop(points: readonly Vec2[], path: Path, faults: Faults): void {
  let twice = 0;
  let size = 0;
  for (let k = 0; k < points.length; k++) {
    const [a, b] = [points[k], points[(k + 1) % points.length]];
    twice += a[0] * b[1] - a[1] * b[0];
    size = Math.max(size, Math.abs(b[0] - a[0]), Math.abs(b[1] - a[1]));
  }
  if (!(Math.abs(twice) > 1e-9 * size * size)) faults.add(path, "the outline encloses no area");
}

export function checkFile(file: string, path: Path, faults: Faults): void {
  if (file.includes("\0")) faults.add(path, "needs a file name");
}

function samplingOf(sheet: SheetInput, path: Path, faults: Faults): Sampling {
  const { shape, sampling = {} } = sheet;
  const at = [...path, "sampling"];
  const type = sampling.type ?? (shape.type === "mesh" ? "mesh" : "irregular");
  const angle = sampling.angle === undefined ? 0 : radians(sampling.angle);
  if (type === "mesh") {
    if (shape.type !== "mesh")
      faults.add([...at, "type"], `got "mesh", needs another one: the shape is a ${shape.type}`);
    return { type, angle, points: 0 };
  }
  if (sampling.points !== undefined && sampling.spacing !== undefined)
    faults.add([...at, "spacing"], "got both points and spacing, needs one of them");
  if (sampling.spacing === undefined)
    return { type, angle, points: sampling.points ?? DEFAULTS.points };

  const { spacing } = sampling;
  const { extent } = measureOf(shape);
  const points = about(shape, sampling);
  if (points > MOST_POINTS)
    faults.add(
      [...at, "spacing"],
      `got ${spacing} m, makes about ${points} points; needs at most ${MOST_POINTS}`,
    );
  else if (extent !== null && spacing > extent)
    faults.add([...at, "spacing"], `got ${spacing} m, needs less than the sheet's ${extent} m`);
  else if (points > 0 && points < FEWEST_POINTS)
    faults.add(
      [...at, "spacing"],
      `got ${spacing} m, too few points; needs at least ${FEWEST_POINTS}`,
    );
  return { type, angle, spacing };
}

function neighbourhoodOf(
  given: SheetInput["neighbourhood"],
  path: Path,
  faults: Faults,
): SheetScene["neighbourhood"] {
  if (given?.rings !== undefined && given.radius !== undefined)
    faults.add(path, "got both rings and radius, needs one of them");
  if (given?.radius !== undefined) return { radius: given.radius };
  return { rings: given?.rings ?? DEFAULTS.rings };
}

function poseOf(pose: PoseInput | undefined, shape: ShapeInput, path: Path, faults: Faults): Pose {
  const solid = shape.type === "tube" || shape.type === "mesh" || shape.type === "garment";
  const position: Vec3 = pose?.position ?? [0, 0, 0];
  const rotation = rotationOf(pose?.rotation);
  const given: PoseInput = pose ?? {};
  if (given.type === undefined) return { type: solid ? "rest" : "flat", position, rotation };
  switch (given.type) {
    case "flat":
    case "rest":
      return { type: given.type, position, rotation };
    case "cylinder": {
      const { radius } = given;
      if (Math.abs(radius) < 1e-3)
        faults.add(
          [...path, "radius"],
          `got ${radius}, needs 0.001 … 100 m, or the same downwards`,
        );
      return { type: "cylinder", radius, angle: radians(given.angle ?? 0), position, rotation };
    }
    case "cone": {
      const halfAngle = radians(given.halfAngle);
      if (!(halfAngle > 0 && halfAngle < PI / 2))
        faults.add([...path, "halfAngle"], "needs more than 0° and less than 90°");
      return { type: "cone", halfAngle, apex: [...given.apex], position, rotation };
    }
    case "arc": {
      const width = boxOf(shape)?.width;
      if (width !== undefined && given.span > width)
        faults.add(
          [...path, "span"],
          `got ${given.span}, needs at most the width of the sheet, ${width} m`,
        );
      return { type: "arc", span: given.span, position, rotation };
    }
    case "file":
      checkFile(given.file, [...path, "file"], faults);
      return { type: "file", file: given.file, position, rotation };
  }
}

function materialOf(sheet: SheetInput, path: Path, context: SheetContext): Material {
  const { faults } = context;
  const short = typeof sheet.material === "string";
  const given: MaterialInput = short
    ? { preset: sheet.material as string }
    : ((sheet.material as MaterialInput) ?? {});
  const preset = presets.find((p) => p.name === given.preset);
  const poisson = given.poisson ?? preset?.poisson ?? DEFAULT_MATERIAL.poisson;
  const thickness = given.thickness ?? preset?.thickness ?? DEFAULT_MATERIAL.thickness;
  const knowsThickness = given.thickness !== undefined || preset !== undefined;

  let density = given.density ?? preset?.density ?? DEFAULT_MATERIAL.density;
  if (given.volumetricDensity !== undefined) {
    if (given.density !== undefined)
      faults.add([...path, "volumetricDensity"], "got density too, needs one of them");
    if (!knowsThickness) faults.add([...path, "thickness"], "missing, volumetricDensity needs it");
    density = given.volumetricDensity * thickness;
  }

  let D = given.D ?? preset?.D ?? DEFAULT_MATERIAL.D;
  let membraneStiffness = given.membraneStiffness ?? preset?.membraneStiffness ?? null;
  if (given.young !== undefined) {
    if (given.D !== undefined) faults.add([...path, "young"], "got D too, needs one of them");
    if (!knowsThickness) faults.add([...path, "thickness"], "missing, young needs it");
    D = plateRigidity(given.young, thickness, poisson);
    membraneStiffness = given.membraneStiffness ?? given.young * thickness;
  }
  if (membraneStiffness === null) {
    const { area, extent } = measureOf(sheet.shape);
    const [x, y, z] = context.gravity;
    const loaded = density + (area === null ? 0 : context.hung / area);
    membraneStiffness = defaultMembraneStiffness(
      loaded,
      Math.sqrt(x * x + y * y + z * z),
      extent ?? 1,
    );
  }
  return {
    preset: preset?.name ?? null,
    density,
    D,
    poisson,
    membraneStiffness,
    thickness,
    damping: given.damping ?? DEFAULT_MATERIAL.damping,
  };
}

/** Points of a sheet as its sampling says; by area if it says a spacing. */
export function about(shape: ShapeInput, sampling: SamplingInput): number {
  if (sampling.spacing === undefined) return sampling.points ?? DEFAULTS.points;
  const { area } = measureOf(shape);
  return area === null ? 0 : Math.round(area / (0.85 * sampling.spacing * sampling.spacing));
}
