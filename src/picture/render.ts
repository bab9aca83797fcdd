// biome-ignore-all format: components are kept in columns
/**
 * A picture of meshes in a small photo studio, without a browser or a graphics card.
 *
 * In order: every mesh joins one pool of points and triangles (pool.ts); a z-buffer finds the nearest triangle at
 * each sample (raster.ts); each pixel is split into fragments (fragments.ts), one per triangle that it shows, placed at
 * the middle of the samples it covers; sky and lamp reach points and fragments (light.ts); fragments are
 * shaded in linear light and added by coverage; what remains of a pixel is floor or backdrop; at last
 * the tone curve, sRGB, and lines and letters on top (canvas.ts).
 *
 * The floor is a shadow catcher: the backdrop's own colour times the light that it keeps, so it has no
 * horizon, and its shadows fade with distance.
 *
 * Cost at 1280 × 720 with 2 × 2 samples: 0.34 s for 2704 points, 0.54 s for 15 129, of which the light is two thirds;
 * the first picture of a process takes twice as long, while the compiler warms up.
 */
import type { Vec3 } from "../scene/scene.ts";
import { axes, type Camera, fitCamera, projected, projection } from "./camera.ts";
import { drawDisc, drawLegend, drawText, type Legend, type Picture } from "./canvas.ts";
import { type Color, fromLinear, INK, PAPER, STEPS, toLinear } from "./color.ts";
import { type Fragments, fragmentsOf, type Surface, surfaceOf } from "./fragments.ts";
import {
  BACKDROP, type Casters, createGround, floorRow, type Ground, irradiance, KEY, type Lights, lampLight, lampSize, lightsOf, SKY,
  skyLight,
} from "./light.ts";
import { inkAt } from "./looks.ts";
import { castersOf, type PictureMesh, type Pool, pooled } from "./pool.ts";
import { createTarget, drawTriangles } from "./raster.ts";
import { lay } from "./texture.ts";

export interface PictureScene {
  meshes: readonly PictureMesh[];
  /** Marked points, m. */
  pins?: readonly Vec3[];
  /** Height of the floor, m; none if not said. */
  ground?: number;
  legend?: Legend;
  title?: string;
}

export interface RenderOptions {
  width?: number;
  height?: number;
  /** Samples along each side of a pixel, 1 … 4. */
  samples?: number;
  /** Fitted to the meshes if not said. */
  camera?: Camera;
  /** Lamps; those of the camera if not said. A turntable keeps the first. */
  lights?: Lights;
  /** Shadows and sky occlusion; without them a picture takes a third of the time. */
  shadows?: boolean;
  /** One plain colour behind everything instead of the studio. */
  background?: Color;
}

/** Part of the lamp's light that a thin sheet lets through, and of its colour that it keeps. */
const THROUGH = 0.22;
/** Part of the light on coloured measures that comes from everywhere. */
const EVEN = 0.4;
/** Fuzz that catches light along the rim of cloth. */
const SHEEN = 0.12;

/** @example render({ meshes: [{ positions, triangles }], ground: 0 }, { width: 640, height: 360 }) */
export function render(scene: PictureScene, options: RenderOptions = {}): Picture {
  const { width = 1280, height = 720, samples = 2, shadows = true } = options;
  if (!(width >= 1 && height >= 1 && width * height <= 2 ** 26)) throw new Error(`picture of ${width} × ${height}: needs 1 … 67 million pixels`);
  const rate = Math.min(Math.max(Math.round(samples), 1), 4);
  const pool = pooled(scene.meshes);
  const camera = options.camera ?? fitCamera(pool.positions, { aspect: width / height });
  const lights = options.lights ?? lightsOf(camera);
  const rows = projection(camera, width, height);

  // the nearest triangle at every sample
  const near = Math.max(1e-4, 1e-3 * Math.hypot(camera.target[0] - camera.eye[0], camera.target[1] - camera.eye[1], camera.target[2] - camera.eye[2]));
  const target = createTarget(width * rate, height * rate, true);
  const planes = new Float64Array(3 * pool.triangles.length);
  drawTriangles(target, planes, pool.positions, pool.triangles, rows, rate, near);
  const fragments = fragmentsOf(target.id!, width, height, rate);

  // light
  const casters = castersOf(pool), texels = lampSize(Math.max(width, height));
  const ground = scene.ground !== undefined && camera.eye[2] > scene.ground ? createGround(scene.ground, casters, lights.key, texels / 2) : null;
  const open = new Float32Array(2 * pool.n);
  const surface = surfaceOf(fragments, pool, planes, camera, lights);
  const reached = new Float32Array(fragments.count);
  if (shadows && pool.triangles.length > 0) {
    skyLight(open, pool.normals, casters, ground);
    const { count, pixel } = fragments, { lampAt: at, off } = surface;
    lampLight(reached, { count, pixel, width, at, off }, casters, lights.key, texels, ground);
  } else {
    open.fill(1); reached.fill(1); ground?.lamp.light.fill(1); ground?.sky.light.fill(1);
  }

  // linear light of every pixel
  const light = new Float32Array(3 * width * height), covered = new Float32Array(width * height);
  shade(light, covered, fragments, surface, reached, open, pool, planes, camera, lights, ground);
  behind(light, covered, width, height, camera, casters, ground, options.background);

  const picture = developed(light, width, height);
  marks(picture, scene, rows, target.depth, rate);
  return picture;
}

