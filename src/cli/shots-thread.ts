/** A thread of shots.ts: draws one picture after the other. */
import { parentPort, workerData } from "node:worker_threads";
import { drawHere, type Look, type Shot } from "./shots.ts";

const port = parentPort;
if (port === null) throw new Error("this file is a thread of shots.ts");
const { folder, look } = workerData as { folder: string; look: Look };
const drawer = drawHere(folder, look);
port.on("message", async (shot: Shot) => {
  const picture = await drawer.draw(shot);
  port.postMessage(picture, [picture.rgba.buffer as ArrayBuffer]);
});
