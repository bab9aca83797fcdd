/**
 * A sheet as a three.js object: two colours for its two sides, or a colour map for a number per point, smooth normals,
 * shadows, and its edges as thin lines on demand.
 *
 * Where it ends it has a lip (sheet/hems.ts), so that cloth looks as thick as it is.
 *
 * Everything is allocated once; a frame is three copies into buffers that the graphics card reads. Both sides and the
 * colour map live in one shader (the standard material with its diffuse colour replaced), so that changing what is
 * shown compiles nothing and costs no pause.
 *
 * The trap: a thin sheet casts its shadow on itself. Front and back are the same triangles, so a depth bias large
 * enough against stripes is moved along the normal (normalBias of the light) instead of along the light.
 */
import {
  BufferAttribute,
  BufferGeometry,
  type Color,
  DataTexture,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  LinearFilter,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  RepeatWrapping,
  RGBAFormat,
  ShaderChunk,
  SRGBColorSpace,
  Texture,
} from "three";
import { type ColorMap, STEPS, toHex } from "../picture/color.ts";
import { type Look, lookOf } from "../picture/looks.ts";
import { PRINTS } from "../scene/looks.ts";
import { createHems, evaluateHems, type Hems, LIP } from "../sheet/hems.ts";
import type { DrawnSheet, Frame } from "./frame.ts";

export interface Colors {
  readonly map: ColorMap;
  readonly min: number;
  readonly max: number;
}

export interface SheetView {
  readonly object: Group;
  /** What is drawn: its points are those of `frame`. */
  readonly mesh: DrawnSheet;
  /** The buffers that are drawn; copy into them and call `changed`. */
  readonly frame: Frame;
  /** Tells that `frame` holds new numbers. */
  changed(): void;
  /** Copies a frame and shows it. */
  setFrame(frame: Frame): void;
  /** Colours by `frame.values`; null for the colours of the material. */
  setColors(colors: Colors | null): void;
  setWire(on: boolean): void;
  /** Colours and print of part p; what a scene says is read by `lookOf`. */
  setLook(p: number, look: Look): void;
  /** Lays an image on part p, as wide as its look's size; null takes it off. Made with imageOrientation: "flipY". */
  setImage(p: number, image: ImageBitmap | null): void;
  dispose(): void;
}

/** Uniforms that all parts of a sheet share. */
interface Shared {
  field: { value: number };
  low: { value: number };
  high: { value: number };
  map: { value: DataTexture | null };
}

/** Points that the card needs twice: those at which triangles disagree about the material coordinates (seams, cuts). */
interface Vertices {
  readonly count: number;
  /** [3·triangles] */
  readonly triangles: ArrayLike<number>;
  /** [2·count] m */
  readonly uv: Float32Array;
  /** [count − n] the points that the further vertices copy. */
  readonly copies: readonly number[];
}

/** What the card reads: the points, their copies, and the lips of the hems. */
interface Buffers {
  readonly geometry: BufferGeometry;
  readonly position: BufferAttribute;
  readonly normal: BufferAttribute;
  readonly value: BufferAttribute;
  readonly vertices: Vertices;
  readonly hems: Hems;
  /** [parts] m */
  readonly radius: number[];
}

