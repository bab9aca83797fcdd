/** An empty folder for each test of a file, deleted after it. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach } from "vitest";

/** Gives paths in the folder of the test that runs; none: the folder itself. */
export function temporaryFolder(): (...names: string[]) => string {
  let root = "";
  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-"));
  });
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));
  return (...names) => path.join(root, ...names);
}
