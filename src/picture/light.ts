// biome-ignore-all format: components are kept in columns
/**
 * Studio light: a wide sky, one large soft lamp with true penumbrae, a faint second lamp.
 *
 *   E(n) = sky(n) · open + key · max(0, n·l) · reached + fill · max(0, n·m)
 *   sky(n) = ½(1 + n_z) SKY + ½(1 − n_z) BOUNCE
 *
 * `open` is the part of the sky that a point sees, weighted by the cosine, and `reached` the part of
 * the lamp. Both are sums over directions, each one parallel depth map (raster.ts): DOME of them, small,
 * evenly over the sphere, looked up at the points of the meshes and on a coarse grid of the ground; and
 * LAMP of them, sharp, within the lamp's cone, looked up at every fragment. Shadows harden towards their
 * contact as real ones do. Maps are used one after another, so a picture needs the memory of one.
 *
 * A dozen directions would leave a dozen edges in a penumbra. So how far away what shades stands is found
 * first, and every lookup is moved within the gap between directions, as seen from there: another place in
 * each of the TILE² pixels of a square, over which the result is averaged (interleaved sampling).
 *
 * The trap is a surface that shades itself: points are moved off their surface by LIFT texels first, so
 * folds nearer than that (4 mm on a sheet of 1 m) lose the finest line of their shadow.
 */
import type { Vec3 } from "../scene/scene.ts";
import { axes, type Camera, cross, unit } from "./camera.ts";
import { type Color, hex, toLinear } from "./color.ts";
import { addLit, type DepthMap, depthMap, lit } from "./raster.ts";

/** What the lights see. */
export interface Casters {
  /** [3n] m */
  readonly positions: Float64Array;
  readonly triangles: Int32Array;
  /** [triangles] 1 on solid bodies, whose back faces are never visible. */
  readonly solid: Uint8Array;
  /** A ball around all of it. */
  readonly centre: Vec3;
  readonly radius: number;
}

/** Linear light. SKY + KEY on a surface that faces the lamp is a little over 1: white paper is white. */
export const SKY: Color = [0.48, 0.495, 0.52];
const BOUNCE: Color = [0.33, 0.3, 0.275];
export const KEY: Color = [0.72, 0.685, 0.635];
const FILL: Color = [0.09, 0.1, 0.115];

const DOME = 32;
const LAMP = 12;
/** Half the angle that the lamp fills, rad: 6°, a one-metre softbox at five metres. */
const LAMP_ANGLE = (6 * Math.PI) / 180;
const DOME_SIZE = 224;
/** Texels of the lamp's maps, at most and at least: about as fine as the picture's pixels. */
const LAMP_SIZE: readonly [number, number] = [256, 1024];
const LIFT = 1.5;
/** Texels of the sky's map of the ground. */
const GROUND_SKY_SIZE = 192;

export interface Lights {
  /** Unit vectors to the lamps. */
  readonly key: Vec3;
  readonly fill: Vec3;
}

/** Lamps that move with the camera: the key high on the left, the fill low on the right. */
export function lightsOf(camera: Camera): Lights {
  const { f, r, u } = axes(camera);
  // From above or below, "towards the camera" has no horizon; the picture's vertical takes its place.
  const level = Math.hypot(f[0], f[1]) > 0.2 ? unit([-f[0], -f[1], 0]) : unit([-u[0], -u[1], 0]);
  const left: Vec3 = [-r[0], -r[1], -r[2]];
  const at = (side: number, towards: number, up: number): Vec3 =>
    unit([
      side * left[0] + towards * level[0],
      side * left[1] + towards * level[1],
      side * left[2] + towards * level[2] + up,
    ]);
  return { key: at(0.62, 0.72, 0.95), fill: at(-0.9, 0.45, 0.35) };
}

/** Texels along the lamp's maps for a picture of that many pixels. */
export function lampSize(pixels: number): number {
  return Math.min(Math.max(2 ** Math.ceil(Math.log2(0.8 * pixels)), LAMP_SIZE[0]), LAMP_SIZE[1]);
}

