/**
 * Contact between points, triangles and edges: twins of system/contact/distance.ts, broad-phase.ts and ccd.ts. Addresses in bytes.
 *
 * Their scratch lies below the arena (FIRST_FREE_BYTE), where nothing else is: weights of the last distance, then positions, starts
 * and displacements of the four points of a pair.
 */
import { int } from "./lanes.as";

const WEIGHTS: usize = 1024, AT: usize = 1056, START: usize = 1152, MOVE: usize = 1248;

/** See PARALLEL of distance.ts and the constants of ccd.ts. */
const PARALLEL: f64 = 1e-30, NEARLY_PARALLEL: f64 = 1e-3;
const LEAVE: f64 = 0.1;
const ENOUGH: f64 = 0.2;
const ROUNDING: f64 = 4.0 * 2.220446049250313e-16;
const MOST_ROUNDS: i32 = 1000;

/** Where on the segment from a to b the origin projects; see segment(). */
// @ts-ignore: decorator
@inline
function segment(ax: f64, ay: f64, az: f64, bx: f64, by: f64, bz: f64): f64 {
  const x = bx - ax, y = by - ay, z = bz - az;
  const length2 = x * x + y * y + z * z;
  const along = -(ax * x + ay * y + az * z);
  if (!(along > 0)) return 0;
  return along < length2 ? along / length2 : 1;
}

// @ts-ignore: decorator
@inline
function weights(w: usize, a: f64, b: f64, c: f64, e: f64): void {
  store<f64>(w, a); store<f64>(w, b, 8); store<f64>(w, c, 16); store<f64>(w, e, 24);
}

/** Squared distance of the point at p and the triangle (a, b, c), its weights to w; see pointTriangle(). */
function pointTriangle(w: usize, p: usize, a: usize, b: usize, c: usize): f64 {
  const px = load<f64>(p), py = load<f64>(p, 8), pz = load<f64>(p, 16);
  const ax = load<f64>(a) - px, ay = load<f64>(a, 8) - py, az = load<f64>(a, 16) - pz;
  const bx = load<f64>(b) - px, by = load<f64>(b, 8) - py, bz = load<f64>(b, 16) - pz;
  const cx = load<f64>(c) - px, cy = load<f64>(c, 8) - py, cz = load<f64>(c, 16) - pz;
  const ux = bx - ax, uy = by - ay, uz = bz - az;
  const vx = cx - ax, vy = cy - ay, vz = cz - az;
  const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
  const nn = nx * nx + ny * ny + nz * nz;
  const uu = ux * ux + uy * uy + uz * uz, vv = vx * vx + vy * vy + vz * vz;
  if (nn > PARALLEL * uu * vv) {
    const A = nx * (by * cz - bz * cy) + ny * (bz * cx - bx * cz) + nz * (bx * cy - by * cx);
    const B = nx * (cy * az - cz * ay) + ny * (cz * ax - cx * az) + nz * (cx * ay - cy * ax);
    const C = nx * (ay * bz - az * by) + ny * (az * bx - ax * bz) + nz * (ax * by - ay * bx);
    if (A > 0 && B > 0 && C > 0) {
      const s = 1 / (A + B + C), beta = B * s, gamma = C * s, alpha = 1 - beta - gamma;
      if (alpha > 0) {
        const x = ax + beta * ux + gamma * vx, y = ay + beta * uy + gamma * vy, z = az + beta * uz + gamma * vz;
        weights(w, 1, -alpha, -beta, -gamma);
        return x * x + y * y + z * z;
      }
    }
  }
  let t = segment(ax, ay, az, bx, by, bz);
  let x = ax + t * ux, y = ay + t * uy, z = az + t * uz;
  let best = x * x + y * y + z * z;
  weights(w, 1, -(1 - t), -t, 0);
  t = segment(bx, by, bz, cx, cy, cz);
  x = bx + t * (cx - bx); y = by + t * (cy - by); z = bz + t * (cz - bz);
  let e = x * x + y * y + z * z;
  if (e < best) { best = e; weights(w, 1, 0, -(1 - t), -t); }
  t = segment(cx, cy, cz, ax, ay, az);
  x = cx - t * vx; y = cy - t * vy; z = cz - t * vz;
  e = x * x + y * y + z * z;
  if (e < best) { best = e; weights(w, 1, -t, 0, -(1 - t)); }
  return best;
}