/**
 * Where on the material a fragment is; gives what a pixel covers of it there, at most 1.
 *
 *   λᵢ = Lᵢ/W, Lᵢ = Aᵢ x + Bᵢ y + Cᵢ, W = Σ Lᵢ        so ∂λᵢ/∂x = (Aᵢ − λᵢ Σ Aᵢ)/W
 */
function placeOn(
  out: Float64Array, { uv, first }: { uv: Float64Array; first: number }, t: number,
  weights: readonly [number, number, number], planes: Float64Array, x: number, y: number,
): number {
  const k = 6 * (t - first), q = 9 * t;
  let u = 0, v = 0, W = 0, A = 0, B = 0;
  for (let i = 0; i < 3; i++) {
    const p = q + 3 * i;
    u += weights[i] * uv[k + 2 * i]; v += weights[i] * uv[k + 2 * i + 1];
    W += planes[p] * x + planes[p + 1] * y + planes[p + 2]; A += planes[p]; B += planes[p + 1];
  }
  let ux = 0, uy = 0, vx = 0, vy = 0;
  for (let i = 0; i < 3; i++) {
    const dx = (planes[q + 3 * i] - weights[i] * A) / W, dy = (planes[q + 3 * i + 1] - weights[i] * B) / W;
    ux += uv[k + 2 * i] * dx; uy += uv[k + 2 * i] * dy; vx += uv[k + 2 * i + 1] * dx; vy += uv[k + 2 * i + 1] * dy;
  }
  const soft = Math.min(1, Math.max(Math.hypot(ux, uy), Math.hypot(vx, vy)));
  out[0] = u; out[1] = v;
  return Number.isFinite(soft) ? soft : 1;
}

