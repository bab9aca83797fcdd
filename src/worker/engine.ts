/**
 * `isoplate/worker/engine`: what a worker runs. Importing it starts to serve a simulation to the page that made the worker.
 *
 * @example
 * // engine.js
 * import "isoplate/worker/engine";
 * // page.js
 * const worker = new Worker(new URL("./engine.js", import.meta.url), { type: "module" });
 * const simulation = await createWorkerSimulation(scene, { worker });
 */
import "../methods.ts";
import type { Port } from "./protocol.ts";
import { serveSimulation } from "./serve.ts";

if (!("postMessage" in globalThis))
  throw new Error("isoplate/worker/engine is imported by workers of web pages alone");
serveSimulation(globalThis as unknown as Port);
