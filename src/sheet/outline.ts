/**
 * Outlines of flat shapes: closed loops of smooth pieces between corners, the inside on their left.
 *
 * A polygon may be drawn with straight sides, or with curves as polylines much finer than the
 * sampling. Its corners (turns sharper than 20°, and vertices that a caller asks to keep) are
 * always sampled; between them the points go by arc length along the polyline, so that a curve
 * drawn with a thousand vertices does not force a thousand points.
 */
import { orient2d } from "robust-predicates";
import { cos, PI, sin } from "../linalg/elementary.ts";
import type { Vec2 } from "../scene/scene.ts";
import type { Outline, Piece } from "./boundary.ts";
import { lengthOf } from "./plane.ts";
import { SheetError } from "./sheet-error.ts";

/** cos of the sharpest turn that still counts as smooth: 20°. */
const SMOOTH_TURN = 0.9397;

export function rectangleOutline(width: number, height: number): Outline {
  const side = (name: string, corner: string, a: Vec2, b: Vec2, backwards: boolean): Piece => ({
    ...straight(a, b),
    edges: [{ name, from: 0, to: Math.abs(b[0] - a[0] + b[1] - a[1]), backwards }],
    corners: [{ name: corner, at: 0 }],
  });
  const loop = [
    side("bottom", "bottom-left", [0, 0], [width, 0], false),
    side("right", "bottom-right", [width, 0], [width, height], false),
    side("top", "top-right", [width, height], [0, height], true),
    side("left", "top-left", [0, height], [0, 0], true),
  ];
  return { loops: [loop], area: width * height };
}

export function discOutline(radius: number): Outline {
  return { loops: [[circle("outer", radius, 1)]], area: PI * radius * radius };
}

export function annulusOutline(inner: number, outer: number): Outline {
  return {
    loops: [[circle("outer", outer, 1)], [circle("inner", inner, -1)]],
    area: PI * (outer - inner) * (outer + inner),
  };
}

/**
 * The outline of a polygon with holes, in whatever direction they are listed. Side k, from vertex k
 * to the next, is the edge e<k>; vertex k the corner c<k>. `keep` lists outer vertices that are
 * sampled however smooth.
 */
export function polygonOutline(
  points: readonly Vec2[],
  holes: readonly (readonly Vec2[])[] = [],
  keep: readonly number[] = [],
): Outline {
  refuseBadLoops([points, ...holes]);
  const inner = holes.map((hole, k) => polygonLoop(hole, -1, `hole${k}:`, []));
  const loops = [polygonLoop(points, 1, "", keep), ...inner];
  const area =
    Math.abs(signedArea(points)) - holes.reduce((sum, h) => sum + Math.abs(signedArea(h)), 0);
  return { loops, area };
}

/** m², positive when counter-clockwise. */
export function signedArea(loop: readonly Vec2[]): number {
  let doubled = 0;
  loop.forEach((a, k) => {
    const b = loop[(k + 1) % loop.length];
    doubled += a[0] * b[1] - a[1] * b[0];
  });
  return doubled / 2;
}

/** Even–odd: is a place inside a loop? */
function insideLoop(loop: readonly Vec2[], [u, v]: Vec2): boolean {
  let odd = false;
  loop.forEach((a, k) => {
    const b = loop[(k + 1) % loop.length];
    if (a[1] > v !== b[1] > v && u < a[0] + ((v - a[1]) / (b[1] - a[1])) * (b[0] - a[0]))
      odd = !odd;
  });
  return odd;
}

/** Does the outline turn sharply at b, coming from a and going to c? */
export function isCorner(a: Vec2, b: Vec2, c: Vec2): boolean {
  const along = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]);
  return along <= SMOOTH_TURN * distance(a, b) * distance(b, c);
}

function straight(a: Vec2, b: Vec2): Omit<Piece, "edges" | "corners"> {
  const length = distance(a, b);
  return {
    length,
    at: (s) => [a[0] + (b[0] - a[0]) * (s / length), a[1] + (b[1] - a[1]) * (s / length)],
  };
}

