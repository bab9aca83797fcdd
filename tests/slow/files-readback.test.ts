import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebIO } from "@gltf-transform/core";
import { AnimationMixer, type Mesh, type Object3D, Vector3 } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
// @ts-expect-error three's types leave the parser out
import { USDAParser } from "three/examples/jsm/loaders/usd/USDAParser.js";
import { afterAll, describe, expect, test } from "vitest";
import { turn, withBodies } from "../../src/files/animation.ts";
import { type ExportOptions, exportAnimation, type FormatName } from "../../src/files/export.ts";
import { frameOf, wavingSheets } from "../files/fixture.ts";
import { joined } from "../files/joined.ts";
import { pythonWith } from "./needs.ts";

/** Programs that we did not write read what we export; Alembic has a reader of its own here. */

const animation = wavingSheets();
const whole = withBodies(animation);
const parts = whole.parts!;
const folder = mkdtempSync(join(tmpdir(), "isoplate-readback-"));
afterAll(() => rmSync(folder, { recursive: true }));

function files(format: FormatName, options: ExportOptions = {}): Map<string, Uint8Array> {
  const result = new Map<string, Uint8Array>();
  for (const { name, chunks } of exportAnimation(animation, format, options).files)
    result.set(name, joined(chunks));
  return result;
}

function save(bytes: Uint8Array, name: string): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

function ofPart(Y: Float64Array, k: number): Float64Array {
  return Y.subarray(3 * parts[k].firstPoint, 3 * (parts[k].firstPoint + parts[k].points));
}

function uvOfPart(k: number): Float64Array {
  const { firstPoint, points } = parts[k];
  return (animation.uv as Float64Array).subarray(2 * firstPoint, 2 * (firstPoint + points));
}

function expectClose(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number = 2e-6,
): void {
  expect(actual.length).toBe(expected.length);
  let worst = 0;
  for (let k = 0; k < expected.length; k++)
    worst = Math.max(worst, Math.abs(actual[k] - expected[k]));
  expect(worst).toBeLessThan(tolerance); // 1e-6 of the size of the scene, 2 m
}

describe("VTK reads VTU", () => {
  const python = pythonWith("vtk", "python3-vtk9");
  const written = files("vtu");
  const names = [...written.keys()].filter((name) => name.endsWith(".vtu"));
  const paths = names.map((name) => save(written.get(name)!, name));
  const script = join(import.meta.dirname, "readers", "vtk_read.py");
  const read = JSON.parse(
    execFileSync(python, [script, ...paths], { encoding: "utf8", maxBuffer: 1e9 }),
  );

  test("points and triangles of every frame are ours, to the last bit", () => {
    expect(read.length).toBe(animation.frames);
    for (let frame = 0; frame < animation.frames; frame++) {
      expect(read[frame].failures).toEqual([]);
      expect(read[frame].points).toEqual([...frameOf(whole, frame)]);
      expect(read[frame].cells.flat()).toEqual([...(whole.triangles as Int32Array)]);
      expect(read[frame].types).toEqual([5]); // VTK_TRIANGLE
      expect(read[frame].time).toEqual([frame / 24]);
    }
  });

  test("fields are there: strain at the points, curvature and part at the triangles", () => {
    const { pointData, cellData } = read[4];
    expectClose(
      pointData.strain.slice(0, animation.n),
      Array.from({ length: animation.n }, (_, i) => animation.uv![2 * i] * 0.04),
      1e-15,
    );
    expect(pointData.uv.length).toBe(2 * whole.n);
    expect(cellData.curvature[3]).toBe(7);
    expect(new Set(cellData.part)).toEqual(new Set([0, 1, 2]));
  });

  test("the PVD lists every file with its time", () => {
    const pvd = new TextDecoder().decode(written.get("waving_sheets.pvd"));
    const listed = [...pvd.matchAll(/timestep="([^"]+)" part="0" file="([^"]+)"/g)];
    expect(listed.map((match) => match[2])).toEqual(names);
    expect(listed.map((match) => Number(match[1]))).toEqual(names.map((_, k) => k / 24));
  });
});

