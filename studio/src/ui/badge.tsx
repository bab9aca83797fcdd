/** The strain badge: what the frame that is shown is judged by, with its name; and compression, where there is some to see. */
import type { JSX } from "preact";
import type { Lane } from "../lane.ts";

/** Compression from which on the badge names it beside the stretch, 1: what a run may be strained by. */
const FOLDED = 0.02;

export function StrainBadge({ lane }: { lane: Lane }): JSX.Element {
  const line = lane.line.value;
  const strain = line?.strain ?? null;
  // judged by what is shorter too: edges are chords
  const shorter = line !== null && line.strain > line.stretchMax;
  const folded = line !== null && !shorter && line.compressionMax > FOLDED;
  const level =
    strain === null ? "none" : strain <= 0.01 ? "good" : strain <= 0.05 ? "fair" : "bad";
  return (
    <output
      class="badge"
      data-level={level}
      data-strain={strain ?? ""}
      title={`The largest change of length of any edge in the picture you see, measured on the mesh itself.${line === null ? "" : ` Stretch ${percent(line.stretchMax)}, compression ${percent(line.compressionMax)}.`}${folded ? " Compression is in folds sharper than the mesh can show." : ""}`}
    >
      <span class="badge-dot" aria-hidden="true" />
      <span class="badge-label">
        <span class="badge-max">max </span>
        {shorter ? "compression" : "stretch"}
      </span>
      <span class="badge-value">{strain === null ? "–" : percent(strain)}</span>
      {folded && <span class="badge-more">compression {percent(line.compressionMax)}</span>}
    </output>
  );
}

/** 0.0042 → 0.42 % */
export function percent(x: number): string {
  if (!Number.isFinite(x)) return "not finite";
  const p = 100 * x;
  return `${p < 0.1 ? p.toFixed(3) : p < 10 ? p.toFixed(2) : p.toFixed(1)} %`;
}
