/** Threads of a simulation (kernels/team.ts, kernels/partner.ts), as Node starts them. They do not keep the program alive. */
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { createPartner } from "../kernels/partner.ts";
import { createTeam, type Threads } from "../kernels/team.ts";
import { shared } from "../kernels/wasm-shared.generated.ts";

/** @param count threads, the caller's among them */
export function nodeThreads(count: number): Threads {
  return {
    count,
    shared,
    startPartner(arena) {
      if (!isBuilt()) return { shared };
      const { partner, data } = createPartner(arena);
      start({ partner: data });
      return { partner, shared };
    },
    startTeam(arena, control) {
      const { team, data } = createTeam(arena, control, isBuilt() ? count : 1);
      for (const member of data) start({ team: member });
      return team;
    },
  };
}

/** Threads cannot run the sources. */
function isBuilt(): boolean {
  return extname(fileURLToPath(import.meta.url)) === ".js";
}

function start(workerData: unknown): void {
  new Worker(new URL("./thread.js", import.meta.url), { workerData }).unref();
}
