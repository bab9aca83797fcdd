/** The few controls that panels are made of. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "./icons.tsx";

/** How a change is taken, shown before it is made. */
export type Effect = "live" | "restarts";

export function Section({
  title,
  children,
  note,
}: {
  title: string;
  children: ComponentChildren;
  note?: string;
}): JSX.Element {
  return (
    <section class="section">
      <h2>
        {title}
        {note !== undefined && <span class="section-note">{note}</span>}
      </h2>
      {children}
    </section>
  );
}

function Tag({ effect }: { effect: Effect | undefined }): JSX.Element | null {
  if (effect !== "restarts") return null;
  return (
    <span class="tag" title="Changing this starts the scene anew">
      restarts
    </span>
  );
}

/** A number with its unit; a slider (linear or by powers of ten) and a field for the exact value. */
export function Slider({
  label,
  value,
  min,
  max,
  log = false,
  step,
  unit,
  effect,
  hint,
  onInput,
}: {
  label: string;
  value: number;
  min: number;
  max: number;
  log?: boolean;
  step?: number;
  unit: string;
  effect?: Effect;
  hint?: string;
  onInput: (value: number) => void;
}): JSX.Element {
  const id = useId();
  const to = (x: number): number => (log ? Math.log10(x) : x);
  const from = (x: number): number => (log ? Number((10 ** x).toPrecision(3)) : x);
  const shown = log ? Math.max(to(min), Math.min(to(max), to(value || min))) : value;
  return (
    <div class="field" title={hint}>
      <label for={id}>
        {label}
        <Tag effect={effect} />
      </label>
      <NumberField id={id} label={label} value={value} unit={unit} onChange={onInput} />
      <input
        type="range"
        aria-label={`${label}, slider`}
        aria-valuetext={unit === "1" ? exact(value) : `${exact(value)} ${unit}`}
        min={to(min)}
        max={to(max)}
        step={step ?? (log ? 0.01 : (max - min) / 200)}
        value={shown}
        style={{ "--at": `${(100 * (shown - to(min))) / (to(max) - to(min))}%` }}
        onInput={(event) => onInput(from(Number(event.currentTarget.value)))}
      />
    </div>
  );
}

/** An exact number on a line of its own. */
export function NumberRow({
  label,
  hint,
  ...field
}: {
  label: string;
  value: number;
  unit: string;
  min?: number;
  hint?: string;
  onChange: (value: number) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="field" title={hint}>
      <label for={id}>{label}</label>
      <NumberField id={id} label={label} {...field} />
    </div>
  );
}

/** An exact number; taken on Enter or when the field is left. Below `min` it is wrong. */
export function NumberField({
  id,
  label,
  value,
  unit,
  min = Number.NEGATIVE_INFINITY,
  bare = false,
  onChange,
}: {
  id?: string;
  label: string;
  value: number;
  unit: string;
  min?: number;
  /** Without its unit: a column says it. */
  bare?: boolean;
  onChange: (value: number) => void;
}): JSX.Element {
  const [text, setText] = useState(exact(value));
  const [wrong, setWrong] = useState(false);
  const editing = useRef(false);
  useEffect(() => {
    if (!editing.current) {
      setText(exact(value));
      setWrong(false);
    }
  }, [value]);
  const take = (): void => {
    editing.current = false;
    const number = Number(text.trim().replace(",", "."));
    if (text.trim() === "" || !Number.isFinite(number) || number < min) {
      setWrong(true);
      return;
    }
    setWrong(false);
    setText(exact(number));
    if (number !== value) onChange(number);
  };
  return (
    <span class="number" data-wrong={wrong || undefined} data-bare={bare || undefined}>
      <input
        id={id}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        spellcheck={false}
        aria-label={unit === "" || unit === "1" ? label : `${label} in ${unit}`}
        aria-invalid={wrong}
        value={text}
        onInput={(event) => {
          editing.current = true;
          setText(event.currentTarget.value);
        }}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
          if (event.key === "Escape") {
            editing.current = false;
            setText(exact(value));
            setWrong(false);
            event.currentTarget.blur();
          }
          // undo of the page and other shortcuts wait until the field is left
          event.stopPropagation();
        }}
      />
      {!bare && unit !== "1" && <span class="unit">{unit}</span>}
    </span>
  );
}

export function Choice<T extends string>({
  label,
  value,
  options,
  effect,
  hint,
  onChange,
}: {
  label: string;
  value: T;
  options: readonly { value: T; label: string; hint?: string }[];
  effect?: Effect;
  hint?: string;
  onChange: (value: T) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="field row" title={hint}>
      <label for={id}>
        {label}
        <Tag effect={effect} />
      </label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} title={option.hint}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}

export function Switch({
  label,
  on,
  onChange,
}: {
  label: string;
  on: boolean;
  onChange: (on: boolean) => void;
}): JSX.Element {
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        aria-checked={on}
        checked={on}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span class="track" aria-hidden="true" />
      {label}
    </label>
  );
}

/** A number as people write it: no more digits than it has, powers of ten where needed. */
export function exact(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const short = Number(value.toPrecision(6));
  const size = Math.abs(short);
  return size !== 0 && (size < 1e-3 || size >= 1e6)
    ? short.toExponential().replace("e+", "e")
    : String(short);
}

/** A dialog over the page that closes with Escape and gives the keyboard back. */
export function Dialog({
  open,
  title,
  children,
  onClose,
}: {
  open: boolean;
  title: string;
  children: ComponentChildren;
  onClose: () => void;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (open && element?.open === false) element.showModal();
    else if (!open && element?.open === true) element.close();
  }, [open]);
  return (
    <dialog ref={dialog} class="dialog" aria-label={title} onClose={onClose}>
      {open && (
        <>
          <header class="panel-head">
            <h2>{title}</h2>
            <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
              <Icon name="close" />
            </button>
          </header>
          {children}
        </>
      )}
    </dialog>
  );
}
