/**
 * Handles on the chosen body, drawn over the picture: three arrows to shift it, a ring to turn it about the vertical.
 * They are elements of the page, so they can be reached with Tab and moved with the arrow keys too.
 */

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Vec3 } from "../../../src/index.ts";
import * as studio from "../studio.ts";
import { reachOf } from "../theatre/subject.ts";
import { useTheatre } from "./stage.tsx";

const AXES: readonly { name: string; axis: Vec3; color: string }[] = [
  { name: "x", axis: [1, 0, 0], color: "#c2412d" },
  { name: "y", axis: [0, 1, 0], color: "#3f7d3a" },
  { name: "z", axis: [0, 0, 1], color: "#2f62a8" },
];
/** Where the ball of the ring sits. */
const RING_AT = -0.9;

export function Handles(): JSX.Element | null {
  const theatre = useTheatre().current;
  const drag = useRef<((x: number, y: number) => void) | null>(null);
  const body = studio.selectedBody.value;
  const lane = studio.first.value;
  // again when the camera, the body or the frame moves
  studio.viewed.value;
  lane?.line.value;
  const collider = body === null ? undefined : lane?.opened.value?.scene.colliders[body];
  if (theatre === null || body === null || collider === undefined) return null;
  const pose = theatre.poses().subarray(12 * body, 12 * body + 12);
  if (pose.length < 12) return null;
  const centre: Vec3 = [pose[9], pose[10], pose[11]];
  const size = Math.max(60 * theatre.scaleAt(centre), 1.25 * reachOf(collider.body));
  const box = document.querySelector(".stage")?.getBoundingClientRect();
  if (box === undefined) return null;
  const at = (place: Vec3): { x: number; y: number } => {
    const { x, y } = theatre.project(place);
    return { x: x - box.left, y: y - box.top };
  };
  const along = (axis: Vec3, s: number): Vec3 => [
    centre[0] + s * axis[0],
    centre[1] + s * axis[1],
    centre[2] + s * axis[2],
  ];
  const middle = at(centre);
  const turned = studio.turnOf(body);
  const ring = Array.from({ length: 49 }, (_, k) => {
    const a = (k * Math.PI) / 24;
    return at([
      centre[0] + 0.8 * size * Math.cos(a),
      centre[1] + 0.8 * size * Math.sin(a),
      centre[2],
    ]);
  });
  const knob = RING_AT + turned;
  const knobAt = at([
    centre[0] + 0.8 * size * Math.cos(knob),
    centre[1] + 0.8 * size * Math.sin(knob),
    centre[2],
  ]);

  const shift = (event: PointerEvent, axis: Vec3): void => {
    const end = at(along(axis, size));
    const [dx, dy] = [(end.x - middle.x) / size, (end.y - middle.y) / size]; // px per m
    const length = dx * dx + dy * dy;
    const from = { x: event.clientX, y: event.clientY };
    const start = studio.placeOf(body);
    begin(event, (x, y) => {
      const s = length > 1 ? ((x - from.x) * dx + (y - from.y) * dy) / length : 0;
      studio.placeBody(
        body,
        [start[0] + s * axis[0], start[1] + s * axis[1], start[2] + s * axis[2]],
        turned,
      );
    });
  };
  const turn = (event: PointerEvent): void => {
    const angle = (x: number, y: number): number =>
      Math.atan2(-(y - box.top - middle.y) * 1.8, x - box.left - middle.x);
    const from = angle(event.clientX, event.clientY);
    begin(event, (x, y) =>
      studio.placeBody(body, studio.placeOf(body), turned + angle(x, y) - from),
    );
  };
  const begin = (event: PointerEvent, move: (x: number, y: number) => void): void => {
    event.stopPropagation();
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    drag.current = move;
  };
  const keys = (event: KeyboardEvent, move: (steps: number) => void): void => {
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    move(steps);
  };
  const common = {
    onPointerMove: (event: PointerEvent) => drag.current?.(event.clientX, event.clientY),
    onPointerUp: () => {
      if (drag.current !== null) studio.keepBody(body);
      drag.current = null;
    },
  };
  return (
    <svg class="handles">
      <title>{`Handles of ${collider.name}`}</title>
      <polyline class="ring" points={ring.map(({ x, y }) => `${x},${y}`).join(" ")} />
      <circle
        class="handle"
        role="slider"
        tabIndex={0}
        aria-label="Turn about the vertical"
        aria-valuenow={Math.round((turned * 180) / Math.PI)}
        data-handle="turn"
        cx={knobAt.x}
        cy={knobAt.y}
        r={9}
        fill="#c9973f"
        onPointerDown={turn}
        onKeyDown={(event) =>
          keys(event, (steps) => {
            studio.placeBody(body, studio.placeOf(body), turned + steps * 0.1);
            studio.keepBody(body);
          })
        }
        {...common}
      />
      {AXES.map(({ name, axis, color }) => {
        const end = at(along(axis, size));
        return (
          <g key={name}>
            <line x1={middle.x} y1={middle.y} x2={end.x} y2={end.y} stroke={color} />
            <circle
              class="handle"
              role="slider"
              tabIndex={0}
              aria-label={`Shift along ${name}`}
              aria-valuenow={Number(studio.placeOf(body)["xyz".indexOf(name)].toFixed(3))}
              data-handle={name}
              cx={end.x}
              cy={end.y}
              r={9}
              fill={color}
              onPointerDown={(event) => shift(event, axis)}
              onKeyDown={(event) =>
                keys(event, (steps) => {
                  const p = studio.placeOf(body);
                  const s = 0.02 * steps;
                  studio.placeBody(
                    body,
                    [p[0] + s * axis[0], p[1] + s * axis[1], p[2] + s * axis[2]],
                    turned,
                  );
                  studio.keepBody(body);
                })
              }
              {...common}
            />
            <text x={end.x} y={end.y + 3.5}>
              {name}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
