/** The few gestures and keys, on one card. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import * as studio from "../studio.ts";
import { Icon } from "./icons.tsx";

const GESTURES = [
  ["Drag the sheet", "hold it and pull"],
  ["Drag beside it", "look around"],
  ["Wheel, or two fingers", "nearer and farther"],
  ["Right button, or two fingers", "shift the view"],
  ["Shift-click the sheet", "pin it there, or take a pin out"],
  ["Click a body", "move and turn it with handles"],
  ["Double click", "frame everything"],
  ["Drop a file on the page", "open a scene or a mesh"],
] as const;
const KEYS = [
  ["Space", "run or pause"],
  [".", "one step"],
  ["R", "reset"],
  ["← →", "a frame back, a frame on"],
  ["F", "frame everything"],
  ["1 … 7", "what colours show"],
  ["W", "wireframe"],
  ["P", "drop pins"],
  ["S", "scenes"],
  ["T", "light or dark"],
  ["?", "this card"],
] as const;

export function Help(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = studio.helpOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  const close = (): void => {
    studio.helpOpen.value = false;
  };
  return (
    <dialog ref={dialog} class="help" aria-label="Help" onClose={close}>
      <header class="panel-head">
        <h2>The few gestures</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <div class="help-columns">
        <dl>
          {GESTURES.map(([gesture, does]) => (
            <div key={gesture}>
              <dt>{gesture}</dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <dl>
          {KEYS.map(([key, does]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </div>
      <p class="source">
        The badge “max stretch” is the largest change of length of any edge in the picture, measured
        on the mesh. It is not a residual of the solver. Everything runs in this page; nothing is
        sent anywhere.
      </p>
    </dialog>
  );
}
