import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { exportFolder } from "../../src/node/export-folder.ts";
import { loadScene, meshReader } from "../../src/node/load-scene.ts";
import { resumeFolder, runToFolder } from "../../src/node/run-folder.ts";
import { openRecording } from "../../src/node.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/recording/checkpoint-bytes.ts";
import { RecordingError } from "../../src/recording/container.ts";
import { createFolderRecorder, readCheckpoint } from "../../src/recording/folder.ts";
import {
  decodeBodyTimes,
  decodeFrame,
  decodeFramesHeader,
  decodeMotion,
  encodeFrame,
  encodeFramesHeader,
  framesLayout,
} from "../../src/recording/format.ts";
import { hashNumbers } from "../../src/recording/hash.ts";
import { createMemoryRecording } from "../../src/recording/recording.ts";
import { Interrupted, isFrameStep, runScene } from "../../src/recording/run.ts";
import { encodeSheet } from "../../src/recording/sheet-bytes.ts";
import { SceneError } from "../../src/scene/faults.ts";
import { parseScene, type Scene } from "../../src/scene/scene.ts";
import { createSimulation } from "../../src/simulation.ts";
import { temporaryFolder } from "../temporary.ts";
import { smallScene } from "./sheets.ts";

const at = temporaryFolder();

describe("a run", () => {
  test("in memory: frames at 1/rate and at the end, a line of metrics each, a summary", async () => {
    const recording = createMemoryRecording();
    const scene = smallScene({ seconds: 0.27 });
    const summary = await runScene(scene, { recorder: recording });
    const times = Array.from({ length: recording.frames }, (_, k) => recording.time(k));
    expect(times.map((t) => Math.round(100 * t))).toEqual([0, 5, 10, 15, 20, 25, 27]);
    expect(recording.metrics.map(({ time }) => time)).toEqual(times);
    expect(recording.summary).toEqual(summary);
    expect(summary).toMatchObject({
      scene: "small",
      points: 36,
      steps: 27,
      frames: 7,
      method: "isometry",
      constraint: "frames",
      solver: "accurate",
      h: 0.01,
      tolerance: 0.01,
    });
    expect(summary.seconds).toBeCloseTo(0.27, 12);
    expect(summary.hash).toBe(hashNumbers(recording.positions(6)));
    expect(summary.strain.edgeMaxEver).toBe(Math.max(...recording.metrics.map((m) => m.edgeMax)));
    expect(() => recording.positions(7)).toThrow(RangeError);
  });

  test("the summary has the forces of the pins: at rest they carry the weight, and projections have none", async () => {
    const hung = (more: object): Scene =>
      parseScene(
        {
          name: "hung",
          sheet: {
            shape: { type: "rectangle", width: 0.2, height: 0.3 },
            sampling: { points: 80 },
            pose: { rotation: [90, 0, 0] },
            material: { density: 0.2, D: 1e-4 },
          },
          pins: [{ name: "rail", at: { edge: "top" } }],
          ...more,
        },
        "hung",
      );
    const { reactions } = await runScene(hung({ static: true }));
    expect(reactions?.map(({ name }) => name)).toEqual(["rail"]);
    const [x, y, z] = reactions![0].force;
    const weight = 0.2 * 0.2 * 0.3 * 9.81;
    expect(z / weight).toBeCloseTo(1, 3);
    expect(Math.hypot(x, y) / weight).toBeLessThan(1e-3);
    const projected = await runScene(hung({ solver: "paper", seconds: 0.02 }));
    expect(projected.reactions).toBe(undefined);
  });

  test("the same scene twice has the same frames and the same hash", async () => {
    const [a, b] = [createMemoryRecording(), createMemoryRecording()];
    const [one, two] = [
      await runScene(smallScene(), { recorder: a }),
      await runScene(smallScene(), { recorder: b }),
    ];
    expect(one.hash).toBe(two.hash);
    for (let k = 0; k < a.frames; k++) expect(a.positions(k)).toEqual(b.positions(k));
    expect(a.metrics).toEqual(b.metrics);
  });

  test("progress counts up to the end", async () => {
    const seen: number[] = [];
    await runScene(smallScene(), { onProgress: ({ steps }) => void seen.push(steps) });
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBe(30);
  });

  test("frames are whole steps, at most one per step, whatever the rate", () => {
    const often = smallScene({ record: { rate: 1000 } });
    expect([0, 1, 2, 3].every((s) => isFrameStep(often, s))).toBe(true);
    const odd = smallScene({ h: 0.007, record: { rate: 30 } }); // a frame every 4.76 steps
    const steps = Array.from({ length: 30 }, (_, s) => s).filter((s) => isFrameStep(odd, s));
    expect(steps).toEqual([0, 5, 10, 14, 19, 24, 29]);
  });
});

