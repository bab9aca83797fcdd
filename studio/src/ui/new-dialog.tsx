/** A new scene: its shape, size, material and where it starts. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { presets } from "../../../src/index.ts";
import { defaultsOf, NEW_KINDS, type NewKind, type NewScene } from "../document/new-scene.ts";
import * as studio from "../studio.ts";
import { Choice, Dialog, NumberRow, Switch } from "./controls.tsx";
import { Icon } from "./icons.tsx";

/** Sizes of paper and cloth that are asked for by name. */
const READY: readonly { name: string; kind: NewKind; values: Partial<NewScene> }[] = [
  {
    name: "A4 paper",
    kind: "rectangle",
    values: {
      name: "paper",
      width: 0.297,
      height: 0.21,
      material: "paper",
      points: 600,
      floor: false,
    },
  },
  {
    name: "Scarf",
    kind: "strip",
    values: { name: "scarf", width: 1.2, height: 0.25, material: "silk", points: 600 },
  },
  {
    name: "Tablecloth",
    kind: "disc",
    values: { name: "tablecloth", width: 1.2, points: 900 },
  },
];

export function NewDialog(): JSX.Element {
  const [options, setOptions] = useState<NewScene>(defaultsOf("rectangle"));
  const set = (values: Partial<NewScene>): void => setOptions({ ...options, ...values });
  const close = (): void => {
    studio.newOpen.value = false;
  };
  return (
    <Dialog open={studio.newOpen.value} title="New scene" onClose={close}>
      <div class="kinds" role="radiogroup" aria-label="Shape">
        {NEW_KINDS.map(({ kind, name, says }) => (
          <label key={kind} class="kind">
            <input
              type="radio"
              name="new-kind"
              value={kind}
              checked={options.kind === kind}
              onChange={() => setOptions(defaultsOf(kind))}
            />
            <Shape kind={kind} />
            <strong>{name}</strong>
            <span>{says}</span>
          </label>
        ))}
      </div>
      <div class="chips">
        {READY.map(({ name, kind, values }) => (
          <button
            key={name}
            type="button"
            class="chip"
            onClick={() => setOptions({ ...defaultsOf(kind), ...values })}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="new-fields">
        <Sizes options={options} set={set} />
        <Choice
          label="Material"
          value={options.material}
          options={[
            { value: "", label: "cloth", hint: "200 g/m², D = 10⁻⁴ N·m" },
            ...presets.map(({ name, what }) => ({
              value: name,
              label: name.replaceAll("-", " "),
              hint: what,
            })),
          ]}
          onChange={(material) => set({ material })}
        />
        <NumberRow
          label="Points"
          value={options.points}
          unit=""
          min={20}
          onChange={(points) => set({ points: Math.round(points) })}
        />
        <NumberRow
          label="Starts at height"
          value={options.above}
          unit="m"
          onChange={(above) => set({ above })}
        />
        {options.kind !== "garment" && (
          <Switch
            label="Upright instead of level"
            on={options.upright}
            onChange={(upright) => set({ upright })}
          />
        )}
        <Switch label="Floor" on={options.floor} onChange={(floor) => set({ floor })} />
      </div>
      <div class="pair">
        <button
          type="button"
          class="wide"
          onClick={() => {
            close();
            document.getElementById("open-file")?.click();
          }}
        >
          <Icon name="open" /> Mesh or pattern…
        </button>
        <button
          type="button"
          class="wide strong"
          data-action="create"
          onClick={() => studio.create(options)}
        >
          <Icon name="plus" /> Create
        </button>
      </div>
    </Dialog>
  );
}

function Sizes({
  options,
  set,
}: {
  options: NewScene;
  set: (values: Partial<NewScene>) => void;
}): JSX.Element {
  const { kind, width, height, waist } = options;
  const words = {
    rectangle: ["Width", "Height"],
    disc: ["Diameter", null],
    strip: ["Length", "Width"],
    garment: ["Hem, all around", "Length"],
  } as const;
  const [first, second] = words[kind];
  return (
    <>
      {kind === "garment" && (
        <NumberRow
          label="Waist, all around"
          value={waist}
          unit="m"
          min={0.01}
          onChange={(x) => set({ waist: x })}
        />
      )}
      <NumberRow
        label={first}
        value={width}
        unit="m"
        min={0.001}
        onChange={(x) => set({ width: x })}
      />
      {second !== null && (
        <NumberRow
          label={second}
          value={height}
          unit="m"
          min={0.001}
          onChange={(x) => set({ height: x })}
        />
      )}
    </>
  );
}

function Shape({ kind }: { kind: NewKind }): JSX.Element {
  return (
    <svg viewBox="0 0 48 36" aria-hidden="true">
      {kind === "rectangle" && <rect x="9" y="4" width="30" height="28" rx="1" />}
      {kind === "disc" && <circle cx="24" cy="18" r="14" />}
      {kind === "strip" && <rect x="4" y="13" width="40" height="10" rx="1" />}
      {kind === "garment" && <path d="M8 6h11l4 24H4zM29 6h11l4 24H25z" stroke-linejoin="round" />}
    </svg>
  );
}
