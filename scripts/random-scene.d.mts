/** A scene in its input form, what it is made of, and the text of the files that it names. */
export interface RandomScene {
  input: Record<string, unknown>;
  classes: string[];
  files: Record<string, string>;
}
export const CLASSES: readonly string[];
export function randomScene(seed: number): RandomScene;
export function simpler(input: Record<string, unknown>): Record<string, unknown>[];