describe("a recording in a folder", () => {
  test("holds what DESIGN promises, and reads back to the bit", async () => {
    const memory = createMemoryRecording();
    await runScene(smallScene(), { recorder: memory });
    const summary = await runToFolder(smallScene(), at("a"));
    expect(fs.readdirSync(at("a")).sort()).toEqual([
      "checkpoint",
      "frames",
      "metrics.csv",
      "scene.json",
      "sheet",
      "summary.json",
    ]);
    const recording = openRecording(at("a"));
    expect(recording.scene).toEqual(smallScene());
    expect(recording.frames).toBe(memory.frames);
    for (let k = 0; k < memory.frames; k++) {
      expect(recording.time(k)).toBe(memory.time(k));
      expect(recording.positions(k)).toEqual(memory.positions(k));
    }
    expect(recording.metrics).toEqual(memory.metrics);
    expect(recording.summary).toEqual(JSON.parse(JSON.stringify(summary)));
    expect(recording.sheet.parts).toEqual(memory.sheet.parts);
    for (const [name, value] of Object.entries(recording.sheet))
      if (ArrayBuffer.isView(value))
        expect([name, value]).toEqual([name, memory.sheet[name as keyof typeof memory.sheet]]);
    recording.close();
  });

  test("can be read while it is written; a torn last frame does not count", async () => {
    const memory = createMemoryRecording();
    await runScene(smallScene(), { recorder: memory });
    const recorder = createFolderRecorder(at("a"));
    recorder.begin(memory.scene, memory.sheet);
    recorder.frame(0, memory.positions(0), memory.metrics[0]);
    const recording = openRecording(at("a"));
    expect(recording.frames).toBe(1);
    expect(recording.summary).toBeNull();
    recorder.frame(0.05, memory.positions(1), memory.metrics[1]);
    fs.appendFileSync(at("a", "frames"), new Uint8Array(100));
    fs.appendFileSync(at("a", "metrics.csv"), "0.1,10,");
    recording.refresh();
    expect(recording.frames).toBe(2);
    expect(recording.metrics.length).toBe(2);
    expect(recording.positions(1)).toEqual(memory.positions(1));
    expect(() => recording.positions(2)).toThrow(/frame 2: there are 2/);
    recording.close();
    recorder.close();
  });

  test("a new run replaces what was there", async () => {
    await runToFolder(smallScene(), at("a"));
    await runToFolder(smallScene({ seconds: 0.1 }), at("a"));
    const recording = openRecording(at("a"));
    expect(recording.frames).toBe(3);
    expect(recording.metrics.length).toBe(3);
    recording.close();
  });

  test.each([
    ["an empty folder", () => fs.mkdirSync(at("a")), /no recording here/],
    ["a folder that is not there", () => undefined, /no recording here/],
    [
      "frames that are something else",
      () => fs.writeFileSync(at("a", "frames"), "hello, this is not a file of ours".repeat(10)),
      /frames: not a file of a recording/,
    ],
    [
      "frames of the future",
      () => {
        const bytes = fs.readFileSync(at("a", "frames"));
        bytes.writeUInt32LE(99, 8);
        fs.writeFileSync(at("a", "frames"), bytes);
      },
      /frames: version 99, this program reads 1 to 5/,
    ],
    [
      "a sheet cut short",
      () => fs.truncateSync(at("a", "sheet"), fs.statSync(at("a", "sheet")).size - 9),
      /sheet: cut short/,
    ],
    [
      "a scene that is not JSON",
      () => fs.writeFileSync(at("a", "scene.json"), "{"),
      /no readable scene.json/,
    ],
  ])("%s is a RecordingError that says so", async (name, damage, message) => {
    if (!name.includes("folder")) await runToFolder(smallScene({ seconds: 0.02 }), at("a"));
    damage();
    expect(() => openRecording(at("a"))).toThrow(RecordingError);
    expect(() => openRecording(at("a"))).toThrow(message);
  });
});

