/** Making a scene: the sheet, what it meets, what holds it, what pulls at it. */
import type { JSX } from "preact";
import type { PickInput, Scene, SceneInput, ShapeInput } from "../../../src/index.ts";
import * as studio from "../studio.ts";
import { NumberRow, Section, Slider, Switch } from "./controls.tsx";
import { Icon } from "./icons.tsx";
import { HoldSection } from "./key-hold.tsx";
import { BodiesSection } from "./make-bodies.tsx";
import { PinsSection } from "./make-pins.tsx";
import { StartFields } from "./make-start.tsx";
import { WorldSection } from "./world.tsx";

export function Make(): JSX.Element {
  const lane = studio.first.value;
  const scene = lane?.opened.value?.scene ?? null;
  return (
    <>
      <div class="pair make-top">
        <button
          type="button"
          class="wide strong"
          data-action="new"
          onClick={() => {
            studio.newOpen.value = true;
          }}
        >
          <Icon name="plus" /> New scene
        </button>
        <button
          type="button"
          class="wide"
          onClick={() => document.getElementById("open-file")?.click()}
        >
          <Icon name="open" /> Open…
        </button>
      </div>
      {scene === null ? (
        <p class="empty">Opening the scene…</p>
      ) : (
        <>
          <SheetSection scene={scene} />
          <BodiesSection scene={scene} />
          <PinsSection />
          <WorldSection scene={scene} />
          <MassesSection />
          <TimeSection scene={scene} />
          <HoldSection />
        </>
      )}
    </>
  );
}

/** m fields of a shape, by name. */
const SIZES: Partial<Record<ShapeInput["type"], readonly string[]>> = {
  rectangle: ["width", "height"],
  disc: ["radius"],
  annulus: ["inner", "outer"],
  tube: ["radius", "height"],
};

function SheetSection({ scene }: { scene: Scene }): JSX.Element {
  const sheet = studio.sheetInput.value;
  const shape = sheet?.shape;
  const n = studio.first.value?.opened.value?.sheet.n ?? 0;
  const { sampling, material } = scene.sheets[0];
  const position = sheet?.pose?.position ?? [0, 0, 0];
  const free = shape !== undefined && shape.type !== "mesh" && shape.type !== "garment";
  return (
    <Section title="Sheet" note={`${shape?.type ?? ""}, ${n} points`}>
      {(SIZES[shape?.type ?? "mesh"] ?? []).map((name) => (
        <NumberRow
          key={name}
          label={name.charAt(0).toUpperCase() + name.slice(1)}
          value={(shape as unknown as Record<string, number>)[name]}
          unit="m"
          min={0.001}
          onChange={(value) =>
            studio.changeSheet(
              (old) => ({ ...old, shape: { ...old.shape, [name]: value } as ShapeInput }),
              `shape ${name}`,
            )
          }
        />
      ))}
      {sampling.type !== "mesh" && (
        <Slider
          label="Points"
          effect="restarts"
          value={"points" in sampling ? sampling.points : n}
          min={60}
          max={6000}
          log
          unit="points"
          onInput={(points) =>
            studio.changeSheet((old) => {
              const { spacing: _, ...rest } = old.sampling ?? {};
              return { ...old, sampling: { ...rest, points: Math.round(points) } };
            }, "points")
          }
        />
      )}
      {free && (
        <NumberRow
          label="Height above 0"
          value={position[2]}
          unit="m"
          onChange={(z) =>
            studio.changeSheet(
              (old) => ({
                ...old,
                pose: { ...old.pose, position: [position[0], position[1], z] },
              }),
              "sheet height",
            )
          }
        />
      )}
      {free && sheet !== undefined && <StartFields scene={scene} sheet={sheet} />}
      <NumberRow
        label="Thickness"
        value={Number((1000 * material.thickness).toPrecision(4))}
        unit="mm"
        min={0}
        onChange={(mm) =>
          studio.changeMaterial((old) => ({ ...old, thickness: mm / 1000 }), "thickness")
        }
      />
      <Resolution scene={scene} />
      <Switch
        label="Contact with itself"
        on={scene.contact.self}
        onChange={(self) =>
          studio.change((input) => ({ ...input, contact: { ...input.contact, self } }))
        }
      />
    </Section>
  );
}

/** Spacings to the bending length from which on folds are visibly coarse. */
const COARSE = 0.75;

