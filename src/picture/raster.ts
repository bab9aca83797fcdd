// biome-ignore-all format: components are kept in columns
// biome-ignore-all lint/complexity/useMathMinMax: in the innermost loop Math.min, which minds −0 and NaN, costs a fifth
/**
 * The z-buffer: which triangle is nearest at every sample.
 *
 * Corners are snapped to 1/256 of a sample, so edge functions are integers below 2⁵³ and exact, and the
 * top-left rule decides samples on an edge: two triangles that share an edge cover every sample along
 * it exactly once, whatever their shape. Depth is an affine function of the screen (1/w in a
 * perspective, the coordinate towards the light in a parallel one); larger is nearer.
 *
 * Nothing else is stored at a sample: `id` names a triangle, and attributes are worked out later from
 *
 *   λᵢ/w = aᵢ x + bᵢ y + cᵢ,   rows of [x₀w₀ x₁w₁ x₂w₂; y₀w₀ y₁w₁ y₂w₂; w₀ w₁ w₂]⁻¹,
 *
 * which is perspective-correct and needs no clipping (Olano and Greer 1997); only coverage is clipped
 * at the near plane. So 2 × 2 samples cost four depth tests but, inside a triangle, one shading.
 *
 * Cost: about 2 ns a sample and 0.3 µs a triangle.
 */

export interface Target {
  readonly width: number;
  readonly height: number;
  /** [width·height] nearest so far; −∞ where nothing is. */
  readonly depth: Float32Array;
  /** [width·height] the triangle there, −1 where none is; null when only depth matters. */
  readonly id: Int32Array | null;
}

export function createTarget(width: number, height: number, ids: boolean): Target {
  const size = width * height;
  const target = { width, height, depth: new Float32Array(size), id: ids ? new Int32Array(size) : null };
  clear(target);
  return target;
}

function clear(target: Target): void {
  target.depth.fill(-Infinity);
  target.id?.fill(-1);
}

/** Places between two samples; a power of two, so that snapping is exact in binary. */
const SUB = 256;
/** Beyond this many samples from the corner a coordinate is held: nothing of it is seen, and products stay exact. */
const FAR = 2 ** 17;

/**
 * Covers the samples of one triangle, whichever way round it is.
 *
 * @param flat  [9] x₀ y₀ x₁ y₁ x₂ y₂ corners in samples, the centre of sample (i, j) being (i + ½, j + ½); A B C of
 *   depth = A x + B y + C in the same coordinates. Nine arguments would be nine numbers on the heap, a seventh of the time.
 */
