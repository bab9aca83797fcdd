/** The worker: an engine, its messages in order, and a loop that yields between beats. */
import { createEngine, failed, handle, tick } from "./engine.ts";
import type { FromEngine, ToEngine } from "./protocol.ts";

/** The few names of a worker's global scope that are used; the DOM's types describe a page. */
const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<ToEngine>) => void) | null;
  postMessage(message: FromEngine, transfer?: Transferable[]): void;
};

const engine = createEngine((message, transfer = []) => scope.postMessage(message, transfer));

// Messages are handled one after the other, also those that wait for a file to load.
let queue: Promise<void> = Promise.resolve();
scope.onmessage = ({ data }) => {
  if (data.type === "cancel") {
    engine.cancelled.add(data.id); // not in the queue: what it ends is at its head
    return;
  }
  if (data.type === "pictured") {
    engine.pictured?.();
    return;
  }
  queue = queue
    .then(() => handle(engine, data))
    .catch((error: Error) => failed(engine, `${data.type}: ${error.message}`))
    .then(wake);
};

// A message to oneself comes back at once; a timeout of 0 would wait 4 ms.
const channel = new MessageChannel();
let timer: ReturnType<typeof setTimeout> | undefined;
let posted = false;
channel.port1.onmessage = () => {
  posted = false;
  wake();
};

function wake(): void {
  clearTimeout(timer);
  const wait = tick(engine);
  if (wait === null) return;
  if (wait > 0) timer = setTimeout(wake, wait);
  else if (!posted) {
    posted = true;
    channel.port2.postMessage(null);
  }
}

scope.postMessage({ type: "ready" });
