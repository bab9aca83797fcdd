/**
 * A scene in the address: `#scene=pinned-cloth` for a built-in one as it is, else `#z=…`, its JSON deflated, in base64
 * with the letters that addresses keep. The whole scene, not its difference from a built-in one: the same link gives the
 * same run even when the built-in scene has changed since.
 */
import type { SceneInput } from "../../src/index.ts";
import { libraryScene } from "../../src/scenes.ts";
import { deflated, inflated } from "./keep/zip.ts";

/** The fragment for a scene, with its #. */
export async function toLink(input: SceneInput): Promise<string> {
  const name = input.name ?? "";
  const known = libraryScene(name);
  if (known !== undefined && JSON.stringify(known.input()) === JSON.stringify(input))
    return `#scene=${encodeURIComponent(name)}`;
  if (known !== undefined && JSON.stringify(interactive(known.input())) === JSON.stringify(input))
    return `#scene=${encodeURIComponent(name)}&solver=interactive`;
  const packed = await deflated(new TextEncoder().encode(JSON.stringify(input)));
  return `#z=${toBase64(packed)}`;
}

/** The scene that a fragment names; null if it names none. @throws if it names one that cannot be read */
export async function fromLink(fragment: string): Promise<SceneInput | null> {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const name = fields.get("scene");
  if (name !== null) {
    const known = libraryScene(name);
    if (known === undefined) throw new Error(`there is no built-in scene "${name}"`);
    return fields.get("solver") === "interactive" ? interactive(known.input()) : known.input();
  }
  const packed = fields.get("z");
  if (packed === null) return null;
  try {
    const text = new TextDecoder().decode(await inflated(fromBase64(packed)));
    return JSON.parse(text) as SceneInput;
  } catch {
    throw new Error("the link is damaged: part of it may have been cut off");
  }
}

/** A scene as the studio opens it: quick enough to be held. */
export function interactive(input: SceneInput): SceneInput {
  const { h: _, ...rest } = input;
  return { ...rest, solver: "interactive" };
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text: string): Uint8Array {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (c) => c.charCodeAt(0));
}