describe("resume", () => {
  /** Breaks a run off after so many calls for progress. */
  async function brokenOff(folder: string, when: (steps: number) => boolean): Promise<void> {
    const stop = new AbortController();
    const run = runToFolder(
      smallScene({ seconds: 2, record: { rate: 20, checkpoint: 0.1 } }),
      folder,
      {
        signal: stop.signal,
        onProgress: ({ steps }) => {
          if (when(steps)) stop.abort();
        },
      },
    );
    await expect(run).rejects.toThrow(Interrupted);
  }

  test("broken off and resumed, it ends with the same bytes as never broken off", async () => {
    const whole = await runToFolder(
      smallScene({ seconds: 2, record: { rate: 20, checkpoint: 0.1 } }),
      at("whole"),
    );
    await brokenOff(at("part"), (steps) => steps > 0);
    expect(fs.existsSync(at("part", "summary.json"))).toBe(false);
    const resumed = await resumeFolder(at("part"));
    expect(resumed.hash).toBe(whole.hash);
    expect(resumed.frames).toBe(whole.frames);
    expect(resumed.projections).toEqual(whole.projections);
    expect(resumed.strain).toEqual(whole.strain);
    for (const file of ["frames", "metrics.csv", "scene.json", "sheet"])
      expect(fs.readFileSync(at("part", file)).equals(fs.readFileSync(at("whole", file)))).toBe(
        true,
      );
  });

  test("a slow run is saved after every frame, however rare its checkpoints are to be", async () => {
    // a clock that goes a second ahead whenever it is looked at
    let clock = 0;
    const now = vi.spyOn(performance, "now").mockImplementation(() => (clock += 1000));
    try {
      const scene = smallScene({ seconds: 0.5, record: { rate: 20, checkpoint: 100 } });
      const saved: number[] = [];
      await runScene(scene, {
        recorder: {
          begin: () => undefined,
          frame: () => undefined,
          end: () => undefined,
          checkpoint: (head) => saved.push((head as { tally: { steps: number } }).tally.steps),
        },
      });
      expect(saved.length).toBeGreaterThan(3);
      expect(saved.every((steps) => isFrameStep(scene, steps))).toBe(true);
    } finally {
      now.mockRestore();
    }
  });

  test("killed without warning: what came after the checkpoint is cut off, and computed again", async () => {
    const scene = smallScene({ seconds: 0.5, record: { rate: 20, checkpoint: 0.2 } });
    const whole = await runToFolder(scene, at("whole"));
    // the folder as it was at 0.2 s, plus two frames and a half that no checkpoint has seen
    const half = smallScene({ seconds: 0.2, record: { rate: 20, checkpoint: 0.2 } });
    await runToFolder(half, at("killed"));
    fs.copyFileSync(at("whole", "scene.json"), at("killed", "scene.json"));
    fs.rmSync(at("killed", "summary.json"));
    const frames = fs.readFileSync(at("whole", "frames"));
    const { frameBytes } = decodeFramesHeader(frames.subarray(0, 64));
    fs.writeFileSync(at("killed", "frames"), frames.subarray(0, 64 + Math.round(7.5 * frameBytes)));
    fs.appendFileSync(at("killed", "metrics.csv"), "0.25,25,1\n0.3");
    const resumed = await resumeFolder(at("killed"));
    expect(resumed.hash).toBe(whole.hash);
    for (const file of ["frames", "metrics.csv"])
      expect(fs.readFileSync(at("killed", file)).equals(fs.readFileSync(at("whole", file)))).toBe(
        true,
      );
  });

  test("a finished run can be given more time", async () => {
    const whole = await runToFolder(smallScene({ seconds: 0.4 }), at("whole"));
    await runToFolder(smallScene({ seconds: 0.2 }), at("short"));
    const longer = await resumeFolder(at("short"), { seconds: 0.4 });
    expect(longer.hash).toBe(whole.hash);
    expect(openRecording(at("short")).scene.seconds).toBe(0.4);
    await expect(resumeFolder(at("short"), { seconds: 0.1 })).rejects.toThrow(/already at 0.4 s/);
  });

  test("a checkpoint is whole or it is none", async () => {
    await runToFolder(smallScene(), at("a"));
    const bytes = fs.readFileSync(at("a", "checkpoint"));
    bytes[bytes.length - 5] ^= 1;
    fs.writeFileSync(at("a", "checkpoint"), bytes);
    expect(() => readCheckpoint(at("a"))).toThrow(/damaged/);
    fs.rmSync(at("a", "checkpoint"));
    await expect(resumeFolder(at("a"))).rejects.toThrow(/no checkpoint to resume from/);
  });

  test("frames that the checkpoint has seen and the disk has lost are told, not invented", async () => {
    await runToFolder(smallScene(), at("a"));
    const { layout } = openRecording(at("a"));
    fs.truncateSync(at("a", "frames"), 64 + layout.frameBytes);
    await expect(resumeFolder(at("a"))).rejects.toThrow(
      /the checkpoint has seen 7 frames, some are lost/,
    );
  });
});

