/**
 * Bodies as triangles, to be seen: the same shapes, sizes and roundings as system/contact/colliders.ts
 * keeps things away from, in the body's own coordinates.
 *
 * Points lie on the surface itself (triangles are chords, inside by 0.1 % of the radius at 64 sides: less than a pixel),
 * normals are exact, and points stand twice along sharp edges, so that shading is smooth only where the
 * body is. Flat sides are divided too: light is found at points.
 */
import type { Body, Vec3 } from "../scene/scene.ts";
import { cross, unit } from "./camera.ts";

export interface BodyMesh {
  /** [3n] m */
  readonly positions: Float64Array;
  /** [3n] unit, outwards */
  readonly normals: Float64Array;
  /** [3·triangles] counter-clockwise seen from outside */
  readonly triangles: Int32Array;
}

/** Around a circle, along a quarter of a ball and of a rounding, along a straight side. */
const SIDES = 64;
const BALL = 16;
const QUARTER = 8;
const STRAIGHT = 10;

/**
 * @param extent  m: planes and table edges have no end; they are shown this wide
 * @example bodyMesh({ type: "box", size: [1, 1, 0.2], rounding: 0.02 })
 */
export function bodyMesh(
  body: Exclude<Body, { type: "mesh" }>,
  { extent = 2 }: { extent?: number } = {},
): BodyMesh {
  switch (body.type) {
    case "plane":
      return plane(body.normal, extent);
    case "box": {
      const r = Math.min(body.rounding, ...body.size.map((s) => s / 2));
      return box(body.size, r);
    }
    case "edge":
      return tableEdge(body.radius, extent);
    case "sphere":
      return revolved([arc(0, 0, body.radius, 90, -90, BALL)]);
    case "torus":
      return revolved([arc(body.major, 0, body.minor, 90, -270, 2 * QUARTER)]);
    case "capsule": {
      const { radius: r, length } = body;
      return revolved(
        [
          arc(0, length / 2, r, 90, 0, BALL),
          line(r, length / 2, r, -length / 2, 1, 0),
          arc(0, -length / 2, r, 0, -90, BALL),
        ].reduce<Profile[]>(joined, []),
      );
    }
    case "cylinder": {
      const r = Math.min(body.rounding, body.radius, body.length / 2);
      const R = body.radius;
      const h = body.length / 2;
      return revolved(
        [
          line(0, h, R - r, h, 0, 1),
          arc(R - r, h - r, r, 90, 0),
          line(R, h - r, R, r - h, 1, 0),
          arc(R - r, r - h, r, 0, -90),
          line(R - r, -h, 0, -h, 0, -1),
        ].reduce<Profile[]>(joined, []),
      );
    }
    case "cone": {
      // the profile triangle moved inwards by r, and rounded back out
      const { radius: R, length: L } = body;
      const S = Math.sqrt(R * R + L * L);
      const r = Math.min(body.rounding, (R * L) / (S + R));
      const base = -L / 2 + r;
      const apex = Math.max(base, L / 2 - (r * S) / R);
      const rim = Math.max(0, R - (r * (S + R)) / L);
      const [nx, nz] = [L / S, R / S]; // normal of the slant
      const slope = (Math.atan2(nz, nx) * 180) / Math.PI;
      return revolved(
        [
          arc(0, apex, r, 90, slope),
          line(r * nx, apex + r * nz, rim + r * nx, base + r * nz, nx, nz),
          arc(rim, base, r, slope, -90),
          line(rim, base - r, 0, base - r, 0, -1),
        ].reduce<Profile[]>(joined, []),
      );
    }
  }
}

/** Faces that meet at more than this are an edge, not a curve: cos 40°. */
const CREASE = 0.766;

/**
 * A mesh from a file with normals: averaged over the faces around a point that go on smoothly into each other, so that
 * a ball is round and a box has edges. Points stand once for each side of an edge.
 */
