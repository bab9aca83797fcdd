/** Holding a point by keyboard and screen reader. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Vec3 } from "../../../src/index.ts";
import * as studio from "../studio.ts";
import { Choice, NumberRow, Section } from "./controls.tsx";
import { Icon } from "./icons.tsx";

export function HoldSection(): JSX.Element {
  const [place, setPlace] = useState("middle");
  const grip = studio.grip.value;
  return (
    <Section title="Hold a point" note="or drag the sheet">
      <Choice
        label="Place"
        value={place}
        options={studio.gripPlaces().map((value) => ({ value, label: value }))}
        onChange={setPlace}
      />
      <button
        type="button"
        class="wide"
        aria-pressed={grip !== null}
        data-action="hold"
        onClick={() => (grip === null ? studio.holdPlace(place) : studio.letGo())}
      >
        <Icon name="hand" /> {grip === null ? "Hold it" : `Let go of the ${grip.place}`}
      </button>
      {grip !== null &&
        (["x", "y", "z"] as const).map((axis, c) => (
          <NumberRow
            key={axis}
            label={`Lead to ${axis}`}
            value={Number(grip.at[c].toFixed(4))}
            unit="m"
            onChange={(x) => studio.leadTo(grip.at.map((p, i) => (i === c ? x : p)) as Vec3)}
          />
        ))}
      <p class="source" role="status">
        {grip === null
          ? "On the picture: H holds the middle, arrows and Page Up, Page Down lead it, Enter lets go."
          : `Holding the ${grip.place} at ${grip.at.map((x) => x.toFixed(2)).join(", ")} m.`}
      </p>
    </Section>
  );
}
