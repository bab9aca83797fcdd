/** Keyframes of the chosen pin or body: a list to type in; the timeline shows them too. */
import type { JSX } from "preact";
import type { KeyInput, Vec3 } from "../../../src/index.ts";
import * as studio from "../studio.ts";
import { NumberField } from "./controls.tsx";
import { Icon } from "./icons.tsx";

export function MotionEditor(): JSX.Element | null {
  const thing = studio.movingThing();
  if (thing === null) return null;
  const { keys } = thing;
  const set = (k: number, change: (key: KeyInput) => KeyInput, word: string): void =>
    studio.setKeys(
      keys.map((key, i) => (i === k ? change(key) : key)),
      `key ${thing.kind} ${thing.k} ${k} ${word}`,
    );
  const last = keys[keys.length - 1]?.time ?? 0;
  return (
    <div class="motion">
      <h3>Keyframes</h3>
      {keys.length > 0 && (
        <div class="keyframes">
          <span aria-hidden="true">s</span>
          {["x", "y", "z"].map((axis) => (
            <span key={axis} aria-hidden="true">
              {axis} mm
            </span>
          ))}
          <span aria-hidden="true">turn °</span>
          <span />
          {keys.map((key, k) => (
            <KeyRow key={k} at={key} k={k} set={set} keys={keys} />
          ))}
        </div>
      )}
      <button
        type="button"
        class="wide"
        data-action="add-key"
        onClick={() => {
          const now = studio.first.value?.line.value?.time ?? 0;
          studio.addKey(now > last ? now : last + 1);
        }}
      >
        <Icon name="key" /> Add a keyframe
      </button>
    </div>
  );
}

function KeyRow({
  at,
  k,
  keys,
  set,
}: {
  at: KeyInput;
  k: number;
  keys: readonly KeyInput[];
  set: (k: number, change: (key: KeyInput) => KeyInput, word: string) => void;
}): JSX.Element {
  const translate = at.translate ?? [0, 0, 0];
  const turn = Array.isArray(at.rotate) ? at.rotate[2] : 0;
  const name = `keyframe ${k + 1}`;
  return (
    <>
      <NumberField
        label={`Time of ${name}`}
        value={at.time}
        unit="s"
        bare
        onChange={(time) => set(k, (key) => ({ ...key, time: Math.max(0, time) }), "time")}
      />
      {(["x", "y", "z"] as const).map((axis, c) => (
        <NumberField
          key={axis}
          label={`${axis} of ${name}`}
          value={Number((1000 * translate[c]).toPrecision(6))}
          unit="mm"
          bare
          onChange={(mm) => {
            const to = translate.map((x, i) => (i === c ? mm / 1000 : x)) as Vec3;
            set(k, (key) => ({ ...key, translate: to }), axis);
          }}
        />
      ))}
      <NumberField
        label={`turn of ${name}`}
        value={turn}
        unit="°"
        bare
        onChange={(degrees) => set(k, (key) => ({ ...key, rotate: [0, 0, degrees] }), "turn")}
      />
      <button
        type="button"
        class="quiet small"
        aria-label={`Remove ${name}`}
        onClick={() => studio.setKeys(keys.filter((_, i) => i !== k))}
      >
        <Icon name="close" />
      </button>
    </>
  );
}
