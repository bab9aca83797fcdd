/** The painter's worker. One picture at a time; the page sends the next when this one has been shown. */
import { createPainter, type Painter } from "./painter.ts";
import type { FromPainter, ToPainter } from "./painting.ts";

const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<ToPainter>) => void) | null;
  postMessage(message: FromPainter, transfer?: Transferable[]): void;
  requestAnimationFrame?(callback: () => void): number;
};

let painter: Painter | null = null;
let canvas: OffscreenCanvas | null = null;

scope.onmessage = ({ data }) => {
  paint(data).catch((error: Error) => {
    scope.postMessage({ type: "failed", message: error.message });
  });
};

async function paint(message: ToPainter): Promise<void> {
  if (message.type === "canvas") {
    canvas = message.canvas;
    painter = createPainter(canvas);
    return;
  }
  if (painter === null || canvas === null) return;
  switch (message.type) {
    case "lanes":
      painter.setLanes(message.lanes);
      break;
    case "opened":
      await painter.setOpened(message.lane, message.opened);
      if (message.opened.images.some((image) => image !== null))
        scope.postMessage({ type: "changed" });
      break;
    case "draw": {
      const buffers = painter.draw(message.picture);
      const counts = painter.counts();
      const tell = (): void => scope.postMessage({ type: "drawn", counts, buffers }, buffers);
      // when the picture is on its way to the screen
      if (scope.requestAnimationFrame) scope.requestAnimationFrame(tell);
      else tell();
      break;
    }
    case "snapshot": {
      painter.draw(message.picture);
      const { id } = message;
      if (message.as === "png") {
        const result = await canvas.convertToBlob({ type: "image/png" });
        scope.postMessage({ type: "snapshot", id, result });
      } else {
        const result = await createImageBitmap(canvas);
        scope.postMessage({ type: "snapshot", id, result }, [result]);
      }
      break;
    }
  }
}
