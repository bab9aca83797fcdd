/**
 * `isoplate/picture`: pictures, films and reports of recordings without a browser (Node).
 *
 * @example
 * import { openRecording } from "isoplate/node";
 * import { createStage, render, savePng } from "isoplate/picture";
 *
 * const recording = openRecording("out/pinned-cloth");
 * const stage = createStage(recording, { color: "edge-strain" });
 * const last = recording.frames - 1;
 * const picture = render(stage.scene(recording.pose(last), recording.time(last)), {
 *   camera: stage.camera(16 / 9),
 * });
 * await savePng("cloth.png", picture);
 */
export { type Camera, fitCamera, PRESETS, type Preset, turned } from "./camera.ts";
export type { Legend, Picture } from "./canvas.ts";
export type { Color, ColorMap } from "./color.ts";
export { COLORINGS, type Coloring, type Measure } from "./coloring.ts";
export { canFilm, type Film, type FilmOptions, openFilm, pngBytes, savePng } from "./film.ts";
export type { PictureMesh } from "./pool.ts";
export { type PictureScene, type RenderOptions, render } from "./render.ts";
export { type ReportOptions, writeReport } from "./report.ts";
export { createStage, type Stage, type StageOptions } from "./stage.ts";
