/** The program, compiled once for all test files that run it. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

export const repo: string = fileURLToPath(new URL("../..", import.meta.url));
// inside the repository, so that the built files find their packages
const cache = path.join(repo, "node_modules", ".cache", "isoplate-built");

/** Names the sources as they are now. */
function fingerprint(): string {
  const hash = createHash("sha256");
  const names = fs.readdirSync(path.join(repo, "src"), { recursive: true, encoding: "utf8" });
  const files = names.map((name) => path.join("src", name)).sort();
  for (const name of ["tsconfig.json", "tsconfig.build.json", ...files]) {
    const file = path.join(repo, name);
    if (fs.statSync(file).isFile()) hash.update(`${name}\n`).update(fs.readFileSync(file));
  }
  return hash.digest("hex").slice(0, 16);
}

/**
 * A folder as `dist`, made from the sources as they are. It is kept under a name that follows from them, so that only the first
 * file that asks has to wait; of two that ask at once one is used.
 */
export function builtFolder(): string {
  const folder = path.join(cache, fingerprint());
  if (fs.existsSync(folder)) return folder;
  const fresh = `${folder}-${process.pid}`;
  const tsc = path.join(repo, "node_modules", "typescript", "bin", "tsc");
  const project = path.join(repo, "tsconfig.build.json");
  // types have a test of their own
  execFileSync(process.execPath, [tsc, "-p", project, "--outDir", fresh, "--noCheck"]);
  fs.chmodSync(path.join(fresh, "cli", "main.js"), 0o755);
  try {
    fs.renameSync(fresh, folder);
  } catch {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
  forgetOld();
  return folder;
}

/** Deletes what was built more than a day ago. */
function forgetOld(): void {
  for (const name of fs.readdirSync(cache)) {
    const folder = path.join(cache, name);
    const changed = fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - changed > 86_400_000) fs.rmSync(folder, { recursive: true, force: true });
  }
}