export function fill(target: Target, flat: Float64Array, id: number): void {
  const { width, height, depth, id: ids } = target;
  let x0 = flat[0], y0 = flat[1], x1 = flat[2], y1 = flat[3], x2 = flat[4], y2 = flat[5];
  let A = flat[6], B = flat[7], C = flat[8];
  if (!(x0 > -FAR && x1 > -FAR && x2 > -FAR && y0 > -FAR && y1 > -FAR && y2 > -FAR &&
        x0 < FAR && x1 < FAR && x2 < FAR && y0 < FAR && y1 < FAR && y2 < FAR)) {
    if (!(Math.abs(x0 + y0 + x1 + y1 + x2 + y2) < Infinity)) return; // NaN has no place
    x0 = held(x0); y0 = held(y0); x1 = held(x1); y1 = held(y1); x2 = held(x2); y2 = held(y2);
  }
  let ax = Math.floor(x0 * SUB + 0.5), ay = Math.floor(y0 * SUB + 0.5), bx = Math.floor(x1 * SUB + 0.5), by = Math.floor(y1 * SUB + 0.5);
  const cx = Math.floor(x2 * SUB + 0.5), cy = Math.floor(y2 * SUB + 0.5);

  // rows and columns of samples that it may touch; small triangles often have none
  const upper = ay < by ? (ay < cy ? ay : cy) : by < cy ? by : cy, lower = ay > by ? (ay > cy ? ay : cy) : by > cy ? by : cy;
  const west = ax < bx ? (ax < cx ? ax : cx) : bx < cx ? bx : cx, east = ax > bx ? (ax > cx ? ax : cx) : bx > cx ? bx : cx;
  const top = upper < SUB / 2 ? 0 : Math.ceil((upper - SUB / 2) / SUB);
  const left = west < SUB / 2 ? 0 : Math.ceil((west - SUB / 2) / SUB);
  let bottom = Math.floor((lower - SUB / 2) / SUB), right = Math.floor((east - SUB / 2) / SUB);
  if (bottom >= height) bottom = height - 1;
  if (right >= width) right = width - 1;
  if (top > bottom || left > right) return;

  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  if (area === 0) return;
  if (area < 0) { // turn it so that the inside is where all edge functions are positive
    let t = ax; ax = bx; bx = t;
    t = ay; ay = by; by = t;
  }

  // Seen almost edge-on, a triangle runs through all its depths within 1/64 of a sample, and snapping
  // would throw samples far out of its plane; the middle depth is then the better answer.
  const za = A * x0 + B * y0 + C, zb = A * x1 + B * y1 + C, zc = A * x2 + B * y2 + C;
  if (Math.abs(A) + Math.abs(B) > 64 * (Math.max(za, zb, zc) - Math.min(za, zb, zc))) {
    C = (za + zb + zc) / 3; A = 0; B = 0;
  }

  // E(i, j) = dx (y − y₀) − dy (x − x₀) ≥ 0 within, in steps of one sample; −1 opens the edge
  const dx0 = bx - ax, dy0 = by - ay, dx1 = cx - bx, dy1 = cy - by, dx2 = ax - cx, dy2 = ay - cy;
  const middle = top * SUB + SUB / 2;
  let e0 = dx0 * (middle - ay) - dy0 * (SUB / 2 - ax) - (dy0 < 0 || (dy0 === 0 && dx0 > 0) ? 0 : 1);
  let e1 = dx1 * (middle - by) - dy1 * (SUB / 2 - bx) - (dy1 < 0 || (dy1 === 0 && dx1 > 0) ? 0 : 1);
  let e2 = dx2 * (middle - cy) - dy2 * (SUB / 2 - cx) - (dy2 < 0 || (dy2 === 0 && dx2 > 0) ? 0 : 1);
  const u0 = -dy0 * SUB, u1 = -dy1 * SUB, u2 = -dy2 * SUB;
  const v0 = dx0 * SUB, v1 = dx1 * SUB, v2 = dx2 * SUB;

  for (let j = top; j <= bottom; j++, e0 += v0, e1 += v1, e2 += v2) {
    // the span of samples within all three edges
    let from = left, to = right;
    if (u0 > 0) { const i = Math.ceil(-e0 / u0); if (i > from) from = i; }
    else if (u0 < 0) { const i = Math.floor(-e0 / u0); if (i < to) to = i; }
    else if (e0 < 0) continue;
    if (u1 > 0) { const i = Math.ceil(-e1 / u1); if (i > from) from = i; }
    else if (u1 < 0) { const i = Math.floor(-e1 / u1); if (i < to) to = i; }
    else if (e1 < 0) continue;
    if (u2 > 0) { const i = Math.ceil(-e2 / u2); if (i > from) from = i; }
    else if (u2 < 0) { const i = Math.floor(-e2 / u2); if (i < to) to = i; }
    else if (e2 < 0) continue;

    const z0 = B * (j + 0.5) + C + 0.5 * A, row = j * width;
    if (ids === null) {
      for (let i = from; i <= to; i++) {
        const z = z0 + A * i;
        if (z > depth[row + i]) depth[row + i] = z;
      }
    } else {
      for (let i = from; i <= to; i++) {
        const z = z0 + A * i;
        if (z > depth[row + i]) { depth[row + i] = z; ids[row + i] = id; }
      }
    }
  }
}

function held(x: number): number {
  return x < -FAR ? -FAR : x > FAR ? FAR : x;
}

/**
 * Draws triangles through a projection (camera.ts) and notes for each the nine numbers of its λᵢ/w.
 *
 * @param target     out; its size is the picture's times `samples`
 * @param planes     out [9·triangles] a b c of λ₀/w, λ₁/w, λ₂/w in pixels; NaN where seen edge-on
 * @param positions  [3n] m
 * @param triangles  [3·triangles]
 * @param rows       [12] pixels
 * @param near       m; what is closer than this is cut away
 */
