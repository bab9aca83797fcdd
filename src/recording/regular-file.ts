/**
 * Files of unknown origin, opened safely, for Node: only regular files of a size that was looked at first.
 *
 * A name may lead to a pipe that nobody writes to, a device without an end, or 100 GB. O_NONBLOCK keeps open() from waiting
 * for a pipe's other end; size and type are those of the opened file, not of the name, which may have changed since.
 */
import * as fs from "node:fs";

/** A path that leads to something other than a file of a size that can be read. */
export class UnreadableFileError extends Error {
  constructor(file: string, reason: string) {
    super(`${file}: ${reason}`);
    this.name = "UnreadableFileError";
  }
}

/** Bytes that one file may have, by what it holds. */
export const MOST_BYTES: Readonly<Record<"scene" | "pattern" | "mesh" | "recording", number>> = {
  /** Scenes, studies: outlines of 10⁵ points are some megabytes. */
  scene: 64 * 2 ** 20,
  pattern: 64 * 2 ** 20,
  /** A hundred times the meshes that are simulated; 512 MB is the longest text of the engine. */
  mesh: 256 * 2 ** 20,
  /** Parts of a recording that are read whole: 2 GB is the longest array of the file system's functions. */
  recording: 2 ** 31 - 1,
};

/** Opens a regular file for reading. @throws UnreadableFileError, errors of the file system */
export function openRegularFile(file: string): { fd: number; size: number } {
  const { O_RDONLY, O_NONBLOCK = 0 } = fs.constants;
  const fd = fs.openSync(file, O_RDONLY | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw new UnreadableFileError(file, `is ${kindOf(stat)}, needs a file`);
    return { fd, size: stat.size };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/**
 * Opens a regular file to change it, never through a link: in a folder from somebody else it may lead to a file of yours.
 *
 * @param append whether writing goes to its end, which also makes it if it is not there
 */
export function openOwnFile(file: string, append = false): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = fs.constants;
  const flags = O_RDWR | O_NONBLOCK | O_NOFOLLOW | (append ? O_APPEND | O_CREAT : 0);
  if (fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new UnreadableFileError(file, "is a link, needs a file");
  const fd = fs.openSync(file, flags, 0o666);
  const stat = fs.fstatSync(fd);
  if (stat.isFile()) return fd;
  fs.closeSync(fd);
  throw new UnreadableFileError(file, `is ${kindOf(stat)}, needs a file`);
}

/** All bytes of a regular file. @param most bytes that it may have */
export function readRegularFile(file: string, most: number): Uint8Array<ArrayBuffer> {
  const { fd, size } = openRegularFile(file);
  try {
    if (size > most)
      throw new UnreadableFileError(file, `has ${size} bytes, needs at most ${most}`);
    const bytes = new Uint8Array(size);
    let at = 0;
    while (at < size) {
      const got = fs.readSync(fd, bytes, at, size - at, at);
      if (got === 0) break; // it has become shorter meanwhile
      at += got;
    }
    return at === size ? bytes : bytes.slice(0, at);
  } finally {
    fs.closeSync(fd);
  }
}

function kindOf(stat: fs.Stats): string {
  if (stat.isDirectory()) return "a folder";
  if (stat.isFIFO()) return "a pipe";
  if (stat.isSocket()) return "a socket";
  return "a device";
}

/** All of a regular file as text. */
export function readRegularText(file: string, most: number): string {
  return new TextDecoder().decode(readRegularFile(file, most));
}
