/** The scene as text, beside what it shows: typing changes the scene, changing the scene changes the text. */
import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Fault } from "../../../src/index.ts";
import * as studio from "../studio.ts";
import { Section } from "./controls.tsx";

/** ms without a key after which what was typed is read. */
const PAUSE = 450;

export function SceneText(): JSX.Element {
  const area = useRef<HTMLTextAreaElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  useEffect(() => {
    let gone = false;
    let stop = (): void => {};
    void import("../document/text.ts").then(({ sceneText }) => {
      if (gone) return;
      stop = effect(() => {
        const text = sceneText(studio.input.value);
        // what is being typed is not replaced under the cursor
        if (area.current === null || document.activeElement === area.current) return;
        area.current.value = text;
        setFaults([]);
      });
    });
    return () => {
      gone = true;
      clearTimeout(timer.current);
      stop();
    };
  }, []);
  const read = async (): Promise<void> => {
    const { readText } = await import("../document/text.ts");
    const read = readText(area.current?.value ?? "");
    setFaults(read.faults);
    if (read.input !== null && JSON.stringify(read.input) !== JSON.stringify(studio.input.value))
      studio.change(() => read.input!, "text");
  };
  return (
    <Section title="The scene as text" note={faults.length === 0 ? "YAML" : ""}>
      <textarea
        ref={area}
        class="scene-text"
        aria-label="The scene as YAML"
        spellcheck={false}
        data-wrong={faults.length > 0 || undefined}
        onInput={() => {
          clearTimeout(timer.current);
          timer.current = setTimeout(read, PAUSE);
        }}
        onBlur={() => {
          clearTimeout(timer.current);
          studio.seal();
          void read();
        }}
        onKeyDown={(event) => event.stopPropagation()}
      />
      {faults.length > 0 && (
        <ul class="faults" role="alert">
          {faults.slice(0, 8).map((fault, k) => (
            <li key={k}>
              {fault.line !== undefined && <code>line {fault.line}: </code>}
              {fault.path !== "" && <code>{fault.path}</code>} {fault.message}
            </li>
          ))}
        </ul>
      )}
      <p class="source">
        The same file that <code>isoplate run</code> reads. Every field is in the schema:{" "}
        <code>isoplate schema</code>.
      </p>
    </Section>
  );
}