/** Adds the light of every fragment to its pixel, and its coverage. */
function shade(
  light: Float32Array, covered: Float32Array, fragments: Fragments, surface: Surface, reached: Float32Array, open: Float32Array,
  pool: Pool, planes: Float64Array, camera: Camera, lights: Lights, ground: Ground | null,
): void {
  const { count, pixel, triangle, x, y, coverage } = fragments, { weights, at, normal, off, back } = surface;
  const { triangles, colors, mesh, wires, styles } = pool, [ex, ey, ez] = camera.eye, { key } = lights;
  const E = new Float64Array(3), albedo = new Float64Array(3), place = new Float64Array(2), ink = INK.map(toLinear);
  const floor = ground ? ground.z - 1e-6 : -Infinity;
  for (let f = 0; f < count; f++) {
    const t = triangle[f], style = styles[mesh[t]], p = 3 * f;
    if (at[p + 2] < floor) continue; // under the floor
    const a = weights[2 * f], b = weights[2 * f + 1], c = 1 - a - b;
    const i = triangles[3 * t], j = triangles[3 * t + 1], m = triangles[3 * t + 2];

    // colour
    if (style.map) {
      const along = Math.min(Math.max(a * colors[3 * i] + b * colors[3 * j] + c * colors[3 * m], 0), 1) * (STEPS - 1);
      const s = Math.min(Math.floor(along), STEPS - 2), r = along - s;
      for (let k = 0; k < 3; k++) albedo[k] = style.map[3 * s + k] * (1 - r) + style.map[3 * s + 3 + k] * r;
    } else if (back[f] === 1 && style.back) { albedo[0] = style.back[0]; albedo[1] = style.back[1]; albedo[2] = style.back[2]; }
    else for (let k = 0; k < 3; k++) albedo[k] = a * colors[3 * i + k] + b * colors[3 * j + k] + c * colors[3 * m + k];

    if (style.print) {
      const soft = placeOn(place, style.print, t, [a, b, c], planes, x[f], y[f]), share = inkAt(style.print.kind, place[0], place[1], soft);
      for (let k = 0; k < 3; k++) albedo[k] += (style.print.ink[k] - albedo[k]) * share;
    }
    if (style.image) { const soft = placeOn(place, style.image, t, [a, b, c], planes, x[f], y[f]); lay(albedo, style.image.texture, place[0], place[1], soft); }

    // light on the side that is seen; through a thin sheet comes some of what falls on the other
    const nx = normal[p], ny = normal[p + 1], nz = normal[p + 2], side = back[f];
    const sky = a * open[2 * i + side] + b * open[2 * j + side] + c * open[2 * m + side];
    const facing = nx * key[0] + ny * key[1] + nz * key[2];
    const sameSide = off[p] * nx + off[p + 1] * ny + off[p + 2] * nz > 0;
    irradiance(E, nx, ny, nz, lights, sky, sameSide ? reached[f] : 0);
    if (style.thin && !sameSide && facing < 0) {
      const through = THROUGH * -facing * reached[f];
      E[0] += KEY[0] * through; E[1] += KEY[1] * through * 0.9; E[2] += KEY[2] * through * 0.8;
    }

    // colours that mean numbers are lit more evenly, so that they can be read off the legend
    if (style.map) for (let k = 0; k < 3; k++) E[k] = EVEN + (1 - EVEN) * E[k];

    // rim
    const vx = ex - at[p], vy = ey - at[p + 1], vz = ez - at[p + 2];
    const glance = 1 - Math.min(1, Math.abs(nx * vx + ny * vy + nz * vz) / Math.sqrt(vx * vx + vy * vy + vz * vz));
    const sheen = style.thin && !style.map ? style.sheen * SHEEN * glance * glance * glance * sky : 0;

    // edges of triangles: how near, in pixels, by λᵢ/w over its slope on the screen
    let line = 0;
    if (style.wire) {
      const q = 9 * t, X = x[f], Y = y[f];
      let nearest = Infinity;
      for (let k = q, c = 1; k < q + 9; k += 3, c *= 2) if (wires[t] & c) nearest = Math.min(nearest, (planes[k] * X + planes[k + 1] * Y + planes[k + 2]) / Math.hypot(planes[k], planes[k + 1]));
      line = 0.5 * Math.min(Math.max(1.1 - nearest, 0), 1);
    }

    const weight = coverage[f], o = 3 * pixel[f];
    for (let k = 0; k < 3; k++) {
      const lit = (albedo[k] + sheen * Math.sqrt(albedo[k])) * E[k];
      light[o + k] += weight * (lit + (ink[k] * 0.6 - lit) * line);
    }
    covered[pixel[f]] += weight;
  }
}

/** Fills what meshes leave free: the floor where it is seen, and the backdrop. */
function behind(
  light: Float32Array, covered: Float32Array, width: number, height: number, camera: Camera, casters: Casters,
  ground: Ground | null, background: Color | undefined,
): void {
  const { f, r, u } = axes(camera), s = height / 2 / Math.tan(camera.fov / 2), pace = 1 / s, inverse = 1 / casters.radius;
  const [ex, ey, ez] = camera.eye, [cx, cy] = casters.centre;
  const plain = background?.map((c) => exposed(toLinear(c)));
  const near = Float64Array.from(plain ?? BACKDROP.centre), away = Float64Array.from(plain ?? BACKDROP.edge);
  const dark = new Float64Array(3), lampShare = new Float64Array(3);
  // of the light on the floor, the lamp's part and the sky's; the rest comes from everywhere
  for (let k = 0; k < 3; k++) { lampShare[k] = 0.5 * KEY[k] / (KEY[k] + SKY[k]) + 0.12; dark[k] = 0.42 * SKY[k] / (KEY[k] + SKY[k]) + 0.2; }
  const place = new Float64Array(2 * width), kept = new Float64Array(width), lamp = new Float64Array(width), sky = new Float64Array(width);
  for (let j = 0; j < height; j++) {
    // floor: where the row's pixels meet it, and how much of its light is kept there
    if (ground) {
      const py = (height / 2 - j - 0.5) / s, rise = f[2] + py * u[2], down = ground.z - ez;
      const ax = f[0] + py * u[0], ay = f[1] + py * u[1];
      for (let i = 0; i < width; i++) {
        kept[i] = 0;
        const px = (i + 0.5 - width / 2) * pace, way = down / (rise + px * r[2]);
        if (!(way > 0) || covered[j * width + i] > 1 - 1e-4) continue;
        const X = ex + way * (ax + px * r[0]), Y = ey + way * (ay + px * r[1]);
        const fx = X - cx, fy = Y - cy, far = Math.sqrt(fx * fx + fy * fy) * inverse;
        place[2 * i] = X; place[2 * i + 1] = Y;
        kept[i] = far < 1.6 ? 1 : far > 4 ? 0 : 1 - smooth((far - 1.6) / 2.4);
      }
      floorRow(lamp, ground.lamp, place, kept);
      floorRow(sky, ground.sky, place, kept);
    }
    // backdrop: an ellipse of light a little above the middle
    const by = (j + 0.5) / height - 0.46;
    for (let i = 0; i < width; i++) {
      const pixel = j * width + i, free = 1 - covered[pixel];
      if (free < 1e-4) continue;
      const bx = (i + 0.5) / width - 0.5, d = Math.min(1, (bx * bx * 1.5 + by * by * 1.9) / 0.62), fade = d * (2 - d) * 0.5 + d * 0.5;
      for (let k = 0; k < 3; k++)
        light[3 * pixel + k] += free * (near[k] + (away[k] - near[k]) * fade) * (1 - lampShare[k] * lamp[i] - dark[k] * sky[i]);
    }
  }
}