/** Squared distance of the edges (a, b) and (c, e), its weights to w; see edgeEdge(). */
function edgeEdge(w: usize, a: usize, b: usize, c: usize, e: usize): f64 {
  const ax = load<f64>(a), ay = load<f64>(a, 8), az = load<f64>(a, 16);
  const ux = load<f64>(b) - ax, uy = load<f64>(b, 8) - ay, uz = load<f64>(b, 16) - az;
  const cx = load<f64>(c) - ax, cy = load<f64>(c, 8) - ay, cz = load<f64>(c, 16) - az;
  const ex = load<f64>(e) - ax, ey = load<f64>(e, 8) - ay, ez = load<f64>(e, 16) - az;
  const vx = ex - cx, vy = ey - cy, vz = ez - cz;
  const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
  const nn = nx * nx + ny * ny + nz * nz;
  const uu = ux * ux + uy * uy + uz * uz, vv = vx * vx + vy * vy + vz * vz;
  if (nn > PARALLEL * uu * vv) {
    const s = (nx * (cy * vz - cz * vy) + ny * (cz * vx - cx * vz) + nz * (cx * vy - cy * vx)) / nn;
    if (s > 0 && s < 1) {
      const rx = s * ux - cx, ry = s * uy - cy, rz = s * uz - cz;
      const t = (rx * vx + ry * vy + rz * vz) / vv;
      if (t > 0 && t < 1) {
        const x = rx - t * vx, y = ry - t * vy, z = rz - t * vz;
        weights(w, 1 - s, s, -(1 - t), -t);
        return x * x + y * y + z * z;
      }
    }
  }
  let t = segment(cx, cy, cz, ex, ey, ez);
  let x = cx + t * vx, y = cy + t * vy, z = cz + t * vz;
  let best = x * x + y * y + z * z;
  weights(w, 1, 0, -(1 - t), -t);
  t = segment(cx - ux, cy - uy, cz - uz, ex - ux, ey - uy, ez - uz);
  x = cx - ux + t * vx; y = cy - uy + t * vy; z = cz - uz + t * vz;
  let f = x * x + y * y + z * z;
  if (f < best) { best = f; weights(w, 0, 1, -(1 - t), -t); }
  t = segment(-cx, -cy, -cz, ux - cx, uy - cy, uz - cz);
  x = t * ux - cx; y = t * uy - cy; z = t * uz - cz;
  f = x * x + y * y + z * z;
  if (f < best) { best = f; weights(w, 1 - t, t, -1, 0); }
  t = segment(-ex, -ey, -ez, ux - ex, uy - ey, uz - ez);
  x = t * ux - ex; y = t * uy - ey; z = t * uz - ez;
  f = x * x + y * y + z * z;
  if (f < best) { best = f; weights(w, 1 - t, t, 0, -1); }
  return best;
}

/** The address of point i of positions Y. */
// @ts-ignore: decorator
@inline
function point(Y: usize, i: i32): usize {
  return Y + <usize>i * 24;
}

/** Squared distances of pairs, four points each: point and triangle (first = 1) or edge and edge (2); see squaredDistances(). */
export function squaredDistances(d2: usize, pairs: usize, count: i32, first: i32, Y: usize): void {
  for (let k = 0; k < count; k++, d2 += 8, pairs += 16) store<f64>(d2, squaredDistance(pairs, first, Y));
}

/** The same of one pair; leaves its weights. */
function squaredDistance(pairs: usize, first: i32, Y: usize): f64 {
  const a = point(Y, load<i32>(pairs)), b = point(Y, load<i32>(pairs, 4)), c = point(Y, load<i32>(pairs, 8)), e = point(Y, load<i32>(pairs, 12));
  return first === 1 ? pointTriangle(WEIGHTS, a, b, c, e) : edgeEdge(WEIGHTS, a, b, c, e);
}

