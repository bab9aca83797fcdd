/** What is being made, and a way to stop it; seen from every panel. */
import type { JSX } from "preact";
import * as studio from "../studio.ts";

export function Job(): JSX.Element | null {
  const now = studio.keeping.value;
  if (now === null) return null;
  const { what, progress, cancel } = now;
  return (
    <div class="job" role="status">
      <span>
        Making {what}, {Math.round(100 * progress)} %
      </span>
      <button type="button" class="file" data-action="cancel" onClick={cancel}>
        Cancel
      </button>
      <progress value={progress} max={1} aria-label={`Making ${what}`} />
    </div>
  );
}
