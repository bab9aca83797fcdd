/** The painter as the page speaks to it: in a worker, or on the page itself where a canvas cannot be handed over. */
import { replay, startPainter, takeEarly } from "../early.ts";
import type { FromPainter, ToPainter } from "./painting.ts";

export interface PainterPort {
  send(message: ToPainter, transfer?: Transferable[]): void;
  end(): void;
}

export async function paintElsewhere(
  canvas: HTMLCanvasElement,
  hear: (message: FromPainter) => void,
): Promise<PainterPort> {
  if (typeof canvas.transferControlToOffscreen === "function") {
    const early = takeEarly("painter");
    const worker = early?.worker ?? startPainter();
    worker.onmessage = ({ data }: MessageEvent<FromPainter>) => hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      hear({ type: "failed", message: event.message || "the painter stopped" });
    };
    if (early !== null) replay(early);
    else {
      const offscreen = canvas.transferControlToOffscreen();
      worker.postMessage({ type: "canvas", canvas: offscreen } satisfies ToPainter, [offscreen]);
    }
    return {
      send: (message, transfer = []) => worker.postMessage(message, transfer),
      end: () => worker.terminate(),
    };
  }
  const { createPainter } = await import("./painter.ts");
  const painter = createPainter(canvas);
  return {
    send(message) {
      if (message.type === "lanes") painter.setLanes(message.lanes);
      else if (message.type === "opened")
        void painter.setOpened(message.lane, message.opened).then(() => hear({ type: "changed" }));
      else if (message.type === "draw") {
        const buffers = painter.draw(message.picture);
        requestAnimationFrame(() => hear({ type: "drawn", counts: painter.counts(), buffers }));
      } else if (message.type === "snapshot") {
        painter.draw(message.picture);
        const { id } = message;
        if (message.as === "png")
          canvas.toBlob((blob) => blob && hear({ type: "snapshot", id, result: blob }));
        else
          void createImageBitmap(canvas).then((result) => hear({ type: "snapshot", id, result }));
      }
    },
    end: () => painter.dispose(),
  };
}
