/** Run, pause, step, reset, speed; and the timeline of what was simulated. */
import type { JSX } from "preact";
import * as studio from "../studio.ts";
import { Icon } from "./icons.tsx";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export function Transport(): JSX.Element {
  const lane = studio.first.value;
  const line = lane?.line.value ?? null;
  const frames = studio.frames.value;
  const shown = lane?.shown.value ?? null;
  const running = studio.running.value;
  const at = shown ?? Math.max(0, frames - 1);
  const ready = lane?.state.value === "ready";
  const share = frames > 1 ? (100 * at) / (frames - 1) : 100;
  return (
    <footer class="transport">
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
      </div>
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
      <div class="timeline">
        <input
          type="range"
          class="scrub"
          aria-label="Timeline"
          aria-valuetext={line === null ? "" : `${line.time.toFixed(2)} seconds`}
          min={0}
          max={Math.max(1, frames - 1)}
          step={1}
          value={at}
          disabled={frames < 2}
          style={{ "--at": `${share}%` }}
          onInput={(event) => studio.scrub(Number(event.currentTarget.value))}
        />
      </div>
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
          <span class="pace" title="Simulated seconds per second, as this machine manages">
            {!ready
              ? "building…"
              : running && line !== null && line.pace > 0
                ? `${line.pace.toPrecision(2)}×`
                : "still"}
          </span>
        )}
      </div>
    </footer>
  );
}