export function creased(positions: ArrayLike<number>, triangles: ArrayLike<number>): BodyMesh {
  const corners = triangles.length;
  const n = positions.length / 3;
  const faces = faceNormals(positions, triangles);

  // corners around each point
  const start = new Int32Array(n + 1);
  for (let c = 0; c < corners; c++) start[triangles[c] + 1]++;
  for (let i = 0; i < n; i++) start[i + 1] += start[i];
  const around = new Int32Array(corners);
  const next = start.slice();
  for (let c = 0; c < corners; c++) around[next[triangles[c]]++] = c;

  const where: number[] = [];
  const normals: number[] = [];
  const index = new Int32Array(corners);
  for (let i = 0; i < n; i++) {
    // groups of corners: one joins all groups that have a face going its way
    const own = Array.from(around.subarray(start[i], start[i + 1]));
    let groups: number[][] = [];
    for (const c of own) {
      const near = (other: number): boolean => along(faces, c, other) > CREASE;
      const mine = groups.filter((group) => group.some(near));
      groups = [...groups.filter((group) => !mine.includes(group)), [c, ...mine.flat()]];
    }
    for (const group of groups) {
      const sum = [0, 0, 0];
      for (const c of group)
        for (let d = 0; d < 3; d++)
          sum[d] += faces.area[Math.floor(c / 3)] * faces.unit[3 * Math.floor(c / 3) + d];
      for (const c of group) index[c] = where.length / 3;
      where.push(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
      normals.push(...unit([sum[0], sum[1], sum[2]]));
    }
  }
  return {
    positions: Float64Array.from(where),
    normals: Float64Array.from(normals),
    triangles: index,
  };
}

interface Faces {
  /** [3·triangles] */
  unit: Float64Array;
  /** [triangles] m², twice */
  area: Float64Array;
}

function faceNormals(positions: ArrayLike<number>, triangles: ArrayLike<number>): Faces {
  const count = triangles.length / 3;
  const faces = { unit: new Float64Array(3 * count), area: new Float64Array(count) };
  for (let t = 0; t < count; t++) {
    const [a, b, c] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
    const side = (to: number): Vec3 => [
      positions[to] - positions[a],
      positions[to + 1] - positions[a + 1],
      positions[to + 2] - positions[a + 2],
    ];
    const normal = cross(side(b), side(c));
    const length = Math.hypot(...normal);
    faces.area[t] = length;
    for (let d = 0; d < 3; d++) faces.unit[3 * t + d] = length > 0 ? normal[d] / length : 0;
  }
  return faces;
}

/** cos of the angle between the faces of two corners. */
function along({ unit: faces }: Faces, c: number, other: number): number {
  const [p, q] = [3 * Math.floor(c / 3), 3 * Math.floor(other / 3)];
  return faces[p] * faces[q] + faces[p + 1] * faces[q + 1] + faces[p + 2] * faces[q + 2];
}

/** Points of a half plane: ρ, z and the normal there, from the top of the body down. */
type Profile = [rho: number, z: number, nRho: number, nz: number][];

/** Degrees from the ρ axis; nothing if the radius is 0. */
function arc(
  rho: number,
  z: number,
  r: number,
  from: number,
  to: number,
  quarter = QUARTER,
): Profile {
  if (!(r > 0) || from === to) return [];
  const parts = Math.max(1, Math.ceil((Math.abs(to - from) / 90) * quarter));
  return Array.from({ length: parts + 1 }, (_, i) => {
    const degrees = from + ((to - from) * i) / parts;
    // the ends of quarters exactly, so that poles close and fillets meet their sides
    const quarterTurns = degrees / 90;
    const exact = Number.isInteger(quarterTurns);
    const a = (degrees * Math.PI) / 180;
    const c = exact ? [1, 0, -1, 0][((quarterTurns % 4) + 4) % 4] : Math.cos(a);
    const s = exact ? [0, 1, 0, -1][((quarterTurns % 4) + 4) % 4] : Math.sin(a);
    return [rho + r * c, z + r * s, c, s];
  });
}

function line(
  rho0: number,
  z0: number,
  rho1: number,
  z1: number,
  nRho: number,
  nz: number,
): Profile {
  if (Math.hypot(rho1 - rho0, z1 - z0) === 0) return [];
  return Array.from({ length: STRAIGHT + 1 }, (_, i) => {
    const t = i / STRAIGHT;
    return [rho0 + (rho1 - rho0) * t, z0 + (z1 - z0) * t, nRho, nz];
  });
}

/** Goes on with the last run where the next begins with its normal; otherwise there is an edge. */
function joined(runs: Profile[], next: Profile): Profile[] {
  const last = runs.at(-1)?.at(-1);
  if (next.length === 0) return runs;
  const smooth = last && Math.hypot(last[2] - next[0][2], last[3] - next[0][3]) < 1e-9;
  if (smooth) runs.at(-1)!.push(...next.slice(1));
  else runs.push([...next]);
  return runs;
}

function revolved(runs: readonly Profile[]): BodyMesh {
  const mesh = new Builder();
  for (const run of runs) {
    const rings = run.map(([rho, z, nRho, nz]) =>
      Array.from({ length: SIDES }, (_, i) => {
        const a = (2 * Math.PI * i) / SIDES;
        const c = Math.cos(a);
        const s = Math.sin(a);
        return mesh.point([rho * c, rho * s, z], [nRho * c, nRho * s, nz]);
      }),
    );
    for (let r = 0; r + 1 < rings.length; r++)
      for (let i = 0; i < SIDES; i++) {
        const n = (i + 1) % SIDES;
        // at a pole one of the two triangles has no area
        if (run[r][0] > 0) mesh.triangle(rings[r][i], rings[r + 1][n], rings[r][n]);
        if (run[r + 1][0] > 0) mesh.triangle(rings[r][i], rings[r + 1][i], rings[r + 1][n]);
      }
  }
  return mesh.done();
}

function box(size: Vec3, r: number): BodyMesh {
  const mesh = new Builder();
  const inner = size.map((s) => s / 2 - r);
  /** From −half to half, dense where it is round: r tan θ for θ up to 45°, on a cube's face, is even in θ. */
  const steps = (axis: number): number[] => {
    const flat = Array.from(
      { length: STRAIGHT + 1 },
      (_, i) => inner[axis] * ((2 * i) / STRAIGHT - 1),
    );
    if (!(r > 0)) return flat;
    const round = Array.from({ length: QUARTER / 2 }, (_, i) =>
      i + 1 === QUARTER / 2 ? r : r * Math.tan(((i + 1) * Math.PI) / 2 / QUARTER),
    );
    return [
      ...round.map((d) => -inner[axis] - d).reverse(),
      ...(inner[axis] > 0 ? flat : [0]),
      ...round.map((d) => inner[axis] + d),
    ];
  };
  for (let axis = 0; axis < 3; axis++)
    for (const sign of [1, -1]) {
      // (u, v, axis) is right-handed on the positive side; the negative side swaps them
      const u = (axis + (sign > 0 ? 1 : 2)) % 3;
      const v = (axis + (sign > 0 ? 2 : 1)) % 3;
      const us = steps(u);
      const vs = steps(v);
      const ids = vs.map((b) =>
        us.map((a) => {
          const q: Vec3 = [0, 0, 0];
          q[u] = a;
          q[v] = b;
          q[axis] = (sign * size[axis]) / 2;
          const core = q.map((c, k) => Math.min(Math.max(c, -inner[k]), inner[k])) as Vec3;
          const out: Vec3 = [0, 0, 0];
          if (r > 0) for (let k = 0; k < 3; k++) out[k] = q[k] - core[k];
          else out[axis] = sign;
          const n = unit(out);
          return mesh.point([core[0] + r * n[0], core[1] + r * n[1], core[2] + r * n[2]], n);
        }),
      );
      mesh.grid(ids);
    }
  return mesh.done();
}

function plane(normal: Vec3, extent: number): BodyMesh {
  const n = Math.hypot(...normal) > 0 ? unit(normal) : ([0, 0, 1] as Vec3);
  const u = unit(cross(Math.abs(n[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0], n));
  const v = cross(n, u);
  const mesh = new Builder();
  const count = 4 * STRAIGHT;
  const at = (i: number): number => (i / count - 0.5) * extent;
  mesh.grid(
    Array.from({ length: count + 1 }, (_, j) =>
      Array.from({ length: count + 1 }, (_, i) =>
        mesh.point([0, 1, 2].map((k) => u[k] * at(i) + v[k] * at(j)) as Vec3, n),
      ),
    ),
  );
  return mesh.done();
}

/** The corner x ≤ 0, z ≤ 0 with a round edge along y, cut off as a block of that size. */
function tableEdge(r: number, extent: number): BodyMesh {
  const mesh = new Builder();
  const round = arc(-r, -r, r, 90, 0);
  const runs: Profile[] = [
    line(-extent, 0, -r, 0, 0, 1),
    round,
    line(0, -r, 0, -extent, 1, 0),
  ].reduce<Profile[]>(joined, []);
  const back: Profile[] = [
    line(0, -extent, -extent, -extent, 0, -1),
    line(-extent, -extent, -extent, 0, -1, 0),
  ];
  const count = 2 * STRAIGHT;
  for (const run of [...runs, ...back]) {
    const ids = run.map(([x, z, nx, nz]) =>
      Array.from({ length: count + 1 }, (_, i) =>
        mesh.point([x, (0.5 - i / count) * extent, z], [nx, 0, nz]),
      ),
    );
    mesh.grid(ids);
  }
  // ends
  const rim = runs.flat();
  for (const sign of [1, -1]) {
    const y = (sign * extent) / 2;
    const n: Vec3 = [0, sign, 0];
    const middle = mesh.point([-extent, y, -extent], n);
    const ids = rim.map(([x, z]) => mesh.point([x, y, z], n));
    for (let i = 0; i + 1 < ids.length; i++)
      if (sign > 0) mesh.triangle(middle, ids[i], ids[i + 1]);
      else mesh.triangle(middle, ids[i + 1], ids[i]);
  }
  return mesh.done();
}

class Builder {
  private readonly positions: number[] = [];
  private readonly normals: number[] = [];
  private readonly triangles: number[] = [];

  point(position: Vec3, normal: Vec3): number {
    this.positions.push(...position);
    this.normals.push(...normal);
    return this.positions.length / 3 - 1;
  }

  triangle(a: number, b: number, c: number): void {
    this.triangles.push(a, b, c);
  }

  /** Rows of points; seen from outside, columns run to the right and rows upwards. */
  grid(rows: readonly (readonly number[])[]): void {
    for (let j = 0; j + 1 < rows.length; j++)
      for (let i = 0; i + 1 < rows[j].length; i++) {
        const [a, b, c, d] = [rows[j][i], rows[j][i + 1], rows[j + 1][i + 1], rows[j + 1][i]];
        this.triangle(a, b, c);
        this.triangle(a, c, d);
      }
  }

  done(): BodyMesh {
    return {
      positions: Float64Array.from(this.positions),
      normals: Float64Array.from(this.normals),
      triangles: Int32Array.from(this.triangles),
    };
  }
}