/** See leastDistance(). */
// @ts-ignore: decorator
@inline
function leastDistance(distance: usize, displacement: usize, pairs: usize, first: i32): f64 {
  const a = displacementOf(displacement, load<i32>(pairs)), b = displacementOf(displacement, load<i32>(pairs, 4)), c = displacementOf(displacement, load<i32>(pairs, 8)), e = displacementOf(displacement, load<i32>(pairs, 12));
  const last = c > e ? c : e, larger = first === 1 ? last : a;
  return load<f64>(distance) - (b > larger ? b : larger) - (first === 1 ? a : last);
}

// @ts-ignore: decorator
@inline
function displacementOf(displacement: usize, i: i32): f64 {
  return load<f64>(displacement + (<usize>i << 3));
}

/** Do two boxes (lower xyz, upper xyz) meet? See overlap(). */
// @ts-ignore: decorator
@inline
function overlap(a: usize, b: usize): bool {
  if (!v128.all_true<i64>(f64x2.le(v128.load(a), v128.load(b, 24)))) return false;
  if (!v128.all_true<i64>(f64x2.le(v128.load(b), v128.load(a, 24)))) return false;
  return load<f64>(a, 16) <= load<f64>(b, 40) && load<f64>(b, 16) <= load<f64>(a, 40);
}

/** |Δi − Δj|²; see relative2(). */
// @ts-ignore: decorator
@inline
function relative2(dY: usize, i: i32, j: i32): f64 {
  const a = point(dY, i), b = point(dY, j);
  const x = load<f64>(a) - load<f64>(b), y = load<f64>(a, 8) - load<f64>(b, 8), z = load<f64>(a, 16) - load<f64>(b, 16);
  return x * x + y * y + z * z;
}

// @ts-ignore: decorator
@inline
function keep(unsorted: usize, found: i32, capacity: i32, first: i32, second: i32): i32 {
  if (found < capacity) {
    const at = unsorted + (<usize>found << 3);
    store<i32>(at, first);
    store<i32>(at, second, 4);
  }
  return found + 1;
}

// @ts-ignore: decorator
@inline
function push(stack: usize, top: i32, a: i32, b: i32): i32 {
  const at = stack + (<usize>top << 2);
  store<i32>(at, a);
  store<i32>(at, b, 4);
  return top + 2;
}

/** Pairs that may come near, of two trees (points and triangles) or of one with itself (edges); see pairUp(). */
export function pairUp(
  unsorted: usize, capacity: i32, stack: usize, groups: i32, group: usize, wanted: usize, sewn: usize, margin: f64, Y: usize, dY: usize,
  leavesA: i32, firstA: usize, orderA: usize, boxesA: usize, nodesA: usize,
  leavesB: i32, firstB: usize, orderB: usize, boxesB: usize, nodesB: usize, corners: usize,
): i32 {
  const isPoint = nodesA !== nodesB;
  let found = 0;
  let top = push(stack, 0, 0, 0);
  while (top > 0) {
    top -= 2;
    const a = int(stack, top), b = int(stack, top + 1);
    const nodeB = nodesB + <usize>b * 48;
    if (!overlap(nodesA + <usize>a * 48, nodeB)) continue;
    const isOne = a === b && !isPoint;
    const leafA = a - leavesA + 1, leafB = b - leavesB + 1;
    if (leafA >= 0 && leafB >= 0) {
      const lastA = int(firstA, leafA + 1), begin = int(firstB, leafB), end = int(firstB, leafB + 1);
      for (let i = int(firstA, leafA); i < lastA; i++) {
        const box = boxesA + <usize>i * 48;
        if (!overlap(box, nodeB)) continue;
        for (let j = isOne ? i + 1 : begin; j < end; j++) {
          if (!overlap(box, boxesB + <usize>j * 48)) continue;
          let s = int(orderA, i), t = int(orderB, j);
          let p = s, q: i32, c: i32, e: i32;
          if (isPoint) {
            q = int(corners, 3 * t);
            c = int(corners, 3 * t + 1);
            e = int(corners, 3 * t + 2);
          } else {
            if (t < s) {
              const u = s;
              s = t;
              t = u;
            }
            p = int(corners, 2 * s);
            q = int(corners, 2 * s + 1);
            c = int(corners, 2 * t);
            e = int(corners, 2 * t + 1);
          }
          const sameP = int(sewn, p), sameQ = int(sewn, q), sameC = int(sewn, c), sameE = int(sewn, e);
          if (sameP === sameC || sameP === sameE || (isPoint ? sameP === sameQ : sameQ === sameC || sameQ === sameE)) continue;
          if (groups > 1 && load<u8>(wanted + groups * int(group, p) + int(group, isPoint ? q : c)) === 0) continue;
          const x = point(Y, p), y = point(Y, q), z = point(Y, c), w = point(Y, e);
          const d2 = isPoint ? pointTriangle(WEIGHTS, x, y, z, w) : edgeEdge(WEIGHTS, x, y, z, w);
          let far = margin;
          if (dY !== 0) {
            const both = Math.max(relative2(dY, p, c), relative2(dY, p, e));
            const more = isPoint ? relative2(dY, p, q) : Math.max(relative2(dY, q, c), relative2(dY, q, e));
            far += Math.sqrt(Math.max(both, more));
          }
          if (d2 <= far * far) found = keep(unsorted, found, capacity, s, t);
        }
      }
    } else if (isOne) {
      const l = 2 * a + 1;
      top = push(stack, top, l, l);
      top = push(stack, top, l, l + 1);
      top = push(stack, top, l + 1, l + 1);
    } else if (leafA >= 0 || (leafB < 0 && b <= a)) {
      top = push(stack, top, a, 2 * b + 1);
      top = push(stack, top, a, 2 * b + 2);
    } else {
      top = push(stack, top, 2 * a + 1, b);
      top = push(stack, top, 2 * a + 2, b);
    }
  }
  return found;
}

