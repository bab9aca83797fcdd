/**
 * `isoplate/scenes`: the built-in scenes, as functions of their parameters, and the sources of the named materials. Apart from the core, for pages that have scenes of their own.
 *
 * @example
 * import { createSimulation, parseScene } from "isoplate";
 * import { libraryScene } from "isoplate/scenes";
 *
 * const simulation = createSimulation(parseScene(libraryScene("pinned-cloth")!.input()));
 */
export { type LibraryScene, library, libraryScene, nearestScene } from "./scene/library.ts";
export { materialSources } from "./scene/material-sources.ts";
