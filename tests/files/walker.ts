/** A body that walks, as a glTF file: two legs, each skinned to a hip and a thigh that swings. */
import { Buffer } from "node:buffer";

type Numbers = Float32Array | Uint16Array | Uint8Array;
const COMPONENTS = new Map<unknown, number>([
  [Float32Array, 5126],
  [Uint16Array, 5123],
  [Uint8Array, 5121],
]);
const WIDTHS: Record<string, number> = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 };

/** Arrays that become accessors, and the JSON around them. */
export class GltfBuilder {
  private readonly bytes: number[] = [];
  private readonly accessors: object[] = [];
  private readonly bufferViews: object[] = [];

  add(array: Numbers, type: string): number {
    while (this.bytes.length % 4 !== 0) this.bytes.push(0);
    const byteOffset = this.bytes.length;
    this.bufferViews.push({ buffer: 0, byteOffset, byteLength: array.byteLength });
    this.accessors.push({
      bufferView: this.bufferViews.length - 1,
      componentType: COMPONENTS.get(array.constructor),
      count: array.length / WIDTHS[type],
      type,
    });
    this.bytes.push(...new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return this.accessors.length - 1;
  }

  done(json: object): Uint8Array {
    const data = Buffer.from(this.bytes).toString("base64");
    const uri = `data:application/octet-stream;base64,${data}`;
    const { accessors, bufferViews } = this;
    const buffers = [{ byteLength: this.bytes.length, uri }];
    const all = { asset: { version: "2.0" }, accessors, bufferViews, buffers, ...json };
    return new TextEncoder().encode(JSON.stringify(all));
  }
}

/** A closed cylinder about −y, from `top` down by `length`, y up. */
function leg(x: number, top: number, radius: number, length: number) {
  const [around, along] = [12, 10];
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let k = 0; k <= along; k++)
    for (let j = 0; j < around; j++) {
      const angle = (2 * Math.PI * j) / around;
      const y = top - (length * k) / along;
      positions.push(x + radius * Math.cos(angle), y, radius * Math.sin(angle));
    }
  const at = (k: number, j: number): number => around * k + (j % around);
  for (let k = 0; k < along; k++)
    for (let j = 0; j < around; j++)
      triangles.push(
        at(k, j),
        at(k, j + 1),
        at(k + 1, j),
        at(k, j + 1),
        at(k + 1, j + 1),
        at(k + 1, j),
      );
  const middle = positions.length / 3;
  positions.push(x, top, 0, x, top - length, 0);
  for (let j = 0; j < around; j++) {
    triangles.push(middle, at(0, j + 1), at(0, j));
    triangles.push(middle + 1, at(along, j), at(along, j + 1));
  }
  return { positions: Float32Array.from(positions), triangles: Uint16Array.from(triangles) };
}

/** rad, and s of one swing forth and back. */
export const SWING = 0.25;
export const PERIOD = 1;

/** The file. Hips stand still at the origin; thighs swing about the x axis in turn, for `seconds`. */
export function walker(seconds: number): Uint8Array {
  const builder = new GltfBuilder();
  const nodes: object[] = [
    { name: "hip", children: [1, 2] },
    { name: "thigh-0" },
    { name: "thigh-1" },
  ];
  const meshes: object[] = [];
  const keys = Math.round((seconds / PERIOD) * 16) + 1;
  const times = Float32Array.from({ length: keys }, (_, k) => (k * PERIOD) / 16);
  const input = builder.add(times, "SCALAR");
  const samplers: object[] = [];
  const channels: object[] = [];
  const bind = Float32Array.from({ length: 32 }, (_, k) => ((k % 16) % 5 === 0 ? 1 : 0));
  const inverseBindMatrices = builder.add(bind, "MAT4");
  const skins: object[] = [];
  for (const side of [0, 1]) {
    const { positions, triangles } = leg(side === 0 ? -0.07 : 0.07, -0.03, 0.05, 0.45);
    const n = positions.length / 3;
    const joints = new Uint8Array(4 * n);
    const weights = new Float32Array(4 * n);
    for (let i = 0; i < n; i++) {
      // from the hip to the thigh over 0.1 m
      const share = Math.min(1, Math.max(0, (-positions[3 * i + 1] - 0.03) / 0.1));
      joints.set([0, 1, 0, 0], 4 * i);
      weights.set([1 - share, share, 0, 0], 4 * i);
    }
    const attributes = {
      POSITION: builder.add(positions, "VEC3"),
      JOINTS_0: builder.add(joints, "VEC4"),
      WEIGHTS_0: builder.add(weights, "VEC4"),
    };
    meshes.push({ primitives: [{ attributes, indices: builder.add(triangles, "SCALAR") }] });
    skins.push({ joints: [0, 1 + side], inverseBindMatrices });
    nodes.push({ name: `leg-${side}`, mesh: side, skin: side });
    const turns = Float32Array.from({ length: 4 * keys }, (_, q) => {
      const angle =
        (side === 0 ? 1 : -1) * SWING * Math.sin((2 * Math.PI * times[q >> 2]) / PERIOD);
      return [Math.sin(angle / 2), 0, 0, Math.cos(angle / 2)][q & 3];
    });
    samplers.push({ input, output: builder.add(turns, "VEC4") });
    channels.push({ sampler: side, target: { node: 1 + side, path: "rotation" } });
  }
  return builder.done({
    nodes,
    meshes,
    skins,
    scenes: [{ nodes: [0, 3, 4] }],
    animations: [{ samplers, channels }],
  });
}
