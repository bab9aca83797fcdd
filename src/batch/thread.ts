/** A thread of the pool (pool.ts): takes one task at a time, and hears "stop" while it runs. */
import { parentPort } from "node:worker_threads";
import { Interrupted } from "../recording/run.ts";
import { attempt } from "./attempt.ts";
import { drawRun } from "./picture.ts";
import type { FromThread, ToThread } from "./pool.ts";

const port = parentPort;
if (port === null) throw new Error("this file is a thread of pool.ts");
const tell = (message: FromThread): void => port.postMessage(message);
let stop = new AbortController();

port.on("message", async (message: ToThread) => {
  if (message.type === "stop") {
    stop.abort();
    return;
  }
  stop = new AbortController();
  try {
    if (message.type === "draw") {
      await drawRun(message.task);
      tell({ type: "drawn" });
      return;
    }
    const outcome = await attempt(message.task, {
      signal: stop.signal,
      onProgress: ({ steps, totalSteps }) =>
        tell({ type: "progress", share: totalSteps === 0 ? 1 : steps / totalSteps }),
    });
    tell({ type: "ended", outcome });
  } catch (error) {
    if (error instanceof Interrupted) tell({ type: "interrupted", time: error.time });
    else tell({ type: "error", message: error instanceof Error ? error.message : String(error) });
  }
});