function circle(name: string, radius: number, direction: 1 | -1): Piece {
  const length = 2 * PI * radius;
  return {
    length,
    at: (s) => [radius * cos(s / radius), direction * radius * sin(s / radius)],
    edges: [{ name, from: 0, to: length }],
    corners: [],
  };
}

/** Cuts a polygon's loop into pieces at its corners. */
function polygonLoop(
  given: readonly Vec2[],
  direction: 1 | -1,
  prefix: string,
  keep: readonly number[],
): Piece[] {
  // Along the wanted direction; `number[k]` is the given number of vertex k, and side k leads from
  // it to the next.
  const turned = signedArea(given) * direction < 0;
  const count = given.length;
  const number = given.map((_, k) => (turned ? count - 1 - k : k));
  const vertex = (k: number): Vec2 => given[number[k % count]];
  const sideName = (k: number): string =>
    `${prefix}e${turned ? number[(k + 1) % count] : number[k % count]}`;

  const corners: number[] = [];
  const kept = new Set(keep);
  for (let k = 0; k < count; k++) {
    const corner = isCorner(vertex(k + count - 1), vertex(k), vertex(k + 1));
    if (corner || kept.has(number[k])) corners.push(k);
  }
  if (corners.length === 0) corners.push(0);

  return corners.map((first, c) => {
    const sides = ((corners[(c + 1) % corners.length] - first + count - 1) % count) + 1;
    const starts = [0]; // arc length at each vertex of the piece
    for (let k = 0; k < sides; k++) {
      starts.push(starts[k] + distance(vertex(first + k), vertex(first + k + 1)));
    }
    const length = starts[sides];
    return {
      length,
      at: (s) => {
        let k = 0;
        while (k < sides - 1 && starts[k + 1] <= s) k++;
        return straight(vertex(first + k), vertex(first + k + 1)).at(s - starts[k]);
      },
      edges: starts.slice(0, -1).map((from, k) => ({
        name: sideName(first + k),
        from,
        to: starts[k + 1],
        backwards: turned,
      })),
      corners: starts
        .slice(0, -1)
        .map((at, k) => ({ name: `${prefix}c${number[(first + k) % count]}`, at })),
    };
  });
}

/**
 * Throws one error with every fault: too few or repeated vertices, crossing sides, holes outside.
 */
function refuseBadLoops(loops: readonly (readonly Vec2[])[]): void {
  const faults: string[] = [];
  const name = (l: number): string => (l === 0 ? "outline" : `hole ${l - 1}`);
  const sides: { a: Vec2; b: Vec2; loop: number; k: number; count: number }[] = [];
  loops.forEach((loop, l) => {
    if (loop.length < 3) faults.push(`${name(l)}: has ${loop.length} vertices, needs 3 or more`);
    loop.forEach((a, k) => {
      const b = loop[(k + 1) % loop.length];
      if (a[0] === b[0] && a[1] === b[1] && loop.length > 1) {
        const hint =
          k === loop.length - 1 ? "; outlines close themselves, drop the last vertex" : "";
        faults.push(`${name(l)}: vertex ${k} and the next are both (${a[0]}, ${a[1]})${hint}`);
      }
      sides.push({ a, b, loop: l, k, count: loop.length });
    });
  });
  if (faults.length === 0) {
    for (const [first, second] of crossingSides(sides).slice(0, 10)) {
      const where = `near (${first.a[0]}, ${first.a[1]})`;
      faults.push(
        first.loop === second.loop
          ? `${name(first.loop)}: crosses itself, side e${first.k} meets side e${second.k} ${where}`
          : `${name(first.loop)}: side e${first.k} meets ${name(second.loop)} ${where}`,
      );
    }
  }
  if (faults.length === 0) {
    loops.forEach((loop, l) => {
      if (signedArea(loop) === 0) faults.push(`${name(l)}: encloses no area`);
      if (l > 0 && !insideLoop(loops[0], loop[0]))
        faults.push(`${name(l)}: lies outside the outline`);
      for (let other = 1; other < l; other++) {
        if (insideLoop(loops[other], loop[0]) || insideLoop(loop, loops[other][0]))
          faults.push(`${name(l)}: overlaps ${name(other)}`);
      }
    });
  }
  if (faults.length > 0) throw new SheetError("outline", faults);
}

