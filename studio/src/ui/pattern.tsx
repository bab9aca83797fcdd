/** The flat view of a garment: panels side by side; click two edges to sew them. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { PanelInput, SeamInput, Vec2 } from "../../../src/index.ts";
import { editGarment, type GarmentInput, toggleSeam } from "../document/edits.ts";
import {
  ARRANGEMENT,
  arranged,
  checkSeam,
  drawnPattern,
  type FlatEdge,
  type FlatPattern,
  flatPattern,
  grainOf,
  type Side,
  withGrain,
} from "../document/pattern.ts";
import * as studio from "../studio.ts";
import { NumberRow, Section, Switch } from "./controls.tsx";
import { Grain } from "./grain.tsx";
import { Icon } from "./icons.tsx";

const change = (edit: (garment: GarmentInput) => GarmentInput, merge: string | null = null): void =>
  studio.change((scene) => editGarment(scene, 0, edit), merge);

const changePanel = (
  name: string,
  revise: (panel: PanelInput) => PanelInput,
  merge: string | null = null,
): void =>
  change(
    (old) => ({
      ...old,
      panels: (old.panels ?? []).map((p) => (p.name === name ? revise(p) : p)),
    }),
    merge,
  );

const turnGrain = (name: string, degrees: number): void =>
  changePanel(name, (panel) => withGrain(panel, degrees), `grain of ${name}`);

export function Pattern(): JSX.Element {
  const shape = studio.sheetInput.value?.shape;
  const [first, setFirst] = useState<string | null>(null);
  const [panel, setPanel] = useState<string | null>(null);
  if (shape?.type !== "garment" || shape.panels === undefined)
    return (
      <p class="empty">
        A garment is cut from flat panels. Make a new skirt, or drop a pattern (.svg, .dxf) on the
        page.
      </p>
    );
  const flat = flatPattern(shape);
  const seams = shape.seams ?? [];
  const click = (edge: FlatEdge): void => {
    if (first === null || first === edge.id) {
      setFirst(first === null ? edge.id : null);
      return;
    }
    setFirst(null);
    change((garment) => toggleSeam(garment, { from: first, to: edge.id, reversed: true }));
  };
  return (
    <>
      <Section title="Panels" note="click two edges to sew them">
        <FlatView flat={flat} seams={seams} first={first} panel={panel} onEdge={click} />
        <p class="source" aria-live="polite">
          {first === null ? "No edge chosen." : `${first} chosen: now the edge to sew it to.`}
        </p>
      </Section>
      <Seams flat={flat} seams={seams} />
      <Section title="One panel" note="its grain and its place">
        <fieldset class="chips" aria-label="Panel to place">
          {flat.panels.map(({ name }) => (
            <button
              key={name}
              type="button"
              class="chip"
              aria-pressed={panel === name}
              onClick={() => setPanel(panel === name ? null : name)}
            >
              {name}
            </button>
          ))}
        </fieldset>
        {panel !== null && <GrainChoice key={`grain ${panel}`} garment={shape} name={panel} />}
        {panel !== null && <Placing key={panel} garment={shape} name={panel} />}
      </Section>
      <Section title="Sewing">
        <NumberRow
          label="Pulled together in"
          value={shape.sewing?.seconds ?? 0.5}
          unit="s"
          min={0}
          hint="0 joins the edges at the start; they must meet then"
          onChange={(seconds) =>
            change((garment) => ({ ...garment, sewing: { seconds } }), "sewing")
          }
        />
      </Section>
    </>
  );
}

/** Seams are told apart by colour and number. */
const COLORS = ["#b4472f", "#2f5d8a", "#4f7a57", "#a87510", "#7b4a92", "#2c8089", "#8a5a3c"];

/** Units of the drawing along its longer side: about one a pixel. */
const SIZE = 280;

function FlatView({
  flat,
  seams,
  first,
  panel,
  onEdge,
}: {
  flat: FlatPattern;
  seams: readonly SeamInput[];
  first: string | null;
  panel: string | null;
  onEdge: (edge: FlatEdge) => void;
}): JSX.Element {
  const drawn = drawnPattern(flat, SIZE);
  const margin = 0.06 * SIZE;
  const seamOf = (id: string): number => seams.findIndex((s) => s.from === id || s.to === id);
  return (
    <svg
      class="flat"
      viewBox={`${-margin} ${-margin} ${drawn.width + 2 * margin} ${drawn.height + 2 * margin}`}
    >
      <title>Panels of the garment, flat</title>
      {drawn.panels.map((own) => {
        const { name, outline, holes, edges, middle, reach } = own;
        return (
          <g key={name}>
            <path
              class="flat-panel"
              data-selected={panel === name || undefined}
              d={[outline, ...holes].map(closed).join("")}
            />
            <text class="flat-name" x={middle[0]} y={middle[1] + reach + 12} font-size={13}>
              {name}
            </text>
            <Grain panel={own} onTurn={(degrees) => turnGrain(name, degrees)} onEnd={studio.seal} />
            {edges.map((edge) => {
              const seam = seamOf(edge.id);
              const at = edge.points[Math.floor(edge.points.length / 2)];
              const from = edge.points[Math.ceil(edge.points.length / 2) - 1];
              const mid: Vec2 = [(at[0] + from[0]) / 2, (at[1] + from[1]) / 2];
              return (
                <g key={edge.id}>
                  {/* biome-ignore lint/a11y/useSemanticElements: a drawing has no button element */}
                  <polyline
                    class="flat-edge"
                    role="button"
                    tabindex={0}
                    aria-label={`${edge.id}, ${(100 * edge.length).toFixed(1)} cm${seam >= 0 ? `, seam ${seam + 1}` : ""}`}
                    aria-pressed={first === edge.id}
                    data-edge={edge.id}
                    points={edge.points.map(([x, y]) => `${x},${y}`).join(" ")}
                    stroke={seam >= 0 ? COLORS[seam % COLORS.length] : undefined}
                    stroke-width={first === edge.id ? 5 : seam >= 0 ? 3.5 : 2}
                    onClick={() => onEdge(edge)}
                    onKeyDown={(event) => {
                      if (event.key !== "Enter" && event.key !== " ") return;
                      event.preventDefault();
                      event.stopPropagation();
                      onEdge(edge);
                    }}
                  />
                  {seam >= 0 && (
                    <text class="flat-seam" x={mid[0]} y={mid[1]} font-size={11}>
                      {seam + 1}
                    </text>
                  )}
                </g>
              );
            })}
          </g>
        );
      })}
    </svg>
  );
}

