/**
 * Handles on the chosen body, drawn over the picture: three arrows to shift it, a ring to turn it about the vertical.
 * They are elements of the page, so they can be reached with Tab and moved with the arrow keys too.
 */

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Vec3 } from "../../../src/index.ts";
import * as studio from "../studio.ts";
import { plus, times } from "../theatre/orbit.ts";
import { reachOf } from "../theatre/subject.ts";
import { useTheatre } from "./stage.tsx";

const AXES: readonly { name: string; axis: Vec3; color: string }[] = [
  { name: "x", axis: [1, 0, 0], color: "#c2412d" },
  { name: "y", axis: [0, 1, 0], color: "#3f7d3a" },
  { name: "z", axis: [0, 0, 1], color: "#2f62a8" },
];
/** Where the ball of the ring sits. */
const RING_AT = -0.9;

/** px, how short and how long the arrows of small and large bodies are. */
const SHORTEST = 60;
const LONGEST = 170;

/** The chosen body and where it is in the picture. */
interface Held {
  readonly body: number;
  /** rad about the vertical */
  readonly turned: number;
  readonly centre: Vec3;
  /** m, length of the arrows */
  readonly size: number;
  /** Place in the picture, CSS pixels from its upper left corner. */
  at(place: Vec3): { x: number; y: number };
  /** Where the picture begins on the page. */
  readonly left: number;
  readonly top: number;
}

type Drag = { current: ((x: number, y: number) => void) | null };

export function Handles(): JSX.Element | null {
  const theatre = useTheatre().current;
  const drag: Drag = useRef<((x: number, y: number) => void) | null>(null);
  const body = studio.selectedBody.value;
  const lane = studio.first.value;
  // again when the camera, the body or the frame moves
  studio.viewed.value;
  lane?.line.value;
  const collider = body === null ? undefined : lane?.opened.value?.scene.colliders[body];
  if (theatre === null || body === null || collider === undefined) return null;
  const pose = theatre.poses().subarray(12 * body, 12 * body + 12);
  const box = document.querySelector(".stage")?.getBoundingClientRect();
  if (pose.length < 12 || box === undefined) return null;
  const centre: Vec3 = [pose[9], pose[10], pose[11]];
  const { left, top } = box;
  const pixel = theatre.scaleAt(centre);
  const shape = lane?.opened.value?.bodyShapes[body] ?? null;
  const held: Held = {
    body,
    turned: studio.turnOf(body),
    centre,
    size: Math.min(
      LONGEST * pixel,
      Math.max(SHORTEST * pixel, 1.25 * reachOf(collider.body, shape)),
    ),
    at(place) {
      const { x, y } = theatre.project(place);
      return { x: x - left, y: y - top };
    },
    left,
    top,
  };
  return (
    <svg class="handles">
      <title>{`Handles of ${collider.name}`}</title>
      <Ring held={held} drag={drag} />
      {AXES.map((arrow) => (
        <Arrow key={arrow.name} {...arrow} held={held} drag={drag} />
      ))}
    </svg>
  );
}

/** The ring that turns the body about the vertical. */
function Ring({ held, drag }: { held: Held; drag: Drag }): JSX.Element {
  const { body, turned, centre, size, at, left, top } = held;
  const onRing = (angle: number): { x: number; y: number } =>
    at([
      centre[0] + 0.8 * size * Math.cos(angle),
      centre[1] + 0.8 * size * Math.sin(angle),
      centre[2],
    ]);
  const ring = Array.from({ length: 49 }, (_, k) => onRing((k * Math.PI) / 24));
  const knob = onRing(RING_AT + turned);
  const middle = at(centre);
  const turn = (event: PointerEvent): void => {
    const angle = (x: number, y: number): number =>
      Math.atan2(-(y - top - middle.y) * 1.8, x - left - middle.x);
    const from = angle(event.clientX, event.clientY);
    begin(drag, event, (x, y) =>
      studio.placeBody(body, studio.placeOf(body), turned + angle(x, y) - from),
    );
  };
  return (
    <>
      <polyline class="ring" points={ring.map(({ x, y }) => `${x},${y}`).join(" ")} />
      <circle
        class="handle"
        role="slider"
        tabindex={0}
        aria-label="Turn about the vertical"
        aria-valuenow={Math.round((turned * 180) / Math.PI)}
        data-handle="turn"
        cx={knob.x}
        cy={knob.y}
        r={9}
        fill="#c9973f"
        onPointerDown={turn}
        onKeyDown={(event) =>
          byKeys(event, (steps) => {
            studio.placeBody(body, studio.placeOf(body), turned + steps * 0.1);
            studio.keepBody(body);
          })
        }
        {...dragging(drag, body)}
      />
    </>
  );
}

interface ArrowProps {
  name: string;
  axis: Vec3;
  color: string;
  held: Held;
  drag: Drag;
}

/** The arrow that shifts the body along an axis. */
function Arrow({ name, axis, color, held, drag }: ArrowProps): JSX.Element {
  const { body, turned, centre, size, at } = held;
  const middle = at(centre);
  const end = at(plus(centre, times(axis, size)));
  const shift = (event: PointerEvent): void => {
    const [dx, dy] = [(end.x - middle.x) / size, (end.y - middle.y) / size]; // px per m
    const length = dx * dx + dy * dy;
    const from = { x: event.clientX, y: event.clientY };
    const start = studio.placeOf(body);
    begin(drag, event, (x, y) => {
      const s = length > 1 ? ((x - from.x) * dx + (y - from.y) * dy) / length : 0;
      studio.placeBody(body, plus(start, times(axis, s)), turned);
    });
  };
  return (
    <g>
      <line x1={middle.x} y1={middle.y} x2={end.x} y2={end.y} stroke={color} />
      <circle
        class="handle"
        role="slider"
        tabindex={0}
        aria-label={`Shift along ${name}`}
        aria-valuenow={Number(studio.placeOf(body)["xyz".indexOf(name)].toFixed(3))}
        data-handle={name}
        cx={end.x}
        cy={end.y}
        r={9}
        fill={color}
        onPointerDown={shift}
        onKeyDown={(event) =>
          byKeys(event, (steps) => {
            studio.placeBody(body, plus(studio.placeOf(body), times(axis, 0.02 * steps)), turned);
            studio.keepBody(body);
          })
        }
        {...dragging(drag, body)}
      />
      <text x={end.x} y={end.y + 3.5}>
        {name}
      </text>
    </g>
  );
}

function begin(drag: Drag, event: PointerEvent, move: (x: number, y: number) => void): void {
  event.stopPropagation();
  (event.currentTarget as Element).setPointerCapture(event.pointerId);
  drag.current = move;
}

/** What a handle does while it is dragged, and when it is let go. */
function dragging(
  drag: Drag,
  body: number,
): { onPointerMove: (event: PointerEvent) => void; onPointerUp: () => void } {
  return {
    onPointerMove: (event) => drag.current?.(event.clientX, event.clientY),
    onPointerUp: () => {
      if (drag.current !== null) studio.keepBody(body);
      drag.current = null;
    },
  };
}

function byKeys(event: KeyboardEvent, move: (steps: number) => void): void {
  const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  if (steps === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  move(steps);
}
