/**
 * What every reader throws, and nothing else, when a file is not what it says it is.
 *
 * Files come from strangers: cut short, exported by broken programs, or hostile. A reader therefore
 * checks a count against the bytes that could hold it before it allocates, and checks every number
 * and index where it enters, so that nothing behind the reader needs to doubt them again.
 */
export class FileError extends Error {
  readonly format: string;
  /** Where in the file: "line 12", "byte 84", "accessor 3". */
  readonly place: string;
  readonly what: string;
  readonly allowed: string;

  constructor(format: string, place: string, what: string, allowed: string = "") {
    super(`${format}, ${place}: ${what}${allowed ? `; ${allowed}` : ""}`);
    this.name = "FileError";
    this.format = format;
    this.place = place;
    this.what = what;
    this.allowed = allowed;
  }
}

/** A piece of a file for an error message: short, and without control characters. */
export function quoted(text: string): string {
  const clean = text.replace(/[^\x20-\x7e]/g, "?");
  return clean.length > 40 ? `"${clean.slice(0, 37)}…"` : `"${clean}"`;
}

/** Values that a JSON text may have: some 60 bytes of memory each. */
const MOST_JSON_VALUES = 5_000_000;

/** JSON.parse for files of strangers: measured first, since two bytes of text may become sixty of memory. @throws FileError */
export function parseJsonText(text: string, format: string): unknown {
  let values = 1;
  for (let k = 0; k < text.length; k++) {
    const code = text.charCodeAt(k);
    if (code === 44 || code === 91 || code === 123) values++; // , [ {
  }
  if (values > MOST_JSON_VALUES)
    throw new FileError(format, "JSON", `${values} values`, `may have ${MOST_JSON_VALUES}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FileError(format, "JSON", (error as Error).message.slice(0, 200));
  }
}
