/** What hands do to the scene: pull the sheet, pin it, move bodies, set keyframes. */
import type { ColliderInput, KeyInput, PickInput, PinInput, Vec3 } from "../../../src/index.ts";
import {
  addPin,
  editBody,
  editPin,
  keysOf,
  removePin,
  rounded,
  translationAt,
  withKeys,
} from "../document/edits.ts";
import type { Opened } from "../engine/protocol.ts";
import type { Lane } from "../lane.ts";
import { connections, first, lanes, theatre } from "./lanes.ts";
import { change, input, keepChange } from "./scene.ts";
import { held, lookAgain, note, pinKind, selectedBody, selectedPin } from "./signals.ts";

/** The same place of the material in every lane follows the hand. */
export function grab(lane: Lane, point: number, target: Vec3 | null): void {
  held.value = true;
  const uv = lane.opened.value?.sheet.uv;
  for (const other of lanes.value) {
    const i =
      other === lane || uv === undefined
        ? point
        : other.nearest([uv[2 * point], uv[2 * point + 1]]);
    other.send({ type: "grab", point: i, target });
  }
}

/* ─── pins ──────────────────────────────────────────────────────────────── */

/** Puts a pin where there is none, and takes away what holds a point. */
export function togglePin(lane: Lane, point: number): void {
  const opened = lane.opened.value;
  if (opened === null) return;
  const holding = opened.pins.findIndex(({ points }) => points.includes(point));
  if (holding >= 0) {
    change((scene) => removePin(scene, holding));
    note("Pin taken out");
    return;
  }
  const { uv, spacing } = opened.sheet;
  const at: PickInput = {
    sheet: partOf(opened, point),
    nearest: [uv[2 * point], uv[2 * point + 1]],
    radius: Number((0.6 * spacing[point]).toPrecision(3)),
  };
  pinAt(at, pinKind.value);
}

/** Holds a named edge or corner. */
export function pinPlace(place: Opened["named"][number]): void {
  const { kind, name, sheet } = place;
  const at: PickInput = { ...(sheet === 0 ? {} : { sheet }), [kind]: name };
  pinAt(at, pinKind.value, name.replace(/^.*:/, ""));
}

function pinAt(at: PickInput, kind: "pin" | "hinge" | "clamp", word: string = kind): void {
  const pin: Omit<PinInput, "name"> = { at, ...(kind === "pin" ? {} : { kind }) };
  change((scene) => addPin(scene, pin, word));
  selectedPin.value = (input.value.pins?.length ?? 1) - 1;
  selectedBody.value = null;
  note(kind === "clamp" ? "Clamped where it is" : "Pinned where it is");
}

/** The named edge that a point of the sheet is nearest to, over the flat sheet; null if none is near. */
export function nearestEdge(opened: Opened, point: number): Opened["named"][number] | null {
  const { uv } = opened.sheet;
  const sheet = partOf(opened, point);
  let best: Opened["named"][number] | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const place of opened.named) {
    if (place.kind !== "edge" || place.sheet !== sheet) continue;
    for (const i of place.points) {
      const d = (uv[2 * i] - uv[2 * point]) ** 2 + (uv[2 * i + 1] - uv[2 * point + 1]) ** 2;
      if (d < least) {
        least = d;
        best = place;
      }
    }
  }
  return best;
}

function partOf({ sheet }: Opened, point: number): number {
  for (let t = 0; t < sheet.triangles.length; t++)
    if (sheet.triangles[t] === point) {
      const triangle = Math.floor(t / 3);
      return sheet.parts.findIndex(
        (part) => triangle >= part.firstTriangle && triangle < part.firstTriangle + part.triangles,
      );
    }
  return 0;
}

/* ─── bodies ────────────────────────────────────────────────────────────── */

/** Where the hand has put bodies of the scene that is open. */
const placed = new Map<number, { position: Vec3; turn: number; spin: number }>();
connections.forget = () => placed.clear();

function placeNow(body: number): { position: Vec3; turn: number; spin: number } {
  const known = placed.get(body);
  if (known !== undefined) return known;
  const pose = theatre.poses().subarray(12 * body, 12 * body + 12);
  return { position: [pose[9], pose[10], pose[11]], turn: 0, spin: 0 };
}

export const placeOf = (body: number): Vec3 => placeNow(body).position;
export const turnOf = (body: number): number => placeNow(body).turn;
export const spinOf = (body: number): number => placeNow(body).spin;