/** @example const view = createSheetView(sheet); stage.scene.add(view.object); setFrame(view.frame, Y, sheet.triangles); view.changed(); */
export function createSheetView(
  sheet: DrawnSheet,
  { palette = 0 }: { palette?: number } = {},
): SheetView {
  const { n } = sheet;
  const buffers = createBuffers(sheet);
  const { geometry, position, normal, value } = buffers;
  const shared: Shared = {
    field: { value: 0 },
    low: { value: 0 },
    high: { value: 1 },
    map: { value: null },
  };
  const cloths = sheet.parts.map((_, p) => {
    const look = lookOf(undefined, p + palette);
    buffers.radius[p] = look.hem;
    return clothMaterial(look, shared);
  });
  const mesh = new Mesh(
    geometry,
    cloths.map(({ material }) => material),
  );
  mesh.castShadow = true;
  mesh.receiveShadow = true;
  mesh.frustumCulled = false; // its box would have to be found anew every frame

  const object = new Group();
  object.add(mesh);
  let wire: LineSegments | null = null;
  const textures = new Map<string, DataTexture>();
  const frame = {
    positions: (position.array as Float32Array).subarray(0, 3 * n),
    normals: (normal.array as Float32Array).subarray(0, 3 * n),
    values: (value.array as Float32Array).subarray(0, n),
  };
  const changed = (): void => fillBuffers(buffers, n);

  return {
    object,
    mesh: sheet,
    frame,
    changed,
    setFrame(from) {
      frame.positions.set(from.positions);
      frame.normals.set(from.normals);
      frame.values.set(from.values);
      changed();
    },
    setColors(colors) {
      shared.field.value = colors === null ? 0 : 1;
      if (colors === null) return;
      shared.low.value = colors.min;
      shared.high.value = colors.max;
      let texture = textures.get(colors.map.name);
      if (texture === undefined) {
        texture = mapTexture(colors.map);
        textures.set(colors.map.name, texture);
      }
      shared.map.value = texture;
    },
    setWire(on) {
      if (on && wire === null) {
        wire = edgeLines(sheet, position);
        object.add(wire);
      }
      if (wire !== null) wire.visible = on;
    },
    setLook(p, look) {
      if (cloths[p] === undefined) return;
      dress(cloths[p], look);
      buffers.radius[p] = look.hem;
      changed();
    },
    setImage(p, image) {
      if (cloths[p] !== undefined) layImage(cloths[p], image);
    },
    dispose() {
      geometry.dispose();
      for (const { material, image } of cloths) {
        material.dispose();
        image.value.dispose();
      }
      for (const texture of textures.values()) texture.dispose();
      if (wire !== null) {
        wire.geometry.dispose();
        (wire.material as LineBasicMaterial).dispose();
      }
    },
  };
}

function createBuffers(sheet: DrawnSheet): Buffers {
  const vertices = verticesOf(sheet);
  const hems = createHems(sheet);
  const count = vertices.count + LIP * hems.count;
  const made = {
    position: attribute(3 * count, 3),
    normal: attribute(3 * count, 3),
    value: attribute(count, 1),
  };
  const place = new Float32Array(2 * count);
  place.set(vertices.uv);
  for (let k = 0; k < LIP * hems.count; k++) {
    const corner = hems.corner[Math.floor(k / LIP)];
    for (let c = 0; c < 2; c++)
      place[2 * (vertices.count + k) + c] = sheet.corners?.[2 * corner + c] ?? 0;
  }
  const own = vertices.triangles.length;
  const triangles = new Int32Array(own + hems.triangles.length);
  triangles.set(vertices.triangles as Int32Array);
  for (let k = 0; k < hems.triangles.length; k++)
    triangles[own + k] = vertices.count + hems.triangles[k];
  const geometry = new BufferGeometry();
  for (const [name, buffer] of Object.entries(made)) geometry.setAttribute(name, buffer);
  geometry.setAttribute("place", new BufferAttribute(place, 2));
  geometry.setIndex(new BufferAttribute(indices(triangles, count), 1));
  sheet.parts.forEach((part, p) => {
    geometry.addGroup(3 * part.firstTriangle, 3 * part.triangles, p);
    const hem = hems.parts[p];
    geometry.addGroup(own + 3 * hem.firstTriangle, 3 * hem.triangles, p);
  });
  return { geometry, ...made, vertices, hems, radius: sheet.parts.map(() => 0) };
}

/** Copies and lips from the points, [0, n) of the buffers. */
function fillBuffers(buffers: Buffers, n: number): void {
  const { position, normal, value, vertices, hems, radius } = buffers;
  for (const made of [position, normal, value]) {
    copyPoints(made, n, vertices.copies);
    made.needsUpdate = true;
  }
  const [P, N, V] = [position, normal, value].map(({ array }) => array as Float32Array);
  evaluateHems(P, N, 3 * vertices.count, hems, P, N, radius);
  for (let k = 0; k < LIP * hems.count; k++)
    V[vertices.count + k] = V[hems.point[Math.floor(k / LIP)]];
}

function attribute(length: number, size: number): BufferAttribute {
  const made = new BufferAttribute(new Float32Array(length), size);
  made.setUsage(DynamicDrawUsage);
  return made;
}

/** Gives the further vertices what their points have. */
function copyPoints(
  { array, itemSize }: BufferAttribute,
  n: number,
  copies: readonly number[],
): void {
  for (let k = 0; k < copies.length; k++)
    for (let c = 0; c < itemSize; c++)
      array[itemSize * (n + k) + c] = array[itemSize * copies[k] + c];
}

