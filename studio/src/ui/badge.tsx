/** The strain badge: the largest change of length of any edge in the frame that is shown, by its name, and nothing else. */
import type { JSX } from "preact";
import type { Lane } from "../lane.ts";

export function StrainBadge({ lane }: { lane: Lane }): JSX.Element {
  const line = lane.line.value;
  const strain = line?.edgeMax ?? null;
  const shorter = line !== null && line.compressionMax > line.stretchMax;
  const level =
    strain === null ? "none" : strain <= 0.01 ? "good" : strain <= 0.05 ? "fair" : "bad";
  return (
    <output
      class="badge"
      data-level={level}
      data-strain={strain ?? ""}
      title={`The largest change of length of any edge in the picture you see, measured on the mesh itself.${line === null ? "" : ` Stretch ${percent(line.stretchMax)}, compression ${percent(line.compressionMax)}.`}`}
    >
      <span class="badge-dot" aria-hidden="true" />
      <span class="badge-label">{shorter ? "max compression" : "max stretch"}</span>
      <span class="badge-value">{strain === null ? "–" : percent(strain)}</span>
    </output>
  );
}

/** 0.0042 → 0.42 % */
export function percent(x: number): string {
  if (!Number.isFinite(x)) return "not finite";
  const p = 100 * x;
  return `${p < 0.1 ? p.toFixed(3) : p < 10 ? p.toFixed(2) : p.toFixed(1)} %`;
}
