/** Material, world, method, mesh, bodies: what a scene says, to be changed while it runs. */
import type { JSX } from "preact";
import type { MaterialInput } from "../../../src/scene/input.ts";
import { presets } from "../../../src/scene/materials.ts";
import type { Scene, Vec3 } from "../../../src/scene/scene.ts";
import * as studio from "../studio.ts";
import { Choice, Section, Slider, Switch } from "./controls.tsx";
import { Icon } from "./icons.tsx";

export function Parameters(): JSX.Element {
  const scene = studio.first.value?.opened.value?.scene ?? null;
  if (scene === null) return <p class="empty">Opening the scene…</p>;
  return (
    <>
      <MaterialSection scene={scene} />
      <WorldSection scene={scene} />
      {scene.colliders.length > 0 && <BodiesSection scene={scene} />}
      <PinsSection scene={scene} />
      <MethodSection scene={scene} />
      <MeshSection scene={scene} />
    </>
  );
}

function MaterialSection({ scene }: { scene: Scene }): JSX.Element {
  const { material } = scene.sheets[0];
  const written = studio.sheetInput.value?.material;
  const own: MaterialInput = typeof written === "string" ? { preset: written } : (written ?? {});
  const preset = own.preset ?? "";
  const pick = (name: string): void =>
    studio.changeMaterial(() =>
      name === "" ? { D: material.D, density: material.density } : { preset: name },
    );
  const chosen = presets.find(({ name }) => name === preset);
  const D = own.D ?? material.D;
  const density = own.density ?? material.density;
  return (
    <Section title="Material">
      <div class="chips">
        {presets.map(({ name, what }) => (
          <button
            key={name}
            type="button"
            class="chip"
            aria-pressed={name === preset}
            title={what}
            data-preset={name}
            onClick={() => pick(name === preset ? "" : name)}
          >
            {name.replaceAll("-", " ")}
          </button>
        ))}
      </div>
      {chosen !== undefined && <p class="source">{chosen.what}</p>}
      <Slider
        label="Flexural rigidity D"
        value={D}
        min={1e-7}
        max={1e-1}
        log
        unit="N·m"
        hint="How hard it is to bend. It never changes how much it stretches."
        onInput={(value) => studio.changeMaterial((old) => ({ ...old, D: value }))}
      />
      <Slider
        label="Density"
        value={density}
        min={0.01}
        max={5}
        log
        unit="kg/m²"
        onInput={(value) => studio.changeMaterial((old) => ({ ...old, density: value }))}
      />
    </Section>
  );
}

function WorldSection({ scene }: { scene: Scene }): JSX.Element {
  const { gravity, air, contact } = scene;
  const strength = Math.hypot(...gravity);
  const wind = Math.hypot(air.wind[0], air.wind[1]);
  const heading = wind > 0 ? (Math.atan2(air.wind[1], air.wind[0]) * 180) / Math.PI : 0;
  const setWind = (speed: number, degrees: number): void => {
    const a = (degrees * Math.PI) / 180;
    const round = (x: number): number => Math.round(x * 1e4) / 1e4;
    studio.change((input) => ({
      ...input,
      air: {
        ...input.air,
        wind: [round(speed * Math.cos(a)), round(speed * Math.sin(a)), input.air?.wind?.[2] ?? 0],
        // wind pushes on the normal of the sheet, which needs the air's density
        ...(speed > 0 && !input.air?.density ? { density: 1.2 } : {}),
      },
    }));
  };
  const bodies = scene.colliders.length > 0 || contact.self;
  return (
    <Section title="World">
      <Slider
        label="Gravity"
        value={Number(strength.toPrecision(4))}
        min={0}
        max={25}
        unit="m/s²"
        onInput={(value) =>
          studio.change((input) => ({ ...input, gravity: downwards(gravity, value) }))
        }
      />
      <Slider
        label="Wind"
        value={Number(wind.toPrecision(3))}
        min={0}
        max={15}
        unit="m/s"
        onInput={(value) => setWind(value, heading)}
      />
      {wind > 0 && (
        <Slider
          label="Wind towards"
          value={Math.round(heading)}
          min={-180}
          max={180}
          step={5}
          unit="°"
          onInput={(value) => setWind(wind, value)}
        />
      )}
      <Slider
        label="Drag"
        value={air.drag}
        min={0}
        max={5}
        unit="N·s/m³"
        hint="Linear drag of the air per area: how soon it comes to rest."
        onInput={(drag) => studio.change((input) => ({ ...input, air: { ...input.air, drag } }))}
      />
      {bodies && (
        <Slider
          label="Friction"
          value={scene.colliders[0]?.friction ?? contact.friction}
          min={0}
          max={1.5}
          unit="1"
          onInput={(friction) =>
            studio.change((input) => ({
              ...input,
              contact: { ...input.contact, friction },
              colliders: (input.colliders ?? []).map((c) => ({ ...c, friction })),
            }))
          }
        />
      )}
    </Section>
  );
}

