/**
 * VTK XML for ParaView: one .vtu (unstructured grid of triangles) per frame, and a .pvd that gives
 * each its time. Arrays are appended raw, 64-bit lengths, so that a frame is written in one go and
 * read without decoding. Positions are 64-bit: strain computed from the file is that of the run.
 */
import { type Animation, frameNumber, type OutputFile, plainName } from "./animation.ts";
import { textChunks } from "./text.ts";

const TRIANGLE = 5; // VTK's number of the cell type

export function* vtuFiles(animation: Animation, startFrame: number): Generator<OutputFile> {
  const { n, uv } = animation;
  const name = plainName(animation.name);
  const triangles = animation.triangles.length / 3;
  const connectivity = Int32Array.from({ length: 3 * triangles }, (_, k) => animation.triangles[k]);
  const offsets = Int32Array.from({ length: triangles }, (_, t) => 3 * t + 3);
  const types = new Uint8Array(triangles).fill(TRIANGLE);
  const partOf = new Int32Array(triangles);
  for (const [k, part] of (animation.parts ?? []).entries())
    partOf.fill(k, part.firstTriangle, part.firstTriangle + part.triangles);
  const fields = animation.fields ?? [];
  const last = startFrame + animation.frames - 1;
  const fileName = (frame: number) => `${name}_${frameNumber(startFrame + frame, last)}.vtu`;

  for (let frame = 0; frame < animation.frames; frame++)
    yield {
      name: fileName(frame),
      chunks: (function* () {
        const Y = new Float64Array(3 * n);
        animation.positions(frame, Y);
        const arrays: DataArray[] = [];
        for (const field of fields) {
          const values = new Float64Array(field.per === "point" ? n : triangles);
          field.values(frame, values);
          arrays.push({ name: field.name, section: field.per, values, components: 1 });
        }
        if (animation.normals) {
          const values = new Float64Array(3 * n);
          animation.normals(frame, values);
          arrays.push({ name: "Normals", section: "point", values, components: 3 });
        }
        if (uv !== null)
          arrays.push({
            name: "uv",
            section: "point",
            values: Float64Array.from({ length: 2 * n }, (_, k) => uv[k]),
            components: 2,
          });
        if ((animation.parts?.length ?? 0) > 1)
          arrays.push({ name: "part", section: "triangle", values: partOf, components: 1 });
        arrays.push({ name: "Points", section: "points", values: Y, components: 3 });
        arrays.push({
          name: "connectivity",
          section: "cells",
          values: connectivity,
          components: 1,
        });
        arrays.push({ name: "offsets", section: "cells", values: offsets, components: 1 });
        arrays.push({ name: "types", section: "cells", values: types, components: 1 });
        yield* grid(n, triangles, arrays, frame / animation.rate);
      })(),
    };

  const list = function* (): Generator<string> {
    yield `<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">\n  <Collection>\n`;
    for (let frame = 0; frame < animation.frames; frame++)
      yield `    <DataSet timestep="${frame / animation.rate}" part="0" file="${fileName(frame)}"/>\n`;
    yield "  </Collection>\n</VTKFile>\n";
  };
  yield { name: `${name}.pvd`, chunks: textChunks(list()) };
}

interface DataArray {
  name: string;
  section: "point" | "triangle" | "points" | "cells";
  values: Float64Array | Int32Array | Uint8Array;
  components: number;
}

function* grid(
  n: number,
  triangles: number,
  arrays: readonly DataArray[],
  time: number,
): Generator<Uint8Array> {
  let offset = 0;
  const declared = arrays.map((array) => {
    const { values } = array;
    const type =
      values instanceof Float64Array ? "Float64" : values instanceof Int32Array ? "Int32" : "UInt8";
    const tag = `<DataArray type="${type}" Name="${escaped(array.name)}" NumberOfComponents="${array.components}" format="appended" offset="${offset}"/>\n`;
    offset += 8 + values.byteLength;
    return { section: array.section, tag };
  });
  const of = (section: string) =>
    declared
      .filter((d) => d.section === section)
      .map((d) => d.tag)
      .join("");
  const encoder = new TextEncoder();
  yield encoder.encode(
    `<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n` +
      `<UnstructuredGrid>\n<FieldData>\n<DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">${time}</DataArray>\n</FieldData>\n` +
      `<Piece NumberOfPoints="${n}" NumberOfCells="${triangles}">\n` +
      `<PointData>\n${of("point")}</PointData>\n<CellData>\n${of("triangle")}</CellData>\n` +
      `<Points>\n${of("points")}</Points>\n<Cells>\n${of("cells")}</Cells>\n` +
      `</Piece>\n</UnstructuredGrid>\n<AppendedData encoding="raw">\n_`,
  );
  for (const { values } of arrays) {
    const length = new DataView(new ArrayBuffer(8));
    length.setBigUint64(0, BigInt(values.byteLength), true);
    yield new Uint8Array(length.buffer);
    yield new Uint8Array(values.buffer, values.byteOffset, values.byteLength).slice();
  }
  yield encoder.encode("\n</AppendedData>\n</VTKFile>\n");
}

function escaped(text: string): string {
  return text.replace(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`);
}