/** Irradiance without anything in the way, linear RGB; what a surface of that normal shows per albedo. */
export function irradiance(out: Float64Array, nx: number, ny: number, nz: number, lights: Lights, open: number, reached: number): void {
  const { key, fill } = lights;
  const up = 0.5 + 0.5 * nz;
  const k = Math.max(0, nx * key[0] + ny * key[1] + nz * key[2]) * reached;
  const f = Math.max(0, nx * fill[0] + ny * fill[1] + nz * fill[2]) * open;
  for (let c = 0; c < 3; c++)
    out[c] = (BOUNCE[c] + (SKY[c] - BOUNCE[c]) * up) * open + KEY[c] * k + FILL[c] * f;
}

/**
 * The part of the sky that each point sees, on the front and on the back of its surface.
 *
 * @param open     out [2n] 0 … 1, front and back per point
 * @param normals  [3n] unit
 */
export function skyLight(open: Float32Array, normals: Float32Array, casters: Casters, ground: Ground | null): void {
  const { positions, triangles, solid, centre, radius } = casters;
  const n = positions.length / 3;
  const whole = new Float32Array(2 * n);
  let map: DepthMap | undefined;
  let above = 0;
  for (let s = 0; s < DOME; s++) {
    const d = spread(s, DOME);
    // Brightness of the sky in that direction, as in sky(n); below the horizon it is light off the floor.
    const bright = d[2] > 0 ? 1 : 0.55;
    map = depthMap(positions, triangles, solid, d, centre, radius, DOME_SIZE, map);
    const lift = LIFT * map.texel;
    for (let i = 0; i < n; i++) {
      const nx = normals[3 * i], ny = normals[3 * i + 1], nz = normals[3 * i + 2];
      const cos = nx * d[0] + ny * d[1] + nz * d[2];
      const side = cos >= 0 ? lift : -lift, weight = Math.abs(cos) * bright, at = 2 * i + (cos >= 0 ? 0 : 1);
      whole[at] += weight;
      open[at] += weight * lit(map, positions[3 * i] + side * nx, positions[3 * i + 1] + side * ny, positions[3 * i + 2] + side * nz, lift);
    }
    if (ground && d[2] > 0) {
      above += d[2];
      gather(ground.sky, ground.z, map, d[2]);
    }
  }
  for (let i = 0; i < 2 * n; i++) open[i] = whole[i] > 0 ? open[i] / whole[i] : 1;
  averaged(open, whole, triangles);
  // Neighbouring directions stand about √(4π/DOME) apart.
  if (ground) soften(ground.sky, above, 0.5 * Math.sqrt((4 * Math.PI) / DOME));
}

/** Each point takes the mean of itself and its neighbours, twice: few directions leave spots, the sky has none. */
function averaged(open: Float32Array, scratch: Float32Array, triangles: Int32Array): void {
  const count = new Float32Array(open.length / 2);
  for (let pass = 0; pass < 2; pass++) {
    scratch.fill(0); count.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const a = triangles[t], b = triangles[t + 1], c = triangles[t + 2];
      count[a]++; count[b]++; count[c]++;
      for (let side = 0; side < 2; side++) {
        const sum = (open[2 * a + side] + open[2 * b + side] + open[2 * c + side]) / 3;
        scratch[2 * a + side] += sum; scratch[2 * b + side] += sum; scratch[2 * c + side] += sum;
      }
    }
    for (let i = 0; i < open.length; i++) if (count[i >> 1] > 0) open[i] = scratch[i] / count[i >> 1];
  }
}

/** Where the lamp's light is asked for: the fragments of a picture. */
export interface Lit {
  readonly count: number;
  /** [count] its pixel, ascending */
  readonly pixel: Int32Array;
  /** Pixels in a row. */
  readonly width: number;
  /** [3·count] m, on the surface */
  readonly at: Float32Array;
  /** [3·count] unit, the side of the surface that the light comes from */
  readonly off: Float32Array;
}

