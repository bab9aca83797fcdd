/** The page as a whole: header, scenes, picture, panel, time. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import * as studio from "../studio.ts";
import type { Theatre } from "../theatre/theatre.ts";
import { Gallery } from "./gallery.tsx";
import { Header } from "./header.tsx";
import { Icon } from "./icons.tsx";
import { Job } from "./job.tsx";
import { listenToKeys } from "./keys.ts";
import { lazy } from "./lazy.tsx";
import { Make } from "./make.tsx";
import { Stage, TheatreProvider } from "./stage.tsx";
import { Transport } from "./transport.tsx";

const Charts = lazy(async () => (await import("./charts.tsx")).Charts);
const Help = lazy(async () => (await import("./help.tsx")).Help);
const Keep = lazy(async () => (await import("./keep.tsx")).Keep);
const Look = lazy(async () => (await import("./look.tsx")).Look);
const NewDialog = lazy(async () => (await import("./new-dialog.tsx")).NewDialog);
const Parameters = lazy(async () => (await import("./parameters.tsx")).Parameters);
const Pattern = lazy(async () => (await import("./pattern.tsx")).Pattern);
const Question = lazy(async () => (await import("./question.tsx")).Question);
const SceneText = lazy(async () => (await import("./text.tsx")).SceneText);

const NAMES: Readonly<Record<studio.Tab, string>> = {
  make: "Make",
  pattern: "Pattern",
  sheet: "Sheet",
  look: "Look",
  charts: "Charts",
  text: "Text",
  keep: "Keep",
};

export function App(): JSX.Element {
  const theatre = useRef<Theatre>(null);
  useEffect(() => {
    const stops = [listenToKeys(theatre), listenToDrops()];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return (
    <TheatreProvider value={theatre}>
      <div
        class="app"
        data-gallery={studio.galleryOpen.value || undefined}
        data-panel={studio.panelOpen.value || undefined}
      >
        <Header theatre={theatre} />
        <Gallery />
        <Stage />
        <Panel />
        <Transport />
        <Notes />
        {studio.helpOpen.value && <Help />}
        {studio.newOpen.value && <NewDialog />}
        {studio.question.value !== null && <Question />}
        <input
          id="open-file"
          type="file"
          hidden
          multiple
          aria-label="Open files"
          accept=".json,.yaml,.yml,.obj,.ply,.stl,.glb,.gltf,.svg,.dxf,.png,.jpg,.jpeg,.webp,.gif,.avif"
          onChange={(event) => {
            void studio.openFiles([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = "";
          }}
        />
      </div>
    </TheatreProvider>
  );
}

function Panel(): JSX.Element {
  const garment = studio.sheetInput.value?.shape.type === "garment";
  const tabs = studio.TABS.filter((tab) => tab !== "pattern" || garment);
  const tab = tabs.includes(studio.tab.value) ? studio.tab.value : "make";
  return (
    <aside class="panel" aria-label="Panel">
      <div class="tabs" role="tablist">
        {tabs.map((own) => (
          <button
            key={own}
            type="button"
            role="tab"
            id={`tab-${own}`}
            aria-selected={own === tab}
            aria-controls="panel-body"
            data-tab={own}
            onClick={() => {
              studio.tab.value = own;
              studio.panelOpen.value = true;
            }}
          >
            {NAMES[own]}
          </button>
        ))}
      </div>
      <Job />
      <div class="panel-body" id="panel-body" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === "make" && <Make />}
        {tab === "pattern" && <Pattern />}
        {tab === "sheet" && <Parameters />}
        {tab === "look" && <Look />}
        {tab === "charts" && <Charts />}
        {tab === "text" && <SceneText />}
        {tab === "keep" && <Keep />}
      </div>
    </aside>
  );
}

function Notes(): JSX.Element {
  return (
    <div class="notes" aria-live="polite">
      {studio.notes.value.map(({ id, text, kind, details }) => (
        <div key={id} class="note" data-kind={kind}>
          <Icon name={kind === "bad" ? "warning" : kind === "good" ? "check" : "dot"} />
          <div>
            <p>{text}</p>
            {details.map((line) => (
              <p key={line} class="source">
                {line}
              </p>
            ))}
          </div>
          <button
            type="button"
            class="quiet"
            aria-label="Dismiss"
            onClick={() => studio.dismiss(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

function listenToDrops(): () => void {
  const over = (event: DragEvent): void => {
    event.preventDefault();
    document.documentElement.dataset.dropping = "";
  };
  const leave = (event: DragEvent): void => {
    if (event.relatedTarget === null) delete document.documentElement.dataset.dropping;
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    delete document.documentElement.dataset.dropping;
    void studio.openFiles([...(event.dataTransfer?.files ?? [])]);
  };
  addEventListener("dragover", over);
  addEventListener("dragleave", leave);
  addEventListener("drop", drop);
  return () => {
    removeEventListener("dragover", over);
    removeEventListener("dragleave", leave);
    removeEventListener("drop", drop);
  };
}
