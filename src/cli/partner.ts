/** A second thread for factorisations (kernels/partner.ts), as Node starts one. */
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { StartPartner } from "../kernels/kernels.ts";
import { createPartner } from "../kernels/partner.ts";
import { shared } from "../kernels/wasm-shared.generated.ts";

/** Starts the thread. It does not keep the program alive. */
export const startPartner: StartPartner = (arena) => {
  const kind = extname(fileURLToPath(import.meta.url)); // of the source, which threads cannot run, or of the build
  if (kind !== ".js") return { shared };
  const { partner, data } = createPartner(arena);
  new Worker(new URL(`./partner-thread${kind}`, import.meta.url), { workerData: data }).unref();
  return { partner, shared };
};
