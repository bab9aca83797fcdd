/** A sweep of one parameter: what it is, from where to where, and any measure of the sheet at rest over it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { SWEPT, sweptValues } from "../document/sweep.ts";
import type { Lane } from "../lane.ts";
import { cancelSweep, runSweep, type Sweep, sweep } from "../state/sweep.ts";
import * as studio from "../studio.ts";
import { Choice, NumberRow, Section } from "./controls.tsx";
import { Icon } from "./icons.tsx";
import { type Measure, measuresOf, saveCsv, XyPlot } from "./xy-plot.tsx";

export function SweepSection({ lane }: { lane: Lane }): JSX.Element {
  const [name, setName] = useState(SWEPT[0].name);
  const [ends, setEnds] = useState<readonly [number, number] | null>(null);
  const [steps, setSteps] = useState(7);
  const parameter = SWEPT.find((own) => own.name === name) ?? SWEPT[0];
  const scene = lane.opened.value?.scene;
  const present = scene === undefined ? 1 : parameter.read(scene);
  const middle = present === 0 ? 1 : present;
  const [from, to] = ends ?? (parameter.log ? [middle / 10, middle * 10] : [0, 2 * middle]);
  const now = sweep.value;
  const running = now?.running === true;
  const bad = parameter.log && !(from > 0 && to > 0);
  return (
    <Section title="Sweep" note="at rest, over a parameter">
      <Choice
        label="Parameter"
        value={name}
        options={SWEPT.map((own) => ({ value: own.name, label: own.name }))}
        onChange={(next) => {
          setName(next);
          setEnds(null);
        }}
      />
      <NumberRow
        label="From"
        value={Number(from.toPrecision(4))}
        unit={parameter.unit}
        onChange={(value) => setEnds([value, to])}
      />
      <NumberRow
        label="To"
        value={Number(to.toPrecision(4))}
        unit={parameter.unit}
        onChange={(value) => setEnds([from, value])}
      />
      <NumberRow label="Values" value={steps} unit="" min={2} onChange={setSteps} />
      <button
        type="button"
        class="wide"
        data-action="sweep"
        disabled={bad || studio.comparing.value || (studio.settling.value && !running)}
        onClick={() =>
          running
            ? cancelSweep()
            : void runSweep(parameter, sweptValues(from, to, steps, parameter.log))
        }
      >
        <Icon name="rest" />{" "}
        {running ? `Stop (${now.points.length} of ${now.values.length})` : "Sweep"}
      </button>
      {now !== null && now.points.length > 0 && <SweptPlot lane={lane} sweep={now} />}
    </Section>
  );
}

function SweptPlot({ lane, sweep: { parameter, points } }: { lane: Lane; sweep: Sweep }) {
  const [up, setUp] = useState("how far it hangs");
  const measures = measuresOf(lane).filter((own) => own.name !== "time");
  const y = measures.find((own) => own.name === up) ?? measures[0];
  const x: Measure = { ...parameter, factor: 1, value: () => null };
  const drawn = points.flatMap(({ value, line }): [number, number][] => {
    const own = y.value(line);
    return own === null ? [] : [[value, own]];
  });
  const restless = points.filter(({ converged }) => !converged);
  return (
    <>
      <Choice
        label="Up, at rest"
        value={y.name}
        options={measures.map((own) => ({ value: own.name, label: own.name }))}
        onChange={setUp}
      />
      <XyPlot x={x} y={y} points={drawn} />
      {restless.length > 0 && (
        <p class="source">
          Not quite at rest at {restless.map(({ value }) => value).join(", ")} {parameter.unit}.
        </p>
      )}
      <button type="button" class="wide" onClick={() => saveCsv(x, y, drawn)}>
        <Icon name="file" /> CSV of the sweep
      </button>
    </>
  );
}
