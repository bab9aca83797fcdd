import { describe, expect, test } from "vitest";
import { FileError } from "../../src/files/file-error.ts";
import { parseObj } from "../../src/files/obj.ts";
import { parsePly } from "../../src/files/ply.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("OBJ", () => {
  test("points keep their order and number, named by faces or not, and are never split", () => {
    const mesh = parseObj(
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 9 9 9\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.5\n" +
        "f 1/1 2/2 3/3\nf 1/5 3/3 5/4 # the same point with another uv\n",
    );
    expect([...mesh.positions]).toEqual([0, 0, 0, 1, 0, 0, 1, 1, 0, 9, 9, 9, 0, 1, 0]);
    expect([...mesh.triangles]).toEqual([0, 1, 2, 0, 2, 4]);
    expect([...mesh.uv!.slice(0, 6)]).toEqual([0, 0, 1, 0, 1, 1]);
    expect([...mesh.cornerUv!]).toEqual([0, 0, 1, 0, 1, 1, 0.5, 0.5, 1, 1, 0, 1]);
  });

  test("negative indices count back from the face, and a backslash joins lines", () => {
    const mesh = parseObj("v 0 0 0\r\nv 1 0 \\\r\n0\r\nv 0 1 0\r\nf -3 -2 -1\r\nv 5 5 5\r\n");
    expect([...mesh.triangles]).toEqual([0, 1, 2]);
    expect(mesh.uv).toBeNull();
  });

  test("a concave polygon is cut into triangles that cover its area once", () => {
    // an L of area 3, in a slanted plane: x, y and z = x + y scale areas by √3
    const outline = [0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2];
    let text = "";
    for (let k = 0; k < 12; k += 2)
      text += `v ${outline[k]} ${outline[k + 1]} ${outline[k] + outline[k + 1]}\n`;
    for (let first = 0; first < 6; first++) {
      const face = [0, 1, 2, 3, 4, 5].map((k) => 1 + ((k + first) % 6)).join(" ");
      const { positions, triangles } = parseObj(`${text}f ${face}\n`);
      let area = 0;
      for (let t = 0; t < triangles.length; t += 3) {
        const [ax, ay, bx, by, cx, cy] = [0, 1, 2].flatMap((k) => {
          const i = 3 * triangles[t + k];
          return [positions[i], positions[i + 1]];
        });
        const twice = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
        expect(twice).toBeGreaterThan(0); // the polygon's own orientation
        area += twice / 2;
      }
      expect(area).toBeCloseTo(3, 14);
    }
  });

  test.each([
    ["v 0 0 nan\n", /OBJ, line 1: got "nan"; needs a finite number/],
    ["v 0 0\n", /OBJ, line 1: a point has 2 numbers; needs x y z/],
    ["v 0 0 0\n\nf 1 2 3\n", /OBJ, line 3: names point 1, counted from 0; the file has 1/],
    ["v 0 0 0\nf -2 1 1\n", /OBJ, line 2: a face names "-2"/],
    ["v 0 0 0\nf 0 1 1\n", /OBJ, line 2: a face names "0"/],
  ])("%j is refused with its place", (text, message) => {
    expect(() => parseObj(text)).toThrow(FileError);
    expect(() => parseObj(text)).toThrow(message);
  });
});

describe("PLY", () => {
  const square =
    "comment made by hand\nelement vertex 4\nproperty float x\nproperty float y\nproperty double z\n" +
    "property float s\nproperty float t\nelement edge 1\nproperty int a\nproperty list uchar short b\n" +
    "element face 1\nproperty uchar flags\nproperty list uchar int vertex_indices\nend_header\n";
  const points = [0, 0, 1, 0.5, 0.25, 2, 0, 1, 1, 0, 2, 1, 1, 0, 3, 1, 1, 0, 1, 0];

  function binary(little: boolean): Uint8Array {
    const head = bytes(`ply\nformat binary_${little ? "little" : "big"}_endian 1.0\n${square}`);
    const body = new DataView(new ArrayBuffer(4 * 24 + 4 + 1 + 4 + 1 + 1 + 16));
    let at = 0;
    const f4 = (x: number) => (body.setFloat32(at, x, little), (at += 4));
    const i4 = (x: number) => (body.setInt32(at, x, little), (at += 4));
    for (let i = 0; i < 4; i++) {
      f4(points[5 * i]);
      f4(points[5 * i + 1]);
      body.setFloat64(at, points[5 * i + 2], little);
      at += 8;
      f4(points[5 * i + 3]);
      f4(points[5 * i + 4]);
    }
    i4(7);
    body.setUint8(at++, 2);
    body.setInt16(at, 1, little);
    body.setInt16(at + 2, 2, little);
    at += 4;
    body.setUint8(at++, 9);
    body.setUint8(at++, 4);
    for (const i of [0, 1, 3, 2]) i4(i);
    const file = new Uint8Array(head.length + body.byteLength);
    file.set(head);
    file.set(new Uint8Array(body.buffer), head.length);
    return file;
  }
  const ascii = () => {
    const rows = [0, 1, 2, 3].map((i) => points.slice(5 * i, 5 * i + 5).join(" "));
    return bytes(`ply\nformat ascii 1.0\n${square}${rows.join("\n")}\n7 2 1 2\n9 4 0 1 3 2`);
  };

  test.each([
    ["ascii", ascii()],
    ["little endian", binary(true)],
    ["big endian", binary(false)],
  ])("%s: the same square, whatever else the file declares", (_, file) => {
    const mesh = parsePly(file);
    expect([...mesh.positions]).toEqual(points.filter((_, k) => k % 5 < 3));
    expect([...mesh.triangles]).toEqual([0, 1, 3, 0, 3, 2]);
    expect([...mesh.uv!]).toEqual(points.filter((_, k) => k % 5 >= 3));
    expect(mesh.cornerUv).toBeUndefined();
  });

  test("a count that the bytes cannot hold is refused before anything is allocated", () => {
    const text = new TextDecoder().decode(ascii()).replace("vertex 4", "vertex 4000000000000");
    expect(() => parsePly(bytes(text))).toThrow(/PLY, header: promises 4000000000000 of "vertex"/);
  });

  test("every shorter piece of a binary file is refused", () => {
    const whole = binary(true);
    for (let length = 0; length < whole.length; length++)
      expect(() => parsePly(whole.subarray(0, length))).toThrow(FileError);
  });
});
