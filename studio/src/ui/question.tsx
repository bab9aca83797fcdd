/** What a dropped mesh is: the sheet itself, or something that the sheet meets. */
import type { JSX } from "preact";
import * as studio from "../studio.ts";
import { Dialog } from "./controls.tsx";
import { Icon } from "./icons.tsx";

export function Question(): JSX.Element {
  const asked = studio.question.value;
  return (
    <Dialog
      open={asked !== null}
      title={`What is ${asked?.name ?? "it"}?`}
      onClose={() => studio.answer(null)}
    >
      <div class="pair">
        <button
          type="button"
          class="wide strong"
          data-answer="cloth"
          onClick={() => studio.answer("cloth")}
        >
          <Icon name="grid" /> Cloth
        </button>
        <button type="button" class="wide" data-answer="body" onClick={() => studio.answer("body")}>
          <Icon name="move" /> Body
        </button>
      </div>
      <p class="source">
        Cloth is simulated: a new scene in which it hangs. A body stays as it is: it is added to the
        scene that is open, and the sheet falls on it.
      </p>
    </Dialog>
  );
}
