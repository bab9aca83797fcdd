/** What the picture shows: overlays with their legends. */

import type { JSX } from "preact";
import { colorAt, MAPS, toHex } from "../engine/core.ts";
import type { Overlay } from "../engine/protocol.ts";
import * as studio from "../studio.ts";
import { exact, Section, Switch } from "./controls.tsx";

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
    says: "points that are averaged together; hover to see whose",
  },
  contact: { name: "Contacts", says: "how hard bodies and other layers press" },
  residual: { name: "Constraint residual", says: "what the method itself keeps near 0" },
};

export function Look(): JSX.Element {
  return (
    <>
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

/** The colours and what they mean, on the picture itself. */
export function LegendBar({
  low,
  high,
  clipped,
}: {
  low: number;
  high: number;
  clipped: boolean;
}): JSX.Element | null {
  const legend = studio.first.value?.legend.value ?? null;
  if (legend === null || legend.overlay === "none" || studio.overlay.value === "none") return null;
  const map = MAPS[legend.map];
  if (map === undefined) return null;
  const stops = Array.from({ length: 9 }, (_, k) => toHex(colorAt(map, k / 8))).join(",");
  const number = (x: number): string => exact(Number((x * legend.factor).toPrecision(3)));
  const middle = (low + high) / 2;
  return (
    <figure
      class="legend"
      data-low={low * legend.factor}
      data-high={high * legend.factor}
      data-unit={legend.unit}
    >
      <figcaption>
        {legend.label} <span class="unit">{legend.unit === "1" ? "" : legend.unit}</span>
      </figcaption>
      <div class="legend-bar" style={{ background: `linear-gradient(90deg, ${stops})` }} />
      <div class="legend-ends">
        <span>
          {clipped && low < 0 ? "≤ " : ""}
          {number(low)}
        </span>
        <span>{number(middle)}</span>
        <span>
          {clipped ? "≥ " : ""}
          {number(high)}
        </span>
      </div>
    </figure>
  );
}
