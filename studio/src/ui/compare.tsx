/** The same scene two or three times: other methods, other meshes, other stiffness. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SceneInput, SheetInput } from "../../../src/index.ts";
import * as studio from "../studio.ts";
import { Icon } from "./icons.tsx";

const sheets = (input: SceneInput, edit: (sheet: SheetInput) => SheetInput): SceneInput => ({
  ...input,
  ...(input.sheet === undefined ? {} : { sheet: edit(input.sheet) }),
  ...(input.sheets === undefined ? {} : { sheets: input.sheets.map(edit) }),
});
const material = (input: SceneInput, values: object): SceneInput =>
  sheets(input, (sheet) => ({
    ...sheet,
    material: {
      ...(typeof sheet.material === "string" ? { preset: sheet.material } : sheet.material),
      ...values,
    },
  }));
const method = (label: string, value: NonNullable<SceneInput["method"]>): studio.Variant => ({
  label,
  change: (input) => ({ ...input, method: value }),
});
const mesh = (label: string, sampling: SheetInput["sampling"] & object): studio.Variant => ({
  label,
  change: (input) => sheets(input, (sheet) => ({ ...sheet, sampling })),
});
const stiffness = (label: string, D: number): studio.Variant => ({
  label,
  change: (input) => material(input, { D }),
});

export const COMPARISONS: readonly {
  name: string;
  says: string;
  variants: readonly studio.Variant[];
}[] = [
  {
    name: "Methods",
    says: "ours, and two that lock",
    variants: [
      method("isometry (ours)", "isometry"),
      method("discrete shells", "discrete-shells"),
      method("triangle edges", "triangle-edges"),
    ],
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
    says: "averaged metric, and the paper's pair",
    variants: [
      { label: "averaged metric", change: (input) => ({ ...input, constraint: "metric" }) },
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
  const choose = (variants: readonly studio.Variant[]): void => {
    setOpen(false);
    studio.setVariants(variants);
    // three panes want the room that the scenes take
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
              onClick={() => choose(variants)}
            >
              <strong>{name}</strong>
              <span>{says}</span>
            </button>
          ))}
          {on && (
            <button type="button" role="menuitem" data-comparison="none" onClick={() => choose([])}>
              <strong>Only one</strong>
              <span>stop comparing</span>
            </button>
          )}
        </div>
      )}
    </div>
  );
}