export function drawTriangles(
  target: Target, planes: Float64Array, positions: Float64Array, triangles: Int32Array,
  rows: Float64Array, samples: number, near: number,
): void {
  // (xw, yw, w) of every point
  const n = positions.length / 3, P = new Float64Array(3 * n);
  for (let i = 0; i < n; i++) {
    const x = positions[3 * i], y = positions[3 * i + 1], z = positions[3 * i + 2];
    for (let c = 0; c < 3; c++) P[3 * i + c] = rows[4 * c] * x + rows[4 * c + 1] * y + rows[4 * c + 2] * z + rows[4 * c + 3];
  }

  const polygon = new Float64Array(8); // corners that remain before the near plane, x y in samples
  const flat = new Float64Array(9);
  for (let t = 0; 3 * t < triangles.length; t++) {
    const i = 3 * triangles[3 * t], j = 3 * triangles[3 * t + 1], m = 3 * triangles[3 * t + 2];
    const x0 = P[i], y0 = P[i + 1], w0 = P[i + 2];
    const x1 = P[j], y1 = P[j + 1], w1 = P[j + 2];
    const x2 = P[m], y2 = P[m + 1], w2 = P[m + 2];

    // M⁻¹ by cofactors
    const a0 = y1 * w2 - y2 * w1, b0 = x2 * w1 - x1 * w2, c0 = x1 * y2 - x2 * y1;
    const a1 = y2 * w0 - y0 * w2, b1 = x0 * w2 - x2 * w0, c1 = x2 * y0 - x0 * y2;
    const a2 = y0 * w1 - y1 * w0, b2 = x1 * w0 - x0 * w1, c2 = x0 * y1 - x1 * y0;
    const det = x0 * a0 + y0 * b0 + w0 * c0, q = 9 * t;
    if (!(det !== 0)) { planes.fill(Number.NaN, q, q + 9); continue; }
    planes[q]     = a0 / det; planes[q + 1] = b0 / det; planes[q + 2] = c0 / det;
    planes[q + 3] = a1 / det; planes[q + 4] = b1 / det; planes[q + 5] = c1 / det;
    planes[q + 6] = a2 / det; planes[q + 7] = b2 / det; planes[q + 8] = c2 / det;
    flat[6] = (a0 + a1 + a2) / det / samples; flat[7] = (b0 + b1 + b2) / det / samples; flat[8] = (c0 + c1 + c2) / det;

    if (w0 >= near && w1 >= near && w2 >= near) {
      flat[0] = (x0 / w0) * samples; flat[1] = (y0 / w0) * samples;
      flat[2] = (x1 / w1) * samples; flat[3] = (y1 / w1) * samples;
      flat[4] = (x2 / w2) * samples; flat[5] = (y2 / w2) * samples;
      fill(target, flat, t);
      continue;
    }
    if (w0 < near && w1 < near && w2 < near) continue;

    // cut at w = near: a triangle or a quadrilateral remains
    let corners = 0;
    for (let side = 0; side < 3; side++) {
      const p = side === 0 ? i : side === 1 ? j : m, o = side === 0 ? j : side === 1 ? m : i;
      const wp = P[p + 2], wo = P[o + 2];
      if (wp >= near) {
        polygon[2 * corners] = (P[p] / wp) * samples; polygon[2 * corners + 1] = (P[p + 1] / wp) * samples; corners++;
      }
      if (wp >= near !== wo >= near) {
        const s = (near - wp) / (wo - wp);
        polygon[2 * corners] = ((P[p] + s * (P[o] - P[p])) / near) * samples;
        polygon[2 * corners + 1] = ((P[p + 1] + s * (P[o + 1] - P[p + 1])) / near) * samples; corners++;
      }
    }
    flat[0] = polygon[0]; flat[1] = polygon[1];
    for (let s = 1; s + 1 < corners; s++) {
      for (let k = 0; k < 4; k++) flat[2 + k] = polygon[2 * s + k];
      fill(target, flat, t);
    }
  }
}

/** What a distant light sees: a parallel depth map over a ball that holds everything it lights. */
export interface DepthMap {
  readonly size: number;
  /** [size²] coordinate towards the light of the first thing hit, m. */
  readonly depth: Float32Array;
  /** [12] rows: column and row in texels, and the coordinate towards the light in m, of (x, y, z, 1). */
  readonly rows: Float64Array;
  /** m, side of a texel. */
  readonly texel: number;
}

/**
 * @param oneSided  [triangles] 1 where the back of a triangle need not cast a shadow: solid bodies
 * @param towards  unit vector to the light
 * @param reuse    a map of the same size to draw over
 */
