/** The grain of a panel in the flat view: an arrow along the warp, turned by dragging its head or by arrow keys. */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Vec2 } from "../../../src/index.ts";
import { type FlatPanel, grainAt } from "../document/pattern.ts";

/** Degrees that a key and the pointer turn by; with Shift, one. */
const STEP = 5;

export function Grain({
  panel: { name, middle, reach, grain },
  onTurn,
  onEnd,
}: {
  panel: FlatPanel;
  onTurn: (degrees: number) => void;
  /** It is let go: the next turn is a step of its own. */
  onEnd: () => void;
}): JSX.Element {
  const arrow = useRef<SVGGElement>(null);
  const a = (grain * Math.PI) / 180;
  // v is down in the drawing
  const along = (length: number, aside = 0): Vec2 => [
    middle[0] - length * Math.sin(a) + aside * Math.cos(a),
    middle[1] - length * Math.cos(a) - aside * Math.sin(a),
  ];
  const [head, tail] = [along(reach), along(-reach)];
  const barbs = [along(reach - 8, 5), along(reach - 8, -5)];
  const turnTo = (event: PointerEvent): void => {
    const svg = arrow.current?.ownerSVGElement;
    const matrix = svg?.getScreenCTM();
    if (svg == null || matrix == null) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    onTurn(grainAt(middle, [x, y], event.shiftKey ? 1 : STEP));
  };
  const turnBy = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: 1, ArrowUp: 1, ArrowRight: -1, ArrowDown: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onTurn(grain + by * (event.shiftKey ? 1 : STEP));
  };
  const places = [tail, head, barbs[0], head, barbs[1]].map(([x, y]) => `${x},${y}`).join(" ");
  return (
    <g
      ref={arrow}
      class="flat-grain"
      role="slider"
      tabindex={0}
      aria-label={`Grain of ${name}`}
      aria-valuemin={-90}
      aria-valuemax={90}
      aria-valuenow={grain}
      aria-valuetext={`${grain}° from upright`}
      data-grain={name}
      onKeyDown={turnBy}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        turnTo(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) turnTo(event);
      }}
      onPointerUp={onEnd}
      onBlur={onEnd}
    >
      <title>{`Grain of ${name}: ${grain}° from upright. Drag to turn it.`}</title>
      <polyline class="flat-grain-reach" points={places} stroke-width={16} />
      <polyline points={places} stroke-width={1.5} />
    </g>
  );
}
