/** The same scene several times: other methods, other meshes, other stiffness. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SceneInput, SheetInput } from "../../../src/index.ts";
import { editSheets, withMaterial } from "../document/edits.ts";
import * as studio from "../studio.ts";
import { Icon } from "./icons.tsx";

const mesh = (label: string, sampling: SheetInput["sampling"] & object): studio.Variant => ({
  label,
  change: (input) => editSheets(input, (sheet) => ({ ...sheet, sampling })),
});
const stiffness = (label: string, D: number): studio.Variant => ({
  label,
  change: (input) => withMaterial(input, { D }),
});

/** Times the usual membrane stiffness; film and paper are at 100 and beyond. */
export const STIFFNESSES = [1, 10, 100] as const;
/** Points of the coarse meshes that are compared, and of the one that has converged. */
const COARSE = 150;
const FINE = 900;

/** N/m: the stiffness of the scene before it was compared, since comparing opens stiffer ones. */
let remembered: { scene: SceneInput; stiffness: number } | null = null;

function usual(opened: number): number {
  const scene = studio.input.value;
  if (remembered?.scene !== scene) remembered = { scene, stiffness: opened };
  return remembered.stiffness;
}

/** The same sheet with the same stiffness against stretch, by a method. */
function stiffSheet(
  input: SceneInput,
  method: NonNullable<SceneInput["method"]>,
  points: number,
  times: number,
): SceneInput {
  // as the open scene has it: the usual one depends on size, weight and gravity
  const opened = studio.first.value?.opened.value?.scene.sheets[0].material;
  const membraneStiffness = usual(opened?.membraneStiffness ?? 1e4);
  const thickness = opened?.thickness ?? 1e-3;
  const K = times * membraneStiffness;
  const meshed = editSheets(withMaterial(input, { membraneStiffness: K }), (sheet) => ({
    ...sheet,
    sampling: method === "quad-edges" ? { type: "grid", points } : { type: "irregular", points },
  }));
  const { h: _, ...rest } = meshed;
  const isProjected = method === "quad-edges" || method === "triangle-edges";
  return {
    ...rest,
    method,
    // methods that project edges have no contact: by them a sheet passes through itself
    ...(isProjected ? { contact: { ...input.contact, self: false } } : {}),
    solver: "accurate",
    baseline: { ...input.baseline, young: K / thickness, thickness },
  };
}
/** The same stiff sheet by three methods, and what they should come to: many points at the usual stiffness. */
export function methodVariants(times: number): studio.Variant[] {
  const coarse = (label: string, method: NonNullable<SceneInput["method"]>): studio.Variant => ({
    label,
    change: (input) => stiffSheet(input, method, COARSE, times),
  });
  return [
    coarse("isometry (ours)", "isometry"),
    coarse("discrete shells", "discrete-shells"),
    coarse("triangle edges", "triangle-edges"),
    {
      label: `converged: ours, ${FINE} points`,
      reference: true,
      change: (input) => stiffSheet(input, "isometry", FINE, 1),
    },
  ];
}

const COMPARISONS: readonly {
  name: string;
  says: string;
  variants: readonly studio.Variant[];
}[] = [
  {
    name: "Methods",
    says: "one stiff sheet of 150 points by methods of your choice, and converged",
    variants: methodVariants(100),
  },
  {
    name: "Meshes",
    says: "the shape should not depend on them",
    variants: [
      mesh("irregular, 400", { type: "irregular", points: 400 }),
      mesh("irregular, 900", { type: "irregular", points: 900 }),
      mesh("rotated grid, 662", { type: "rotated", points: 662, angle: 30 }),
    ],
  },
  {
    name: "Stiffness",
    says: "D changes the folds, never the stretch",
    variants: [
      stiffness("D = 1e-5 N·m", 1e-5),
      stiffness("D = 1e-3 N·m", 1e-3),
      stiffness("D = 1e-2 N·m", 1e-2),
    ],
  },
  {
    name: "Constraints",
    says: "samples with frames, and the paper's pair",
    variants: [
      { label: "samples with frames", change: (input) => ({ ...input, constraint: "frames" }) },
      { label: "trace and determinant", change: (input) => ({ ...input, constraint: "paper" }) },
    ],
  },
];

export function CompareMenu(): JSX.Element {
  const [open, setOpen] = useState(false);
  const on = studio.comparing.value;
  useEffect(() => {
    if (!open) return;
    const close = (event: Event): void => {
      const inside = event.target instanceof Element && event.target.closest(".menu") !== null;
      if (event instanceof KeyboardEvent ? event.key === "Escape" : !inside) setOpen(false);
    };
    addEventListener("keydown", close);
    addEventListener("pointerdown", close);
    return () => {
      removeEventListener("keydown", close);
      removeEventListener("pointerdown", close);
    };
  }, [open]);
  const choose = (name: string, variants: readonly studio.Variant[]): void => {
    setOpen(false);
    studio.choosable.value = name === "Methods";
    studio.setVariants(variants);
    // three panes need the space of the list of scenes
    if (innerWidth < 820) studio.panelOpen.value = false;
    if (innerWidth < 1500) studio.galleryOpen.value = variants.length === 0 && innerWidth >= 1180;
    if (!studio.reducedMotion) studio.setRunning(true);
  };
  return (
    <div class="menu">
      <button
        type="button"
        class="tool"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-pressed={on}
        title="Compare (C)"
        data-action="compare"
        onClick={() => setOpen(!open)}
      >
        <Icon name="compare" />
        <span class="tool-name">Compare</span>
      </button>
      {open && (
        <div class="menu-list" role="menu">
          {COMPARISONS.map(({ name, says, variants }) => (
            <button
              key={name}
              type="button"
              role="menuitem"
              data-comparison={name}
              onClick={() => choose(name, variants)}
            >
              <strong>{name}</strong>
              <span>{says}</span>
            </button>
          ))}
          {on && (
            <button
              type="button"
              role="menuitem"
              data-comparison="none"
              onClick={() => choose("", [])}
            >
              <strong>Only one</strong>
              <span>stop comparing</span>
            </button>
          )}
        </div>
      )}
    </div>
  );
}