export function depthMap(
  positions: Float64Array, triangles: Int32Array, oneSided: Uint8Array, towards: readonly [number, number, number],
  centre: readonly [number, number, number], radius: number, size: number, reuse?: DepthMap,
): DepthMap {
  // two axes across the light
  const [lx, ly, lz] = towards;
  const level = Math.hypot(lx, ly), rx = level > 1e-9 ? -ly / level : 1, ry = level > 1e-9 ? lx / level : 0;
  const ux = -lz * ry, uy = lz * rx, uz = lx * ry - ly * rx;

  const s = size / (2 * radius), rows = reuse?.rows ?? new Float64Array(12);
  rows[0] = s * rx; rows[1] = s * ry; rows[2] = 0;       rows[3] = size / 2 - s * (rx * centre[0] + ry * centre[1]);
  rows[4] = s * ux; rows[5] = s * uy; rows[6] = s * uz;  rows[7] = size / 2 - s * (ux * centre[0] + uy * centre[1] + uz * centre[2]);
  rows[8] = lx;     rows[9] = ly;     rows[10] = lz;     rows[11] = -(lx * centre[0] + ly * centre[1] + lz * centre[2]);

  const depth = reuse?.depth ?? new Float32Array(size * size);
  depth.fill(-Infinity);
  const target: Target = { width: size, height: size, depth, id: null };
  const n = positions.length / 3, P = new Float64Array(3 * n), flat = new Float64Array(9);
  for (let i = 0; i < n; i++) {
    const x = positions[3 * i], y = positions[3 * i + 1], z = positions[3 * i + 2];
    P[3 * i]     = rows[0] * x + rows[1] * y + rows[2] * z + rows[3];
    P[3 * i + 1] = rows[4] * x + rows[5] * y + rows[6] * z + rows[7];
    P[3 * i + 2] = rows[8] * x + rows[9] * y + rows[10] * z + rows[11];
  }
  for (let t = 0; t < triangles.length; t += 3) {
    const i = 3 * triangles[t], j = 3 * triangles[t + 1], m = 3 * triangles[t + 2];
    const x0 = P[i], y0 = P[i + 1], z0 = P[i + 2];
    const x1 = P[j] - x0, y1 = P[j + 1] - y0, z1 = P[j + 2] - z0;
    const x2 = P[m] - x0, y2 = P[m + 1] - y0, z2 = P[m + 2] - z0;
    const det = x1 * y2 - x2 * y1;
    if (!(det !== 0) || (det < 0 && oneSided[t / 3] === 1)) continue;
    const A = (z1 * y2 - z2 * y1) / det, B = (x1 * z2 - x2 * z1) / det;
    flat[0] = x0; flat[1] = y0; flat[2] = P[j]; flat[3] = P[j + 1]; flat[4] = P[m]; flat[5] = P[m + 1];
    flat[6] = A; flat[7] = B; flat[8] = z0 - A * x0 - B * y0;
    fill(target, flat, 0);
  }
  return { size, depth, rows, texel: 1 / s };
}

/**
 * How much of a light reaches a point, 0 … 1: the mean over the four nearest texels, weighted by distance
 * (percentage-closer filtering), so that shadow edges have no steps.
 *
 * @param bias  m; what lies less than this before the point does not shade it
 */
export function lit(map: DepthMap, x: number, y: number, z: number, bias: number): number {
  const { rows, size, depth } = map;
  const u = rows[0] * x + rows[1] * y + rows[2] * z + rows[3] - 0.5;
  const v = rows[4] * x + rows[5] * y + rows[6] * z + rows[7] - 0.5;
  if (!(u >= 0 && v >= 0 && u < size - 1 && v < size - 1)) return 1;
  const d = rows[8] * x + rows[9] * y + rows[10] * z + rows[11] + bias;
  const i = Math.floor(u), j = Math.floor(v), p = j * size + i, s = u - i, t = v - j;
  const top = (depth[p] > d ? 0 : 1 - s) + (depth[p + 1] > d ? 0 : s);
  const bottom = (depth[p + size] > d ? 0 : 1 - s) + (depth[p + size + 1] > d ? 0 : s);
  return top * (1 - t) + bottom * t;
}

/** Adds `lit` of every point to its sum. A loop of its own: within a longer one the compiler calls `lit` and boxes what it gives. */
export function addLit(sums: Float32Array, map: DepthMap, points: Float32Array, bias: number): void {
  for (let f = 0; f < sums.length; f++) sums[f] += lit(map, points[3 * f], points[3 * f + 1], points[3 * f + 2], bias);
}
