/**
 * Self-contact, contact between sheets, and contact with triangle meshes: barriers on point–triangle and edge–edge distances.
 *
 *   gap = |δ| − ξ,  δ = Σ wₖ Yₖ (distance.ts),    ψ = a p₀ d̂ B(gap/d̂),    row = wₖ δ/|δ|
 *
 * ξ is the thickness (mean of both sides), or nine tenths of the distance where a pair starts the step closer than that, so that every state is
 * allowed and layers that start too near are pushed apart step by step. maxStep stops every candidate pair before it touches (ccd.ts): a state
 * without intersections stays without.
 *
 * Candidates are the pairs that may come within a margin while the sheet goes from where the list was made along a motion d: that of the last
 * step to begin with. A list by positions alone would hold half of a sheet that flies as one. It serves as long as everybody is within half the
 * margin of begin + s·d, for one s in 0 … 1 that is the same for all: distances change only by motion relative to each other. Beyond
 * that, maxStep makes a new one, for the motion that it was asked about.
 *
 * Pairs that already intersect have no outside that a distance could tell. They are left alone (and reported) until the sheet's own stiffness
 * has pulled them apart.
 *
 * Friction between layers: layer-friction.ts.
 */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import { SPARE } from "../../linalg/single.ts";
import { colliderAt, createRigid } from "../../scene/motion.ts";
import type { Collider, Scene } from "../../scene/scene.ts";
import type { Sheet } from "../../sheet/kinematics.ts";
import type { RowSet } from "../system.ts";
import { adaptedPressure, contactPressure, pressHarder } from "./barrier.ts";
import {
  createBroadPhase,
  createCandidates,
  findEdgeEdges,
  findPointTriangles,
  growCandidates,
  type Primitives,
  update,
} from "./broad-phase.ts";
import type { ContactPairs, ContactRows } from "./contact-rows.ts";
import {
  type Before,
  edgeEdge,
  isSame,
  longestWay,
  parallelFactor,
  pointTriangle,
} from "./distance.ts";
import { selfIntersections } from "./intersections.ts";
import { layerFriction } from "./layer-friction.ts";
import { type BendingMesh, bendMesh, placeMesh } from "./mesh-body.ts";
import { type ContactOperations, contactOperations } from "./operations.ts";

export interface SelfContact {
  readonly barrier: RowSet;
  readonly friction: RowSet;
  /** Candidates around Y, what each pair keeps, friction of this step. Meshes stand at t0. */
  beginStep(Y: ReadonlyF64, V: ReadonlyF64, h: number, t0: number, t1: number): void;
  endStep(Y: ReadonlyF64): void;
  /** Moves points that touch a moving mesh along with it. */
  carry(Y: Float64Array, fixed: Uint8Array): void;
  /** Whether the meshes can move to t1 while the sheet moves from Y to Y + p; if so they stand there from now on. */
  moveBodies(Y: ReadonlyF64, p: ReadonlyF64): boolean;
  /** Pairs within reach at the last evaluate, and the deepest loss of thickness, m. */
  measure(Y: ReadonlyF64): { penetration: number; contacts: number; point: number };
  /** The distance that layers keep, m; less than asked where the mesh is too fine for it. */
  readonly thickness: number;
  /** Points of triangles that intersect, as found at the start of the last step. */
  readonly crossings: number[];
  /** From now on its loops run in the kernels. */
  attach(kernels: ContactOperations): void;
  /** State for checkpoints: friction contacts of the last step. */
  readonly memory: Float64Array[];
}

/** Layers of a mesh keep at most this share of its shortest edge apart: neighbours must not repel each other. */
const SPACING_SHARE = 0.25;
/** Reach of the barrier beyond the thickness, as a share of it. */
const REACH = 0.5;
/** How far beyond the reach candidates are looked for, as a share of the shortest edge. */
const SLACK = 0.5;

/** A mesh collider: its collider and its surface in its own coordinates. */
export interface MeshCollider {
  readonly collider: Collider;
  readonly mesh: BendingMesh;
}