function smooth(t: number): number {
  return t * t * (3 - 2 * t);
}

/** Linear light up to this is shown as it is; above, highlights are rolled off so that none is cut. */
const SHOULDER = 0.82;
const CURVE: Uint16Array = toneCurve();

/** Linear 0 … 2 in 8192 steps → sRGB in 1/16 of a byte. */
function toneCurve(): Uint16Array {
  const curve = new Uint16Array(8193);
  for (let i = 0; i <= 8192; i++) {
    // square-root spacing: as fine in the shadows as eight bits are
    const x = 2 * (i / 8192) ** 2;
    const y = x < SHOULDER ? x : SHOULDER + (1 - SHOULDER) * (1 - Math.exp((SHOULDER - x) / (1 - SHOULDER)));
    curve[i] = Math.round(16 * 255 * fromLinear(y));
  }
  return curve;
}

/** The light that the tone curve shows as y: what a plain background has to be to come out as it was asked for. */
function exposed(y: number): number {
  return y < SHOULDER ? y : Math.min(2, SHOULDER - (1 - SHOULDER) * Math.log(Math.max(1e-9, (1 - y) / (1 - SHOULDER))));
}

/** Sixteenths of a byte, 4 × 4, that break up the bands of slow gradients (Bayer 1973). */
const DITHER = Uint8Array.of(0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5);

function developed(light: Float32Array, width: number, height: number): Picture {
  const rgba = new Uint8ClampedArray(4 * width * height);
  for (let j = 0; j < height; j++) for (let i = 0; i < width; i++) {
    const p = j * width + i, d = DITHER[4 * (j & 3) + (i & 3)];
    for (let k = 0; k < 3; k++) rgba[4 * p + k] = (CURVE[Math.min(8192, Math.sqrt(light[3 * p + k] / 2) * 8192) | 0] + d) >> 4;
    rgba[4 * p + 3] = 255;
  }
  return { width, height, rgba };
}

/** From here on pins that something hides are not drawn: a few of them are readable, a row of them is not. */
const MANY_PINS = 12;

/** Pins, legend and title on top. */
function marks(picture: Picture, scene: PictureScene, rows: Float64Array, depth: Float32Array, rate: number): void {
  const { width, height } = picture, scale = Math.max(0.6, Math.min(width / 1280, height / 720));
  const pins = scene.pins ?? [];
  // a few pins are marks; a held edge is a row of dots
  const dot = scale * Math.min(1, Math.max(0.4, Math.sqrt(8 / Math.max(1, pins.length))));
  for (const pin of pins) {
    const [x, y, w] = projected(rows, pin);
    if (!(w > 0 && x >= 0 && y >= 0 && x < width && y < height)) continue;
    const at = Math.floor(y * rate) * width * rate + Math.floor(x * rate);
    const hidden = depth[at] * w > 1.02; // something nearer by 2 %
    if (hidden && pins.length > MANY_PINS) continue;
    drawDisc(picture, x, y, 6.5 * dot, PAPER, hidden ? 0.35 : 1);
    drawDisc(picture, x, y, 4.5 * dot, INK, hidden ? 0.35 : 1);
    drawDisc(picture, x, y, 1.7 * dot, PAPER, hidden ? 0.35 : 1);
  }
  if (scene.legend) drawLegend(picture, scene.legend, scale);
  if (scene.title) drawText(picture, scene.title, 28 * scale, 24 * scale, { size: 20 * scale, color: INK });
}
