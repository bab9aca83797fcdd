/** Material, mesh and method: what the sheet is, to be changed while it runs. */

import type { JSX } from "preact";
import { isProjected, type MaterialInput, presets, type Scene } from "../../../src/index.ts";
import * as studio from "../studio.ts";
import { Choice, Section, Slider } from "./controls.tsx";

export function Parameters(): JSX.Element {
  const scene = studio.first.value?.opened.value?.scene ?? null;
  if (scene === null) return <p class="empty">Opening the scene…</p>;
  return (
    <>
      <MaterialSection scene={scene} />
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
        onInput={(value) => studio.changeMaterial((old) => ({ ...old, D: value }), "D")}
      />
      <Slider
        label="Density"
        value={density}
        min={0.01}
        max={5}
        log
        unit="kg/m²"
        onInput={(value) => studio.changeMaterial((old) => ({ ...old, density: value }), "density")}
      />
    </Section>
  );
}

export const METHODS = [
  { value: "isometry", label: "isometry (ours)", hint: "keeps the lengths of arcs; does not lock" },
  {
    value: "discrete-shells",
    label: "discrete shells",
    hint: "elastic triangles; locks when they are stiff",
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
  {
    value: "frames",
    label: "frames",
    hint: "samples have frames; the arcs between them keep their lengths",
  },
  {
    value: "paper",
    label: "paper",
    hint: "trace and determinant, of positions alone, as published",
  },
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
      <Choice label="Solver" value={scene.solver} options={SOLVERS} onChange={studio.setSolver} />
      <Choice
        label="Constraints"
        value={scene.constraint}
        options={CONSTRAINTS}
        onChange={(constraint) =>
          studio.change((input) => {
            // the paper's solver projects positions alone
            const projected = constraint === "frames" && input.solver === "paper";
            return { ...input, constraint, ...(projected ? { solver: "accurate" as const } : {}) };
          })
        }
      />
      {isProjected(scene) && (
        <Slider
          label="Tolerance"
          value={scene.tolerance}
          min={1e-4}
          max={0.1}
          log
          unit="1"
          hint="How far constraints may be from 0 after the projection"
          onInput={(tolerance) => studio.change((input) => ({ ...input, tolerance }), "tolerance")}
        />
      )}
      <Slider
        label="Time step"
        value={Number((1000 * scene.h).toPrecision(4))}
        min={0.5}
        max={34}
        log
        unit="ms"
        onInput={(ms) => studio.change((input) => ({ ...input, h: ms / 1000 }), "h")}
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
      {scene.constraint === "paper" && (
        <Slider
          label="Rings of neighbours"
          effect="restarts"
          value={rings}
          min={1}
          max={4}
          step={1}
          unit="rings"
          onInput={(value) =>
            studio.changeSheet(
              (sheet) => ({ ...sheet, neighbourhood: { rings: Math.round(value) } }),
              "rings",
            )
          }
        />
      )}
    </Section>
  );
}
