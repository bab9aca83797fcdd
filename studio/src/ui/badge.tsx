/** The strain badge: the largest change of length of any edge in the frame that is shown, and nothing else. */
import type { JSX } from "preact";
import type { Lane } from "../lane.ts";

export function StrainBadge({ lane }: { lane: Lane }): JSX.Element {
  const strain = lane.line.value?.edgeMax ?? null;
  const level =
    strain === null ? "none" : strain <= 0.01 ? "good" : strain <= 0.05 ? "fair" : "bad";
  return (
    <output
      class="badge"
      data-level={level}
      data-strain={strain ?? ""}
      title="The largest change of length of any edge in the picture you see, measured on the mesh itself"
    >
      <span class="badge-dot" aria-hidden="true" />
      <span class="badge-label">max stretch</span>
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
