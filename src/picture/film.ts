/**
 * Pictures to disk (Node only): PNG, numbered PNGs in a folder, MP4 through ffmpeg, GIF by gif.ts.
 *
 * Frames are handed over one at a time and none is kept, but for GIF, whose palette needs them all. A
 * film appears under its name only when it is complete; until then it has `.part` behind it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { promisify } from "node:util";
import { deflate } from "node:zlib";
import type { Picture } from "./canvas.ts";
import { encodeGif } from "./gif.ts";
import { encodePng } from "./png.ts";

const deflated = promisify(deflate);

/**
 * The bytes of a PNG, compressed by Node's zlib off the main thread. At level 5 a draped sheet in 720p takes 0.1 s and
 * 413 kB; at 7 it would take 0.45 s, as long as to draw it, and 348 kB.
 *
 * @example
 * const bytes = await pngBytes(picture);
 */
export function pngBytes(picture: Picture): Promise<Uint8Array> {
  return encodePng(picture, (bytes) => deflated(bytes, { level: 5 }));
}

/**
 * Writes one PNG; makes its folder.
 *
 * @example
 * await savePng("cloth.png", picture);
 */
export async function savePng(path: string, picture: Picture): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await pngBytes(picture));
}

/** Something to put frames into, in order. Either `done` or `abandon` ends it. */
export interface Film {
  add(picture: Picture): Promise<void>;
  done(): Promise<void>;
  /** Deletes what was written so far. */
  abandon(): Promise<void>;
}

export interface FilmOptions {
  /** Frames per second. */
  rate?: number;
  /** Program that writes MP4; for tests. */
  ffmpeg?: string;
}

/** Films that ffmpeg writes, and the container that it should use. */
const CONTAINERS: Readonly<Record<string, string>> = {
  ".mp4": "mp4",
  ".mov": "mov",
  ".mkv": "matroska",
};

/**
 * Whether openFilm can write what a path's ending asks for.
 *
 * @example
 * if (!canFilm("cloth.mp4")) console.log("install ffmpeg, or write a .gif");
 */
export function canFilm(path: string): boolean {
  const ending = endingOf(path);
  return ending === "" || ending === ".gif" || ending in CONTAINERS;
}

/** ".mp4"; nothing for folders, whose names may have dots too: "run-0.5", "v1.2". */
function endingOf(path: string): string {
  const ending = extname(path).toLowerCase();
  return /^\.[a-z][a-z0-9]{1,4}$/.test(ending) ? ending : "";
}

/**
 * A film by the name of its file: .mp4, .mov, .mkv, .gif, or a folder of numbered PNGs.
 *
 * @example
 * const film = await openFilm("cloth.gif");
 */
export async function openFilm(path: string, options: FilmOptions = {}): Promise<Film> {
  const { rate = 25 } = options;
  if (!(rate > 0 && rate <= 1000))
    throw new Error(`film: rate ${rate}, needs 0 … 1000 frames per second`);
  const ending = endingOf(path);
  if (!canFilm(path))
    throw new Error(`film: cannot write ${ending}; give .mp4, .mov, .mkv, .gif or a folder`);
  await mkdir(dirname(path), { recursive: true });
  if (ending === ".gif") return gifFilm(path, rate);
  if (ending in CONTAINERS)
    return ffmpegFilm(path, rate, CONTAINERS[ending], options.ffmpeg ?? "ffmpeg");
  return pngFilm(path);
}

async function pngFilm(folder: string): Promise<Film> {
  await mkdir(folder, { recursive: true });
  const written: string[] = [];
  let last = Promise.resolve();
  return {
    async add(picture) {
      const path = join(folder, `frame-${String(written.length).padStart(5, "0")}.png`);
      await last;
      written.push(path);
      // compressed while the caller draws the next one
      last = savePng(path, picture);
      last.catch(() => {}); // the promise that is awaited reports it
    },
    done: () => last,
    async abandon() {
      await last.catch(() => {});
      for (const path of written) await rm(path, { force: true });
    },
  };
}

function gifFilm(path: string, rate: number): Film {
  const frames: Picture[] = [];
  return {
    async add(picture) {
      frames.push(picture);
    },
    async done() {
      await writeFile(`${path}.part`, encodeGif(frames, { rate }));
      await rename(`${path}.part`, path);
    },
    async abandon() {
      frames.length = 0;
    },
  };
}

/** Raw frames through a pipe; H.264 that plays everywhere. */
function ffmpegFilm(path: string, rate: number, container: string, program: string): Film {
  const part = `${path}.part`;
  let size: { width: number; height: number } | null = null;
  let process: ChildProcess | null = null;
  let ended: Promise<void> | null = null;

  const start = async ({ width, height }: Picture): Promise<void> => {
    size = { width, height };
    // biome-ignore format: options beside their values
    const child = spawn(program, [
      "-hide_banner", "-loglevel", "error", "-y",
      "-f", "rawvideo", "-pix_fmt", "rgba", "-s", `${width}x${height}`, "-r", String(rate), "-i", "-",
      // H.264 wants even sizes; colours as players expect them of films
      "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
      "-c:v", "libx264", "-crf", "17", "-preset", "medium", "-tune", "animation",
      "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
      ...(container === "matroska" ? [] : ["-movflags", "+faststart"]), "-f", container, part,
    ], { stdio: ["pipe", "ignore", "pipe"] });
    process = child;
    let words = "";
    child.stderr.on("data", (bytes: Buffer) => {
      words = (words + bytes.toString()).slice(-2000);
    });
    child.stdin.on("error", () => {}); // its exit code says so
    ended = new Promise((resolve, reject) => {
      child.once("error", (error: NodeJS.ErrnoException) => {
        reject(error.code === "ENOENT" ? new Error(MISSING) : error);
      });
      child.once("close", (code) => {
        if (code === 0) resolve();
        else reject(new Error(`ffmpeg stopped with ${code}: ${words.trim().split("\n").at(-1)}`));
      });
    });
    ended.catch(() => {}); // the promise that is awaited rejects with it
    await Promise.race([once(child, "spawn"), ended]);
  };

  return {
    async add(picture) {
      if (!process) await start(picture);
      if (picture.width !== size!.width || picture.height !== size!.height)
        throw new Error("film: all frames need the same size");
      const { rgba } = picture;
      const pipe = process!.stdin!;
      const bytes = new Uint8Array(rgba.buffer, rgba.byteOffset, rgba.byteLength);
      // wait when the pipe is full, but not for a program that has died
      if (!pipe.write(bytes)) await Promise.race([once(pipe, "drain").catch(() => ended), ended]);
    },
    async done() {
      if (!process) throw new Error("film: has no frames");
      process.stdin!.end();
      await ended;
      await rename(part, path);
    },
    async abandon() {
      process?.kill("SIGKILL");
      await ended?.catch(() => {});
      await rm(part, { force: true });
    },
  };
}

const MISSING =
  "films as MP4 need ffmpeg: install it (Debian, Ubuntu: apt-get install ffmpeg; macOS: brew install ffmpeg), or write a .gif or a folder of PNGs";