describe("three.js reads GLB", () => {
  test("the animation shows our points at every frame, and halfway between frames the middle", async () => {
    const bytes = files("glb").get("waving_sheets.glb")!;
    const gltf = await new GLTFLoader().parseAsync(bytes.buffer as ArrayBuffer, "");
    const mixer = new AnimationMixer(gltf.scene);
    expect(gltf.animations.length).toBe(1);
    mixer.clipAction(gltf.animations[0]).play();
    for (let half = 0; half < 2 * animation.frames - 2; half++) {
      mixer.setTime(half / 48);
      gltf.scene.updateMatrixWorld(true);
      const a = frameOf(whole, Math.floor(half / 2));
      const b = frameOf(whole, Math.ceil(half / 2));
      const Y = a.map((y, k) => (y + b[k]) / 2);
      turn(Y);
      for (const [k, name] of ["lower_sheet", "upper_sheet", "box"].entries()) {
        if (name === "box" && half % 2 === 1) continue; // turns along the arc, not the chord
        expectClose(shownPoints(gltf.scene.getObjectByName(name)!), ofPart(Y, k));
      }
    }
  });

  function shownPoints(object: Object3D): number[] {
    const mesh = object as Mesh;
    const point = new Vector3();
    const points: number[] = [];
    for (let i = 0; i < mesh.geometry.attributes.position.count; i++) {
      mesh.getVertexPosition(i, point).applyMatrix4(mesh.matrixWorld);
      points.push(point.x, point.y, point.z);
    }
    return points;
  }
});

describe("glTF-Transform reads GLB", () => {
  test("accessors have the bounds that they declare, and every target is there", async () => {
    const bytes = files("glb").get("waving_sheets.glb")!;
    const document = await new WebIO().readBinary(bytes);
    const root = document.getRoot();
    expect(
      root
        .listNodes()
        .map((node) => node.getName())
        .sort(),
    ).toEqual(["box", "lower_sheet", "upper_sheet"]);
    const sheet = root.listMeshes().find((mesh) => mesh.getName() === "lower_sheet")!;
    const [primitive] = sheet.listPrimitives();
    expect(primitive.listTargets().length).toBe(animation.frames - 1);
    const json = JSON.parse(
      new TextDecoder().decode(
        bytes.subarray(20, 20 + new DataView(bytes.buffer).getUint32(12, true)),
      ),
    );
    for (const [k, accessor] of root.listAccessors().entries()) {
      const declared = json.accessors[k];
      expect(accessor.getCount()).toBe(declared.count);
      if (declared.min === undefined) continue;
      expect(accessor.getMinNormalized([])).toEqual(declared.min);
      expect(accessor.getMaxNormalized([])).toEqual(declared.max);
    }
  });
});

describe("three.js reads USDA", () => {
  test("every frame's points, extent and normals, topology, uv, axes and rate", () => {
    const text = new TextDecoder().decode(
      files("usda", { startFrame: 101 }).get("waving_sheets.usda"),
    );
    const { specsByPath } = new USDAParser().parseData(text) as {
      specsByPath: Record<string, { fields: Record<string, unknown> }>;
    };
    expect(specsByPath["/"].fields).toMatchObject({
      upAxis: "Z",
      metersPerUnit: 1,
      timeCodesPerSecond: 24,
      defaultPrim: "waving_sheets",
    });
    for (const [k, name] of ["lower_sheet", "upper_sheet"].entries()) {
      const field = (property: string) => specsByPath[`/waving_sheets/${name}.${property}`].fields;
      const samples = (property: string) =>
        field(property).timeSamples as { times: number[]; values: number[][] };
      expect(samples("points").times).toEqual([101, 102, 103, 104, 105, 106]);
      for (let frame = 0; frame < animation.frames; frame++) {
        const Y = ofPart(frameOf(animation, frame), k);
        expectClose(samples("points").values[frame], Y);
        const [x0, y0, z0, x1, y1, z1] = samples("extent").values[frame];
        for (let i = 0; i < Y.length; i += 3) {
          expect(Y[i] >= x0 - 1e-8 && Y[i] <= x1 + 1e-8).toBe(true);
          expect(Y[i + 1] >= y0 - 1e-8 && Y[i + 1] <= y1 + 1e-8).toBe(true);
          expect(Y[i + 2] >= z0 - 1e-8 && Y[i + 2] <= z1 + 1e-8).toBe(true);
        }
        const normals = samples("normals").values[frame];
        for (let i = 0; i < normals.length; i += 3)
          expect(Math.hypot(normals[i], normals[i + 1], normals[i + 2])).toBeCloseTo(1, 6);
      }
      expect(field("faceVertexCounts").default).toEqual(new Array(parts[k].triangles).fill(3));
      expect((field("faceVertexIndices").default as number[]).length).toBe(3 * parts[k].triangles);
      expectClose(field("primvars:st").default as number[], uvOfPart(k));
    }
    const orient = specsByPath["/waving_sheets/box.xformOp:orient"].fields.timeSamples as {
      values: number[][];
    };
    const [x, y, z, w] = orient.values[3]; // the parser turns USD's w x y z into x y z w
    expectClose([x, y, z, w], [0, 0, Math.sin(0.45), Math.cos(0.45)]);
  });
});

