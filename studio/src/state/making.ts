/** Making: new scenes, and bodies put where the sheet will meet them. */
import type { BodyInput, SceneInput, Vec3 } from "../../../src/index.ts";
import { type BodyKind, bodyUnder, floorHeight } from "../document/bodies.ts";
import { addBody, removeBody } from "../document/edits.ts";
import { type NewScene, newScene } from "../document/new-scene.ts";
import type { Files } from "../engine/protocol.ts";
import { first, reset, setRunning } from "./lanes.ts";
import { change, input, open } from "./scene.ts";
import { newOpen, panelOpen, select, tab } from "./signals.ts";

/** Opens a new scene, at rest, ready to be worked on. */
export function create(options: NewScene): void {
  setRunning(false);
  open(newScene(options));
  newOpen.value = false;
  tab.value = options.kind === "garment" ? "pattern" : "make";
  panelOpen.value = true;
}

/** Puts a new body under the middle of the sheet as it starts. */
export function putBody(kind: BodyKind): void {
  const opened = first.value?.opened.value ?? null;
  if (opened === null) return;
  const { triangles } = opened.sheet;
  const { body, position } = bodyUnder(kind, opened.start, floorHeight(input.value), triangles);
  add(kind, body, position);
}

function add(word: string, body: BodyInput, position: Vec3, files: Files | null = null): void {
  change((scene) => addBody(scene, body, { position }, word), null, files);
  select({ body: (input.value.colliders?.length ?? 1) - 1 });
}

/** A mesh that was read becomes a body of the scene that is open. */
export function bodyFromFile(read: SceneInput, files: Files): void {
  const collider = read.colliders?.[0];
  if (collider === undefined) return;
  add(collider.name ?? "body", collider.body, collider.position ?? [0, 0, 0], files);
}

export function takeBody(k: number): void {
  select({});
  change((scene) => removeBody(scene, k));
}

/** m from the upright axis of a body to its side; null for what has none. */
export function bodyRadius(body: BodyInput | undefined): number | null {
  if (body === undefined) return null;
  if ("radius" in body) return body.radius;
  if (body.type === "box") return Math.hypot(body.size[0], body.size[1]) / 2;
  return body.type === "torus" ? body.major + body.minor : null;
}

/** The same scene from its start with the accurate solver. */
export function runAccurately(): void {
  setSolver("accurate");
  reset();
  setRunning(true);
}

export function setSolver(solver: NonNullable<SceneInput["solver"]>): void {
  change(({ h: _, constraint, ...scene }) => ({
    ...scene,
    // the paper's solver projects positions alone: it has constraints of its own
    ...(solver === "paper" || constraint === undefined ? {} : { constraint }),
    solver,
  }));
}
