/** The few gestures and keys, on one card. */
import type { JSX } from "preact";
import * as studio from "../studio.ts";
import { Dialog } from "./controls.tsx";

const GESTURES = [
  ["Drag the sheet", "hold it and pull"],
  ["Drag beside it", "look around"],
  ["Wheel, or two fingers", "nearer and farther"],
  ["Right button, or two fingers", "shift the view"],
  ["Shift-click the sheet", "pin it there, or take a pin out"],
  ["Click a body", "change, move and turn it"],
  ["Double click", "frame everything"],
  ["Drop a file on the page", "a scene, a mesh, a pattern"],
] as const;
const KEYS = [
  ["Space", "run or pause"],
  [".", "one step"],
  ["R", "reset"],
  ["← →", "a frame back, a frame on"],
  ["F", "frame everything"],
  ["1 … 7", "what colours show"],
  ["W", "wireframe"],
  ["N", "new scene"],
  ["P, E", "pick a point, an edge to hold"],
  ["M", "measure at a point"],
  ["H", "hold the middle: arrows lead it"],
  ["Ctrl+Z", "undo; with Shift redo"],
  ["S", "scenes"],
  ["T", "light or dark"],
  ["?", "this card"],
] as const;

export function Help(): JSX.Element {
  const close = (): void => {
    studio.helpOpen.value = false;
  };
  return (
    <Dialog open={studio.helpOpen.value} title="The few gestures" onClose={close}>
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
    </Dialog>
  );
}
