/** What the picture shows: overlays with their legends. */

import type { JSX } from "preact";
import { PRINTS, type SheetLook } from "../../../src/index.ts";
import { lookOf, looksOf, toHex } from "../../../src/view/index.ts";
import type { Overlay } from "../engine/protocol.ts";
import * as studio from "../studio.ts";
import { Choice, NumberRow, Section, Switch } from "./controls.tsx";
import { Icon } from "./icons.tsx";

export const NAMES: Readonly<Record<Overlay, { name: string; says: string }>> = {
  none: { name: "Material", says: "two sides, two colours" },
  "edge-strain": {
    name: "Edge strain",
    says: "change of length of the edges, the worst at each point",
  },
  "principal-strain": {
    name: "Principal strain",
    says: "largest stretch of the triangles in any direction",
  },
  curvature: { name: "Mean curvature", says: "how sharply it bends; blue one way, red the other" },
  neighbourhood: {
    name: "Neighbourhoods",
    says: "points that one point is measured with; hover to see whose",
  },
  contact: { name: "Contacts", says: "how hard bodies and other layers press" },
  residual: { name: "Constraint residual", says: "what the method itself keeps near 0" },
};

export function Look(): JSX.Element {
  return (
    <>
      <Fabric />
      <Section title="Colours show">
        <div class="radios" role="radiogroup" aria-label="Colours show">
          {(Object.keys(NAMES) as Overlay[]).map((overlay) => (
            <label key={overlay} class="radio">
              <input
                type="radio"
                name="overlay"
                value={overlay}
                checked={studio.overlay.value === overlay}
                onChange={() => studio.setOverlay(overlay)}
              />
              <span class="radio-name">{NAMES[overlay].name}</span>
              <span class="radio-note">{NAMES[overlay].says}</span>
            </label>
          ))}
        </div>
      </Section>
      <Section title="Also draw">
        <Switch
          label="Wireframe"
          on={studio.wire.value}
          onChange={(on) => {
            studio.wire.value = on;
          }}
        />
        <Switch
          label="Pins"
          on={studio.showPins.value}
          onChange={(on) => {
            studio.showPins.value = on;
          }}
        />
      </Section>
    </>
  );
}

/** Cloths to choose from: front colours that suit the room. */
const COLOURS = [
  "#b4472f",
  "#2f5d8a",
  "#4f7a57",
  "#c08a2d",
  "#7a4a72",
  "#3d7f86",
  "#e9e4da",
  "#3a3733",
];

/** Colours and print of the first sheet; `isoplate render` draws the same. */
function Fabric(): JSX.Element {
  const scene = studio.first.value?.opened.value?.scene;
  const look = scene === undefined ? lookOf(undefined, 0) : looksOf(scene)[0];
  const set = (values: SheetLook, merge: string | null = null): void =>
    studio.changeSheet((sheet) => ({ ...sheet, look: { ...sheet.look, ...values } }), merge);
  const take = (): void =>
    studio.changeSheet((sheet) => {
      const { image: _, size: __, ...rest } = sheet.look ?? {};
      return { ...sheet, look: rest };
    });
  return (
    <Section title="Fabric">
      <fieldset class="chips" aria-label="Colour of the front">
        {COLOURS.map((color) => (
          <button
            key={color}
            type="button"
            class="swatch"
            style={{ background: color }}
            aria-label={`Colour ${color}`}
            aria-pressed={toHex(look.front) === color}
            onClick={() => set({ front: color })}
          />
        ))}
      </fieldset>
      <ColourRow
        label="Front"
        value={toHex(look.front)}
        onChange={(front) => set({ front }, "front")}
      />
      <ColourRow label="Back" value={toHex(look.back)} onChange={(back) => set({ back }, "back")} />
      <Choice
        label="Print"
        value={look.print}
        options={PRINTS.map((value) => ({ value, label: value }))}
        onChange={(print) => set({ print })}
      />
      <ImageRow image={look.image} onRemove={() => take()} />
      {look.print !== "plain" && (
        <ColourRow label="Ink" value={toHex(look.ink)} onChange={(ink) => set({ ink }, "ink")} />
      )}
      {(look.print !== "plain" || look.image !== null) && (
        <NumberRow
          label={look.image === null ? "Repeat" : "Width of the image"}
          value={Number((1000 * look.size).toPrecision(4))}
          unit="mm"
          min={0.1}
          onChange={(mm) => set({ size: mm / 1000 }, "repeat")}
        />
      )}
    </Section>
  );
}

/** An image on the sheet, from a file or dropped on the page. */
function ImageRow({
  image,
  onRemove,
}: {
  image: string | null;
  onRemove: () => void;
}): JSX.Element {
  return (
    <div class="field row">
      <span>Image</span>
      {image === null ? (
        <label class="chip">
          <Icon name="plus" /> Choose…
          <input
            type="file"
            class="visually-hidden"
            accept="image/png,image/jpeg,image/webp,image/gif,image/avif"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file !== undefined) void studio.layImage(file);
              currentTarget.value = "";
            }}
          />
        </label>
      ) : (
        <button type="button" class="chip" onClick={onRemove}>
          {image} <Icon name="close" />
          <span class="visually-hidden">, take it off the sheet</span>
        </button>
      )}
    </div>
  );
}

function ColourRow({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}): JSX.Element {
  return (
    <label class="field row colour">
      {label}
      <input type="color" value={value} onInput={(event) => onChange(event.currentTarget.value)} />
    </label>
  );
}
