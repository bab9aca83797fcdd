/** Files that are dropped or chosen: scenes, meshes, sewing patterns. */
import { type Signal, signal } from "@preact/signals";
import type { FromEngine, ReadAs } from "../engine/protocol.ts";
import { interactive } from "../link.ts";
import { connections, first, setRunning } from "./lanes.ts";
import { bodyFromFile } from "./making.ts";
import { open } from "./scene.ts";
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
  if (/\.(svg|dxf)$/i.test(name))
    lane.send({ type: "read", name, bytes: others[name], files: {}, as: "cloth" });
  else question.value = { name, bytes: others[name] };
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
