/** Pictures of a recording one by one, drawn here or, for films, by one thread per core. */
import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { recordedImageReader, recordedMeshReader } from "../node/kept-files.ts";
import { type Preset, turned } from "../picture/camera.ts";
import type { Picture } from "../picture/canvas.ts";
import type { Coloring } from "../picture/coloring.ts";
import { render } from "../picture/render.ts";
import { createStage } from "../picture/stage.ts";
import { openRecording } from "../recording/folder.ts";

export interface Shot {
  frame: number;
  /** rad, of the turntable */
  turn: number;
}

/** What the pictures of a film have in common. */
export interface Look {
  size: [number, number];
  camera: Preset;
  turntable?: boolean;
  color: Coloring;
  max?: number;
  samples: number;
  wire?: boolean;
  subdivide?: number;
  time?: boolean;
  pins: boolean;
  shadows: boolean;
}

export interface Drawer {
  /** Pictures that are worked on at a time. */
  readonly places: number;
  draw(shot: Shot): Promise<Picture>;
  close(): Promise<void>;
}

/** Draws in this thread. */
export function drawHere(folder: string, look: Look): Drawer {
  const recording = openRecording(folder);
  const stage = createStage(recording, {
    color: look.color,
    ...(look.max === undefined ? {} : { max: look.max }),
    wire: look.wire === true,
    ...(look.subdivide === undefined ? {} : { subdivide: look.subdivide }),
    pins: look.pins,
    readMesh: recordedMeshReader(folder),
    readImage: recordedImageReader(folder),
  });
  const [width, height] = look.size;
  const camera = stage.camera(width / height, look.camera, look.turntable === true);
  return {
    places: 1,
    async draw({ frame, turn }) {
      const time = recording.time(frame);
      const title = look.time ? `${time.toFixed(2)} s` : undefined;
      return render(
        stage.scene(recording.pose(frame), time, { title, bodyTimes: recording.bodyTimes(frame) }),
        {
          width,
          height,
          samples: look.samples,
          camera: turned(camera, turn),
          shadows: look.shadows,
        },
      );
    },
    close: async () => recording.close(),
  };
}

/** A thread takes as long to get going as some pictures take to draw. */
const SHOTS_PER_THREAD = 4;

/** Draws in as many threads as pay for so many shots. Each draws its own every so many; pictures come in the order asked for. */
export function drawInThreads(folder: string, look: Look, shots: number): Drawer {
  const kind = extname(fileURLToPath(import.meta.url)); // of the source, which threads cannot run, or of the build
  const count = Math.min(availableParallelism(), Math.floor(shots / SHOTS_PER_THREAD));
  if (kind !== ".js" || count < 2) return drawHere(folder, look);
  const threads = Array.from({ length: count }, () => {
    const thread = new Worker(new URL(`./shots-thread${kind}`, import.meta.url), {
      workerData: { folder, look },
    });
    const waiting: { resolve(picture: Picture): void; reject(error: Error): void }[] = [];
    const fail = (error: Error): void => {
      for (const { reject } of waiting.splice(0)) reject(error);
    };
    thread.on("message", (picture: Picture) => waiting.shift()!.resolve(picture));
    thread.on("error", fail);
    thread.on("exit", (code) => fail(new Error(`a thread that draws ended with code ${code}`)));
    return { thread, waiting };
  });
  let next = 0;
  return {
    places: 2 * count, // one under way and one in hand for each
    draw(shot) {
      const { thread, waiting } = threads[next++ % count];
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        thread.postMessage(shot);
      });
    },
    async close() {
      await Promise.all(threads.map(({ thread }) => thread.terminate()));
    },
  };
}