/** The time that is safe for all pairs, at most limit; see safeTime(). Pairs whose separation is negative are left alone. */
export function safeTime(pairs: usize, count: i32, first: i32, separation: usize, Y: usize, dY: usize, reach: f64, limit: f64, before: usize, displacement: usize): f64 {
  for (let k = 0; k < count; k++, pairs += 16, separation += 8) {
    const least = load<f64>(separation);
    if (least < 0) continue;
    if (before !== 0 && leastDistance(before + (<usize>k << 3), displacement, pairs, first) > least + reach) continue;
    for (let m: usize = 0; m < 4; m++) {
      const i = load<i32>(pairs + (m << 2));
      const from = point(Y, i), by = point(dY, i), at = 24 * m;
      for (let c: usize = 0; c < 24; c += 8) {
        store<f64>(at + c, load<f64>(from + c), START);
        store<f64>(at + c, load<f64>(by + c), MOVE);
      }
    }
    limit = advance(first, least, reach, limit);
  }
  return limit;
}

/** See advance() of ccd.ts. */
function advance(first: i32, minSeparation: f64, reach: f64, limit: f64): f64 {
  const w = WEIGHTS, x = AT, start = START, move = MOVE;
  let size: f64 = 0;
  for (let m: usize = 0; m < 96; m += 8) size += Math.abs(load<f64>(start + m)) + limit * Math.abs(load<f64>(move + m));
  for (let c: usize = 0; c < 24; c += 8) {
    const mean = 0.25 * (load<f64>(move + c) + load<f64>(move + c, 24) + load<f64>(move + c, 48) + load<f64>(move + c, 72));
    for (let m: usize = c; m < 96; m += 24) store<f64>(move + m, load<f64>(move + m) - mean);
  }
  let fastA: f64 = 0, fastB: f64 = 0;
  for (let m = 0; m < 4; m++) {
    const at = point(move, m);
    const u = load<f64>(at), v = load<f64>(at, 8), s = load<f64>(at, 16);
    const speed2 = u * u + v * v + s * s;
    if (m < first) fastA = Math.max(fastA, speed2);
    else fastB = Math.max(fastB, speed2);
  }
  const fastest = Math.sqrt(fastA) + Math.sqrt(fastB);
  const kept = minSeparation + ROUNDING * size;
  let t: f64 = 0, leave: f64 = 0, enough: f64 = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    for (let m: usize = 0; m < 96; m += 8) store<f64>(x + m, load<f64>(start + m) + t * load<f64>(move + m));
    const d2 = first === 1 ? pointTriangle(w, x, x + 24, x + 48, x + 72) : edgeEdge(w, x, x + 24, x + 48, x + 72);
    const d = Math.sqrt(d2);
    const gap = d - kept;
    if (round === 0) {
      if (!(gap > 0)) break;
      leave = LEAVE * Math.min(gap, reach);
      enough = ENOUGH * Math.min(gap, reach);
    } else if (gap <= enough) break;

    let ahead = (gap - leave) / fastest;
    const aim = kept + leave;
    const x0 = load<f64>(x), y0 = load<f64>(x, 8), z0 = load<f64>(x, 16);
    const wb = load<f64>(w, 8), wc = load<f64>(w, 16), we = load<f64>(w, 24);
    const nx = (wb * (load<f64>(x, 24) - x0) + wc * (load<f64>(x, 48) - x0) + we * (load<f64>(x, 72) - x0)) / d;
    const ny = (wb * (load<f64>(x, 32) - y0) + wc * (load<f64>(x, 56) - y0) + we * (load<f64>(x, 80) - y0)) / d;
    const nz = (wb * (load<f64>(x, 40) - z0) + wc * (load<f64>(x, 64) - z0) + we * (load<f64>(x, 88) - z0)) / d;
    let plane: f64 = Infinity;
    for (let i = 0; i < first; i++)
      for (let j = first; j < 4; j++) {
        const a = point(x, i), b = point(x, j), p = point(move, i), q = point(move, j);
        const apart = nx * (load<f64>(a) - load<f64>(b)) + ny * (load<f64>(a, 8) - load<f64>(b, 8)) + nz * (load<f64>(a, 16) - load<f64>(b, 16));
        const closing = nx * (load<f64>(q) - load<f64>(p)) + ny * (load<f64>(q, 8) - load<f64>(p, 8)) + nz * (load<f64>(q, 16) - load<f64>(p, 16));
        if (apart < aim) plane = 0;
        else if (closing > 0) plane = Math.min(plane, (apart - aim) / closing);
      }
    ahead = Math.max(ahead, plane);
    t += ahead;
    if (!(t < limit)) {
      t = limit;
      break;
    }
  }
  return t;
}

