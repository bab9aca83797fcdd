/**
 * A sheet as a three.js object: two colours for its two sides, or a colour map for a number per point, smooth normals,
 * shadows, and its edges as thin lines on demand.
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
  RGBAFormat,
  SRGBColorSpace,
} from "three";
import { type ColorMap, SHEETS, STEPS, toHex } from "../picture/color.ts";
import type { DrawnSheet, Frame } from "./frame.ts";

export interface Colors {
  readonly map: ColorMap;
  readonly min: number;
  readonly max: number;
}

export interface SheetView {
  readonly object: Group;
  /** The buffers that are drawn; copy into them and call `changed`. */
  readonly frame: Frame;
  /** Tells that `frame` holds new numbers. */
  changed(): void;
  /** Copies a frame and shows it. */
  setFrame(frame: Frame): void;
  /** Colours by `frame.values`; null for the colours of the material. */
  setColors(colors: Colors | null): void;
  setWire(on: boolean): void;
  dispose(): void;
}

/** Uniforms that all parts of a sheet share. */
interface Shared {
  field: { value: number };
  low: { value: number };
  high: { value: number };
  map: { value: DataTexture | null };
}

/** @example const view = createSheetView(sheet); stage.scene.add(view.object); setFrame(view.frame, Y, sheet.triangles); view.changed(); */
export function createSheetView(
  sheet: DrawnSheet,
  { palette = 0 }: { palette?: number } = {},
): SheetView {
  const { n } = sheet;
  const positions = new Float32Array(3 * n);
  const normals = new Float32Array(3 * n);
  const values = new Float32Array(n);
  const geometry = new BufferGeometry();
  const attribute = (array: Float32Array, size: number): BufferAttribute => {
    const made = new BufferAttribute(array, size);
    made.setUsage(DynamicDrawUsage);
    return made;
  };
  const attributes = {
    position: attribute(positions, 3),
    normal: attribute(normals, 3),
    value: attribute(values, 1),
  };
  for (const [name, made] of Object.entries(attributes)) geometry.setAttribute(name, made);
  geometry.setIndex(new BufferAttribute(indices(sheet.triangles, n), 1));

  const shared: Shared = {
    field: { value: 0 },
    low: { value: 0 },
    high: { value: 1 },
    map: { value: null },
  };
  const materials = sheet.parts.map((part, p) => {
    geometry.addGroup(3 * part.firstTriangle, 3 * part.triangles, p);
    const { front, back } = SHEETS[(p + palette) % SHEETS.length];
    return clothMaterial(toHex(front), toHex(back), shared);
  });
  const mesh = new Mesh(geometry, materials);
  mesh.castShadow = true;
  mesh.receiveShadow = true;
  mesh.frustumCulled = false; // its box would have to be found anew every frame

  const object = new Group();
  object.add(mesh);
  let wire: LineSegments | null = null;
  const textures = new Map<string, DataTexture>();
  const frame = { positions, normals, values };
  const changed = (): void => {
    for (const made of Object.values(attributes)) made.needsUpdate = true;
  };

  return {
    object,
    frame,
    changed,
    setFrame(from) {
      positions.set(from.positions);
      normals.set(from.normals);
      values.set(from.values);
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
        wire = edgeLines(sheet, attributes.position);
        object.add(wire);
      }
      if (wire !== null) wire.visible = on;
    },
    dispose() {
      geometry.dispose();
      for (const material of materials) material.dispose();
      for (const texture of textures.values()) texture.dispose();
      if (wire !== null) {
        wire.geometry.dispose();
        (wire.material as LineBasicMaterial).dispose();
      }
    },
  };
}

function indices(triangles: ArrayLike<number>, n: number): Uint16Array | Uint32Array {
  const array = n <= 65535 ? new Uint16Array(triangles.length) : new Uint32Array(triangles.length);
  for (let k = 0; k < triangles.length; k++) array[k] = triangles[k];
  return array;
}

/** Woven cloth: rough, a little brighter where it turns away, as fibres that stand out catch light. */
function clothMaterial(front: string, back: string, shared: Shared): MeshStandardMaterial {
  const material = new MeshStandardMaterial({
    color: front,
    side: DoubleSide,
    roughness: 0.82,
    metalness: 0,
  });
  const backColor = material.color.clone().set(back) as Color;
  material.onBeforeCompile = (shader) => {
    shader.uniforms.backColor = { value: backColor };
    shader.uniforms.field = shared.field;
    shader.uniforms.low = shared.low;
    shader.uniforms.high = shared.high;
    shader.uniforms.fieldMap = shared.map;
    shader.vertexShader = shader.vertexShader
      .replace(
        "#include <common>",
        "#include <common>\nattribute float value;\nvarying float vValue;",
      )
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvValue = value;");
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        `#include <common>
uniform vec3 backColor;
uniform float field, low, high;
uniform sampler2D fieldMap;
varying float vValue;`,
      )
      .replace(
        "#include <color_fragment>",
        `if (field > 0.5) {
  float at = clamp((vValue - low) / (high - low), 0.0, 1.0);
  diffuseColor.rgb = texture2D(fieldMap, vec2(mix(0.5, ${STEPS}.0 - 0.5, at) / ${STEPS}.0, 0.5)).rgb;
} else if (!gl_FrontFacing) diffuseColor.rgb = backColor;`,
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
outgoingLight += (1.0 - field) * 0.22 * rim * diffuseColor.rgb;
#include <opaque_fragment>`,
      );
  };
  return material;
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
