/**
 * The start pose: where the points are and how fast they move when time begins.
 *
 * A flat sheet may start rolled. Rolling is exact: arc length along the curve is material length,
 * so every pose here is an isometry of the sheet (the chords between points are shorter than the
 * material, by the second order of their length over the radius; nothing stretches to make up for
 * it). All but the cone are tangent to z = 0 or end on it; then come the noise along z, the
 * rotation about the origin, and the position.
 */
import { atan2, cos, PI, sin } from "../linalg/elementary.ts";
import type { Pose, SheetScene, Vec2, Vec3 } from "../scene/scene.ts";
import type { Part, ReadMesh, Sheet } from "./kinematics.ts";
import { openFolds } from "./open-folds.ts";
import { lengthOf } from "./plane.ts";
import { createRandom } from "./random.ts";
import { SheetError } from "./sheet-error.ts";

/** Streams of random numbers from here on are for noise; those below sample the sheets. */
const NOISE_STREAM = 1 << 20;

/**
 * Positions and velocities of all points.
 * @returns Y [3n] m and V [3n] m/s, xyz per point
 */
export function startPose(
  sheet: Sheet,
  sheets: readonly SheetScene[],
  seed: number,
  readMesh: ReadMesh | null = null,
): { Y: Float64Array; V: Float64Array } {
  const Y = new Float64Array(sheet.rest as Float64Array);
  const V = new Float64Array(3 * sheet.n);
  sheets.forEach((scene, k) => {
    const part = sheet.parts[k];
    const end = part.firstPoint + part.points;
    try {
      roll(Y, sheet, part, scene, readMesh);
    } catch (error) {
      if (error instanceof SheetError) throw new SheetError(`sheet "${scene.name}"`, error.faults);
      throw error;
    }
    if (scene.shape.type === "garment" && scene.pose.type !== "file")
      openFolds(Y, sheet, part, scene.material.thickness);
    if (scene.noise !== 0) {
      const random = createRandom(seed, NOISE_STREAM + k);
      for (let i = part.firstPoint; i < end; i++) Y[3 * i + 2] += scene.noise * (2 * random() - 1);
    }
    place(Y, part, scene.pose);
    setMotion(V, Y, sheet, part, scene);
  });
  return { Y, V };
}

/** The matrix of a rotation vector (rad), row by row: I + sin θ [a]× + (1 − cos θ) [a]×². */
export function rotationMatrix([x, y, z]: Vec3): Float64Array {
  const angle = Math.sqrt(x * x + y * y + z * z);
  if (angle === 0) return Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
  const [a, b, c] = [x / angle, y / angle, z / angle];
  const s = sin(angle);
  const half = sin(angle / 2);
  const t = 2 * half * half; // 1 − cos θ without cancellation
  // biome-ignore format: a matrix
  return Float64Array.of(
    1 - t * (b * b + c * c), t * a * b - s * c, t * a * c + s * b,
    t * a * b + s * c, 1 - t * (a * a + c * c), t * b * c - s * a,
    t * a * c - s * b, t * b * c + s * a, 1 - t * (a * a + b * b),
  );
}

/** Writes the pose of one part before noise, rotation and position. */
function roll(
  Y: Float64Array,
  sheet: Sheet,
  part: Part,
  { shape, pose }: SheetScene,
  readMesh: ReadMesh | null,
): void {
  const from = part.firstPoint;
  const end = from + part.points;
  const { uv } = sheet;
  if (pose.type === "rest") return;
  if (pose.type === "file") {
    if (readMesh === null) {
      throw new SheetError("pose", [`${pose.file}: no way to read files was given`]);
    }
    const { positions } = readMesh(pose.file);
    if (positions.length !== 3 * part.points) {
      throw new SheetError("pose", [
        `${pose.file} has ${positions.length / 3} points, the sheet has ${part.points}`,
      ]);
    }
    Y.set(positions, 3 * from);
    return;
  }
  const flat = shape.type === "mesh" ? shape.uv : shape.type !== "tube" && shape.type !== "garment";
  if (!flat) {
    // A tube or a garment cannot lie flat: it starts from its rest shape.
    if (pose.type === "flat") return;
    throw new SheetError("pose", [
      `pose ${pose.type} rolls a flat sheet; a ${shape.type} starts from "rest" or from a file`,
    ]);
  }
  const surface = rolling(pose, sheet, part);
  for (let i = from; i < end; i++) Y.set(surface(uv[2 * i], uv[2 * i + 1]), 3 * i);
}

/** The map from the material to space. */
function rolling(pose: Pose, sheet: Sheet, part: Part): (u: number, v: number) => Vec3 {
  const box = extent(sheet, part);
  const middle: Vec2 = [(box.minU + box.maxU) / 2, (box.minV + box.maxV) / 2];
  switch (pose.type) {
    case "cylinder":
      return onCylinder(pose.radius, pose.angle, middle);
    case "cone":
      return onCone(pose.halfAngle, pose.apex, middle, sheet, part);
    case "arc":
      return onArc(pose.span, box.maxU - box.minU, middle[0]);
    default:
      return (u, v) => [u, v, 0];
  }
}

/**
 * Draped over a cylinder whose axis makes `angle` with v; touches z = 0 along the line through the
 * middle.
 */
function onCylinder(radius: number, angle: number, middle: Vec2): (u: number, v: number) => Vec3 {
  const [c, s] = [cos(angle), sin(angle)]; // around: (c, s), along the axis: (−s, c)
  return (u, v) => {
    const around = c * (u - middle[0]) + s * (v - middle[1]);
    const along = c * (v - middle[1]) - s * (u - middle[0]);
    const across = radius * sin(around / radius);
    const half = sin(around / (2 * radius));
    return [
      middle[0] + c * across - s * along,
      middle[1] + s * across + c * along,
      -2 * radius * half * half, // R cos − R without cancellation
    ];
  };
}