/** Whether the scene stands at its start, so that changing it changes the start. */
export function atStart(): boolean {
  return (first.value?.line.value?.steps ?? 0) === 0;
}

/** Puts a body elsewhere (m, rad about z from where it was taken), or lets it spin (rad/s). */
export function placeBody(
  body: number,
  position: Vec3,
  turn: number,
  spin: number = spinOf(body),
): void {
  if (atStart() && spin === 0) {
    // nothing has moved yet: the body simply is there
    const by = turn - turnOf(body);
    change(
      (scene) => editBody(scene, body, (c) => movedBody(c, body, position, by)),
      `body ${body}`,
    );
    return;
  }
  placed.set(body, { position, turn, spin });
  lookAgain();
  const rotation = turnedBy(rotationOf(body), turn);
  for (const lane of lanes.value) lane.send({ type: "body", body, position, rotation, spin });
}

/** rad, how the scene turns a body. */
function rotationOf(body: number): Vec3 {
  return first.value?.opened.value?.scene.colliders[body]?.rotation ?? [0, 0, 0];
}

function movedBody(collider: ColliderInput, body: number, at: Vec3, turn: number): ColliderInput {
  const position = at.map(rounded) as Vec3;
  if (turn === 0) return { ...collider, position };
  const radians = turnedBy(rotationOf(body), turn).map(rounded) as Vec3;
  return { ...collider, position, rotation: { radians } };
}

/** The scene's next start, its link and its file have the body where it was put. */
export function keepBody(body: number): void {
  const now = placed.get(body);
  if (now === undefined) return;
  const position = now.position.map(rounded) as Vec3;
  const radians = turnedBy(rotationOf(body), now.turn).map(rounded) as Vec3;
  keepChange(
    (old) =>
      editBody(old, body, (collider) => {
        const { motion: _, ...rest } = collider;
        const spin = { axis: [0, 0, 1] as Vec3, rate: { radians: rounded(now.spin) } };
        return {
          ...rest,
          position,
          rotation: { radians },
          ...(now.spin === 0 ? {} : { motion: { pivot: position, spin } }),
        };
      }),
    `body ${body}`,
  );
}

/** A rotation vector followed by a turn about z, as unit quaternions. */
function turnedBy([x, y, z]: Vec3, turn: number): Vec3 {
  const angle = Math.hypot(x, y, z);
  const s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
  const [a, b, c, w] = [x * s, y * s, z * s, Math.cos(angle / 2)];
  const [tc, tw] = [Math.sin(turn / 2), Math.cos(turn / 2)];
  let q = [tw * a - tc * b, tw * b + tc * a, tw * c + tc * w, tw * w - tc * c];
  if (q[3] < 0) q = q.map((v) => -v);
  const half = Math.hypot(q[0], q[1], q[2]);
  const f = half > 1e-12 ? (2 * Math.atan2(half, q[3])) / half : 2;
  return [q[0] * f, q[1] * f, q[2] * f];
}

/* ─── keyframes ─────────────────────────────────────────────────────────── */

/** The pin or body whose motion is being made. */
export function movingThing(): {
  kind: "pin" | "body";
  k: number;
  keys: readonly KeyInput[];
} | null {
  const [pin, body] = [selectedPin.value, selectedBody.value];
  const { pins = [], colliders = [] } = input.value;
  if (pin !== null && pins[pin] !== undefined)
    return { kind: "pin", k: pin, keys: keysOf(pins[pin]) };
  if (body !== null && colliders[body] !== undefined)
    return { kind: "body", k: body, keys: keysOf(colliders[body]) };
  return null;
}

/** Gives the chosen pin or body these keyframes. */
export function setKeys(keys: readonly KeyInput[], merge: string | null = null): void {
  const thing = movingThing();
  if (thing === null) return;
  const { kind, k } = thing;
  change((scene) => {
    if (kind === "pin") return editPin(scene, k, (pin) => withKeys(pin, keys));
    return editBody(scene, k, (body) => withKeys(body, keys, body.position ?? [0, 0, 0]));
  }, merge);
}

/** Adds a keyframe at a time, where the motion is then; at the end if one is there already. */
export function addKey(time: number): void {
  const thing = movingThing();
  if (thing === null) return;
  const at = Number(time.toFixed(2));
  if (thing.keys.some((key) => key.time === at)) {
    note(`There is a keyframe at ${at} s already`);
    return;
  }
  setKeys([...thing.keys, { time: at, translate: translationAt(thing.keys, at) }]);
}