/**
 * The part of the lamp that reaches each fragment.
 *
 * @param reached  out [fragments] 0 … 1
 * @param size     texels of the maps, see lampSize
 */
export function lampLight(reached: Float32Array, fragments: Lit, casters: Casters, key: Vec3, size: number, ground: Ground | null): void {
  const { positions, triangles, solid, centre, radius } = casters, { count, pixel, width } = fragments;
  const across = unit(cross(key, Math.abs(key[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
  const along = cross(key, across);
  const distance = shadeDistance(fragments, depthMap(positions, triangles, solid, key, centre, radius, size / 2));
  let map: DepthMap | undefined;
  // Neighbouring directions of the spiral stand about 1.8 LAMP_ANGLE/√LAMP apart.
  const gap = (0.9 * LAMP_ANGLE) / Math.sqrt(LAMP);
  const places = discPlaces(TILE * TILE), tile = tilePlaces(pixel, count, width), looked = new Float32Array(3 * count);
  for (let s = 0; s < LAMP; s++) {
    // Vogel's spiral fills the lamp's disc evenly.
    const r = Math.tan(LAMP_ANGLE) * Math.sqrt((s + 0.5) / LAMP), a = s * GOLDEN;
    const u = r * Math.cos(a), v = r * Math.sin(a);
    const d = unit([key[0] + u * across[0] + v * along[0], key[1] + u * across[1] + v * along[1], key[2] + u * across[2] + v * along[2]]);
    map = depthMap(positions, triangles, solid, d, centre, radius, size, map);
    const lift = LIFT * map.texel;
    aside(looked, fragments, distance, { across, along, towards: d, lift, reach: 1.2 * gap }, places, tile, 5 * s);
    addLit(reached, map, looked, lift);
    if (ground) gather(ground.lamp, ground.z, map, 1);
  }
  for (let f = 0; f < count; f++) reached[f] /= LAMP;
  smoothed(reached, fragments, distance);
  if (ground) soften(ground.lamp, LAMP, gap);
}

/**
 * Where each fragment looks one direction up: off its surface, and aside by its place in its square.
 *
 * @param out    [3·fragments] m
 * @param turn   which of the places the first of the square takes
 */
function aside(
  out: Float32Array, { count, at, off }: Lit, distance: Float32Array,
  { across, along, towards: d, lift, reach: wide }: { across: Vec3; along: Vec3; towards: Vec3; lift: number; reach: number },
  places: Float64Array, tile: Uint8Array, turn: number,
): void {
  const [ax, ay, az] = across, [bx, by, bz] = along, [dx, dy, dz] = d;
  for (let f = 0; f < count; f++) {
    const p = 3 * f, nx = off[p], ny = off[p + 1], nz = off[p + 2];
    let x = at[p] + lift * nx, y = at[p + 1] + lift * ny, z = at[p + 2] + lift * nz;
    if (distance[f] > 0) {
      // within the surface's own plane, but not far along it where the light only grazes
      const place = 2 * ((tile[f] + turn) & (TILE * TILE - 1)), reach = wide * distance[f];
      const p0 = reach * places[place], p1 = reach * places[place + 1];
      const ox = p0 * ax + p1 * bx, oy = p0 * ay + p1 * by, oz = p0 * az + p1 * bz;
      const slope = (ox * nx + oy * ny + oz * nz) / Math.max(0.25, nx * dx + ny * dy + nz * dz);
      x += ox - slope * dx; y += oy - slope * dy; z += oz - slope * dz;
    }
    out[p] = x; out[p + 1] = y; out[p + 2] = z;
  }
}

/** Pixels along the side of the square that shares its lookups. */
const TILE = 4;
/** Lookups for how far away what shades stands. */
const SEARCH = 10;

/** [count] which of its square's places each pixel takes: neighbours take distant ones. */
function tilePlaces(pixel: Int32Array, count: number, width: number): Uint8Array {
  const tile = new Uint8Array(count);
  for (let f = 0; f < count; f++) {
    const x = pixel[f] % width, y = (pixel[f] - x) / width;
    tile[f] = ORDER[(y & 3) * TILE + (x & 3)];
  }
  return tile;
}
const ORDER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

/** [2·count] places spread evenly over the unit disc. */
function discPlaces(count: number): Float64Array {
  const places = new Float64Array(2 * count);
  for (let k = 0; k < count; k++) {
    const r = Math.sqrt((k + 0.5) / count);
    places[2 * k] = r * Math.cos(k * GOLDEN); places[2 * k + 1] = r * Math.sin(k * GOLDEN);
  }
  return places;
}

/** [fragments] m to what is between a fragment and some of the lamp, in the mean; 0 where nothing is. */
function shadeDistance({ count, at, off }: Lit, { rows, depth, size, texel }: DepthMap): Float32Array {
  const distance = new Float32Array(count), lift = LIFT * texel, wide = Math.tan(LAMP_ANGLE);
  // straight up, and around; a tall blocker counts from further aside
  const places = Float64Array.of(0, 0, ...discPlaces(SEARCH)), slope = (1.2 * wide) / texel;
  const aside = Float64Array.from({ length: SEARCH + 1 }, (_, k) => Math.hypot(places[2 * k], places[2 * k + 1]));
  let top = -Infinity;
  for (let t = 0; t < depth.length; t++) if (depth[t] > top) top = depth[t];
  for (let f = 0; f < count; f++) {
    const p = 3 * f;
    const x = at[p] + lift * off[p], y = at[p + 1] + lift * off[p + 1], z = at[p + 2] + lift * off[p + 2];
    const u = rows[0] * x + rows[1] * y + rows[2] * z + rows[3], v = rows[4] * x + rows[5] * y + rows[6] * z + rows[7];
    const d = rows[8] * x + rows[9] * y + rows[10] * z + rows[11] + lift;
    // what is further aside than this would have to stand higher than anything does
    const reach = (1.15 * wide * (top - d)) / texel;
    if (!(reach > 0)) continue;
    let sum = 0, found = 0;
    for (let k = 0; k <= SEARCH; k++) {
      const i = (u + reach * places[2 * k]) | 0, j = (v + reach * places[2 * k + 1]) | 0;
      if (!(i >= 0 && j >= 0 && i < size && j < size)) continue;
      const over = depth[j * size + i] - d;
      if (over > 0 && reach * aside[k] <= slope * over + 1) { sum += over; found++; }
    }
    if (found > 0) distance[f] = sum / found;
  }
  return distance;
}

/** Means over squares of TILE² pixels, of fragments on one surface. */
function smoothed(reached: Float32Array, { count, pixel, width, at, off }: Lit, distance: Float32Array): void {
  if (count === 0) return;
  // the first fragment of each pixel
  const rows = Math.floor(pixel[count - 1] / width) + 1, first = new Int32Array(rows * width).fill(-1);
  for (let f = count - 1; f >= 0; f--) first[pixel[f]] = f;
  const raw = reached.slice();
  for (let f = 0; f < count; f++) {
    if (distance[f] === 0) continue;
    const p = 3 * f, i = pixel[f] % width, j = (pixel[f] - i) / width;
    const px = at[p], py = at[p + 1], pz = at[p + 2], nx = off[p], ny = off[p + 1], nz = off[p + 2];
    let sum = raw[f], weight = 1;
    for (let y = Math.max(0, j - 2); y < Math.min(rows, j + 2); y++) for (let x = Math.max(0, i - 2); x < Math.min(width, i + 2); x++) {
      const g = first[y * width + x], q = 3 * g;
      if (g < 0 || g === f) continue;
      if (nx * off[q] + ny * off[q + 1] + nz * off[q + 2] < 0.9) continue;
      const dx = at[q] - px, dy = at[q + 1] - py, dz = at[q + 2] - pz, aside = dx * nx + dy * ny + dz * nz;
      if (aside * aside > 0.1 * (dx * dx + dy * dy + dz * dz)) continue;
      sum += raw[g]; weight++;
    }
    reached[f] = sum / weight;
  }
}

/** Light on a square of the floor, seen from above. */
export interface FloorMap {
  /** Corner and side, m. */
  readonly x: number;
  readonly y: number;
  readonly side: number;
  readonly size: number;
  /** [size²] the part of the light that arrives, 0 … 1; while gathering, the part that does not. */
  readonly light: Float32Array;
  /** [size²] m, how far above stands what is in the way, times how much of it. */
  readonly height: Float32Array;
}

export interface Ground {
  /** Height, m. */
  readonly z: number;
  readonly lamp: FloorMap;
  readonly sky: FloorMap;
}

/** A floor under everything; its lamp map covers the shadow, its sky map a ring around the subject. */
export function createGround(z: number, casters: Casters, key: Vec3, size: number): Ground {
  const { positions, centre, radius } = casters;
  let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
  for (let i = 0; i < positions.length; i += 3) {
    const drop = Math.max(0, positions[i + 2] - z) / Math.max(key[2], 0.1);
    const x = positions[i] - drop * key[0], y = positions[i + 1] - drop * key[1];
    // The penumbra widens with the way that light has gone.
    const soft = drop * LAMP_ANGLE * 2 + 0.05 * radius;
    if (x - soft < x0) x0 = x - soft;
    if (x + soft > x1) x1 = x + soft;
    if (y - soft < y0) y0 = y - soft;
    if (y + soft > y1) y1 = y + soft;
  }
  const floorMap = (x: number, y: number, side: number, size: number): FloorMap => ({
    x: x - side / 2, y: y - side / 2, side, size,
    light: new Float32Array(size * size), height: new Float32Array(size * size),
  });
  const side = x1 > x0 ? Math.max(x1 - x0, y1 - y0) : 1;
  return {
    z,
    lamp: floorMap(x1 > x0 ? (x0 + x1) / 2 : 0, x1 > x0 ? (y0 + y1) / 2 : 0, side, size),
    sky: floorMap(centre[0], centre[1], 5 * radius, GROUND_SKY_SIZE),
  };
}

/**
 * What places of the floor lack of a light, between the texels; nothing outside of the map.
 *
 * @param lacks  out [places] 0 … 1
 * @param place  [2·places] m
 * @param kept   [places] share of the shadow that is shown there
 */
export function floorRow(lacks: Float64Array, { x, y, side, size, light }: FloorMap, place: Float64Array, kept: Float64Array): void {
  const scale = size / side;
  for (let k = 0; k < kept.length; k++) {
    lacks[k] = 0;
    if (kept[k] === 0) continue;
    const u = (place[2 * k] - x) * scale - 0.5, v = (place[2 * k + 1] - y) * scale - 0.5;
    if (!(u >= 0 && v >= 0 && u < size - 1 && v < size - 1)) continue;
    const i = u | 0, j = v | 0, p = j * size + i, s = u - i, t = v - j;
    const top = light[p] + (light[p + 1] - light[p]) * s;
    const bottom = light[p + size] + (light[p + size + 1] - light[p + size]) * s;
    lacks[k] = kept[k] * (1 - top - (bottom - top) * t);
  }
}

/** Adds what one direction misses: a step along a row of the floor is a step along the depth map. */
function gather(floor: FloorMap, z: number, map: DepthMap, weight: number): void {
  const { x, y, side, size, light, height } = floor, { rows, depth, size: texels } = map;
  const step = side / size, du = rows[0] * step, dv = rows[4] * step, dd = rows[8] * step;
  const slack = LIFT * map.texel;
  for (let j = 0; j < size; j++) {
    const X = x + 0.5 * step, Y = y + (j + 0.5) * step;
    let u = rows[0] * X + rows[1] * Y + rows[2] * z + rows[3];
    let v = rows[4] * X + rows[5] * Y + rows[6] * z + rows[7];
    let d = rows[8] * X + rows[9] * Y + rows[10] * z + rows[11] + slack;
    for (let i = 0; i < size; i++, u += du, v += dv, d += dd) {
      if (!(u >= 0 && v >= 0 && u < texels && v < texels)) continue;
      const over = depth[(v | 0) * texels + (u | 0)] - d;
      if (over > 0) { light[j * size + i] += weight; height[j * size + i] += weight * over; }
    }
  }
}

/**
 * Turns what was gathered into light, and blurs it by as much as neighbouring directions are apart
 * where what shades stands `height` away: a few directions then look like all of them. Box means of
 * any size cost four reads of a summed-area table; two in a row make a tent.
 *
 * @param whole  the sum of all weights
 * @param angle  rad, half the distance between directions
 */
function soften({ light, height, side, size }: FloorMap, whole: number, angle: number): void {
  const texel = side / size, reach = new Float32Array(size * size);
  // How far what shades stands away, also just outside the shadow: a mean over the neighbourhood.
  const wide = Math.max(2, Math.round(0.03 * size));
  const heights = summed(height, size), shares = summed(light, size);
  for (let j = 0; j < size; j++) for (let i = 0; i < size; i++) {
    const share = boxed(shares, size, i, j, wide);
    reach[j * size + i] = share > 1e-6 ? Math.min(0.1 * size, 0.7 + (angle * boxed(heights, size, i, j, wide)) / share / texel) : 0;
  }
  for (let p = 0; p < light.length; p++) light[p] = 1 - light[p] / whole;
  for (let pass = 0; pass < 2; pass++) {
    const sums = summed(light, size);
    for (let j = 0; j < size; j++) for (let i = 0; i < size; i++) {
      const r = reach[j * size + i];
      if (r === 0) continue;
      // between two whole radii, so that the blur grows without steps
      const lower = Math.floor(r), a = boxed(sums, size, i, j, lower);
      light[j * size + i] = a + (boxed(sums, size, i, j, lower + 1) - a) * (r - lower);
    }
  }
}

/** [(size+1)²] sums of everything above and to the left. */
function summed(map: Float32Array, size: number): Float64Array {
  const sums = new Float64Array((size + 1) ** 2);
  for (let j = 0; j < size; j++) {
    let row = 0;
    for (let i = 0; i < size; i++) {
      row += map[j * size + i];
      sums[(j + 1) * (size + 1) + i + 1] = sums[j * (size + 1) + i + 1] + row;
    }
  }
  return sums;
}

/** The mean over the square of that radius, as far as it lies on the map. */
function boxed(sums: Float64Array, size: number, i: number, j: number, radius: number): number {
  const i0 = Math.max(0, i - radius), i1 = Math.min(size, i + radius + 1);
  const j0 = Math.max(0, j - radius) * (size + 1), j1 = Math.min(size, j + radius + 1) * (size + 1);
  return (sums[j1 + i1] - sums[j1 + i0] - sums[j0 + i1] + sums[j0 + i0]) / (((i1 - i0) * (j1 - j0)) / (size + 1));
}

const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** The s-th of `count` directions spread evenly over the sphere (Fibonacci's spiral). */
function spread(s: number, count: number): Vec3 {
  const z = 1 - (2 * s + 1) / count, r = Math.sqrt(1 - z * z), a = s * GOLDEN;
  return [r * Math.cos(a), r * Math.sin(a), z];
}

/** Backdrop of the studio: warm light grey, brightest behind the subject. Linear light. */
export const BACKDROP: { centre: Color; edge: Color } = {
  centre: hex("#f3f0eb").map(toLinear) as unknown as Color,
  edge: hex("#d6d1c9").map(toLinear) as unknown as Color,
};
