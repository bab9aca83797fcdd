/** `isoplate render`: pictures and films of a recording, without a browser. */
import { extname, join } from "node:path";
import { InvalidArgumentError } from "commander";
import { PRESETS } from "../picture/camera.ts";
import type { Picture } from "../picture/canvas.ts";
import { COLORINGS } from "../picture/coloring.ts";
import { canFilm, type Film, openFilm, savePng } from "../picture/film.ts";
import { type FolderRecording, openRecording } from "../recording/folder.ts";
import { MOST_HALVINGS } from "../sheet/patches.ts";
import { progressDisplay } from "./progress.ts";
import { type Drawer, drawHere, drawInThreads, type Look, type Shot } from "./shots.ts";
import { type AddCommand, Failed, type Terminal, UsageError } from "./terminal.ts";

interface Options extends Look {
  out?: string;
  frame?: string;
  from?: number;
  to?: number;
  rate?: number;
  speed: number;
  quiet?: boolean;
}

/** Seconds that a turntable of a single frame takes for its turn. */
const TURN = 6;

export const addRender: AddCommand = (program, terminal) => {
  program
    .command("render")
    .description("draw a recording: PNG, MP4, GIF")
    .argument("<recording>", "folder of a run")
    .option(
      "--out <path>",
      "f.png, f.mp4, f.gif, or a folder for numbered PNGs (default: <recording>/pictures/last.png)",
    )
    .option("--frame <n>", "one frame, counted from 0, or: last")
    .option("--from <s>", "start of the film, in simulated time", number)
    .option("--to <s>", "its end", number)
    .option("--rate <n>", "frames per second of the film (default: as recorded)", positive)
    .option("--speed <x>", "simulated seconds per second of film", positive, 1)
    .option("--size <w>x<h>", "pixels", size, [1280, 720])
    .option("--camera <name>", PRESETS.join(", "), oneOf(PRESETS), "auto")
    .option("--turntable", "turn once around the subject")
    .option("--color <by>", COLORINGS.join(", "), oneOf(COLORINGS), "material")
    .option("--max <value>", "end of the colours (0.01 is a strain of 1 %)", positive)
    .option("--samples <n>", "samples along each side of a pixel, 1 … 4", samples, 2)
    .option("--wire", "draw the triangles' edges")
    .option(
      "--subdivide <k>",
      "halvings of every edge of curved sheets, 0 … 6 (default: as many as look smooth)",
      halvings,
    )
    .option("--time", "write the time into the picture")
    .option("--no-pins", "leave out the marks of pins")
    .option("--no-shadows", "leave out shadows: three times as fast")
    .option("--quiet", "no progress")
    .addHelpText(
      "after",
      `
Examples:
  isoplate render out/pinned-cloth --out cloth.png --color edge-strain
  isoplate render out/pinned-cloth --out cloth.mp4 --time
  isoplate render out/pinned-cloth --out turn.gif --frame last --turntable --size 640x360

MP4 needs ffmpeg (Debian: apt-get install ffmpeg); GIF and PNG need nothing.`,
    )
    .action((folder: string, options: Options) => draw(folder, options, terminal));
};

async function draw(folder: string, options: Options, terminal: Terminal): Promise<void> {
  const recording = openRecording(folder);
  try {
    if (recording.frames === 0) throw new UsageError(`${folder}: has no frame yet`);
    const out = options.out ?? join(folder, "pictures", "last.png");
    const still = extname(out).toLowerCase() === ".png";
    if (!still && !canFilm(out))
      throw new UsageError(`--out ${out}: give .png, .mp4, .mov, .mkv, .gif or a folder`);
    if (still && options.turntable)
      throw new UsageError("--turntable is a film; give --out a .mp4, a .gif or a folder");
    const shots = still
      ? [{ frame: chosen(recording, options.frame), turn: 0 }]
      : filmed(recording, options);

    const drawer = still ? drawHere(folder, options) : drawInThreads(folder, options, shots.length);
    try {
      if (still) await savePng(out, await drawer.draw(shots[0]));
      else {
        const target = await openFilm(out, { rate: filmRate(recording, options) });
        await film(target, shots, drawer, options, terminal);
      }
    } finally {
      await drawer.close();
    }
    terminal.out(`written to ${out}`);
  } finally {
    recording.close();
  }
}

