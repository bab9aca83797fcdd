/** Files that are dropped or chosen: scenes, meshes, sewing patterns. */
import { type Signal, signal } from "@preact/signals";
import { editSheet } from "../document/edits.ts";
import type { FromEngine, ReadAs } from "../engine/protocol.ts";
import { interactive } from "../link.ts";
import { connections, first, setRunning } from "./lanes.ts";
import { bodyFromFile } from "./making.ts";
import { change, open } from "./scene.ts";
import { note, panelOpen, tab } from "./signals.ts";

/** A mesh of which the page asks what it is. */
export const question: Signal<{ name: string; bytes: Uint8Array } | null> = signal(null);

/** Opens a scene file, a mesh or a pattern, or a scene together with the files that it names. */
export async function openFiles(list: Iterable<File>): Promise<void> {
  const all = [...list];
  const scene = all.find(({ name }) => /\.(json|ya?ml)$/i.test(name));
  const others: Record<string, Uint8Array> = {};
  for (const file of all)
    if (file !== scene) others[file.name] = new Uint8Array(await file.arrayBuffer());
  const lane = first.value;
  if (lane === null || all.length === 0) return;
  if (scene !== undefined) {
    const bytes = new Uint8Array(await scene.arrayBuffer());
    lane.send({ type: "read", name: scene.name, bytes, files: others, as: "cloth" });
    return;
  }
  const { name } = all[0];
  if (/\.(png|jpe?g|webp|gif|avif)$/i.test(name)) await layImage(all[0]);
  else if (/\.(svg|dxf)$/i.test(name))
    lane.send({ type: "read", name, bytes: others[name], files: {}, as: "cloth" });
  else question.value = { name, bytes: others[name] };
}

/** Pixels along the longer side of an image on a sheet: a print that is sharp at arm's length, in some 100 kB. */
const LARGEST_IMAGE = 1024;

/** Lays an image on the first sheet, once across it; kept as a PNG file, which is what `isoplate render` reads. */
export async function layImage(file: File): Promise<void> {
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, LARGEST_IMAGE / Math.max(bitmap.width, bitmap.height));
    const canvas = new OffscreenCanvas(
      Math.max(1, Math.round(scale * bitmap.width)),
      Math.max(1, Math.round(scale * bitmap.height)),
    );
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const blob = await canvas.convertToBlob({ type: "image/png" });
    const image = file.name.replace(/\.[^.]*$/, ".png");
    const bytes = new Uint8Array(await blob.arrayBuffer());
    const size = sheetWidth();
    change(
      (scene) =>
        editSheet(scene, 0, (sheet) => ({ ...sheet, look: { ...sheet.look, image, size } })),
      null,
      { [image]: bytes },
    );
    note(`${file.name} laid on the sheet`, "good");
  } catch {
    note(`${file.name} is no image that this browser reads`, "bad");
  }
}

/** m, how wide the first sheet is in its material coordinates. */
function sheetWidth(): number {
  const sheet = first.value?.opened.value?.sheet;
  if (sheet === undefined) return 1;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < sheet.parts[0].points; i++) {
    low = Math.min(low, sheet.uv[2 * i]);
    high = Math.max(high, sheet.uv[2 * i]);
  }
  return Number((high - low).toPrecision(4)) || 1;
}

/** The answer to the question what a mesh is. */
export function answer(as: ReadAs | null): void {
  const asked = question.value;
  question.value = null;
  if (asked === null || as === null) return;
  first.value?.send({ type: "read", ...asked, files: {}, as });
}

connections.read = (message: FromEngine & { type: "read" }): void => {
  const { name, input, files, notes, as } = message;
  if (as === "body") {
    bodyFromFile(input, files);
    note(`${name} added as a body`, "good", notes);
    return;
  }
  const pattern = /\.(svg|dxf)$/i.test(name);
  const mesh = /\.(obj|ply|stl|glb|gltf)$/i.test(name);
  if (pattern) setRunning(false);
  // what is not a scene of its own runs as new scenes do
  open(pattern || mesh ? interactive(input) : input, files);
  if (pattern) {
    tab.value = "pattern";
    panelOpen.value = true;
  }
  note(`${name} opened`, "good", notes);
};