describe("the bytes", () => {
  test.each([4, 8] as const)(
    "a frame of %i-byte numbers comes back, header and all",
    (precision) => {
      const layout = framesLayout(3, { precision });
      expect(decodeFramesHeader(encodeFramesHeader(layout))).toEqual(layout);
      expect(layout.frameBytes % 8).toBe(0);
      const Y = Float64Array.from({ length: 9 }, (_, k) => Math.sqrt(k));
      const bytes = new Uint8Array(layout.frameBytes);
      encodeFrame(bytes, layout, 1.25, Y);
      const back = new Float64Array(9);
      expect(decodeFrame(back, bytes, layout)).toBe(1.25);
      expect(back).toEqual(precision === 8 ? Y : Y.map(Math.fround));
    },
  );

  test("velocities in single precision and smoothing come back; a frame without says that they are not known", () => {
    const layout = framesLayout(3, { framed: true, moving: true, parts: 2, bodies: 1 });
    const Y = Float64Array.from({ length: 27 }, (_, k) => Math.sqrt(k));
    const V = Float64Array.from({ length: 9 }, (_, k) => Math.sqrt(k) - 1);
    const smoothing = Float64Array.of(1 / 3, 1 / 7);
    const bytes = new Uint8Array(layout.frameBytes);
    encodeFrame(bytes, layout, 1.25, Y, Float64Array.of(0.5), { V, smoothing });
    expect(decodeMotion(bytes, layout)).toEqual({ V: V.map(Math.fround), smoothing });
    expect(decodeBodyTimes(bytes, layout)).toEqual(Float64Array.of(0.5));
    const back = new Float64Array(27);
    decodeFrame(back, bytes, layout);
    expect(back.subarray(9)).toEqual(Y.subarray(9).map(Math.fround));
    encodeFrame(bytes, layout, 1.25, Y);
    expect(decodeMotion(bytes, layout)).toBeNull();
  });

  test("a checkpoint keeps its head and its state", () => {
    const state = Uint8Array.of(1, 2, 3, 4, 5);
    const { head, state: back } = decodeCheckpoint(encodeCheckpoint({ a: [1.5, "x"] }, state));
    expect(head).toMatchObject({ a: [1.5, "x"] });
    expect(back).toEqual(state);
  });
});

