/** Recordings of runs whose samples have frames. */
import * as fs from "node:fs";
import { describe, expect, test } from "vitest";
import { exportFolder } from "../../src/node/export-folder.ts";
import { resumeFolder, runToFolder } from "../../src/node/run-folder.ts";
import { verifyFolder } from "../../src/node/verify-folder.ts";
import { openRecording } from "../../src/node.ts";
import { encodeCheckpoint } from "../../src/recording/checkpoint-bytes.ts";
import { createFolderRecorder, readCheckpoint } from "../../src/recording/folder.ts";
import {
  decodeFramesHeader,
  encodeFramesHeader,
  FRAMES_HEADER,
  framesLayout,
} from "../../src/recording/format.ts";
import { hashNumbers } from "../../src/recording/hash.ts";
import { edgeStrain } from "../../src/recording/measures.ts";
import { createMemoryRecording } from "../../src/recording/recording.ts";
import { Interrupted, runScene } from "../../src/recording/run.ts";
import { encodeSheet } from "../../src/recording/sheet-bytes.ts";
import type { Scene } from "../../src/scene/scene.ts";
import { temporaryFolder } from "../temporary.ts";
import { smallScene } from "./sheets.ts";

const at = temporaryFolder();
const framed = (): Scene => smallScene({ constraint: "frames" });

