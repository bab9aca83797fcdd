/** From the state of a session to what the page sees: a slot of numbers to draw, and a line for the charts. */
import { type EdgeStrain, edgeStrain, type ReadonlyF64, sag } from "../../../src/index.ts";
import { measureOf } from "../../../src/view/index.ts";
import { bodyTimes, posesAt } from "./bodies.ts";
import { HEAD } from "./frames.ts";
import { createField, createRange } from "./overlays.ts";
import type { Beat, Overlay, Probe } from "./protocol.ts";
import type { Post, Session } from "./session.ts";

/** What of the engine a published frame tells, beside its session. */
export interface Pace {
  readonly running: boolean;
  /** Simulated seconds per second that were asked for. */
  readonly speed: number;
  /** ms of the last published frame. */
  lastPublish: number;
}

let Yshown = new Float64Array(0);

/** Writes what is to be seen now into a slot and hands it over. */
export function publish(s: Session, pace: Pace, post: Post): void {
  const { simulation, writer, shown, recording } = s;
  const { sheet, scene } = simulation;
  const slot = writer.slot();
  const time = shown === null ? simulation.time : recording.time(shown);
  let Y = simulation.pose;
  if (shown !== null) {
    if (Yshown.length !== Y.length) Yshown = new Float64Array(Y.length);
    Y = recording.pose(shown, Yshown);
  }
  const strain = edgeStrain(sheet, Y);
  slot.pose.set(Y as Float64Array);
  const values = s.field === null ? null : s.field.values(Y, shown);
  if (values === null) slot.values.fill(0);
  else slot.values.set(values);
  const { low, high, clipped } =
    values === null || s.range === null ? { low: 0, high: 1, clipped: false } : s.range(values);
  const times = shown === null ? bodyTimes(simulation) : recording.bodyTimes(shown);
  slot.poses.set(posesAt(scene, times));
  s.published += 1;
  const { head } = slot;
  head[HEAD.low] = low;
  head[HEAD.high] = high;
  head[HEAD.clipped] = clipped ? 1 : 0;
  head[HEAD.serial] = s.published;
  head[HEAD.time] = time;
  head[HEAD.steps] = simulation.steps;
  head[HEAD.edgeMax] = strain.max;
  head[HEAD.edgeMean] = strain.mean;
  head[HEAD.shown] = shown ?? -1;
  head[HEAD.beat] = s.beat;
  head[HEAD.framed] = Y.length > 3 * sheet.n ? 1 : 0;
  writer.publish();

  const line = beatLine(s, time, Y, strain, pace);
  const { frames } = recording;
  post({
    type: "beat",
    serial: s.serial,
    beat: s.beat,
    line,
    frames,
    end: frames > 0 ? recording.time(frames - 1) : 0,
    running: pace.running,
    touched: s.touched,
    shown,
  });
}

function beatLine(s: Session, time: number, Y: ReadonlyF64, strain: EdgeStrain, pace: Pace): Beat {
  const { recent, lastMetrics: metrics, simulation } = s;
  const now = performance.now();
  const span = now - pace.lastPublish;
  const { h } = simulation.scene;
  pace.lastPublish = now;
  s.lastMetrics = null;
  s.recent = { steps: 0, rounds: 0, milliseconds: 0, contacts: 0 };
  const stepMs = recent.steps === 0 ? 0 : recent.milliseconds / recent.steps;
  return {
    time,
    steps: simulation.steps,
    strain: Y.length > 3 * simulation.sheet.n ? strain.stretchMax : strain.max,
    edgeMean: strain.mean,
    stretchMax: strain.stretchMax,
    compressionMax: strain.compressionMax,
    sag: sag(Y, pinnedPoints(s)),
    bending: s.recording.metrics[s.shown ?? s.recording.frames - 1]?.bending ?? null,
    rounds: recent.steps === 0 ? 0 : recent.rounds / recent.steps,
    stepMs,
    pace: span > 0 ? (recent.steps * h * 1000) / span : 0,
    // what a step takes against what it simulates: the machine is slower than was asked for
    behind: stepMs > (1000 * h) / pace.speed,
    contacts: recent.contacts,
    probes: probesAt(s, Y),
    reactions: s.reactions[s.shown ?? s.reactions.length - 1] ?? [],
    energy:
      metrics === null
        ? null
        : {
            kinetic: metrics.kinetic,
            gravity: metrics.gravity,
            bending: metrics.bending,
            membrane: metrics.membrane,
            total: metrics.total,
          },
  };
}

/** Points of all pins. */
function pinnedPoints({ simulation }: Session): number[] {
  return simulation.scene.pins.flatMap(({ name }) => [...simulation.pinPoints(name)]);
}

/** The measures of a session, made when first asked for. */
const measures = new WeakMap<Session["simulation"], ReturnType<typeof probeMeasures>>();

function probeMeasures({ sheet }: Session["simulation"]) {
  return {
    edge: measureOf(sheet, "edge-strain")!,
    principal: measureOf(sheet, "principal-strain")!,
    curvature: measureOf(sheet, "curvature")!,
  };
}

function probesAt({ probed, simulation }: Session, Y: ReadonlyF64): Probe[] {
  if (probed.length === 0) return [];
  let own = measures.get(simulation);
  if (own === undefined) {
    own = probeMeasures(simulation);
    measures.set(simulation, own);
  }
  const edge = own.edge.values(Y);
  const principal = own.principal.values(Y);
  const curvature = own.curvature.values(Y);
  return probed.map((point) => ({
    point,
    position: [Y[3 * point], Y[3 * point + 1], Y[3 * point + 2]],
    edgeStrain: edge[point],
    principalStrain: principal[point],
    curvature: curvature[point],
  }));
}

/** Makes the field that colours show, and tells its legend. */
export function setField(s: Session, overlay: Overlay, post: Post): void {
  s.field = createField(overlay, s.simulation, s.pressures);
  s.range = s.field === null ? null : createRange(s.field);
  post({
    type: "legend",
    serial: s.serial,
    overlay,
    label: s.field?.label ?? "",
    unit: s.field?.unit ?? "",
    factor: s.field?.factor ?? 1,
    map: s.field?.map.name ?? "",
  });
}
