/** Pins, hinges and clamps: by picking points and edges on the sheet, or by their names. */
import type { JSX } from "preact";
import type { PinInput } from "../../../src/index.ts";
import { editPin, removePin } from "../document/edits.ts";
import * as studio from "../studio.ts";
import { Choice, NumberRow, Section } from "./controls.tsx";
import { Icon } from "./icons.tsx";
import { PlaceAdder, placeName } from "./make.tsx";
import { MotionEditor } from "./make-motion.tsx";

const KINDS = [
  { value: "pin", label: "pin", hint: "holds points where they are" },
  { value: "hinge", label: "hinge", hint: "holds a line, free to turn about it" },
  { value: "clamp", label: "clamp", hint: "holds points and the tangent plane" },
] as const;

export function PinsSection(): JSX.Element {
  const { pins = [] } = studio.input.value;
  const named = studio.first.value?.opened.value?.named ?? [];
  const tool = studio.tool.value;
  const pick = (to: "pin" | "edge"): void => {
    studio.tool.value = tool === to ? "hand" : to;
  };
  return (
    <Section title="Pins and clamps">
      <ul class="list">
        {pins.map((pin, k) => (
          <PinRow key={k} pin={pin} k={k} />
        ))}
      </ul>
      <div class="segments" role="radiogroup" aria-label="What holds">
        {KINDS.map(({ value, label, hint }) => (
          <label key={value} class="segment" title={hint}>
            <input
              type="radio"
              name="pin-kind"
              value={value}
              checked={studio.pinKind.value === value}
              onChange={() => {
                studio.pinKind.value = value;
              }}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
      <div class="pair">
        <button
          type="button"
          class="wide"
          aria-pressed={tool === "pin"}
          data-tool="pin"
          onClick={() => pick("pin")}
        >
          <Icon name="pin" /> {tool === "pin" ? "Click it…" : "Pick point"}
        </button>
        <button
          type="button"
          class="wide"
          aria-pressed={tool === "edge"}
          data-tool="edge"
          onClick={() => pick("edge")}
        >
          <Icon name="edge" /> {tool === "edge" ? "Click it…" : "Pick edge"}
        </button>
      </div>
      <PlaceAdder label="Hold by name" named={named} onAdd={studio.pinPlace} />
    </Section>
  );
}

function PinRow({ pin, k }: { pin: PinInput; k: number }): JSX.Element {
  const selected = studio.selectedPin.value === k;
  const name = pin.name ?? `pin ${k + 1}`;
  const reaction = studio.first.value?.line.value?.reactions.find((r) => r.name === pin.name);
  return (
    <li data-selected={selected || undefined}>
      <button
        type="button"
        class="quiet list-name"
        aria-pressed={selected}
        data-pin={name}
        onClick={() => studio.select(selected ? {} : { pin: k })}
      >
        {name}
        <span class="list-note">
          {pin.kind ?? "pin"}, {placeName(pin.at)}
        </span>
      </button>
      {reaction !== undefined && (
        <span class="force" title="Force of the pin on the sheet">
          {force(Math.hypot(...reaction.force))}
        </span>
      )}
      <button
        type="button"
        class="quiet"
        aria-label={`Take out ${name}`}
        title="Let go"
        onClick={() => {
          studio.select({});
          studio.change((input) => removePin(input, k));
        }}
      >
        <Icon name="close" />
      </button>
      {selected && <PinFields pin={pin} k={k} />}
    </li>
  );
}

function PinFields({ pin, k }: { pin: PinInput; k: number }): JSX.Element {
  const reaction = studio.first.value?.line.value?.reactions.find((r) => r.name === pin.name);
  const edit = (change: (pin: PinInput) => PinInput, merge: string | null = null): void =>
    studio.change((input) => editPin(input, k, change), merge);
  return (
    <div class="list-more">
      <Choice
        label="Holds as"
        value={pin.kind ?? "pin"}
        options={KINDS}
        onChange={(kind) => edit((old) => ({ ...old, kind }))}
      />
      <NumberRow
        label="Lets go after"
        value={pin.release ?? 0}
        unit="s"
        hint="0: never"
        min={0}
        onChange={(time) =>
          edit((old) => ({ ...old, release: time > 0 ? time : null }), `release ${k}`)
        }
      />
      {reaction !== undefined && (
        <p class="source" data-reaction={reaction.force.join(" ")}>
          It pulls with {reaction.force.map(force).join(", ")} along x, y, z.
        </p>
      )}
      <MotionEditor />
    </div>
  );
}

/** 0.0432 → 43.2 mN */
function force(newton: number): string {
  const size = Math.abs(newton);
  return size < 1 ? `${(1000 * newton).toPrecision(3)} mN` : `${newton.toPrecision(3)} N`;
}
