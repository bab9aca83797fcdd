/** A sewing pattern out of any file we can read, by the ending of its name. SVG and DXF have no seams. */
import { parseDxf } from "./dxf.ts";
import { FileError, quoted } from "./file-error.ts";
import { parseGarmentCode } from "./garment-code.ts";
import type { Pattern } from "./pattern.ts";
import { parseSvg } from "./svg.ts";

/**
 * @param name only its ending counts: .svg .dxf .json
 * @param onNote called with a sentence about everything in the drawing that is left out
 *
 * @example
 * const { panels } = parsePattern(text, "shirt.svg");
 */
export function parsePattern(
  text: string,
  name: string,
  onNote: (note: string) => void = () => undefined,
): Pattern {
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  switch (ending) {
    case "svg":
      return { panels: parseSvg(text, { onNote }), seams: [] };
    case "dxf":
      return { panels: parseDxf(text, { onNote }), seams: [] };
    case "json":
      return parseGarmentCode(text);
    default:
      throw new FileError("pattern", name, `ends in ${quoted(ending)}`, "needs .svg .dxf .json");
  }
}
