/** `isoplate/files`: scenes as text, and other programs' files, in and out. Runs in Node and in browsers. */

export { encodeCheckpoint } from "../recording/checkpoint-bytes.ts";
export {
  encodeFrame,
  encodeFramesHeader,
  FRAMES_HEADER,
  type FrameMotion,
  type FramesContent,
  type FramesLayout,
  framesContent,
  framesLayout,
} from "../recording/format.ts";
export { encodeSheet } from "../recording/sheet-bytes.ts";
export { filesOf, type NamedFile, splitObject } from "../scene/files.ts";
export { sceneJsonSchema } from "../scene/json-schema.ts";
export { setPath } from "../scene/set.ts";
export { parseSceneText, readSceneText, type SceneText } from "../scene/text.ts";
export {
  createPatches,
  evaluatePatches,
  type Patches,
  smoothHalvings,
  spread,
} from "../sheet/patches.ts";
export type {
  Animation,
  AnimationPart,
  Field,
  OutputFile,
  RigidBody,
  Selection,
  Up,
} from "./animation.ts";
export { select, turned, withBodies } from "./animation.ts";
export { withMotions } from "./body-motion.ts";
export { type DxfOptions, parseDxf } from "./dxf.ts";
export {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportOptions,
  type ExportResult,
  exportAnimation,
  type FormatName,
} from "./export.ts";
export { FileError } from "./file-error.ts";
export { parseGarmentCode } from "./garment-code.ts";
export { withPatterns } from "./garment-file.ts";
export { type GltfObject, parseGltf, parseGltfMesh } from "./gltf-read.ts";
export type { TriangleMesh } from "./mesh.ts";
export { parseObj, writeObj } from "./obj.ts";
export type { Pattern } from "./pattern.ts";
export { parsePly, writePly } from "./ply.ts";
export { type PointCache, parseMdd, parsePc2 } from "./point-cache.ts";
export { parseMesh } from "./read-mesh.ts";
export { parsePattern } from "./read-pattern.ts";
export { type RecordedOptions, recordedAnimation } from "./recorded.ts";
export { parseStl, writeStl } from "./stl.ts";
export { parseSvg, type SvgOptions } from "./svg.ts";