export function selfContact(
  memory: Allocator,
  scene: Scene,
  sheet: Sheet,
  asked: ReadonlyF64,
  meshes: readonly MeshCollider[],
): SelfContact | null {
  if (!scene.contact.self && meshes.length === 0) return null;
  const { n, edgeLength, area } = sheet;
  let shortest = Number.POSITIVE_INFINITY;
  for (let e = 0; e < edgeLength.length; e++) shortest = Math.min(shortest, edgeLength[e]);
  let thickness = 0;
  for (let i = 0; i < n; i++) thickness = Math.max(thickness, asked[i]);
  thickness = Math.min(thickness, SPACING_SHARE * shortest);
  const dHat = REACH * thickness;
  // the meshes' points come after the sheet's
  const all = joined(sheet, meshes);
  const { total: N, triangles, edges, firstPoint } = all;
  const groups = meshes.length + 1;
  const wanted = new Uint8Array(groups * groups);
  for (let b = 1; b < groups; b++) {
    wanted[b] = 1;
    wanted[b * groups] = 1;
  }
  wanted[0] = scene.contact.self ? 1 : 0;
  const sewn = Int32Array.from({ length: N }, (_, i) => (i < n ? (sheet.sewn?.[i] ?? i) : i));
  const primitives: Primitives = { n: N, triangles, edges, group: all.group, wanted, sewn };
  const broad = createBroadPhase(memory, primitives);
  const X = memory.f64(3 * N); // positions of all
  const P = memory.f64(3 * N); // displacements of all
  const sweep = memory.f64(3 * N); // of the meshes' points in this step
  const pose = createRigid();
  const usual = 40 * n; // pairs of a list; longer ones are for the narrowest of heaps
  let capacity = usual;
  const points = createCandidates(memory, capacity);
  const lines = createCandidates(memory, capacity);
  const lists = [points, lines];
  const [gx, gy, gz] = scene.gravity;
  const g = Math.sqrt(gx * gx + gy * gy + gz * gz);
  const density = scene.sheets.reduce((most, s) => Math.max(most, s.material.density), 0);
  const startPressure = contactPressure(density, g);
  const pressure = memory.f64(1); // p₀, Pa: follows what presses (adaptedPressure)
  pressure[0] = startPressure;
  let meanArea = 0;
  for (let i = 0; i < n; i++) meanArea += area[i] / n;
  // a point meets one triangle and some edges: they share its area
  const share = meanArea / 3;

  let keep = memory.f64(2 * capacity); // ξ of each candidate; negative: intersecting, left alone
  let keepOf = [keep.subarray(0, capacity), keep.subarray(capacity)]; // the same, by list
  const gone = memory.f64(N); // m: how far each point has gone since the list was made, or may go
  let before = distancesBefore(memory.f64(2 * capacity)); // distances when it was made, by list
  let squares = memory.f64(capacity); // squared distances of one list
  function distancesBefore(all: Float64Array): Before[] {
    return [
      { distance: all.subarray(0, capacity), gone },
      { distance: all.subarray(capacity), gone },
    ];
  }
  let attached = contactOperations; // the kernels, once they are there
  /** Lists that have outgrown the one memory are out of the kernels' reach. */
  const operations = (): ContactOperations => (capacity === usual ? attached : contactOperations);
  const origin = memory.f64(3 * N); // where the step starts
  const begin = memory.f64(3 * N); // where the list was made,
  const course = memory.f64(3 * N); // and the motion it was made for
  const most = 12 * n; // contacts at once
  const starts = new Int32Array(most + 1);
  for (let k = 0; k <= most; k++) starts[k] = 4 * k;
  const start = memory.copyI32(starts);
  const contacts: ContactRows = {
    index: memory.i32(4 * most),
    J: memory.f64(12 * most),
    g: memory.f64(most),
    sigma: memory.f64(most),
    weight: memory.f64(most),
    pair: memory.i32(most),
    weights: memory.f64(4 * most),
    factor: memory.f64(most),
    sums: memory.f64(2),
  };
  const { index, J, sums } = contacts;
  let fromPoints = 0; // how many of the contacts are of points and triangles; the rest are of edges
  /** What the last evaluate saw: where, with which list and pressure, the energy, and the least gap (none is smaller, on the list or not). */
  const seen = { X: new Float64Array(3 * N), list: -1, pressure: 0, energy: 0, gap: 0 };
  let listNumber = 0; // counts the lists that were made
  const w = new Float64Array(4);
  const d2 = new Float64Array(1);
  const crossing = new Set<number>();
  let margin = 0;

  const load = (Y: ReadonlyF64) => {
    for (let k = 0; k < 3 * n; k++) X[k] = Y[k];
  };

  /** How far every point is from where the list was made, and the way from there by t·P. */
  const go = (t: number) => {
    for (let i = 0; i < N; i++) {
      const x = X[3 * i] - begin[3 * i];
      const y = X[3 * i + 1] - begin[3 * i + 1];
      const z = X[3 * i + 2] - begin[3 * i + 2];
      gone[i] = Math.sqrt(x * x + y * y + z * z);
      if (t === 0) continue;
      const u = P[3 * i];
      const v = P[3 * i + 1];
      const w = P[3 * i + 2];
      gone[i] += t * Math.sqrt(u * u + v * v + w * w);
    }
  };
  /** Distance of candidate k (points first, then edges) at X; weights in w. */
  const distance = (k: number): number => {
    const Y = X;
    const edge = k >= capacity;
    const list = edge ? lines.points : points.points;
    const at = 4 * (edge ? k - capacity : k);
    if (edge) edgeEdge(d2, w, 0, Y, list[at], list[at + 1], list[at + 2], list[at + 3]);
    else pointTriangle(d2, w, 0, Y, list[at], list[at + 1], list[at + 2], list[at + 3]);
    return Math.sqrt(d2[0]);
  };

  const rows: RowSet = {
    rowsPer: 1,
    blocks: 0,
    start,
    index,
    g: contacts.g,
    J,
    single: memory.f32(12 * most + SPARE),
    sigma: contacts.sigma,
    weight: contacts.weight,
    evaluate(Y) {
      load(Y);
      if (seen.pressure === pressure[0] && isSeen()) return; // the start of a step is the end of the last
      rows.blocks = sumUp(0);
      seen.energy = sums[0];
      seen.gap = sums[1];
      seen.X.set(X);
      seen.list = listNumber;
      seen.pressure = pressure[0];
    },
    energyNow: () => (seen.list === listNumber ? seen.energy : undefined),
    energy(Y) {
      load(Y);
      sumUp(most);
      return sums[0];
    },
    maxStep(Y, p) {
      load(Y);
      for (let k = 0; k < 3 * n; k++) P[k] = p[k];
      for (let k = 3 * n; k < 3 * N; k++) P[k] = 0;
      return safeMotion();
    },
    stiffen: () => pressHarder(pressure, startPressure, rows, dHat),
  };

  /** Energy and least gap at X into sums, and the rows from `first` on; returns where they end. */
  function sumUp(first: number): number {
    go(0);
    sums[0] = 0;
    sums[1] = dHat;
    const { contactRows } = operations();
    const scale = share * pressure[0];
    const middle = contactRows(contacts, first, most, listed(0), X, origin, n, dHat, scale);
    if (first === 0) fromPoints = middle;
    return contactRows(contacts, middle, most, listed(1), X, origin, n, dHat, scale);
  }

  /** The list of points and triangles (0) or of edges (1). */
  function listed(pass: number): ContactPairs {
    const { points: pairs, found } = pass ? lines : points;
    return {
      pairs,
      count: found[0],
      first: pass + 1,
      before: before[pass],
      keep: keepOf[pass],
    };
  }

  /** s of the nearest begin + s·course to X + t·P, by least squares. */
  function along(t: number): number {
    let up = 0;
    let down = 0;
    for (let k = 0; k < 3 * N; k++) {
      up += (X[k] + t * P[k] - begin[k]) * course[k];
      down += course[k] * course[k];
    }
    return down > 0 ? Math.max(0, Math.min(1, up / down)) : 0;
  }

  /** Share of the motion from X by P that stays within reach of the list. */
  function covered(): number {
    const budget = 0.5 * (margin - thickness - dHat);
    const s0 = along(0);
    const s1 = along(1);
    let limit = 1;
    for (let i = 0; i < N; i++) {
      let from = 0;
      let to = 0;
      for (let c = 3 * i; c < 3 * i + 3; c++) {
        const u = X[c] - begin[c];
        from += (u - s0 * course[c]) ** 2;
        to += (u + P[c] - s1 * course[c]) ** 2;
      }
      if (to <= budget * budget) continue;
      const room = budget - Math.sqrt(from);
      if (room <= 0) return 0;
      limit = Math.min(limit, room / (Math.sqrt(to) - Math.sqrt(from)));
    }
    return limit;
  }

  /** Whether edges are let go of otherwise than at the last evaluate. */
  function letsGoOfOthers(): boolean {
    const { pair, factor } = contacts;
    for (let b = fromPoints; b < rows.blocks && seen.list === listNumber; b++) {
      const [at, p] = [4 * pair[b], lines.points];
      if (parallelFactor(X, p[at], p[at + 1], p[at + 2], p[at + 3]) !== factor[b]) return true;
    }
    return false;
  }

  /** Whether X is where the last evaluate was, and the same list is still in use. */
  function isSeen(): boolean {
    return seen.list === listNumber && isSame(X, seen.X, 3 * N);
  }

  /** Whether the motion from X by P leaves every pair half of the least gap, rounding included; a sheet at rest needs no more. */
  function isShort(): boolean {
    let size = 0;
    for (let k = 0; k < 3 * N; k++) size = Math.max(size, Math.abs(X[k]));
    return 2 * longestWay(P, N) + 1e-13 * size < 0.5 * seen.gap && isSeen();
  }

  /** Share of the motion from X by P that keeps all pairs apart. */
  function safeMotion(): number {
    let limit = covered();
    if (limit < 1) {
      makeList(P);
      limit = covered();
    }
    if (limit === 1 && isShort()) return 1;
    go(limit);
    for (let pass = 0; pass < 2; pass++) {
      const { points: pairs, found } = pass ? lines : points;
      const known = before[pass];
      const { safeTime } = operations();
      limit = safeTime(pairs, found[0], pass + 1, keepOf[pass], X, P, dHat, limit, known);
    }
    return limit;
  }

  /**
   * Whether the list may serve the next step too: all its pairs keep the thickness, so that it makes no difference when it was made. A run that
   * was resumed has none yet.
   */
  let isPlain = false;

  /** Candidates for the motion from X by `motion`. Pairs keep the thickness, or nine tenths of what they have. */
  function makeList(motion: ReadonlyF64): void {
    listNumber++;
    margin = thickness + dHat + SLACK * shortest;
    begin.set(X);
    course.set(motion as Float64Array);
    while (search() > usual) {
      // too many for the list: look less far, and take shorter steps
      const slack = margin - thickness - dHat;
      if (slack < 1e-3 * shortest) break;
      for (let k = 0; k < 3 * N; k++) course[k] *= 0.5;
      margin = thickness + dHat + 0.7 * slack;
    }
    // a heap with more than that within reach: no pair may be left out
    for (let found = longer(); found > capacity; found = search()) grow(found);
    isPlain = meshes.length === 0 && crossing.size === 0 && longer() <= usual;
    for (let pass = 0; pass < 2; pass++) {
      const list = pass ? lines : points;
      const found = list.found[0];
      operations().squaredDistances(squares, list.points, found, pass + 1, X);
      for (let q = 0; q < found; q++) {
        const k = pass * capacity + q;
        const d = Math.sqrt(squares[q]);
        before[pass].distance[q] = d;
        keep[k] = d > thickness ? thickness : 0.9 * d;
        if (!(d > thickness)) isPlain = false;
        if (crossing.size > 0 && crosses(list.points, 4 * q)) keep[k] = -1;
      }
    }
  }

  /** Fills both lists and returns the length of the longer; pairs beyond the capacity are counted only. */
  function search(): number {
    update(broad, X, course, margin);
    findPointTriangles(points, broad, X, course, operations());
    findEdgeEdges(lines, broad, X, course, operations());
    return longer();
  }

  function longer(): number {
    return Math.max(points.found[0], lines.found[0]);
  }

  /**
   * Longer lists. Only what is no list of the usual length at any margin asks for it, so that the lists are a function of the state: a
   * resumed run has not grown yet.
   */
  function grow(most: number): void {
    capacity = Math.ceil(1.5 * most);
    growCandidates(points, capacity);
    growCandidates(lines, capacity);
    keep = new Float64Array(2 * capacity);
    keepOf = [keep.subarray(0, capacity), keep.subarray(capacity)];
    before = distancesBefore(new Float64Array(2 * capacity));
    squares = new Float64Array(capacity);
  }

  /** Points of triangles that intersect now. Looked for at the start, and as long as there are any. */
  let suspicious = true;
  function findCrossings(): void {
    crossing.clear();
    const pairs = selfIntersections({ Y: X, triangles, sewn });
    for (let k = 0; k < pairs.length; k++)
      for (let c = 0; c < 3; c++) crossing.add(triangles[3 * pairs[k] + c]);
    suspicious = crossing.size > 0;
  }

  function crosses(list: ReadonlyI32Like, at: number): boolean {
    for (let c = 0; c < 4; c++) if (crossing.has(list[at + c])) return true;
    return false;
  }

  const rubs = scene.contact.friction > 0 || meshes.some((b) => b.collider.friction > 0);
  const rubbing = rubs ? most : 1;
  const coefficients = Float64Array.from({ length: N }, (_, i) =>
    i < n ? scene.contact.friction : meshes[all.group[i] - 1].collider.friction,
  );
  const friction = layerFriction(
    memory,
    rubbing,
    memory.copyI32(starts.subarray(0, rubbing + 1)),
    n,
    coefficients,
    scene.contact.slipSpeed * scene.h,
  );

  return {
    barrier: rows,
    friction: friction.rows,
    thickness,
    memory: [friction.kept, pressure],
    attach(kernels) {
      attached = kernels;
      friction.rows.attach(kernels);
    },
    get crossings() {
      return [...crossing].filter((i) => i < n);
    },
    beginStep(Y, V, h, t0, t1) {
      load(Y);
      for (let b = 0; b < meshes.length; b++) {
        colliderAt(pose, meshes[b].collider, t1);
        bendMesh(meshes[b].mesh, t1);
        placeMesh(sweep, firstPoint[b], meshes[b].mesh, pose);
        colliderAt(pose, meshes[b].collider, t0);
        bendMesh(meshes[b].mesh, t0);
        placeMesh(X, firstPoint[b], meshes[b].mesh, pose);
      }
      for (let k = 0; k < 3 * n; k++) P[k] = h * V[k];
      for (let k = 3 * n; k < 3 * N; k++) {
        sweep[k] -= X[k];
        P[k] = sweep[k];
      }
      if (suspicious) findCrossings();
      origin.set(X);
      if (!isPlain || covered() < 1) makeList(P);
      if (letsGoOfOthers()) seen.pressure = Number.NaN; // its gaps are still true, its rows are not
      friction.beginStep(X, sweep);
    },
    carry(Y, fixed) {
      for (let pass = 0; pass < 2; pass++) {
        const list = pass ? lines : points;
        const found = list.found[0];
        for (let q = 0; q < found; q++) {
          // whatever touches, corners and edges of the mesh too: all of the sheet's points of the pair go along
          const at = 4 * q;
          const first = list.points[at];
          const last = list.points[at + 3];
          const body = first >= n ? first : last;
          if (body < n || (first >= n && last >= n)) continue;
          if (!(distance(pass * capacity + q) < thickness + 2 * dHat)) continue;
          for (let e = at; e < at + 4; e++)
            for (let c = 0; c < 3; c++) {
              const k = 3 * list.points[e] + c;
              if (list.points[e] < n && !fixed[k]) Y[k] = begin[k] + sweep[3 * body + c];
            }
        }
      }
    },
    moveBodies(Y, p) {
      load(Y);
      for (let k = 0; k < 3 * n; k++) P[k] = p[k];
      for (let k = 3 * n; k < 3 * N; k++) P[k] = sweep[k];
      if (safeMotion() < 1) return false;
      for (let k = 3 * n; k < 3 * N; k++) X[k] += sweep[k];
      return true;
    },
    endStep(Y) {
      load(Y);
      if (!isSeen()) rows.evaluate(Y);
      // the first contacts rub: those beyond `most` have no rows either
      if (rubs) friction.endStep(X, contacts, rows.blocks, fromPoints, lists);
      pressure[0] = adaptedPressure(pressure[0], startPressure, Math.min(1, seen.gap / dHat));
    },
    measure(Y) {
      load(Y);
      let penetration = 0;
      let contacts = 0;
      let point = -1;
      for (let pass = 0; pass < 2; pass++) {
        const list = pass ? lines : points;
        const found = list.found[0];
        for (let q = 0; q < found; q++) {
          const k = pass * capacity + q;
          const d = distance(k);
          if (d < thickness + dHat) contacts++;
          if (thickness - d > penetration) {
            penetration = thickness - d;
            point = Math.min(list.points[4 * q], list.points[4 * q + 2]);
          }
        }
      }
      return { penetration, contacts, point };
    },
  };
}

/** Sheet and meshes as one list of points, triangles and edges; group 0 is the sheet. */
function joined(
  sheet: Sheet,
  meshes: readonly MeshCollider[],
): {
  total: number;
  triangles: Int32Array;
  edges: Int32Array;
  group: Int32Array;
  firstPoint: number[];
} {
  const triangles = Array.from(sheet.triangles as Int32Array);
  const edges = Array.from(sheet.edges as Int32Array);
  const group = new Array<number>(sheet.n).fill(0);
  const firstPoint: number[] = [];
  meshes.forEach(({ mesh }, b) => {
    const first = group.length;
    firstPoint.push(first);
    for (const t of mesh.triangles) triangles.push(first + t);
    for (const e of mesh.edges) edges.push(first + e);
    for (let i = 0; i < mesh.n; i++) group.push(b + 1);
  });
  return {
    total: group.length,
    triangles: Int32Array.from(triangles),
    edges: Int32Array.from(edges),
    group: Int32Array.from(group),
    firstPoint,
  };
}

type ReadonlyI32Like = { readonly [k: number]: number };
