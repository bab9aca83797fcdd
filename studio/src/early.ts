/**
 * The two workers, started before the page itself is loaded: the engine's and the painter's programs are the largest, and
 * a painter without a graphics card needs most of the time until the first picture to set up its canvas.
 */

/** A worker that was started early, and what it said before anyone listened. */
export interface EarlyWorker {
  readonly worker: Worker;
  readonly heard: (MessageEvent | ErrorEvent)[];
}

export interface EarlyPainter extends EarlyWorker {
  readonly canvas: HTMLCanvasElement;
}

const waiting: { engine: EarlyWorker | null; painter: EarlyPainter | null } = {
  engine: null,
  painter: null,
};

export function startEngine(): Worker {
  return new Worker(new URL("./engine/worker.ts", import.meta.url), { type: "module" });
}

export function startPainter(): Worker {
  return new Worker(new URL("./theatre/painter-worker.ts", import.meta.url), { type: "module" });
}

/** Starts both; the painter only where a canvas can be handed over. */
export function startEarly(): void {
  const canvas = document.createElement("canvas");
  if (typeof canvas.transferControlToOffscreen === "function") {
    const painter = recorded(startPainter());
    const offscreen = canvas.transferControlToOffscreen();
    painter.worker.postMessage({ type: "canvas", canvas: offscreen }, [offscreen]);
    waiting.painter = { ...painter, canvas };
  }
  waiting.engine = recorded(startEngine());
}

function recorded(worker: Worker): EarlyWorker {
  const heard: EarlyWorker["heard"] = [];
  worker.onmessage = (event) => heard.push(event);
  worker.onerror = (event) => heard.push(event);
  return { worker, heard };
}

/** The canvas that the early painter has, or a new one. */
export function stageCanvas(): HTMLCanvasElement {
  return waiting.painter?.canvas ?? document.createElement("canvas");
}

/** The early worker of that kind, once; null if it is gone or never was. */
export function takeEarly<K extends keyof typeof waiting>(kind: K): (typeof waiting)[K] {
  const early = waiting[kind];
  waiting[kind] = null;
  return early;
}

/** Tells a worker's listeners, which must be set, what it has said so far. */
export function replay({ worker, heard }: EarlyWorker): void {
  for (const event of heard.splice(0)) {
    if (event.type === "message") worker.onmessage?.(event as MessageEvent);
    else worker.onerror?.(event as ErrorEvent);
  }
}