/** ln x for 0 < x < 1; see ln() of barrier.ts. */
function ln(x: f64): f64 {
  let m = x, k: f64 = 0;
  while (m < 0.7071067811865476) {
    m *= 2;
    k += 1;
  }
  const s = (m - 1) / (m + 1), y = s * s;
  let sum: f64 = 0;
  for (let j: f64 = 21; j >= 3; j -= 2) sum = y * (1 / j + sum);
  return 2 * s * (1 + sum) - k * 0.6931471805599453;
}

/** See parallelFactor(). */
function parallelFactor(Y: usize, pair: usize): f64 {
  const a = point(Y, load<i32>(pair)), b = point(Y, load<i32>(pair, 4)), c = point(Y, load<i32>(pair, 8)), e = point(Y, load<i32>(pair, 12));
  const ux = load<f64>(b) - load<f64>(a), uy = load<f64>(b, 8) - load<f64>(a, 8), uz = load<f64>(b, 16) - load<f64>(a, 16);
  const vx = load<f64>(e) - load<f64>(c), vy = load<f64>(e, 8) - load<f64>(c, 8), vz = load<f64>(e, 16) - load<f64>(c, 16);
  const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
  const cross = x * x + y * y + z * z;
  const most = NEARLY_PARALLEL * (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz);
  if (cross >= most && most > 0) return 1;
  const s = most > 0 ? cross / most : 0;
  return Math.floor(64 * s * (2 - s) + 0.5) / 64;
}