function closed(points: readonly Vec2[]): string {
  return `M${points.map(([x, y]) => `${x} ${y}`).join("L")}Z`;
}

function Seams({ flat, seams }: { flat: FlatPattern; seams: readonly SeamInput[] }): JSX.Element {
  const set = (k: number, seam: SeamInput | null): void =>
    change((garment) => ({
      ...garment,
      seams: (garment.seams ?? []).flatMap((s, i) => (i !== k ? [s] : seam === null ? [] : [seam])),
    }));
  return (
    <Section title="Seams" note={seams.length === 0 ? "none yet" : `${seams.length}`}>
      <ul class="list">
        {seams.map((seam, k) => {
          const { from, to, ease, crossed } = checkSeam(flat, seam);
          return (
            <li key={`${seam.from} ${seam.to}`} class="seam">
              <span class="list-name">
                <span class="key" style={{ background: COLORS[k % COLORS.length] }} /> {k + 1}{" "}
                {seam.from} to {seam.to}
                <span class="list-note">
                  {from === null || to === null
                    ? "an edge that is not there"
                    : `${cm(from.length)} to ${cm(to.length)}`}
                </span>
              </span>
              <button
                type="button"
                class="quiet"
                aria-label={`Take seam ${k + 1} apart`}
                onClick={() => set(k, null)}
              >
                <Icon name="close" />
              </button>
              {ease > 0.02 && (
                <p class="source warn">
                  Lengths differ by {(100 * ease).toFixed(0)} %: the longer edge is gathered.
                </p>
              )}
              {crossed && <p class="source warn">Crossed: one panel is turned inside out.</p>}
              <Switch
                label="Crossed"
                on={crossed}
                onChange={(on) => set(k, { ...seam, reversed: !on })}
              />
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function cm(metres: number): string {
  return `${(100 * metres).toFixed(1)} cm`;
}

const GRAINS = [
  { degrees: 0, name: "straight" },
  { degrees: 45, name: "bias" },
  { degrees: 90, name: "cross" },
] as const;

/** The grain of a panel, in words and in degrees. */
function GrainChoice({
  garment,
  name,
}: {
  garment: GarmentInput;
  name: string;
}): JSX.Element | null {
  const panel = (garment.panels ?? []).find((p) => p.name === name);
  if (panel === undefined) return null;
  const grain = grainOf(panel);
  return (
    <>
      <NumberRow
        label="Grain, from upright"
        value={grain}
        unit="°"
        hint="Counter-clockwise. Turns prints, images and exported UV; the cloth bends alike in all directions."
        onChange={(degrees) => turnGrain(name, degrees)}
      />
      <fieldset class="chips" aria-label={`Grain of ${name}`}>
        {GRAINS.map((choice) => (
          <button
            key={choice.name}
            type="button"
            class="chip"
            aria-pressed={grain === choice.degrees}
            onClick={() => turnGrain(name, choice.degrees)}
          >
            {choice.name}
          </button>
        ))}
      </fieldset>
    </>
  );
}

/** Arrangement points around the upright axis of the first body, or of the origin. */
function Placing({ garment, name }: { garment: GarmentInput; name: string }): JSX.Element | null {
  const panel = (garment.panels ?? []).find((p) => p.name === name);
  const body = studio.input.value.colliders?.find((c) => c.body.type !== "plane");
  const [x, y] = body?.position ?? [0, 0];
  const reach = studio.bodyRadius(body?.body) ?? panel?.place?.wrap ?? 0.15;
  const [radius, setRadius] = useState(Number((1.15 * reach).toFixed(3)));
  if (panel === undefined) return null;
  const place = (side: Side): void => changePanel(name, (p) => arranged(p, side, [x, y], radius));
  const [px, py, pz] = panel.place?.position ?? [0, 0, 0];
  return (
    <>
      <p class="source placing">
        {body?.name === undefined ? "around the origin" : `around ${body.name}`}
      </p>
      <fieldset class="chips" aria-label={`Side for ${name}`}>
        {ARRANGEMENT.map(({ name: side }) => (
          <button key={side} type="button" class="chip" onClick={() => place(side)}>
            {side}
          </button>
        ))}
      </fieldset>
      <NumberRow label="Distance from the axis" value={radius} unit="m" onChange={setRadius} />
      <NumberRow
        label="Height of its lower edge"
        value={pz}
        unit="m"
        onChange={(z) =>
          changePanel(
            name,
            (p) => ({ ...p, place: { ...p.place, position: [px, py, z] } }),
            "panel height",
          )
        }
      />
    </>
  );
}
