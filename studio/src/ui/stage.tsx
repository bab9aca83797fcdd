/** The picture, and what lies on it: names of lanes, legend, hint, state of the engine, warnings. */
import { createContext, type JSX, type RefObject } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import { lessonOf } from "../document/lessons.ts";
import { stageCanvas } from "../early.ts";
import type { Lane } from "../lane.ts";
import * as studio from "../studio.ts";
import { createTheatre, type Theatre } from "../theatre/theatre.ts";
import { percent } from "./badge.tsx";
import { title } from "./gallery.tsx";
import { Handles } from "./handles.tsx";
import { Icon } from "./icons.tsx";
import { toggleTheme } from "./keys.ts";
import { lazy } from "./lazy.tsx";
import { LegendBar } from "./legend.tsx";

const Lanes = lazy(async () => (await import("./lanes.tsx")).Lanes);

const TheatreContext = createContext<RefObject<Theatre>>({ current: null });
export const TheatreProvider = TheatreContext.Provider;
export const useTheatre = (): RefObject<Theatre> => useContext(TheatreContext);

export function Stage(): JSX.Element {
  const stage = useRef<HTMLElement>(null);
  const theatre = useTheatre();
  const failure = studio.drawingFailed.value;
  // before the page is painted: setting up a canvas and painting the page would wait for each other
  useLayoutEffect(() => {
    const canvas = stageCanvas();
    canvas.tabIndex = 0;
    canvas.ariaLabel =
      "The sheet. Drag it with the pointer, or press H to hold its middle; drag beside it to look around.";
    canvas.ondblclick = () => theatre.current?.frame();
    stage.current?.prepend(canvas);
    let gone = false;
    void createTheatre(canvas).then((made) => {
      if (gone) {
        made.dispose();
        return;
      }
      theatre.current = made;
      studio.theatre.take = made.take;
      studio.theatre.poses = made.poses;
      studio.theatre.positions = made.positions;
      Object.assign(globalThis, { isoplateStudio: { theatre: made, studio } });
    });
    return () => {
      gone = true;
      theatre.current?.dispose();
      theatre.current = null;
      canvas.remove();
    };
  }, []);
  return (
    <main
      ref={stage}
      class="stage"
      data-tool={studio.tool.value}
      data-comparing={studio.comparing.value || undefined}
    >
      {failure !== "" && (
        <p class="failure">
          This browser cannot draw in 3D here ({failure}). The simulation and its exports still
          work.
        </p>
      )}
      {studio.comparing.value && <Lanes />}
      <SmallBar />
      <Cover />
      <Handles />
      <Legend />
      <Hint />
      <LessonCard />
      <Trouble />
    </main>
  );
}

/** On a phone, where the header has no room: the name of the scene, which opens the list of scenes, and two tools. */
function SmallBar(): JSX.Element | null {
  const theatre = useTheatre();
  if (studio.comparing.value) return null;
  const dark = studio.theme.value === "dark";
  return (
    <div class="small-bar">
      <button
        type="button"
        class="small-name"
        aria-label={`Scenes; this one is ${title(studio.input.value.name ?? "scene")}`}
        onClick={() => {
          studio.galleryOpen.value = true;
        }}
      >
        {title(studio.input.value.name ?? "scene")}
        {studio.edited.value && <span class="edited"> · edited</span>}
      </button>
      <button
        type="button"
        class="quiet"
        aria-label="Frame everything"
        onClick={() => theatre.current?.frame()}
      >
        <Icon name="frame" />
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={dark ? "Light" : "Dark"}
        onClick={toggleTheme}
      >
        <Icon name={dark ? "sun" : "moon"} />
      </button>
    </div>
  );
}

/** What a lesson says, until it is closed. */
function LessonCard(): JSX.Element | null {
  const { name } = studio.input.value;
  const lesson = lessonOf(name);
  const [closed, setClosed] = useState("");
  if (lesson === undefined || closed === name || studio.comparing.value) return null;
  return (
    <section class="lesson" aria-label="Lesson">
      <h2>{lesson.title}</h2>
      <p>{lesson.says}</p>
      <button
        type="button"
        class="quiet"
        aria-label="Close the lesson"
        onClick={() => setClosed(name ?? "")}
      >
        <Icon name="close" />
      </button>
    </section>
  );
}