/** Rows of the barrier from one list of pairs; see contactRows(). */
export function contactRows(
  index: usize, J: usize, g: usize, sigma: usize, weight: usize, pair: usize, weights: usize, factor: usize, sums: usize, block: i32, most: i32,
  pairs: usize, count: i32, first: i32, before: usize, displacement: usize, keep: usize, Y: usize, start: usize, points: i32, reach: f64, scale: f64,
): i32 {
  let energy = load<f64>(sums), least = load<f64>(sums, 8);
  for (let k = 0; k < count; k++, pairs += 16) {
    const kept = load<f64>(keep + (<usize>k << 3));
    if (kept < 0 || leastDistance(before + (<usize>k << 3), displacement, pairs, first) > kept + reach) continue;
    const d = Math.sqrt(squaredDistance(pairs, first, Y));
    const gap = d - kept;
    if (gap >= reach) continue;
    const x = gap / reach;
    let B: f64 = 0, slope: f64 = 0, curvature: f64 = 0;
    if (x > 0 && x < 1) {
      const log = ln(x), r = (x - 1) / x;
      B = -(x - 1) * (x - 1) * log;
      slope = -2 * (x - 1) * log - ((x - 1) * (x - 1)) / x;
      curvature = -2 * log - 4 * r + r * r;
    } else B = x >= 1 ? 0 : Infinity;
    const parallel = first === 1 ? 1 : parallelFactor(start, pairs);
    const size = scale * parallel;
    energy += size * reach * B;
    if (gap < least) least = gap;
    if (block >= most) continue;
    const at8 = <usize>block << 3, at32 = <usize>block << 5;
    store<f64>(g + at8, gap);
    store<f64>(sigma + at8, size * slope);
    store<f64>(weight + at8, (size / reach) * curvature);
    store<i32>(pair + (<usize>block << 2), k);
    store<f64>(factor + at8, parallel);
    const wb = load<f64>(WEIGHTS, 8), wc = load<f64>(WEIGHTS, 16), we = load<f64>(WEIGHTS, 24);
    const a = point(Y, load<i32>(pairs)), b = point(Y, load<i32>(pairs, 4)), c = point(Y, load<i32>(pairs, 8)), e = point(Y, load<i32>(pairs, 12));
    const px = load<f64>(a), py = load<f64>(a, 8), pz = load<f64>(a, 16);
    const u = wb * (load<f64>(b) - px) + wc * (load<f64>(c) - px) + we * (load<f64>(e) - px);
    const v = wb * (load<f64>(b, 8) - py) + wc * (load<f64>(c, 8) - py) + we * (load<f64>(e, 8) - py);
    const t = wb * (load<f64>(b, 16) - pz) + wc * (load<f64>(c, 16) - pz) + we * (load<f64>(e, 16) - pz);
    let row = J + 3 * at32;
    for (let m: usize = 0; m < 4; m++, row += 24) {
      const i = load<i32>(pairs + (m << 2));
      const w = load<f64>(WEIGHTS + (m << 3));
      const own = i < points;
      store<f64>(weights + at32 + (m << 3), w);
      store<i32>(index + (<usize>block << 4) + (m << 2), own ? i : 0);
      store<f64>(row, own ? (w * u) / d : 0);
      store<f64>(row, own ? (w * v) / d : 0, 8);
      store<f64>(row, own ? (w * t) / d : 0, 16);
    }
    block++;
  }
  store<f64>(sums, energy);
  store<f64>(sums, least, 8);
  return block;
}

/** Friction of contacts with so many points each: slip, force and weight; returns the energy. See evaluateFriction(). */
export function evaluateFriction(g: usize, J: usize, index: usize, base: usize, force: usize, sigma: usize, weight: usize, points: i32, blocks: i32, Y: usize, reach: f64): f64 {
  let energy: f64 = 0;
  for (let k = 0; k < blocks; k++, g += 16, base += 16, sigma += 16, weight += 16, force += 8) {
    let u = -load<f64>(base), v = -load<f64>(base, 8);
    for (let c = 0; c < points; c++, index += 4, J += 48) {
      const at = point(Y, load<i32>(index));
      const x = load<f64>(at), y = load<f64>(at, 8), z = load<f64>(at, 16);
      u += load<f64>(J) * x + load<f64>(J, 8) * y + load<f64>(J, 16) * z;
      v += load<f64>(J, 24) * x + load<f64>(J, 32) * y + load<f64>(J, 40) * z;
    }
    const y = Math.sqrt(u * u + v * v), most = load<f64>(force);
    energy += most * (y < reach ? (y * y) / reach - (y * y * y) / (3 * reach * reach) : y - reach / 3);
    const w = most * (y < reach ? 2 / reach - y / (reach * reach) : 1 / y);
    store<f64>(g, u);
    store<f64>(g, v, 8);
    store<f64>(sigma, w * u);
    store<f64>(sigma, w * v, 8);
    store<f64>(weight, w);
    store<f64>(weight, w, 8);
  }
  return energy;
}
