/**
 * Garments from files: where a scene says `shape: { type: garment, file: top.svg, … }`, the panels of that file take the
 * file's place, so that the scene carries all it needs from there on.
 *
 * `place` says where panels start in space, by their names; a panel that it does not name starts where it was drawn.
 * A placed panel keeps the height at which it was drawn unless its position says otherwise, so that fronts and
 * backs drawn side by side stay level. Seams of the file (GarmentCode has them) come before those of the scene.
 */
import { Faults, nearest, type Path, SceneError, show } from "../scene/faults.ts";
import type { PanelInput, PlaceInput, SeamInput } from "../scene/input.ts";
import type { Panel, Vec3 } from "../scene/scene.ts";
import type { Pattern } from "./pattern.ts";
import { parsePattern } from "./read-pattern.ts";

/**
 * The scene in its input form with the panels of the files that it names. What is no such garment is left as it is.
 *
 * @param readText gives the text of a file; what it throws is reported at the path of the file
 * @param onNote called with a sentence about what a drawing has that is no panel
 * @throws SceneError with every fault
 *
 * @example
 * const input = withPatterns(JSON.parse(text), (file) => readFileSync(file, "utf8"));
 */
export function withPatterns(
  input: unknown,
  readText: (file: string) => string,
  source: string = "scene",
  onNote: (note: string) => void = () => undefined,
): unknown {
  if (!isRecord(input)) return input;
  const faults = new Faults();
  const expanded = (sheet: unknown, path: Path): unknown => {
    if (!isRecord(sheet) || !isRecord(sheet.shape)) return sheet;
    const { shape } = sheet;
    if (shape.type !== "garment" || typeof shape.file !== "string") return sheet;
    return { ...sheet, shape: filled(shape, [...path, "shape"], { readText, faults, onNote }) };
  };
  const out: Record<string, unknown> = { ...input };
  if (input.sheet !== undefined) out.sheet = expanded(input.sheet, ["sheet"]);
  if (Array.isArray(input.sheets))
    out.sheets = input.sheets.map((sheet, k) => expanded(sheet, ["sheets", k]));
  if (faults.list.length > 0) throw new SceneError(source, faults.list);
  return out;
}

function filled(
  shape: Record<string, unknown>,
  path: Path,
  context: Context,
): Record<string, unknown> {
  const { faults } = context;
  const { file, place = {}, ...rest } = shape as { file: string } & Record<string, unknown>;
  const pattern = read(file, [...path, "file"], context);
  if (pattern === null) return rest;
  if (!isRecord(place)) {
    faults.add(
      [...path, "place"],
      `got ${show(place)}, needs { panel: { position, rotation, wrap } }`,
    );
    return rest;
  }
  const names = pattern.panels.map(({ name }) => name);
  for (const name of Object.keys(place))
    if (!names.includes(name)) {
      const near = nearest(name, names);
      faults.add(
        [...path, "place", name],
        `${file} has no panel "${name}"; it has ${names.map((n) => `"${n}"`).join(", ")}`,
        near === null ? "" : `did you mean "${near}"?`,
      );
    }
  const panels: PanelInput[] = pattern.panels.map((panel) =>
    panelInput(panel, place[panel.name] as PlaceInput | undefined),
  );
  const own = Array.isArray(rest.seams) ? (rest.seams as SeamInput[]) : [];
  return { ...rest, panels, seams: [...pattern.seams, ...own] };
}

interface Context {
  readText: (file: string) => string;
  faults: Faults;
  onNote: (note: string) => void;
}

function read(file: string, path: Path, { readText, faults, onNote }: Context): Pattern | null {
  try {
    const pattern = parsePattern(readText(file), file, (note) => onNote(`${file}: ${note}`));
    if (pattern.panels.length > 0) return pattern;
    faults.add(path, `${file} has no closed outline that could be a panel`);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { code } = error as { code?: string };
    faults.add(path, `${file}: ${code === "ENOENT" ? "no such file" : error.message}`);
  }
  return null;
}

function panelInput(
  { name, points, edges, holes, place, grain }: Panel,
  given?: PlaceInput,
): PanelInput {
  const turned = grain === undefined ? {} : { grain: { radians: grain } };
  const panel = { name, points, edges, holes, ...turned };
  if (given === undefined || given === null)
    return { ...panel, place: { position: place.position, rotation: { radians: place.rotation } } };
  const height: Vec3 = [0, 0, place.position[2]];
  return { ...panel, place: { position: height, ...given } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