/** While another scene is being opened the old picture is covered: what one sees belongs to what is named. */
function Cover(): JSX.Element | null {
  const lane = studio.first.value;
  const name = lane?.opened.value?.scene.name;
  // until the first picture of it there is only that of the scene before
  const stale = studio.pictured.value !== null && studio.pictured.value !== name;
  const opening = lane?.state.value === "opening" || (stale && lane?.state.value !== "refused");
  if (!opening || studio.drawingFailed.value !== "") return null;
  return (
    <div class="cover" role="status">
      <span class="spinner" aria-hidden="true" />
      <p>Opening {title(studio.input.value.name ?? "the scene")}…</p>
    </div>
  );
}

/** The range of the colours comes with the picture. */
function Legend(): JSX.Element | null {
  const range = studio.colourRange.value;
  return studio.overlay.value === "none" || range === null ? null : <LegendBar {...range} />;
}

function Hint(): JSX.Element | null {
  const busy = studio.comparing.value || !studio.running.value || studio.tool.value !== "hand";
  if (studio.held.value || busy || studio.first.value?.state.value !== "ready") return null;
  return (
    <p class="hint">
      <Icon name="hand" /> Take hold of the sheet.
      <span class="hint-more">Drag beside it to look around.</span>
    </p>
  );
}

/** Strain from which on the picture is not to be believed, 1. */
const BELIEVED = 0.02;

/** The interactive solver where it cannot keep up: with what to do about it. */
function Stretched({ lane }: { lane: Lane }): JSX.Element | null {
  const line = lane.line.value;
  const interactive = lane.opened.value?.scene.solver === "interactive";
  if (!interactive || line === null || line.strain <= BELIEVED || studio.comparing.value)
    return null;
  return (
    <div class="trouble" role="alert" data-kind="warning">
      <Icon name="warning" />
      <div>
        <strong>
          {line.strain > line.stretchMax ? "Compressed" : "Stretched"} by {percent(line.strain)}: do
          not believe this
        </strong>
        <p>The interactive solver does not keep up here. The accurate one does, more slowly.</p>
        <button type="button" class="wide" data-action="accurate" onClick={studio.runAccurately}>
          Start again, accurately
        </button>
      </div>
    </div>
  );
}

/** What the engine warns of, in its words, and where. */
function Trouble(): JSX.Element | null {
  const lane = studio.first.value;
  if (lane === null) return null;
  const refusal = lane.refusal.value;
  // that it is behind is said beside the solver's name
  const warnings = lane.warnings.value.filter(({ cause }) => cause !== "behind");
  if (refusal !== null)
    return (
      <div class="trouble" role="alert" data-kind="refused">
        <Icon name="warning" />
        <div>
          <strong>{refusal.source} cannot be used</strong>
          {refusal.faults.length > 0 ? (
            <ul>
              {refusal.faults.slice(0, 8).map((fault, k) => (
                <li key={k}>
                  {fault.line !== undefined && <code>line {fault.line}: </code>}
                  {fault.path !== "" && <code>{fault.path}</code>} {fault.message}
                </li>
              ))}
            </ul>
          ) : (
            <p>{refusal.message}</p>
          )}
        </div>
        <button
          type="button"
          class="quiet"
          aria-label="Dismiss"
          onClick={() => {
            lane.refusal.value = null;
          }}
        >
          <Icon name="close" />
        </button>
      </div>
    );
  if (warnings.length === 0) return <Stretched lane={lane} />;
  const latest = warnings[warnings.length - 1];
  return (
    <div class="trouble" role="alert" data-kind={latest.fatal ? "fatal" : "warning"}>
      <Icon name="warning" />
      <div>
        <strong>{latest.fatal ? "It cannot go on" : `At ${latest.time.toFixed(2)} s`}</strong>
        <p>{latest.text}</p>
        {latest.points.length > 0 && <p class="source">The points are marked red.</p>}
        {warnings.length > 1 && <p class="source">{warnings.length - 1} earlier warnings</p>}
        {latest.fatal && (
          <button type="button" class="wide" onClick={studio.reset}>
            <Icon name="reset" /> Start again
          </button>
        )}
      </div>
      <button
        type="button"
        class="quiet"
        aria-label="Dismiss"
        onClick={() => {
          lane.warnings.value = [];
        }}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