describe("a reader written from the format alone reads Alembic", () => {
  interface Property {
    constant: boolean;
    samples: number;
    metadata: Record<string, string>;
    values: number[][];
    children: Record<string, Property>;
  }
  interface AbcObject {
    name: string;
    metadata: Record<string, string>;
    properties: Record<string, Property>;
    children: AbcObject[];
  }
  const path = save(files("abc", { startFrame: 11 }).get("waving_sheets.abc")!, "sheets.abc");
  const script = join(import.meta.dirname, "readers", "alembic_read.py");
  // it fails on bytes that belong to nothing, wrong digests, wrong counts
  const archive = JSON.parse(
    execFileSync("python3", [script, path], { encoding: "utf8", maxBuffer: 1e9 }),
  );
  const objects = archive.top.children as AbcObject[];

  test("two sheets and a body, each a mesh under a transform", () => {
    expect(objects.map((object) => object.name)).toEqual(["lower_sheet", "upper_sheet", "box"]);
    for (const object of objects) {
      expect(object.metadata.schema).toBe("AbcGeom_Xform_v3");
      expect(object.children[0].metadata.schema).toBe("AbcGeom_PolyMesh_v1");
    }
    expect(archive.samplings[1]).toEqual({ most: 6, step: 1 / 24, start: 11 / 24 });
  });

  test("positions, normals, bounds and uv of every frame; faces wind clockwise", () => {
    for (let k = 0; k < 2; k++) {
      const mesh = objects[k].children[0].properties[".geom"].children;
      expect(mesh[".faceIndices"].constant && mesh[".faceCounts"].constant).toBe(true);
      const expected: number[] = [];
      for (
        let t = 3 * parts[k].firstTriangle;
        t < 3 * (parts[k].firstTriangle + parts[k].triangles);
        t += 3
      )
        expected.push(
          ...[whole.triangles[t], whole.triangles[t + 2], whole.triangles[t + 1]].map(
            (i) => i - parts[k].firstPoint,
          ),
        );
      expect(mesh[".faceIndices"].values[0]).toEqual(expected);
      expect(mesh.uv.children[".indices"].values[0]).toEqual(expected);
      expectClose(mesh.uv.children[".vals"].values[0], uvOfPart(k));
      expect(mesh.uv.metadata).toMatchObject({ geoScope: "fvr", isGeomParam: "true" });
      for (let frame = 0; frame < animation.frames; frame++) {
        const Y = Float64Array.from(ofPart(frameOf(animation, frame), k));
        turn(Y);
        expectClose(mesh.P.values[frame], Y);
        expect(mesh[".selfBnds"].values[frame][0]).toBe(
          Math.min(...mesh.P.values[frame].filter((_, i) => i % 3 === 0)),
        );
        // y is up and the sheets lie flat but for waves: normals point up
        for (let i = 1; i < Y.length; i += 3) expect(mesh.N.values[frame][i]).toBeGreaterThan(0.5);
      }
    }
  });

  test("the body stands still in its own frame and its matrix moves it", () => {
    const [x] = [objects[2]];
    const P = x.children[0].properties[".geom"].children.P.values[0];
    const { ".vals": vals, ".ops": ops } = x.properties[".xform"].children;
    expect(ops.values).toEqual([[48]]);
    for (let frame = 0; frame < animation.frames; frame++) {
      const M = vals.values[frame];
      const Y = Float64Array.from(ofPart(frameOf(whole, frame), 2));
      turn(Y);
      const placed: number[] = [];
      for (let i = 0; i < P.length; i += 3)
        for (let c = 0; c < 3; c++)
          placed.push(P[i] * M[c] + P[i + 1] * M[4 + c] + P[i + 2] * M[8 + c] + M[12 + c]);
      expectClose(placed, Y);
    }
  });
});
