/** Programs that slow tests run. `npm test` installs them (scripts/install-test-programs.sh). */
import { execFileSync } from "node:child_process";

/** The path of a program, or an error that says what to install. */
export function needs(program: string, debianPackage: string): string {
  try {
    return execFileSync("/bin/sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim();
  } catch {
    throw new Error(`this test needs ${program}: apt-get install ${debianPackage}`);
  }
}

/** A Python that has the module: Debian's own, since its packages are for that one. */
export function pythonWith(module: string, debianPackage: string): string {
  for (const python of ["/usr/bin/python3", "python3"])
    try {
      execFileSync(python, ["-c", `import ${module}`], { stdio: "ignore" });
      return python;
    } catch {
      // the next one may have it
    }
  throw new Error(`this test needs Python's ${module}: apt-get install ${debianPackage}`);
}

/** Browsers and queues are programs of their own, on a machine that may be busy: once more is allowed. */
export const BUSY = { retry: 1 };
