/** Sizes of shapes that are known without sampling them: the box of their material, area, extent. */
import { PI } from "../linalg/elementary.ts";
import type { ShapeInput } from "./input.ts";
import type { Vec2 } from "./scene.ts";

export interface Box {
  min: Vec2;
  max: Vec2;
  width: number;
  height: number;
}

/** The box in uv that the material lies in; null if a file or several panels must be read for it. */
export function boxOf(shape: ShapeInput): Box | null {
  switch (shape.type) {
    case "rectangle":
      return box([0, 0], [shape.width, shape.height]);
    case "disc":
      return box([-shape.radius, -shape.radius], [shape.radius, shape.radius]);
    case "annulus":
      return box([-shape.outer, -shape.outer], [shape.outer, shape.outer]);
    case "tube":
      return box([0, 0], [2 * PI * shape.radius, shape.height]);
    case "polygon":
      return around(shape.points);
    case "mesh":
    case "garment":
      return null;
  }
}

/** Area (m²) and largest extent (m); null for meshes, whose file is not read here. */
export function measureOf(shape: ShapeInput): { area: number | null; extent: number | null } {
  switch (shape.type) {
    case "rectangle":
      return { area: shape.width * shape.height, extent: Math.max(shape.width, shape.height) };
    case "disc":
      return { area: PI * shape.radius * shape.radius, extent: 2 * shape.radius };
    case "annulus":
      return { area: PI * (shape.outer ** 2 - shape.inner ** 2), extent: 2 * shape.outer };
    case "tube":
      return {
        area: 2 * PI * shape.radius * shape.height,
        extent: Math.max(2 * shape.radius, shape.height),
      };
    case "polygon":
      return { area: outlined(shape.points, shape.holes), extent: span(around(shape.points)) };
    case "garment": {
      const { panels = [] } = shape;
      const areas = panels.map((panel) => outlined(panel.points, panel.holes));
      const spans = panels.map((panel) => span(around(panel.points)));
      return { area: areas.reduce((a, b) => a + b, 0), extent: Math.max(0, ...spans) };
    }
    case "mesh":
      return { area: null, extent: null };
  }
}

function box(min: Vec2, max: Vec2): Box {
  return { min, max, width: max[0] - min[0], height: max[1] - min[1] };
}

function around(points: readonly Vec2[]): Box {
  const min: Vec2 = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const max: Vec2 = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const p of points)
    for (let c = 0; c < 2; c++) {
      min[c] = Math.min(min[c], p[c]);
      max[c] = Math.max(max[c], p[c]);
    }
  return box(min, max);
}

function span({ width, height }: Box): number {
  return Math.max(width, height);
}

function outlined(points: readonly Vec2[], holes: readonly Vec2[][] = []): number {
  return Math.max(
    0,
    Math.abs(signedArea(points)) - holes.reduce((a, h) => a + Math.abs(signedArea(h)), 0),
  );
}

function signedArea(points: readonly Vec2[]): number {
  let twice = 0;
  for (let k = 0; k < points.length; k++) {
    const [a, b] = [points[k], points[(k + 1) % points.length]];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return twice / 2;
}