/** Says so if the points are too far apart for the folds that the material makes. */
function Resolution({ scene }: { scene: Scene }): JSX.Element | null {
  const spacing = studio.first.value?.opened.value?.sheet.spacing;
  if (spacing === undefined || spacing.length === 0) return null;
  const { D, density } = scene.sheets[0].material;
  const weight = density * Math.hypot(...scene.gravity);
  if (weight === 0) return null;
  // (D/σg)^⅓: the length on which the sheet bends under its own weight
  const fold = Math.cbrt(D / weight);
  const mean = spacing.reduce((sum, s) => sum + s, 0) / spacing.length;
  if (fold >= COARSE * mean) return null;
  return (
    <p class="source warn">
      It bends on {(1000 * fold).toFixed(0)} mm, its points are {(1000 * mean).toFixed(0)} mm apart:
      its folds will be coarser than real ones. More points or a stiffer material help.
    </p>
  );
}

/** Weights that hang on named places. */
function MassesSection(): JSX.Element {
  const { masses = [] } = studio.input.value;
  const named = studio.first.value?.opened.value?.named ?? [];
  const set = (
    edit: (masses: NonNullable<SceneInput["masses"]>) => SceneInput["masses"] & object,
  ) => studio.change((input) => ({ ...input, masses: edit(input.masses ?? []) }), "masses");
  return (
    <Section title="Hung masses">
      <ul class="list">
        {masses.map((mass, k) => (
          <li key={k}>
            <NumberRow
              label={placeName(mass.at)}
              value={Number((1000 * mass.mass).toPrecision(4))}
              unit="g"
              min={0}
              onChange={(grams) =>
                set((old) => old.map((m, i) => (i === k ? { ...m, mass: grams / 1000 } : m)))
              }
            />
            <button
              type="button"
              class="quiet"
              aria-label={`Take off the mass at ${placeName(mass.at)}`}
              onClick={() => {
                studio.seal();
                set((old) => old.filter((_, i) => i !== k));
              }}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <PlaceAdder
        label="Hang a mass on"
        named={named}
        onAdd={(place) => {
          studio.seal();
          const at: PickInput = {
            ...(place.sheet === 0 ? {} : { sheet: place.sheet }),
            [place.kind]: place.name,
          };
          set((old) => [...old, { at, mass: 0.05 }]);
        }}
      />
    </Section>
  );
}

/** "edge left", "corner top-left", "a point" */
export function placeName(at: PickInput | PickInput[]): string {
  const [pick] = Array.isArray(at) ? at : [at];
  const { corner, corners, edge, edges, nearest, points } = pick;
  if (edge !== undefined || edges !== undefined) return `edge ${edge ?? edges?.join(", ")}`;
  if (corner !== undefined || corners !== undefined)
    return `corner ${corner ?? corners?.join(", ")}`;
  if (nearest !== undefined) return "a point";
  return points === undefined ? "a region" : `${points.length} points`;
}

type Place = NonNullable<(typeof studio.first.value & object)["opened"]["value"]>["named"][number];

/** A named edge or corner to choose, and a button: what the pointer picks on the sheet, for the keyboard. */
export function PlaceAdder({
  label,
  named,
  onAdd,
}: {
  label: string;
  named: readonly Place[];
  onAdd: (place: Place) => void;
}): JSX.Element | null {
  if (named.length === 0) return null;
  const choose = (event: JSX.TargetedEvent<HTMLSelectElement>): void => {
    const place = named[Number(event.currentTarget.value)];
    event.currentTarget.value = "";
    if (place !== undefined) onAdd(place);
  };
  return (
    <select class="adder" aria-label={label} value="" onChange={choose}>
      <option value="">{label}…</option>
      {named.map((place, k) => (
        <option key={`${place.kind} ${place.name} ${place.sheet}`} value={String(k)}>
          {place.kind} {place.name}
          {place.sheet > 0 ? ` of sheet ${place.sheet + 1}` : ""}
        </option>
      ))}
    </select>
  );
}

function TimeSection({ scene }: { scene: Scene }): JSX.Element {
  return (
    <Section title="Time">
      <NumberRow
        label="Length of the scene"
        value={scene.seconds}
        unit="s"
        min={0.01}
        onChange={(seconds) => studio.change((input) => ({ ...input, seconds }), "seconds")}
      />
      <NumberRow
        label="Frames kept"
        value={scene.record.rate}
        unit="1/s"
        min={1}
        onChange={(rate) =>
          studio.change((input) => ({ ...input, record: { ...input.record, rate } }), "rate")
        }
      />
    </Section>
  );
}
