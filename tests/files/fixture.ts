/** A small animation that every format test shares: two waving sheets and a turning box. */
import type { Animation, RigidBody } from "../../src/files/animation.ts";

export interface FixtureSize {
  nu?: number;
  nv?: number;
  frames?: number;
  bodies?: boolean;
}

/** Positions are a formula of (sheet, u, v, frame), so any reader's answer can be checked. */
export function wavingSheets({
  nu = 7,
  nv = 5,
  frames = 6,
  bodies = true,
}: FixtureSize = {}): Animation {
  const points = nu * nv;
  const n = 2 * points;
  const uv = new Float64Array(2 * n);
  const triangles: number[] = [];
  for (let sheet = 0; sheet < 2; sheet++)
    for (let i = 0; i < points; i++) {
      const column = i % nu;
      const row = Math.floor(i / nu);
      uv[2 * (sheet * points + i)] = column / (nu - 1);
      uv[2 * (sheet * points + i) + 1] = row / (nv - 1);
      if (column === nu - 1 || row === nv - 1) continue;
      const a = sheet * points + i;
      triangles.push(a, a + 1, a + nu + 1, a, a + nu + 1, a + nu);
    }
  const cells = triangles.length / 6;
  return {
    name: "waving sheets",
    n,
    triangles: Int32Array.from(triangles),
    uv,
    rate: 24,
    frames,
    positions: (frame, out) => {
      for (let i = 0; i < n; i++) {
        const sheet = i < points ? 0 : 1;
        const [u, v] = [uv[2 * i], uv[2 * i + 1]];
        out[3 * i] = 0.3 + u + 0.02 * frame;
        out[3 * i + 1] = -0.2 + 0.7 * v;
        out[3 * i + 2] = 1 + 0.5 * sheet + 0.1 * Math.sin(6 * u + 3 * v + 0.4 * frame);
      }
    },
    fields: [
      {
        name: "strain",
        per: "point",
        values: (frame, out) => out.set(out.map((_, i) => uv[2 * i] * 0.01 * frame)),
      },
      {
        name: "curvature",
        per: "triangle",
        values: (frame, out) => out.set(out.map((_, t) => t + frame)),
      },
    ],
    parts: [
      { name: "lower sheet", firstPoint: 0, points, firstTriangle: 0, triangles: cells },
      { name: "upper sheet", firstPoint: points, points, firstTriangle: cells, triangles: cells },
    ],
    ...(bodies && { bodies: [turningBox()] }),
  };
}

/** A box that rises and turns about z by 0.3 rad a frame. */
export function turningBox(): RigidBody {
  const positions = new Float64Array(24);
  for (let i = 0; i < 8; i++) {
    positions[3 * i] = i & 1 ? 0.1 : -0.1;
    positions[3 * i + 1] = i & 2 ? 0.2 : -0.2;
    positions[3 * i + 2] = i & 4 ? 0.3 : -0.3;
  }
  // biome-ignore format: two triangles a side
  const triangles = Int32Array.of(
    0, 2, 3, 0, 3, 1,  4, 5, 7, 4, 7, 6,  0, 1, 5, 0, 5, 4,
    2, 6, 7, 2, 7, 3,  0, 4, 6, 0, 6, 2,  1, 3, 7, 1, 7, 5,
  );
  return {
    name: "box",
    positions,
    triangles,
    pose: (frame, out) => {
      out.set([2, 0.5, 0.4 + 0.1 * frame, 0, 0, Math.sin(0.15 * frame), Math.cos(0.15 * frame)]);
    },
  };
}

export function frameOf(animation: Animation, frame: number): Float64Array {
  const out = new Float64Array(3 * animation.n);
  animation.positions(frame, out);
  return out;
}
