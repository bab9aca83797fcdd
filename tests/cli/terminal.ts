/** A terminal that remembers, for tests of commands. */
import pc from "picocolors";
import { main } from "../../src/cli/main.ts";
import type { Terminal } from "../../src/cli/terminal.ts";

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs a command line in this process. `interrupt` is called with a function that presses Ctrl-C. */
export async function isoplate(
  args: readonly string[],
  interrupt: (press: () => void) => void = () => undefined,
): Promise<Ended> {
  let out = "";
  let err = "";
  const terminal: Terminal = {
    out: (text) => {
      out += `${text}\n`;
    },
    err: (text) => {
      err += `${text}\n`;
    },
    live: null,
    colors: pc.createColors(false),
    onInterrupt(stop) {
      interrupt(stop);
      return () => undefined;
    },
  };
  const code = await main(args, terminal);
  return { code, out, err };
}
