/** What is measured at one or two points of the sheet. */
import type { JSX } from "preact";
import * as studio from "../studio.ts";
import { percent } from "./badge.tsx";
import { Section } from "./controls.tsx";
import { Icon } from "./icons.tsx";

export function Probes(): JSX.Element {
  const probing = studio.tool.value === "probe";
  const probes = studio.first.value?.line.value?.probes ?? [];
  const flat = studio.flatDistance();
  const [a, b] = probes.map(({ position }) => position);
  const straight =
    a === undefined || b === undefined ? null : Math.hypot(...a.map((x, c) => x - b[c]));
  return (
    <Section title="Probe" note={probes.length === 1 ? "a second point gives distances" : ""}>
      <button
        type="button"
        class="wide"
        aria-pressed={probing}
        onClick={() => {
          studio.tool.value = probing ? "hand" : "probe";
        }}
      >
        <Icon name="probe" /> {probing ? "Click the sheet…" : "Measure at a point"}
      </button>
      {probes.map((probe, k) => (
        <dl class="probe" key={probe.point} data-probe={k}>
          <dt>Point {k + 1}</dt>
          <dd>{probe.position.map((x) => x.toFixed(3)).join(", ")} m</dd>
          <dt>Curvature</dt>
          <dd>{probe.curvature.toFixed(2)} 1/m</dd>
          <dt>Strain</dt>
          <dd>
            {percent(probe.edgeStrain)} of edges, {percent(probe.principalStrain)} principal
          </dd>
        </dl>
      ))}
      {straight !== null && (
        <dl class="probe">
          <dt>Distance</dt>
          <dd>{(1000 * straight).toFixed(1)} mm straight</dd>
          {flat !== null && (
            <>
              <dt />
              <dd>{(1000 * flat).toFixed(1)} mm on the flat sheet</dd>
            </>
          )}
        </dl>
      )}
      {probes.length > 0 && (
        <button type="button" class="wide" onClick={() => studio.setProbe([])}>
          Forget the points
        </button>
      )}
    </Section>
  );
}