describe("a recording of samples with frames", () => {
  test("positions to the bit, frames in single precision, strain of arcs", async () => {
    const memory = createMemoryRecording();
    await runScene(framed(), { recorder: memory });
    await runToFolder(framed(), at("a"));
    const recording = openRecording(at("a"));
    const { n } = recording.sheet;
    const last = recording.frames - 1;
    expect(recording.layout.framed).toBe(true);
    for (let k = 0; k <= last; k++) {
      expect(recording.positions(k)).toEqual(memory.positions(k));
      const pose = recording.pose(k);
      expect(pose.length).toBe(9 * n);
      expect(pose).toEqual(memory.pose(k).map((x, p) => (p < 3 * n ? x : Math.fround(x))));
    }
    const { strain, hash } = recording.summary!;
    expect(hash).toBe(hashNumbers(recording.positions(last)));
    const arcs = edgeStrain(recording.sheet, recording.pose(last));
    const chords = edgeStrain(recording.sheet, recording.positions(last));
    expect(strain.edgeMax).toBeCloseTo(arcs.max, 7);
    expect(strain.stretchMax).toBeCloseTo(arcs.stretchMax, 7);
    expect(strain.compressionMax).toBeCloseTo(arcs.compressionMax, 7);
    expect(recording.metrics[last].stretchMax).toBe(strain.stretchMax);
    expect(chords.compressionMax).toBeGreaterThan(2 * arcs.compressionMax); // it hangs bent
    recording.close();
  });

  test("a torn last frame does not count; more can be appended", async () => {
    const memory = createMemoryRecording();
    await runScene(framed(), { recorder: memory });
    const recorder = createFolderRecorder(at("a"), { precision: 4 });
    recorder.begin(memory.scene, memory.sheet);
    recorder.frame(0, memory.pose(0), memory.metrics[0]);
    const recording = openRecording(at("a"));
    recorder.frame(0.05, memory.pose(1), memory.metrics[1]);
    fs.appendFileSync(at("a", "frames"), new Uint8Array(recording.layout.frameBytes - 1));
    recording.refresh();
    expect(recording.frames).toBe(2);
    expect(recording.pose(1)).toEqual(memory.pose(1).map(Math.fround));
    recording.close();
    recorder.close();
  });

  test("broken off and resumed, it ends with the same bytes as never broken off", async () => {
    // long enough to be heard before it is over
    const long = smallScene({
      constraint: "frames",
      seconds: 2,
      record: { rate: 20, checkpoint: 0.1 },
    });
    await runToFolder(long, at("whole"));
    const stop = new AbortController();
    await expect(
      runToFolder(long, at("broken"), {
        signal: stop.signal,
        onProgress: ({ steps }) => steps > 0 && stop.abort(),
      }),
    ).rejects.toThrow(Interrupted);
    await resumeFolder(at("broken"));
    for (const name of ["frames", "metrics.csv", "sheet"])
      expect(fs.readFileSync(at("broken", name)).equals(fs.readFileSync(at("whole", name)))).toBe(
        true,
      );
  });

  test("the header says what it holds, and is refused where it contradicts itself or the sheet", async () => {
    for (const sealed of [false, true]) {
      const layout = framesLayout(7, { sealed, framed: true });
      expect(decodeFramesHeader(encodeFramesHeader(layout, "ab".repeat(32)))).toEqual(layout);
      const more = { sealed, framed: !sealed, bodies: 300 };
      for (const content of [more, { ...more, moving: true, parts: 300 }]) {
        const full = framesLayout(7, content);
        expect(decodeFramesHeader(encodeFramesHeader(full, "ab".repeat(32)))).toEqual(full);
      }
    }
    const odd = encodeFramesHeader(framesLayout(7, { framed: true }));
    odd[20] = 2;
    expect(() => decodeFramesHeader(odd)).toThrow("frames: seals of kind 2, needs 0 or 1");
    odd[8] = 4;
    expect(() => decodeFramesHeader(odd)).toThrow(
      "frames: of kind 2, this program does not know it",
    );
    odd[8] = 6;
    expect(() => decodeFramesHeader(odd)).toThrow("frames: version 6, this program reads 1 to 5");

    await runToFolder(framed(), at("a"));
    const recording = openRecording(at("a"));
    const { tangent: _, ...bare } = recording.sheet;
    recording.close();
    fs.writeFileSync(at("a", "sheet"), encodeSheet(bare));
    expect(() => openRecording(at("a"))).toThrow("the sheet lacks the tangents");
  });

  test("a recording of 0.1 (version 1, no signs of strain) is read, exported and proven; its checkpoint is refused", async () => {
    await runToFolder(smallScene({ constraint: "paper" }), at("a"));
    const asOld = JSON.parse(fs.readFileSync(at("a", "scene.json"), "utf8"));
    fs.writeFileSync(at("a", "scene.json"), JSON.stringify({ ...asOld, constraint: "metric" }));
    const { sheet, frames, layout: sealed } = openRecording(at("a"));
    const plain = framesLayout(sheet.n);
    const bytes = fs.readFileSync(at("a", "frames"));
    const old = [Buffer.from(encodeFramesHeader(plain))];
    for (let k = 0; k < frames; k++) {
      const from = FRAMES_HEADER + k * sealed.frameBytes;
      old.push(Buffer.from(bytes.subarray(from, from + plain.frameBytes)));
    }
    fs.writeFileSync(at("a", "frames"), Buffer.concat(old));
    const lines = fs.readFileSync(at("a", "metrics.csv"), "utf8").split("\n");
    const signs = lines[0].split(",").indexOf("stretchMax");
    const cut = lines.map((line) => line.split(",").toSpliced(signs, 2).join(","));
    fs.writeFileSync(at("a", "metrics.csv"), cut.join("\n"));
    const { head, state } = readCheckpoint(at("a"))!;
    const other = encodeCheckpoint({ ...head, version: "0.0.9" }, state);
    fs.writeFileSync(at("a", "checkpoint"), other);

    const recording = openRecording(at("a"));
    expect(recording.pose(3)).toEqual(recording.positions(3));
    expect(recording.metrics[3].edgeMax).toBeGreaterThan(0);
    expect(recording.metrics[3].stretchMax).toBeUndefined();
    recording.close();
    const { files } = await exportFolder(at("a"), "ply", { out: at("ply") });
    expect(files.length).toBe(frames);
    expect(verifyFolder(at("a"), { strainLimit: 0.5 }).faults).toEqual([]);
    await expect(resumeFolder(at("a"), { seconds: 1 })).rejects.toThrow(
      "begun by 0.1 with constraint: metric, which is gone; run the scene anew with constraint: frames",
    );
    fs.writeFileSync(at("a", "scene.json"), JSON.stringify(asOld));
    await expect(resumeFolder(at("a"), { seconds: 1 })).rejects.toThrow("begun by version 0.0.9");
  });

  test("runs without frames hold 3n positions and 3n velocities", async () => {
    await runToFolder(smallScene({ constraint: "paper" }), at("a"));
    const recording = openRecording(at("a"));
    expect(recording.layout.frameBytes).toBe(8 + 8 * 3 * 36 + 4 * 3 * 36 + 32);
    expect(recording.motion(1)?.smoothing).toHaveLength(0);
    expect(recording.pose(0)).toEqual(recording.positions(0));
    recording.close();
  });
});