/**
 * Rolled onto a cone with its apex on the material point `apex`; touches z = 0 along the line from
 * there to the middle. A material angle φ about the apex is φ / sin β around the axis, and
 * distances from the apex are kept.
 */
function onCone(
  halfAngle: number,
  apex: Vec2,
  middle: Vec2,
  sheet: Sheet,
  part: Part,
): (u: number, v: number) => Vec3 {
  const [cosB, sinB] = [cos(halfAngle), sin(halfAngle)];
  const away = lengthOf(middle[0] - apex[0], middle[1] - apex[1]);
  const [du, dv] = away > 0 ? [(middle[0] - apex[0]) / away, (middle[1] - apex[1]) / away] : [1, 0];
  const angleOf = (u: number, v: number): number =>
    atan2(du * (v - apex[1]) - dv * (u - apex[0]), du * (u - apex[0]) + dv * (v - apex[1]));
  // A triangle whose angles leap by more than half a turn has the apex, or the ray opposite the
  // middle, inside it.
  for (let t = part.firstTriangle; t < part.firstTriangle + part.triangles; t++) {
    const angles = [0, 1, 2].map((k) =>
      angleOf(sheet.corners[6 * t + 2 * k], sheet.corners[6 * t + 2 * k + 1]),
    );
    if (Math.max(...angles) - Math.min(...angles) > PI * (1 + 1e-12)) {
      throw new SheetError("pose", [
        `the cone's apex (${apex[0]}, ${apex[1]}) lies inside the sheet, which would tear there; move it to the boundary or beyond`,
      ]);
    }
  }
  return (u, v) => {
    const rho = lengthOf(u - apex[0], v - apex[1]);
    const theta = angleOf(u, v) / sinB;
    const half = sin(theta / 2);
    const drop = 2 * sinB * half * half; // sin β (1 − cos θ)
    // the line at θ: d (1 − sin β·drop) + e sin β sin θ − z cos β·drop
    const [d, e] = [rho * (1 - sinB * drop), rho * sinB * sin(theta)];
    return [apex[0] + du * d - dv * e, apex[1] + dv * d + du * e, -rho * cosB * drop];
  };
}

/**
 * An arch along u: its ends on z = 0 and `span` apart. Half its angle x solves sin x / x = span /
 * length.
 */
function onArc(span: number, length: number, middle: number): (u: number, v: number) => Vec3 {
  if (span < 0 || span > length) {
    throw new SheetError("pose", [`span: got ${span}, needs 0 … ${length} m, the length along u`]);
  }
  let [low, high] = [0, PI];
  for (let k = 0; k < 100; k++) {
    const x = (low + high) / 2;
    if (x > 0 && sin(x) * length > span * x) low = x;
    else high = x;
  }
  const x = (low + high) / 2;
  if (x < 1e-8) return (u, v) => [u, v, 0]; // flat to the last bit of a metre
  const radius = length / (2 * x);
  const endHeight = radius * cos(x);
  return (u, v) => {
    const angle = (u - middle) / radius;
    return [middle + radius * sin(angle), v, radius * cos(angle) - endHeight];
  };
}

/** Rotates about the origin, then moves. */
function place(Y: Float64Array, part: Part, { position, rotation }: Pose): void {
  const R = rotationMatrix(rotation);
  const end = 3 * (part.firstPoint + part.points);
  for (let y = 3 * part.firstPoint; y < end; y += 3) {
    const a = Y[y];
    const b = Y[y + 1];
    const c = Y[y + 2];
    Y[y] = R[0] * a + R[1] * b + R[2] * c + position[0];
    Y[y + 1] = R[3] * a + R[4] * b + R[5] * c + position[1];
    Y[y + 2] = R[6] * a + R[7] * b + R[8] * c + position[2];
  }
}

/** V = velocity + spin × (Y − centre of mass). */
function setMotion(
  V: Float64Array,
  Y: Float64Array,
  sheet: Sheet,
  part: Part,
  { velocity, spin }: SheetScene,
): void {
  const end = part.firstPoint + part.points;
  let [area, cx, cy, cz] = [0, 0, 0, 0];
  for (let i = part.firstPoint; i < end; i++) {
    area += sheet.area[i];
    cx += sheet.area[i] * Y[3 * i];
    cy += sheet.area[i] * Y[3 * i + 1];
    cz += sheet.area[i] * Y[3 * i + 2];
  }
  for (let i = part.firstPoint; i < end; i++) {
    const x = Y[3 * i] - cx / area;
    const y = Y[3 * i + 1] - cy / area;
    const z = Y[3 * i + 2] - cz / area;
    V[3 * i] = velocity[0] + spin[1] * z - spin[2] * y;
    V[3 * i + 1] = velocity[1] + spin[2] * x - spin[0] * z;
    V[3 * i + 2] = velocity[2] + spin[0] * y - spin[1] * x;
  }
}

function extent(
  { uv }: Sheet,
  part: Part,
): { minU: number; maxU: number; minV: number; maxV: number } {
  let [minU, maxU, minV, maxV] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = part.firstPoint; i < part.firstPoint + part.points; i++) {
    minU = Math.min(minU, uv[2 * i]);
    maxU = Math.max(maxU, uv[2 * i]);
    minV = Math.min(minV, uv[2 * i + 1]);
    maxV = Math.max(maxV, uv[2 * i + 1]);
  }
  return { minU, maxU, minV, maxV };
}