/** A point has one vertex for every place of the material that its triangles give it. */
function verticesOf({ n, triangles, corners }: DrawnSheet): Vertices {
  if (corners === undefined)
    return { count: n, triangles, uv: new Float32Array(2 * n), copies: [] };
  const own = Int32Array.from(triangles as ArrayLike<number>);
  const uv: number[] = new Array(2 * n).fill(Number.NaN);
  const copies: number[] = [];
  const known = new Map<string, number>();
  for (let k = 0; k < own.length; k++) {
    const i = own[k];
    const [u, v] = [corners[2 * k], corners[2 * k + 1]];
    if (Number.isNaN(uv[2 * i])) [uv[2 * i], uv[2 * i + 1]] = [u, v];
    // coordinates of one place differ by rounding at most
    if (Math.abs(uv[2 * i] - u) + Math.abs(uv[2 * i + 1] - v) < 1e-6) continue;
    const key = `${i} ${u.toFixed(5)} ${v.toFixed(5)}`;
    let vertex = known.get(key);
    if (vertex === undefined) {
      vertex = n + copies.length;
      known.set(key, vertex);
      copies.push(i);
      uv.push(u, v);
    }
    own[k] = vertex;
  }
  return { count: n + copies.length, triangles: own, uv: Float32Array.from(uv), copies };
}

function indices(triangles: ArrayLike<number>, n: number): Uint16Array | Uint32Array {
  const array = n <= 65535 ? new Uint16Array(triangles.length) : new Uint32Array(triangles.length);
  for (let k = 0; k < triangles.length; k++) array[k] = triangles[k];
  return array;
}

/** A material and what of it can be changed without compiling. */
interface Cloth {
  readonly material: MeshStandardMaterial;
  readonly back: { value: Color };
  readonly ink: { value: Color };
  /** Place in PRINTS. */
  readonly print: { value: number };
  /** 1/m */
  readonly repeats: { value: number };
  readonly sheen: { value: number };
  /** What lies on it; a pixel of nothing if there is none. */
  readonly image: { value: Texture };
  /** Height over width of the image; 0: there is none. */
  readonly tall: { value: number };
}

function layImage({ image, tall }: Cloth, bitmap: ImageBitmap | null): void {
  image.value.dispose();
  image.value = bitmap === null ? nothing() : new Texture(bitmap);
  tall.value = bitmap === null ? 0 : bitmap.height / bitmap.width;
  if (bitmap === null) return;
  image.value.wrapS = RepeatWrapping;
  image.value.wrapT = RepeatWrapping;
  image.value.colorSpace = SRGBColorSpace;
  image.value.anisotropy = 4;
  image.value.needsUpdate = true;
}

/** A texture must be there even where none is looked at. */
function nothing(): Texture {
  const texture = new DataTexture(new Uint8Array(4), 1, 1, RGBAFormat);
  texture.needsUpdate = true;
  return texture;
}

function dress({ material, back, ink, print, repeats, sheen }: Cloth, look: Look): void {
  material.color.set(toHex(look.front));
  back.value.set(toHex(look.back));
  ink.value.set(toHex(look.ink));
  print.value = PRINTS.indexOf(look.print);
  repeats.value = 1 / look.size;
  sheen.value = look.sheen;
}

/** inkAt of picture/looks.ts; prints by their place in PRINTS. */
const PRINT_SHADER = `
float inkStep(float x, float soft) { return clamp(0.5 + x / max(soft, 1e-6), 0.0, 1.0); }
float inkBand(float x, float soft) { return inkStep(0.25 - abs(fract(x) - 0.5), soft); }
float inkLine(float x, float soft) {
  return inkStep(0.03 - abs(x - floor(x + 0.5)), soft) * min(1.0, 0.06 / max(soft, 0.06));
}
float inkAt(float kind, vec2 p, float soft) {
  if (kind < 0.5) return 0.0;
  float a = inkBand(p.x, soft), b = inkBand(p.y, soft);
  if (kind < 1.5) return a;
  if (kind < 2.5) return a + b - 2.0 * a * b;
  if (kind < 3.5) return 0.5 * (a + b);
  if (kind < 4.5) return inkStep(0.28 - length(fract(p) - 0.5), soft);
  return 1.0 - (1.0 - inkLine(p.x, soft)) * (1.0 - inkLine(p.y, soft));
}`;

/** Parts of three.js' shaders that declare what is interpolated for light and shadow. */
const INTERPOLATED = [
  "normal_pars_vertex",
  "normal_pars_fragment",
  "shadowmap_pars_vertex",
  "shadowmap_pars_fragment",
] as const;

/**
 * Interpolates within triangles. A pixel that a triangle covers in part is shaded at its middle, which may be outside: where a
 * sheet turns away from the eye its normal would be far off there, and outlines would be dotted.
 */
