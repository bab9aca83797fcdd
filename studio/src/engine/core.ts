/**
 * What the studio takes from the library beyond its public entries (src/index.ts, files, view), all in one place. A
 * name that becomes public moves out of here.
 */
export type { ReadonlyF64 } from "../../../src/linalg/arena.ts";
export { bodyMesh } from "../../../src/picture/bodies.ts";
export { axes, type Camera, fitCamera } from "../../../src/picture/camera.ts";
export {
  balance,
  type ColorMap,
  colorAt,
  ember,
  MAPS,
  toHex,
  viridis,
} from "../../../src/picture/color.ts";
export { measureOf, roundUp } from "../../../src/picture/stage.ts";
export {
  encodeCheckpoint,
  encodeFrame,
  encodeFramesHeader,
  encodeSheet,
  framesLayout,
} from "../../../src/recording/format.ts";
export { filesOf, splitObject } from "../../../src/scene/files.ts";
export { readSceneText } from "../../../src/scene/text.ts";
