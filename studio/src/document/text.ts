/** The scene as YAML and back. Loaded when the text is looked at. */

import { Document, isSeq, visit } from "yaml";
import { readSceneText } from "../../../src/files/index.ts";
import { checkScene, type Fault, SceneError, type SceneInput } from "../../../src/index.ts";

/** Lists of numbers in one line: not one number per line. */
export function sceneText(input: SceneInput): string {
  const document = new Document(input);
  visit(document, {
    Seq(_, node) {
      if (node.items.every((item) => !isSeq(item) || item.flow) && node.items.length <= 4)
        node.flow = node.items.every((item) => !("items" in (item as object)));
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** What was typed: a scene, or everything that is wrong with it and where. */
export function readText(text: string): { input: SceneInput | null; faults: readonly Fault[] } {
  try {
    const { input, locate } = readSceneText(text, "scene");
    checkScene(input, "scene", locate);
    return { input: input as SceneInput, faults: [] };
  } catch (error) {
    if (error instanceof SceneError) return { input: null, faults: error.faults };
    return { input: null, faults: [{ path: "", message: (error as Error).message }] };
  }
}
