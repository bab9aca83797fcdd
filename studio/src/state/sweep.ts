/**
 * A sweep: one parameter of the scene goes from one value to another, and at each the sheet is put where it comes to rest.
 * The scene itself stays as it is; afterwards the engine has it again.
 */
import { effect, type Signal, signal } from "@preact/signals";
import type { Swept } from "../document/sweep.ts";
import type { Beat } from "../engine/protocol.ts";
import type { Lane } from "../lane.ts";
import { connections, first, setRunning, settling } from "./lanes.ts";
import { note } from "./signals.ts";

/** What was found at one value. */
export interface SweptPoint {
  readonly value: number;
  readonly line: Beat;
  /** Whether the sheet came to rest. */
  readonly converged: boolean;
}

export interface Sweep {
  readonly parameter: Swept;
  readonly values: readonly number[];
  readonly points: readonly SweptPoint[];
  readonly running: boolean;
}

/** The last sweep; null before the first. */
export const sweep: Signal<Sweep | null> = signal(null);

export async function runSweep(parameter: Swept, values: readonly number[]): Promise<void> {
  const lane = first.value;
  if (lane === null || sweep.value?.running === true || settling.value) return;
  setRunning(false);
  settling.value = true; // nothing else may be settled meanwhile
  sweep.value = { parameter, values, points: [], running: true };
  const { input, files } = connections.scene();
  for (const value of values) {
    lane.open(parameter.write(lane.changes.value(input), value), files, true);
    const point = await settled(lane, value);
    const now: Sweep | null = sweep.value;
    if (point === null || now === null || !now.running) break;
    sweep.value = { ...now, points: [...now.points, point] };
  }
  settling.value = false;
  if (sweep.value !== null) sweep.value = { ...sweep.value, running: false };
  lane.open(lane.changes.value(input), files, true);
}

/** Ends after the value that is being looked at. */
export function cancelSweep(): void {
  if (sweep.value === null) return;
  sweep.value = { ...sweep.value, running: false };
  note("The sweep ends with the value that it is at");
}

/** Puts the sheet to rest and waits for the frame that shows it; null if the scene was refused. */
function settled(lane: Lane, value: number): Promise<SweptPoint | null> {
  const { onSettled, onBeat } = lane;
  return new Promise((resolve) => {
    const end = (point: SweptPoint | null): void => {
      lane.onSettled = onSettled;
      lane.onBeat = onBeat;
      queueMicrotask(() => stop());
      resolve(point);
    };
    lane.onSettled = ({ converged }) => {
      lane.onBeat = (running) => {
        onBeat(running);
        end({ value, line: lane.line.peek() as Beat, converged });
      };
    };
    const stop = effect(() => {
      if (lane.refusal.value !== null) end(null);
    });
    lane.send({ type: "settle" });
  });
}