function withinTriangles(source: string): string {
  let text = source;
  for (const part of INTERPOLATED) text = text.replace(`#include <${part}>`, ShaderChunk[part]);
  return text.replace(/\bvarying\b/g, "centroid varying");
}

/** Woven cloth: rough, a little brighter where it turns away, as fibres that stand out catch light. */
function clothMaterial(look: Look, shared: Shared): Cloth {
  const material = new MeshStandardMaterial({ side: DoubleSide, roughness: 0.82, metalness: 0 });
  const cloth: Cloth = {
    material,
    back: { value: material.color.clone() as Color },
    ink: { value: material.color.clone() as Color },
    print: { value: 0 },
    repeats: { value: 1 },
    sheen: { value: 1 },
    image: { value: nothing() },
    tall: { value: 0 },
  };
  dress(cloth, look);
  material.onBeforeCompile = (shader) => {
    const { back, ink, print, repeats, sheen, image, tall } = cloth;
    const { field, low, high, map } = shared;
    Object.assign(shader.uniforms, {
      ...{ backColor: back, inkColor: ink, print, repeats, sheen },
      ...{ field, low, high, fieldMap: map, image, tall },
    });
    shader.vertexShader = withinTriangles(shader.vertexShader)
      .replace(
        "#include <common>",
        "#include <common>\nattribute float value;\nattribute vec2 place;\ncentroid varying float vValue;\ncentroid varying vec2 vPlace;",
      )
      .replace(
        "#include <begin_vertex>",
        "#include <begin_vertex>\nvValue = value;\nvPlace = place;",
      );
    shader.fragmentShader = withinTriangles(shader.fragmentShader)
      .replace(
        "#include <common>",
        `#include <common>
uniform vec3 backColor, inkColor;
uniform float field, low, high, print, repeats, sheen, tall;
uniform sampler2D fieldMap, image;
centroid varying float vValue;
centroid varying vec2 vPlace;
${PRINT_SHADER}`,
      )
      .replace(
        "#include <color_fragment>",
        `if (field > 0.5) {
  float at = clamp((vValue - low) / (high - low), 0.0, 1.0);
  diffuseColor.rgb = texture2D(fieldMap, vec2(mix(0.5, ${STEPS}.0 - 0.5, at) / ${STEPS}.0, 0.5)).rgb;
} else {
  if (!gl_FrontFacing) diffuseColor.rgb = backColor;
  vec2 p = vPlace * repeats;
  vec2 w = fwidth(p);
  diffuseColor.rgb = mix(diffuseColor.rgb, inkColor, inkAt(print, p, min(1.0, max(w.x, w.y))));
  vec4 laid = texture2D(image, vec2(p.x, p.y / max(tall, 1e-6)));
  if (tall > 0.0) diffuseColor.rgb = mix(diffuseColor.rgb, laid.rgb, laid.a);
}`,
      )
      // colours that mean a number keep most of their own light, so that they match the legend
      .replace(
        "#include <emissivemap_fragment>",
        `if (field > 0.5) {
  totalEmissiveRadiance += 0.5 * diffuseColor.rgb;
  diffuseColor.rgb *= 0.5;
}`,
      )
      .replace(
        "#include <opaque_fragment>",
        `float rim = pow(1.0 - abs(dot(normalize(vViewPosition), normal)), 3.0);
outgoingLight += (1.0 - field) * sheen * 0.22 * rim * diffuseColor.rgb;
#include <opaque_fragment>`,
      );
  };
  return cloth;
}

function mapTexture(map: ColorMap): DataTexture {
  const pixels = new Uint8Array(4 * STEPS);
  for (let k = 0; k < STEPS; k++) {
    for (let c = 0; c < 3; c++) pixels[4 * k + c] = Math.round(255 * map.table[3 * k + c]);
    pixels[4 * k + 3] = 255;
  }
  const texture = new DataTexture(pixels, STEPS, 1, RGBAFormat);
  texture.colorSpace = SRGBColorSpace;
  texture.minFilter = LinearFilter;
  texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

/** All edges on the positions of the sheet, drawn a hair in front of it. */
function edgeLines(sheet: DrawnSheet, position: BufferAttribute): LineSegments {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", position);
  geometry.setIndex(new BufferAttribute(indices(sheet.edges, sheet.n), 1));
  const material = new LineBasicMaterial({ color: "#201c18", transparent: true, opacity: 0.38 });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace(
      "#include <project_vertex>",
      "#include <project_vertex>\ngl_Position.z -= 2e-4 * gl_Position.w;",
    );
  };
  const lines = new LineSegments(geometry, material);
  lines.frustumCulled = false;
  return lines;
}
