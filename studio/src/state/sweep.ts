/**
 * A sweep: one parameter of the scene goes from one value to another, and at each the sheet is put where it comes to rest.
 * The scene itself stays as it is; afterwards the engine has it again.
 */
import { effect, type Signal, signal } from "@preact/signals";
import type { Scene, SceneInput } from "../../../src/index.ts";
import { withMaterial } from "../document/edits.ts";
import type { Beat } from "../engine/protocol.ts";
import type { Lane } from "../lane.ts";
import { connections, first, setRunning, settling } from "./lanes.ts";
import { note } from "./signals.ts";

/** A number of a scene that can be swept. */
export interface Swept {
  readonly name: string;
  readonly unit: string;
  /** Whether equal steps are equal factors. */
  readonly log: boolean;
  read(scene: Scene): number;
  write(input: SceneInput, value: number): SceneInput;
}

export const SWEPT: readonly Swept[] = [
  {
    name: "flexural rigidity D",
    unit: "N·m",
    log: true,
    read: ({ sheets }) => sheets[0].material.D,
    write: (input, D) => withMaterial(input, { D }),
  },
  {
    name: "density",
    unit: "kg/m²",
    log: true,
    read: ({ sheets }) => sheets[0].material.density,
    write: (input, density) => withMaterial(input, { density }),
  },
  {
    name: "gravity",
    unit: "m/s²",
    log: false,
    read: ({ gravity }) => Math.hypot(...gravity),
    write: (input, gravity) => ({ ...input, gravity }),
  },
  {
    name: "pressure",
    unit: "Pa",
    log: false,
    read: ({ pressure }) => pressure,
    write: (input, pressure) => ({ ...input, pressure }),
  },
];

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

/** `steps` values from one to the other, equally far apart or by equal factors. */
export function sweptValues(from: number, to: number, steps: number, log: boolean): number[] {
  const count = Math.max(2, Math.round(steps));
  const values = Array.from({ length: count }, (_, k) => {
    const t = k / (count - 1);
    return log ? from * (to / from) ** t : from + t * (to - from);
  });
  return values.map((value) => Number(value.toPrecision(6)));
}

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
