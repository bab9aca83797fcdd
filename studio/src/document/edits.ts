/** Changes of a scene in its input form, as pure functions: a scene in, another out. */
import type {
  BodyInput,
  ColliderInput,
  KeyInput,
  MotionInput,
  PinInput,
  SceneInput,
  SeamInput,
  ShapeInput,
  SheetInput,
  Vec3,
} from "../../../src/index.ts";

export type GarmentInput = Extract<ShapeInput, { type: "garment" }>;

/** The sheets, wherever the scene keeps them. */
export function sheetsOf({ sheet, sheets }: SceneInput): readonly SheetInput[] {
  return sheet === undefined ? (sheets ?? []) : [sheet];
}

export function editSheet(
  scene: SceneInput,
  k: number,
  edit: (sheet: SheetInput) => SheetInput,
): SceneInput {
  if (scene.sheet !== undefined) return k === 0 ? { ...scene, sheet: edit(scene.sheet) } : scene;
  return { ...scene, sheets: replaced(scene.sheets, k, edit) };
}

/** All sheets of a scene. */
export function editSheets(scene: SceneInput, edit: (sheet: SheetInput) => SheetInput): SceneInput {
  return {
    ...scene,
    ...(scene.sheet === undefined ? {} : { sheet: edit(scene.sheet) }),
    ...(scene.sheets === undefined ? {} : { sheets: scene.sheets.map(edit) }),
  };
}

/** The same values in the material of every sheet. */
export function withMaterial(scene: SceneInput, values: object): SceneInput {
  return editSheets(scene, (sheet) => ({
    ...sheet,
    material: {
      ...(typeof sheet.material === "string" ? { preset: sheet.material } : sheet.material),
      ...values,
    },
  }));
}

/* ─── bodies ─── */

export function addBody(
  scene: SceneInput,
  body: BodyInput,
  place: Pick<ColliderInput, "position" | "rotation">,
  word: string = body.type,
): SceneInput {
  const colliders = scene.colliders ?? [];
  const name = freeName(
    word,
    colliders.map((c) => c.name ?? ""),
  );
  return { ...scene, colliders: [...colliders, { name, body, ...place }] };
}

export function editBody(
  scene: SceneInput,
  k: number,
  edit: (body: ColliderInput) => ColliderInput,
): SceneInput {
  return { ...scene, colliders: replaced(scene.colliders, k, edit) };
}

export function removeBody(scene: SceneInput, k: number): SceneInput {
  return { ...scene, colliders: (scene.colliders ?? []).filter((_, i) => i !== k) };
}

/* ─── pins ─── */

export function addPin(scene: SceneInput, pin: Omit<PinInput, "name">, word: string): SceneInput {
  const pins = scene.pins ?? [];
  const name = freeName(
    word,
    pins.map((p) => p.name ?? ""),
  );
  return { ...scene, pins: [...pins, { name, ...pin }] };
}

export function editPin(
  scene: SceneInput,
  k: number,
  edit: (pin: PinInput) => PinInput,
): SceneInput {
  return { ...scene, pins: replaced(scene.pins, k, edit) };
}

export function removePin(scene: SceneInput, k: number): SceneInput {
  return { ...scene, pins: (scene.pins ?? []).filter((_, i) => i !== k) };
}

/* ─── motion ─── */

export type MovingThing = { motion?: MotionInput | KeyInput[] | "file" | null };

/** Keyframes of a pin or body, rising in time; those of a file's animation are not ours to change. */
export function keysOf({ motion }: MovingThing): readonly KeyInput[] {
  if (motion === undefined || motion === null || motion === "file") return [];
  return Array.isArray(motion) ? motion : (motion.keys ?? []);
}

/** The thing with these keyframes, sorted by time, and the rest of its motion as it was. */
export function withKeys<T extends MovingThing>(
  thing: T,
  keys: readonly KeyInput[],
  pivot?: Vec3,
): T {
  const { motion } = thing;
  const rest: MotionInput =
    motion === undefined || motion === null || motion === "file" || Array.isArray(motion)
      ? {}
      : motion;
  const { keys: _, ...others } = rest;
  const sorted = [...keys].sort((a, b) => a.time - b.time);
  if (sorted.length === 0 && (others.spin ?? null) === null) {
    const { motion: __, ...still } = thing;
    return still as T;
  }
  const smooth = others.smooth ?? true;
  const turns = sorted.some(({ rotate }) => rotate !== undefined);
  return {
    ...thing,
    motion: {
      ...others,
      smooth,
      ...(turns && others.pivot === undefined && pivot !== undefined ? { pivot } : {}),
      ...(sorted.length === 0 ? {} : { keys: sorted }),
    },
  };
}

/** Where keyframes lead at a time, linear between them and from rest at 0: what a new key starts from. */
export function translationAt(keys: readonly KeyInput[], time: number): Vec3 {
  let before: KeyInput = { time: 0 };
  for (const key of keys) {
    if (key.time >= time) {
      const share = key.time > before.time ? (time - before.time) / (key.time - before.time) : 1;
      const from = before.translate ?? [0, 0, 0];
      const to = key.translate ?? [0, 0, 0];
      return from.map((x, c) => rounded(x + share * (to[c] - x))) as Vec3;
    }
    before = key;
  }
  return before.translate ?? [0, 0, 0];
}

/* ─── garments ─── */

export function editGarment(
  scene: SceneInput,
  k: number,
  edit: (garment: GarmentInput) => GarmentInput,
): SceneInput {
  return editSheet(scene, k, (sheet) =>
    sheet.shape.type === "garment" ? { ...sheet, shape: edit(sheet.shape) } : sheet,
  );
}

/** A shape but for the grain of its panels: what decides where points are. */
export function withoutGrain<T extends { type: string }>(shape: T): T {
  const { panels } = shape as { panels?: readonly object[] };
  if (panels === undefined) return shape;
  return { ...shape, panels: panels.map((panel) => ({ ...panel, grain: undefined })) };
}

/** Sews two edges, or takes their seam apart if there is one. */
export function toggleSeam(garment: GarmentInput, seam: SeamInput): GarmentInput {
  const seams = garment.seams ?? [];
  const joins = (s: SeamInput): boolean =>
    (s.from === seam.from && s.to === seam.to) || (s.from === seam.to && s.to === seam.from);
  const without = seams.filter((s) => !joins(s));
  return { ...garment, seams: without.length < seams.length ? without : [...seams, seam] };
}

/* ─── small things ─── */

function replaced<T>(list: readonly T[] | undefined, k: number, edit: (item: T) => T): T[] {
  return (list ?? []).map((item, i) => (i === k ? edit(item) : item));
}

/** "box", then "box-2", "box-3" … */
function freeName(word: string, taken: readonly string[]): string {
  if (!taken.includes(word)) return word;
  for (let k = 2; ; k++) if (!taken.includes(`${word}-${k}`)) return `${word}-${k}`;
}

/** To a tenth of a millimetre, or of a milliradian. */
export function rounded(x: number): number {
  return Math.round(x * 1e4) / 1e4 + 0; // + 0: never −0, which JSON would not keep
}