type Side = { a: Vec2; b: Vec2; loop: number; k: number; count: number };

/** Crossings that are looked for: ten are reported, and a scribble may have millions. */
const MOST_CROSSINGS = 100;
/** Pairs of sides that are compared: a pleated edge of 4 000 teeth needs 10⁷, an outline of 200 000 points drawn by people 10⁸. */
const MOST_COMPARISONS = 2e8;

/**
 * Pairs of sides that touch where they should not, the first MOST_CROSSINGS that a sweep over u meets; exact predicates.
 *
 * @throws SheetError for an outline whose sides lie over each other so much that the check would take minutes
 */
function crossingSides(sides: readonly Side[]): [Side, Side][] {
  const found: [Side, Side][] = [];
  const order = [...sides].sort((s, t) => Math.min(s.a[0], s.b[0]) - Math.min(t.a[0], t.b[0]));
  const low = [0, 1].map((c) => order.map(({ a, b }) => Math.min(a[c], b[c])));
  const high = [0, 1].map((c) => order.map(({ a, b }) => Math.max(a[c], b[c])));
  let left = MOST_COMPARISONS;
  for (let at = 0; at < order.length; at++)
    for (let other = at + 1; other < order.length && low[0][other] <= high[0][at]; other++) {
      if (!--left) throw new SheetError("outline", ["is it a scribble?"]);
      if (low[1][other] > high[1][at] || high[1][other] < low[1][at]) continue;
      const [s, t] = [order[at], order[other]];
      if (!touch(s, t)) continue;
      found.push(s.loop < t.loop || (s.loop === t.loop && s.k < t.k) ? [s, t] : [t, s]);
      if (found.length > MOST_CROSSINGS) return found;
    }
  return found.sort(([s], [t]) => s.loop - t.loop || s.k - t.k);
}

function touch(s: Side, t: Side): boolean {
  const side = (p: Vec2, q: Vec2, r: Vec2): number =>
    Math.sign(orient2d(p[0], p[1], q[0], q[1], r[0], r[1]));
  const [tailToHead, headToTail] = [
    s.loop === t.loop && (s.k + 1) % s.count === t.k,
    s.loop === t.loop && (t.k + 1) % t.count === s.k,
  ];
  if (tailToHead || headToTail) {
    // Neighbours share one vertex; they must not fold back onto each other.
    const [p, q, r] = tailToHead ? [s.a, s.b, t.b] : [t.a, t.b, s.b];
    return side(p, q, r) === 0 && (p[0] - q[0]) * (r[0] - q[0]) + (p[1] - q[1]) * (r[1] - q[1]) > 0;
  }
  const [c, d, a, b] = [
    side(s.a, s.b, t.a),
    side(s.a, s.b, t.b),
    side(t.a, t.b, s.a),
    side(t.a, t.b, s.b),
  ];
  if (c * d < 0 && a * b < 0) return true;
  const between = (p: number, q: number, r: number): boolean =>
    Math.min(p, q) <= r && r <= Math.max(p, q);
  const within = (p: Vec2, q: Vec2, r: Vec2): boolean =>
    between(p[0], q[0], r[0]) && between(p[1], q[1], r[1]);
  return (
    (c === 0 && within(s.a, s.b, t.a)) ||
    (d === 0 && within(s.a, s.b, t.b)) ||
    (a === 0 && within(t.a, t.b, s.a)) ||
    (b === 0 && within(t.a, t.b, s.b))
  );
}

export function distance(a: Vec2, b: Vec2): number {
  return lengthOf(b[0] - a[0], b[1] - a[1]);
}