/** The same direction, another strength; straight down if there was none. */
function downwards(gravity: Vec3, strength: number): Vec3 {
  const old = Math.hypot(...gravity);
  const round = (x: number): number => Math.round(x * 1e4) / 1e4;
  if (old === 0) return [0, 0, -strength];
  return gravity.map((x) => round((x / old) * strength)) as Vec3;
}

function BodiesSection({ scene }: { scene: Scene }): JSX.Element {
  const selected = studio.selectedBody.value;
  return (
    <Section title="Bodies" note="click one to move it">
      <ul class="list">
        {scene.colliders.map((collider, k) => (
          <li key={collider.name} data-selected={selected === k || undefined}>
            <button
              type="button"
              class="quiet list-name"
              onClick={() => {
                studio.selectedBody.value = selected === k ? null : k;
              }}
            >
              {collider.name}
              <span class="list-note">{collider.body.type}</span>
            </button>
            {selected === k && (
              <div class="list-more">
                <Slider
                  label="Spin about z"
                  value={spinOf(scene, k)}
                  min={-360}
                  max={360}
                  step={5}
                  unit="°/s"
                  onInput={(rate) => {
                    studio.placeBody(
                      k,
                      studio.placeOf(k),
                      studio.turnOf(k),
                      (rate * Math.PI) / 180,
                    );
                    studio.keepBody(k);
                  }}
                />
              </div>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** °/s about z, by hand or by the scene. */
function spinOf(scene: Scene, k: number): number {
  studio.viewed.value; // again when a hand changed it
  const byHand = studio.spinOf(k);
  const { motion } = scene.colliders[k];
  const own = motion?.spin?.axis[2] === 1 ? (motion.spin.rates.at(-1)?.rate ?? 0) : 0;
  return Math.round(((byHand || own) * 180) / Math.PI);
}

function PinsSection({ scene }: { scene: Scene }): JSX.Element {
  const pinning = studio.tool.value === "pin";
  return (
    <Section title="Pins">
      <ul class="list">
        {scene.pins.map((pin, k) => (
          <li key={pin.name}>
            <span class="list-name">
              {pin.name}
              <span class="list-note">{pin.kind}</span>
            </span>
            <button
              type="button"
              class="quiet"
              aria-label={`Take out the pin ${pin.name}`}
              title="Let go"
              onClick={() =>
                studio.change((input) => ({
                  ...input,
                  pins: (input.pins ?? []).filter((_, i) => i !== k),
                }))
              }
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        class="wide"
        aria-pressed={pinning}
        onClick={() => {
          studio.tool.value = pinning ? "hand" : "pin";
        }}
      >
        <Icon name="pin" /> {pinning ? "Click the sheet to pin it…" : "Drop pins"}
      </button>
    </Section>
  );
}

const METHODS = [
  { value: "isometry", label: "isometry (ours)", hint: "keeps averaged lengths; does not lock" },
  {
    value: "discrete-shells",
    label: "discrete shells",
    hint: "stiff triangles; locks on coarse meshes",
  },
  { value: "quad-edges", label: "quad edges", hint: "rigid grid edges; shears" },
  { value: "triangle-edges", label: "triangle edges", hint: "rigid triangle edges; locks" },
] as const;
const SOLVERS = [
  { value: "interactive", label: "interactive", hint: "a few rounds a step: quick" },
  { value: "accurate", label: "accurate", hint: "to convergence: true" },
  { value: "paper", label: "paper", hint: "fast projection, as published" },
] as const;
const CONSTRAINTS = [
  { value: "metric", label: "averaged metric" },
  { value: "strain", label: "averaged strain" },
  { value: "paper", label: "trace and determinant" },
] as const;

function MethodSection({ scene }: { scene: Scene }): JSX.Element {
  return (
    <Section title="Method">
      <Choice
        label="Method"
        value={scene.method}
        options={METHODS}
        onChange={(method) => studio.change((input) => ({ ...input, method }))}
      />
      <Choice
        label="Solver"
        value={scene.solver}
        options={SOLVERS}
        onChange={(solver) => studio.change(({ h: _, ...input }) => ({ ...input, solver }))}
      />
      <Choice
        label="Constraints"
        value={scene.constraint}
        options={CONSTRAINTS}
        onChange={(constraint) => studio.change((input) => ({ ...input, constraint }))}
      />
      <Slider
        label="Tolerance"
        value={scene.tolerance}
        min={1e-4}
        max={0.1}
        log
        unit="1"
        onInput={(tolerance) => studio.change((input) => ({ ...input, tolerance }))}
      />
      <Slider
        label="Time step"
        value={Number((1000 * scene.h).toPrecision(4))}
        min={0.5}
        max={34}
        log
        unit="ms"
        onInput={(ms) => studio.change((input) => ({ ...input, h: ms / 1000 }))}
      />
    </Section>
  );
}

const SAMPLINGS = [
  { value: "irregular", label: "irregular" },
  { value: "grid", label: "grid" },
  { value: "rotated", label: "rotated grid" },
] as const;

function MeshSection({ scene }: { scene: Scene }): JSX.Element {
  const { sampling, neighbourhood, shape } = scene.sheets[0];
  const n = studio.first.value?.opened.value?.sheet.n ?? 0;
  const rings = "rings" in neighbourhood ? neighbourhood.rings : 1;
  if (sampling.type === "mesh")
    return (
      <Section title="Mesh" note={`${n} points`}>
        <p class="source">the points of {shape.type === "mesh" ? shape.file : "the file"}</p>
      </Section>
    );
  const grids = shape.type === "rectangle" || shape.type === "tube";
  return (
    <Section title="Mesh" note={`${n} points`}>
      <Choice
        label="Sampling"
        effect="restarts"
        value={sampling.type}
        options={grids ? SAMPLINGS : SAMPLINGS.filter(({ value }) => value !== "grid")}
        onChange={(type) =>
          studio.changeSheet((sheet) => ({
            ...sheet,
            sampling: {
              ...sheet.sampling,
              type,
              ...(type === "rotated" && sheet.sampling?.angle === undefined ? { angle: 30 } : {}),
            },
          }))
        }
      />
      <Slider
        label="Points"
        effect="restarts"
        value={"points" in sampling ? sampling.points : n}
        min={60}
        max={6000}
        log
        unit="points"
        onInput={(points) =>
          studio.changeSheet((sheet) => {
            const { spacing: _, ...rest } = sheet.sampling ?? {};
            return { ...sheet, sampling: { ...rest, points: Math.round(points) } };
          })
        }
      />
      <Slider
        label="Rings of neighbours"
        effect="restarts"
        value={rings}
        min={1}
        max={4}
        step={1}
        unit="rings"
        onInput={(value) =>
          studio.changeSheet((sheet) => ({ ...sheet, neighbourhood: { rings: Math.round(value) } }))
        }
      />
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
