/**
 * What the studio knows, as signals, and what can be done to it. Nothing here draws: the theatre and the panels read
 * these signals and call these functions.
 */
import { effect } from "@preact/signals";
import { connections, setVariants } from "./state/lanes.ts";
import { begin, history, input, open, sceneOfAddress } from "./state/scene.ts";
import { applyTheme } from "./state/signals.ts";

export * from "./state/files.ts";
export * from "./state/holding.ts";
export * from "./state/keeping.ts";
export * from "./state/key-hold.ts";
export * from "./state/lanes.ts";
export * from "./state/making.ts";
export * from "./state/probe.ts";
export * from "./state/scene.ts";
export * from "./state/signals.ts";

/** Opens what the address names, or the first scene, and follows the address from then on. */
export async function start(): Promise<void> {
  effect(applyTheme);
  connections.scene = () => history.value.present;
  const named = await sceneOfAddress();
  if (named !== null) begin(named);
  setVariants([]);
  addEventListener("hashchange", async () => {
    const scene = await sceneOfAddress();
    if (scene !== null && JSON.stringify(scene) !== JSON.stringify(input.value)) open(scene);
  });
}