describe("a recording that somebody has damaged", () => {
  const record = async (): Promise<void> => {
    await runToFolder(smallScene({ seconds: 0.05 }), at("rec"));
  };
  const spoil = (name: string, change: (bytes: Buffer) => Buffer): void => {
    fs.writeFileSync(at("rec", name), change(fs.readFileSync(at("rec", name))));
  };

  test("every changed or missing byte of the sheet's head and every cut is a RecordingError or changes a number", async () => {
    await record();
    const good = fs.readFileSync(at("rec", "sheet"));
    for (let k = 0; k < good.length; k += k < 1500 ? 7 : 997) {
      for (const change of [0x01, 0x80]) {
        const bad = Buffer.from(good);
        bad[k] ^= change;
        fs.writeFileSync(at("rec", "sheet"), bad);
        try {
          openRecording(at("rec")).close();
        } catch (error) {
          expect(error, `byte ${k}`).toBeInstanceOf(RecordingError);
        }
      }
      fs.writeFileSync(at("rec", "sheet"), good.subarray(0, k));
      expect(() => openRecording(at("rec")), `cut at ${k}`).toThrow(RecordingError);
    }
  });

  test("points that do not exist, numbers that are none, lists of other lengths", async () => {
    await record();
    const good = openRecording(at("rec")).sheet;
    const broken = [
      { ...good, triangles: Int32Array.from(good.triangles as Int32Array).fill(99, 0, 1) },
      { ...good, rest: Float64Array.from(good.rest as Float64Array).fill(Number.NaN, 4, 5) },
      { ...good, m: new Float64Array(3) },
      { ...good, n: 1e9 },
      { ...good, edges: Int32Array.of(-1, 0), edgeLength: Float64Array.of(1) },
      { ...good, sewn: Int32Array.of(-5) },
    ];
    for (const sheet of broken) {
      fs.writeFileSync(at("rec", "sheet"), encodeSheet(sheet));
      expect(() => openRecording(at("rec"))).toThrow(RecordingError);
    }
    fs.writeFileSync(at("rec", "sheet"), encodeSheet(good));
    openRecording(at("rec")).close();
  });

  test("a summary.json that is none, and a pipe in place of a file", async () => {
    await record();
    const good = fs.readFileSync(at("rec", "summary.json"), "utf8");
    for (const text of ["{", "null", "[]", "7", "{}", good.replace('"strain"', '"stain"')]) {
      fs.writeFileSync(at("rec", "summary.json"), text);
      expect(() => openRecording(at("rec")), text.slice(0, 9)).toThrow(/summary.json is damaged/);
    }
    fs.writeFileSync(at("rec", "summary.json"), good);
    for (const name of ["frames", "sheet", "scene.json"]) {
      fs.renameSync(at("rec", name), at("kept"));
      execFileSync("mkfifo", [at("rec", name)]);
      expect(() => openRecording(at("rec")), name).toThrow(/is a pipe, needs a file/);
      fs.renameSync(at("kept"), at("rec", name));
    }
  });

  test("links in a recording are not written through: neither going on with it nor recording anew changes another file", async () => {
    await record();
    const diary = at("diary");
    for (const name of ["frames", "metrics.csv", "checkpoint.tmp", "metrics.csv.tmp", "sheet"]) {
      const [folder, link] = [at("copy"), at("copy", name)];
      fs.cpSync(at("rec"), folder, { recursive: true });
      // what the link leads to is as the file was, so that nothing but the link is wrong
      fs.writeFileSync(diary, fs.existsSync(link) ? fs.readFileSync(link) : "mine");
      const before = fs.readFileSync(diary);
      fs.rmSync(link, { force: true });
      fs.symlinkSync(diary, link);
      const resumed = resumeFolder(folder, { seconds: 0.1 }).then(
        () => "done",
        ({ message }) => message,
      );
      expect(await resumed, name).toMatch(name === "frames" ? /frames: is a link/ : "done");
      expect(fs.readFileSync(diary).equals(before), name).toBe(true);
      fs.rmSync(link, { force: true });
      fs.symlinkSync(diary, link);
      await runToFolder(smallScene({ seconds: 0.02 }), folder);
      expect(fs.readFileSync(diary).equals(before), name).toBe(true);
      fs.rmSync(folder, { recursive: true });
    }
  });

  test("the hash of a checkpoint covers its head: a changed count of frames is not believed", async () => {
    await record();
    spoil("checkpoint", (bytes) => {
      const at = bytes.indexOf('"frames":2');
      expect(at).toBeGreaterThan(0);
      bytes.write("1", at + '"frames":'.length);
      return bytes;
    });
    expect(() => readCheckpoint(at("rec"))).toThrow(/its hash does not match/);
    await expect(resumeFolder(at("rec"), { seconds: 0.1 })).rejects.toThrow(RecordingError);
    expect(fs.existsSync(at("rec", "lock"))).toBe(false);
  });
});

