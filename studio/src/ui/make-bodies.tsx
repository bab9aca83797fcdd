/** Bodies: added, chosen, sized, moved, taken away. */
import type { JSX } from "preact";
import type { BodyInput, ColliderInput, Scene, Vec3 } from "../../../src/index.ts";
import { BODY_KINDS } from "../document/bodies.ts";
import { editBody } from "../document/edits.ts";
import * as studio from "../studio.ts";
import { NumberRow, Section, Slider } from "./controls.tsx";
import { Icon } from "./icons.tsx";
import { MotionEditor } from "./make-motion.tsx";

export function BodiesSection({ scene }: { scene: Scene }): JSX.Element {
  const selected = studio.selectedBody.value;
  const { colliders = [] } = studio.input.value;
  return (
    <Section title="Bodies" note={colliders.length > 0 ? "click one to change it" : ""}>
      <ul class="list">
        {colliders.map((collider, k) => (
          <li key={k} data-selected={selected === k || undefined}>
            <button
              type="button"
              class="quiet list-name"
              aria-pressed={selected === k}
              data-body={k}
              onClick={() => studio.select(selected === k ? {} : { body: k })}
            >
              {collider.name ?? `body ${k + 1}`}
              <span class="list-note">{collider.body.type}</span>
            </button>
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${collider.name ?? `body ${k + 1}`}`}
              title="Remove"
              onClick={() => studio.takeBody(k)}
            >
              <Icon name="close" />
            </button>
            {selected === k && scene.colliders[k] !== undefined && (
              <BodyFields scene={scene} collider={collider} k={k} />
            )}
          </li>
        ))}
      </ul>
      <fieldset class="chips adders" aria-label="Add a body">
        {BODY_KINDS.map(({ kind, name, says }) => (
          <button
            key={kind}
            type="button"
            class="chip"
            title={says}
            data-add-body={kind}
            onClick={() => studio.putBody(kind)}
          >
            <Icon name="plus" /> {name}
          </button>
        ))}
        <button
          type="button"
          class="chip"
          title="OBJ, PLY, STL or GLB"
          onClick={() => document.getElementById("open-file")?.click()}
        >
          <Icon name="plus" /> Mesh…
        </button>
      </fieldset>
    </Section>
  );
}

function BodyFields({
  scene,
  collider,
  k,
}: {
  scene: Scene;
  collider: ColliderInput;
  k: number;
}): JSX.Element {
  const { body } = collider;
  const position = collider.position ?? [0, 0, 0];
  const edit = (word: string, change: (c: ColliderInput) => ColliderInput): void =>
    studio.change((input) => editBody(input, k, change), `body ${k} ${word}`);
  return (
    <div class="list-more">
      {sizesOf(body).map(({ label, value, set }) => (
        <NumberRow
          key={label}
          label={label}
          value={value}
          unit="m"
          min={1e-4}
          onChange={(x) => edit(label, (c) => ({ ...c, body: set(x) }))}
        />
      ))}
      {(["x", "y", "z"] as const).map((axis, c) => (
        <NumberRow
          key={axis}
          label={`Position ${axis}`}
          value={position[c]}
          unit="m"
          onChange={(x) => {
            const to = position.map((p, i) => (i === c ? x : p)) as Vec3;
            studio.placeBody(k, to, studio.turnOf(k));
            studio.keepBody(k);
          }}
        />
      ))}
      <Slider
        label="Friction"
        value={collider.friction ?? scene.colliders[k].friction}
        min={0}
        max={1.5}
        unit="1"
        onInput={(friction) => edit("friction", (c) => ({ ...c, friction }))}
      />
      {body.type !== "plane" && (
        <>
          <Slider
            label="Spin about z"
            value={spinOf(scene, k)}
            min={-360}
            max={360}
            step={5}
            unit="°/s"
            onInput={(rate) => {
              studio.placeBody(k, studio.placeOf(k), studio.turnOf(k), (rate * Math.PI) / 180);
              studio.keepBody(k);
            }}
          />
          <MotionEditor />
        </>
      )}
    </div>
  );
}

interface Size {
  readonly label: string;
  readonly value: number;
  set(value: number): BodyInput;
}

/** The sizes of a body that can be typed. */
function sizesOf(body: BodyInput): Size[] {
  if (body.type === "box")
    return ["Width", "Depth", "Height"].map((label, c) => ({
      label,
      value: body.size[c],
      set: (x) => ({ ...body, size: body.size.map((s, i) => (i === c ? x : s)) as Vec3 }),
    }));
  const names: readonly string[] =
    body.type === "torus"
      ? ["major", "minor"]
      : body.type === "mesh"
        ? ["scale"]
        : ["radius", "length"].filter((name) => name in body);
  return names.map((name) => ({
    label: name.charAt(0).toUpperCase() + name.slice(1),
    value: (body as unknown as Record<string, number>)[name] ?? 1,
    set: (x) => ({ ...body, [name]: x }) as BodyInput,
  }));
}

/** °/s about z, by hand or by the scene. */
function spinOf(scene: Scene, k: number): number {
  studio.viewed.value; // again when a hand changed it
  const byHand = studio.spinOf(k);
  const { motion } = scene.colliders[k];
  const own = motion?.spin?.axis[2] === 1 ? (motion.spin.rates.at(-1)?.rate ?? 0) : 0;
  return Math.round(((byHand || own) * 180) / Math.PI);
}
