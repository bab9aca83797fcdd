/** What stands on the panes when scenes run side by side: names, strain, how far each hangs, and the curve of it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Beat } from "../engine/protocol.ts";
import type { Lane } from "../lane.ts";
import * as studio from "../studio.ts";
import { StrainBadge } from "./badge.tsx";
import { methodVariants, STIFFNESSES } from "./compare.tsx";
import { METHODS } from "./parameters.tsx";
import { useSlowly } from "./slowly.ts";

const COLORS = ["--chart-a", "--chart-b", "--chart-c", "--chart-d"];

export function Lanes(): JSX.Element | null {
  const lanes = studio.lanes.value;
  if (lanes.length < 2) return null;
  const reference = lanes.find((lane) => lane.reference.value) ?? null;
  const converged = reference?.line.value ?? null;
  return (
    <>
      <div class="lanes" data-count={lanes.length}>
        {lanes.map((lane, k) => (
          <div class="lane" key={k} data-lane={k}>
            <LaneName lane={lane} k={k} />
            <StrainBadge lane={lane} />
            {lane.refusal.value !== null && (
              <span class="lane-trouble">{lane.refusal.value.message.split("\n").at(-1)}</span>
            )}
            <Reading lane={lane} k={k} converged={lane === reference ? null : converged} />
          </div>
        ))}
      </div>
      <Meter lanes={lanes} />
    </>
  );
}

/** The name; where methods are compared, a choice of them. */
function LaneName({ lane, k }: { lane: Lane; k: number }): JSX.Element {
  const method = lane.opened.value?.scene.method;
  if (!studio.choosable.value || lane.reference.value || method === undefined)
    return <span class="lane-name">{lane.label.value}</span>;
  return (
    <select
      class="lane-method"
      aria-label={`Method of pane ${k + 1}`}
      value={method}
      onChange={(event) =>
        studio.setLaneMethod(k, event.currentTarget.value as (typeof METHODS)[number]["value"])
      }
    >
      {METHODS.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** How far it hangs and what its bending stores, against what has converged. */
function Reading({
  lane,
  k,
  converged,
}: {
  lane: Lane;
  k: number;
  converged: Beat | null;
}): JSX.Element | null {
  const line = lane.line.value;
  if (line === null) return null;
  const share = converged !== null && converged.sag > 0.01 ? line.sag / converged.sag : null;
  const rows = [
    ["hangs", line.sag, converged?.sag, `${(1000 * line.sag).toFixed(0)} mm`],
    ["bending", line.bending, converged?.bending, `${millijoules(line.bending)} mJ`],
  ] as const;
  return (
    <table class="reading" data-sag={line.sag} data-share={share ?? ""}>
      <thead>
        <tr>
          <td>
            <span class="key" style={{ background: `var(${COLORS[k % COLORS.length]})` }} />
          </td>
          <td />
          {share !== null && <th scope="col">of converged</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, value, whole, text]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{value === null ? "" : text}</td>
            {share !== null && (
              <td>{value === null || !whole ? "" : `${((100 * value) / whole).toFixed(0)} %`}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function millijoules(joules: number | null): string {
  return (Math.max(0, 1000 * (joules ?? 0)) + 0).toFixed(2);
}

const SIZE = { width: 260, height: 84, margin: 6 };

/** How far each lane hangs, over time. */
function Meter({ lanes }: { lanes: readonly Lane[] }): JSX.Element {
  const { width, height, margin } = SIZE;
  useSlowly(lanes.map((lane) => lane.series.version));
  const series = lanes.map((lane) => lane.series.lines);
  const end = Math.max(0.1, ...series.map((lines) => lines.at(-1)?.time ?? 0));
  const most = Math.max(0.01, ...series.flatMap((lines) => lines.map(({ sag }) => sag)));
  const x = (time: number): string => (margin + (time / end) * (width - 2 * margin)).toFixed(1);
  const y = (sag: number): string => (margin + (sag / most) * (height - 2 * margin)).toFixed(1);
  return (
    <figure class="meter">
      <figcaption>how far it hangs, over time</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label="How far each hangs, over time">
        {series.map((lines, k) => (
          <polyline
            key={k}
            stroke={`var(${COLORS[k % COLORS.length]})`}
            points={lines.map(({ time, sag }) => `${x(time)},${y(sag)}`).join(" ")}
          />
        ))}
      </svg>
      {studio.choosable.value && <Stiffness />}
      <p>
        0 … {end.toFixed(1)} s, 0 … {(1000 * most).toFixed(0)} mm downwards
      </p>
    </figure>
  );
}

/** How stiff against stretch the compared sheets are, all alike. */
function Stiffness(): JSX.Element {
  const [times, setTimes] = useState(100);
  return (
    <label class="field row">
      Stiffness against stretch
      <select
        value={String(times)}
        onChange={(event) => {
          const next = Number(event.currentTarget.value);
          setTimes(next);
          studio.setVariants(methodVariants(next));
        }}
      >
        {STIFFNESSES.map((value) => (
          <option key={value} value={String(value)}>
            {value === 1 ? "usual" : `${value} times`}
          </option>
        ))}
      </select>
    </label>
  );
}
