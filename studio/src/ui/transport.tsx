/** Run, pause, step, settle, reset, speed; and the timeline, with what was simulated and the keyframes of what is chosen. */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import * as studio from "../studio.ts";
import { Icon } from "./icons.tsx";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export function Transport(): JSX.Element {
  return (
    <footer class="transport">
      <Buttons />
      <label class="speed">
        <span class="visually-hidden">Speed</span>
        <select
          value={String(studio.speed.value)}
          onChange={(event) => studio.setSpeed(Number(event.currentTarget.value))}
          title="Simulated seconds per second, at most"
        >
          {SPEEDS.map((speed) => (
            <option key={speed} value={String(speed)}>
              {speed}×
            </option>
          ))}
        </select>
      </label>
      <SolverSwitch />
      <Timeline />
      <Clock />
    </footer>
  );
}

function Buttons(): JSX.Element {
  const running = studio.running.value;
  const settling = studio.settling.value;
  return (
    <div class="buttons">
      <button
        type="button"
        class="quiet"
        aria-label="Reset"
        title="Reset (R)"
        onClick={studio.reset}
      >
        <Icon name="reset" />
      </button>
      <button
        type="button"
        class="play"
        aria-label={running ? "Pause" : "Run"}
        title={running ? "Pause (Space)" : "Run (Space)"}
        onClick={() => studio.setRunning(!running)}
      >
        <Icon name={running ? "pause" : "play"} filled={!running} />
      </button>
      <button
        type="button"
        class="quiet"
        aria-label="Step"
        title="One step (.)"
        onClick={studio.stepOnce}
      >
        <Icon name="step" />
      </button>
      <button
        type="button"
        class="quiet settle"
        aria-label="Settle"
        aria-busy={settling}
        disabled={settling}
        title="Settle: the shape at rest, by the static solver"
        data-action="settle"
        onClick={studio.settle}
      >
        <Icon name="rest" />
      </button>
    </div>
  );
}

/** Interactive or accurate, in one click. */
function SolverSwitch(): JSX.Element {
  const { solver = "accurate" } = studio.input.value;
  const accurate = solver !== "interactive";
  const behind = studio.first.value?.warnings.value.find(({ cause }) => cause === "behind");
  return (
    <button
      type="button"
      class="pill solver"
      aria-pressed={accurate}
      data-action="solver"
      data-behind={behind !== undefined || undefined}
      title={
        accurate
          ? "Accurate: small steps, to convergence. Click for interactive."
          : `Interactive: large steps, a few rounds each. Click for accurate.${behind === undefined ? "" : ` Here ${behind.text}.`}`
      }
      onClick={() => studio.setSolver(accurate ? "interactive" : "accurate")}
    >
      {solver}
      {behind !== undefined && <span class="behind">behind</span>}
    </button>
  );
}

function Timeline(): JSX.Element {
  const lane = studio.first.value;
  const frames = studio.frames.value;
  const shown = lane?.shown.value ?? null;
  const time = lane?.line.value?.time ?? 0;
  const scene = lane?.opened.value?.scene;
  const rate = scene?.record.rate ?? 30;
  // as long as the scene, or as long as it has run
  const last = Math.max(1, frames - 1, Math.round((scene?.seconds ?? 0) * rate));
  const at = shown ?? Math.max(0, frames - 1);
  return (
    <div class="timeline">
      <input
        type="range"
        class="scrub"
        aria-label="Timeline"
        aria-valuetext={`${time.toFixed(2)} seconds`}
        min={0}
        max={last}
        step={1}
        value={at}
        disabled={frames < 2}
        style={{ "--at": `${(100 * at) / last}%`, "--kept": `${(100 * (frames - 1)) / last}%` }}
        onInput={(event) => {
          const frame = Math.min(Number(event.currentTarget.value), frames - 1);
          event.currentTarget.value = String(frame);
          studio.scrub(frame);
        }}
      />
      <KeyTrack seconds={last / rate} />
    </div>
  );
}

/** Keyframes of the chosen pin or body, to be dragged in time. */
function KeyTrack({ seconds }: { seconds: number }): JSX.Element | null {
  const track = useRef<HTMLDivElement>(null);
  const dragged = useRef<number | null>(null);
  const thing = studio.movingThing();
  if (thing === null || thing.keys.length === 0) return null;
  const { keys } = thing;
  const move = (k: number, time: number): void => {
    // a key stays between its neighbours, so that it keeps its place in the list
    const low = k > 0 ? keys[k - 1].time + 0.01 : 0;
    const high = k < keys.length - 1 ? keys[k + 1].time - 0.01 : Number.POSITIVE_INFINITY;
    const to = Number(Math.max(low, Math.min(high, time)).toFixed(2));
    studio.setKeys(
      keys.map((key, i) => (i === k ? { ...key, time: to } : key)),
      `drag ${thing.kind} ${thing.k} ${k}`,
    );
  };
  const timeAt = (clientX: number): number => {
    const box = track.current!.getBoundingClientRect();
    return ((clientX - box.left) / box.width) * seconds;
  };
  return (
    <div class="keytrack" ref={track}>
      {keys.map((key, k) => (
        <button
          key={k}
          type="button"
          class="keymark"
          role="slider"
          aria-label={`Keyframe ${k + 1}`}
          aria-valuenow={key.time}
          aria-valuemin={0}
          aria-valuetext={`${key.time} seconds`}
          title={`${key.time} s`}
          style={{ left: `${(100 * key.time) / seconds}%` }}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            dragged.current = k;
          }}
          onPointerMove={(event) => {
            if (dragged.current === k) move(k, timeAt(event.clientX));
          }}
          onPointerUp={() => {
            dragged.current = null;
            studio.seal();
          }}
          onKeyDown={(event) => {
            const step = { ArrowLeft: -0.05, ArrowRight: 0.05 }[event.key];
            if (step === undefined) return;
            event.preventDefault();
            event.stopPropagation();
            move(k, key.time + step);
          }}
        />
      ))}
    </div>
  );
}

function Clock(): JSX.Element {
  const lane = studio.first.value;
  const line = lane?.line.value ?? null;
  const shown = lane?.shown.value ?? null;
  const running = studio.running.value;
  const moving = running && line !== null && line.pace > 0;
  const words =
    lane?.state.value !== "ready"
      ? "building…"
      : studio.settling.value
        ? "settling…"
        : moving
          ? `${line.pace.toPrecision(2)}×`
          : "still";
  return (
    <div class="clock">
      <span class="time" data-time={line?.time ?? 0}>
        {line === null ? "0.00" : line.time.toFixed(2)} s
      </span>
      {shown !== null ? (
        <button
          type="button"
          class="pill"
          title="Back to the present"
          onClick={() => studio.scrub(null)}
        >
          past
        </button>
      ) : (
        <span
          class="pace"
          data-behind={(moving && line.behind) || undefined}
          title={
            moving && line.behind
              ? `A step takes ${line.stepMs.toFixed(0)} ms: this machine is slower than the clock. The result is the same, it only comes later.`
              : "Simulated seconds per second, as this machine manages"
          }
        >
          {moving && line.behind ? `behind, ${words}` : words}
        </span>
      )}
    </div>
  );
}