async function film(
  target: Film,
  shots: readonly Shot[],
  drawer: Drawer,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const progress = progressDisplay("drawing", terminal, options.quiet === true);
  let stopped = false;
  const deaf = terminal.onInterrupt(() => {
    stopped = true;
  });
  const ahead: Promise<Picture>[] = [];
  let asked = 0;
  try {
    for (let k = 0; k < shots.length; k++) {
      if (stopped)
        throw new Failed(`broken off after ${k} of ${shots.length} frames; nothing was kept`);
      while (asked < shots.length && ahead.length < drawer.places) {
        const picture = drawer.draw(shots[asked++]);
        picture.catch(() => {}); // the promise that is awaited reports it
        ahead.push(picture);
      }
      await target.add(await ahead.shift()!);
      const details = [`${k + 1} of ${shots.length} frames`];
      progress.update({ share: (k + 1) / shots.length, details });
      await new Promise((resume) => setImmediate(resume)); // signals are heard between frames
    }
    await target.done();
  } catch (error) {
    await target.abandon();
    throw error;
  } finally {
    progress.done();
    deaf();
  }
}

/** The frame that --frame names. */
function chosen(recording: FolderRecording, name = "last"): number {
  const last = recording.frames - 1;
  if (name === "last") return last;
  const frame = Number(name);
  if (!(Number.isInteger(frame) && frame >= 0 && frame <= last))
    throw new UsageError(`--frame ${name}: needs 0 … ${last}, or last`);
  return frame;
}

/** Frames of the film: the recorded frame nearest to each moment. */
function filmed(recording: FolderRecording, options: Options): Shot[] {
  const rate = filmRate(recording, options);
  const whole = 2 * Math.PI;
  if (options.frame !== undefined) {
    if (!options.turntable)
      throw new UsageError(
        "--frame is one picture; for a film of it add --turntable, or give --out a .png",
      );
    const frame = chosen(recording, options.frame);
    const count = Math.max(2, Math.round(TURN * rate));
    return Array.from({ length: count }, (_, k) => ({ frame, turn: (whole * k) / count }));
  }
  const last = recording.frames - 1;
  const from = options.from ?? recording.time(0);
  const to = options.to ?? recording.time(last);
  if (!(to >= from))
    throw new UsageError(`--from ${from} --to ${to}: the film would end before it begins`);
  const count = 1 + Math.floor(((to - from) * rate) / options.speed + 1e-6);
  const shots: Shot[] = [];
  let frame = 0;
  for (let k = 0; k < count; k++) {
    const time = from + (k * options.speed) / rate;
    while (frame < last && nearer(recording, frame, time)) frame++;
    shots.push({ frame, turn: options.turntable ? (whole * k) / count : 0 });
  }
  return shots;
}

/** Whether the next frame is nearer to a moment than this one. */
function nearer(recording: FolderRecording, frame: number, time: number): boolean {
  const here = Math.abs(recording.time(frame) - time);
  return Math.abs(recording.time(frame + 1) - time) < here + 1e-12;
}

function filmRate(recording: FolderRecording, { rate }: Options): number {
  return rate ?? Math.min(60, recording.scene.record.rate);
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value))
    throw new InvalidArgumentError("Not a number.");
  return value;
}

function positive(text: string): number {
  const value = number(text);
  if (!(value > 0)) throw new InvalidArgumentError("Needs more than 0.");
  return value;
}

function samples(text: string): number {
  const value = number(text);
  if (!(Number.isInteger(value) && value >= 1 && value <= 4))
    throw new InvalidArgumentError("Needs 1, 2, 3 or 4.");
  return value;
}

function halvings(text: string): number {
  const value = number(text);
  if (!(Number.isInteger(value) && value >= 0 && value <= MOST_HALVINGS))
    throw new InvalidArgumentError(`Needs a whole number, 0 … ${MOST_HALVINGS}.`);
  return value;
}

function size(text: string): [number, number] {
  const [, w, h] = /^(\d+)[x×](\d+)$/i.exec(text) ?? [];
  const [width, height] = [Number(w), Number(h)];
  if (!(width >= 16 && height >= 16 && width <= 8192 && height <= 8192))
    throw new InvalidArgumentError("Needs <width>x<height>, 16 … 8192 each.");
  return [width, height];
}

function oneOf<T extends string>(names: readonly T[]): (text: string) => T {
  return (text) => {
    const found = names.find((name) => name === text);
    if (found === undefined) throw new InvalidArgumentError(`Needs one of: ${names.join(", ")}.`);
    return found;
  };
}
