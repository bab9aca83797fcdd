/** The legend of the colours. */
import type { JSX } from "preact";
import { COLOR_MAPS, colorAt, toHex } from "../../../src/view/index.ts";
import * as studio from "../studio.ts";
import { exact } from "./controls.tsx";

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
  const map = COLOR_MAPS[legend.map];
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