describe("files that a scene names", () => {
  // a grid of 4 × 4 points
  const points = Array.from({ length: 16 }, (_, i) => `v ${i % 4} ${Math.floor(i / 4)} 0\n`);
  const faces = [1, 2, 3, 5, 6, 7, 9, 10, 11].map((a) => `f ${a} ${a + 1} ${a + 5} ${a + 4}\n`);
  const obj = [...points, ...faces].join("");
  const scene = (file: string): string =>
    JSON.stringify({ name: "m", seconds: 0.02, h: 0.01, sheet: { shape: { type: "mesh", file } } });

  test("lie beside it, and are kept with the recording, which then stands by itself", async () => {
    fs.mkdirSync(at("in", "meshes"), { recursive: true });
    fs.writeFileSync(at("in", "meshes", "quad.obj"), obj);
    fs.writeFileSync(at("in", "scene.json"), scene("meshes/quad.obj"));
    const loaded = loadScene(at("in", "scene.json"));
    const first = await runToFolder(loaded.scene, at("out"), { base: loaded.base });
    fs.rmSync(at("in"), { recursive: true });
    const again = loadScene(at("out", "scene.json"));
    expect((await runToFolder(again.scene, at("again"), { base: again.base })).hash).toBe(
      first.hash,
    );
    expect((await resumeFolder(at("out"), { seconds: 0.04 })).steps).toBe(4);
  });

  test("must exist, and must not lead out of the scene's folder unless allowed", () => {
    fs.mkdirSync(at("in"));
    fs.writeFileSync(at("secret.obj"), obj);
    fs.symlinkSync(at("secret.obj"), at("in", "link.obj"));
    const load = (file: string, outside = false): unknown => {
      fs.writeFileSync(at("in", "scene.json"), scene(file));
      return loadScene(at("in", "scene.json"), { outside }).scene;
    };
    expect(() => load("none.obj")).toThrow(/sheet.shape.file: "none.obj": no such file/);
    for (const file of ["../secret.obj", at("secret.obj"), "link.obj"]) {
      expect(() => load(file)).toThrow(SceneError);
      expect(() => load(file)).toThrow(/outside the scene's folder/);
      expect(() => load(file, true)).not.toThrow();
    }
  });

  const clothOver = (file: string): string =>
    JSON.stringify({
      seconds: 0.02,
      h: 0.01,
      sheet: {
        shape: { type: "rectangle", width: 0.2, height: 0.2 },
        sampling: { type: "grid", points: 16 },
        pose: { type: "flat", position: [0, 0, 1] },
      },
      colliders: [{ name: "table", body: { type: "mesh", file, closed: false } }],
    });

  test("from outside are copied in; afterwards only the recording's own folder is read", async () => {
    fs.mkdirSync(at("in"));
    fs.writeFileSync(at("table.obj"), obj);
    fs.writeFileSync(at("in", "scene.json"), clothOver("../table.obj"));
    const { scene: outside, base } = loadScene(at("in", "scene.json"), { outside: true });
    await runToFolder(outside, at("rec"), { base, outside: true });
    fs.rmSync(at("table.obj"));
    const [kept] = fs.readdirSync(at("rec", "outside"));
    expect(kept).toMatch(/^[0-9a-f]{8}-table\.obj$/);
    expect((await resumeFolder(at("rec"), { seconds: 0.04 })).steps).toBe(4);
    await exportFolder(at("rec"), "obj", { out: at("obj") });

    // a recording from a stranger that names a file of ours
    fs.writeFileSync(at("secret.obj"), obj);
    const text = fs.readFileSync(at("rec", "scene.json"), "utf8");
    for (const name of [at("secret.obj"), "../secret.obj"]) {
      fs.writeFileSync(at("rec", "scene.json"), text.replace(`outside/${kept}`, name));
      for (const use of [
        () => exportFolder(at("rec"), "glb", { out: at("glb") }),
        () => resumeFolder(at("rec"), { seconds: 0.06 }),
      ]) {
        await expect(use()).rejects.toThrow(RecordingError);
        await expect(use()).rejects.toThrow(/from its own folder only/);
      }
    }
  });

  test("of bodies must have triangles", () => {
    for (const [name, text] of [
      ["points.obj", points.join("")],
      ["empty.obj", "# nothing\n"],
      ["flat.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n"],
    ]) {
      fs.writeFileSync(at(name), text);
      fs.writeFileSync(at("scene.json"), clothOver(name));
      const { scene: body, base } = loadScene(at("scene.json"));
      expect(() => createSimulation(body, { readMesh: meshReader(base) }), name).toThrow(
        `table: ${name} has no triangles`,
      );
    }
  });
});
