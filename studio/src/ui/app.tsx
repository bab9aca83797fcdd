/** The page as a whole: header, scenes, picture, panel, time. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { OVERLAYS } from "../engine/protocol.ts";
import * as studio from "../studio.ts";
import type { Theatre } from "../theatre/theatre.ts";
import { StrainBadge } from "./badge.tsx";
import { Charts } from "./charts.tsx";
import { CompareMenu } from "./compare.tsx";
import { Gallery, title } from "./gallery.tsx";
import { Help } from "./help.tsx";
import { Icon } from "./icons.tsx";
import { Keep } from "./keep.tsx";
import { Look } from "./look.tsx";
import { Parameters } from "./parameters.tsx";
import { Stage, TheatreProvider } from "./stage.tsx";
import { Transport } from "./transport.tsx";

const TABS: readonly { tab: studio.Tab; name: string }[] = [
  { tab: "sheet", name: "Sheet" },
  { tab: "look", name: "Look" },
  { tab: "charts", name: "Charts" },
  { tab: "keep", name: "Keep" },
];

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
        <Help />
        <input
          id="open-file"
          type="file"
          hidden
          multiple
          accept=".json,.yaml,.yml,.obj,.ply,.stl,.glb,.gltf"
          onChange={(event) => {
            void studio.openFiles([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = "";
          }}
        />
      </div>
    </TheatreProvider>
  );
}

function Header({ theatre }: { theatre: { current: Theatre | null } }): JSX.Element {
  const lane = studio.first.value;
  const { name, description } = studio.input.value;
  return (
    <header class="header">
      <button
        type="button"
        class="brand"
        aria-label="Scenes"
        aria-expanded={studio.galleryOpen.value}
        title="Scenes (S)"
        data-action="gallery"
        onClick={() => {
          studio.galleryOpen.value = !studio.galleryOpen.value;
        }}
      >
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path
            d="M4 9c6-4 10 3 16 0 3-1.5 5-3 8-2.5v14c-3-.5-5 1-8 2.5-6 3-10-4-16 0z"
            class="fold-back"
          />
          <path d="M4 9c6-4 10 3 16 0v14c-6 3-10-4-16 0z" class="fold-front" />
        </svg>
        <span>isoplate</span>
      </button>
      <div class="scene-title">
        <h1>{title(name ?? "scene")}</h1>
        <p>
          {description}
          {studio.edited.value && <span class="edited"> · edited</span>}
        </p>
      </div>
      {lane !== null && !studio.comparing.value && <StrainBadge lane={lane} />}
      <div class="tools">
        <button
          type="button"
          class="tool"
          aria-label="Frame everything"
          title="Frame everything (F)"
          onClick={() => theatre.current?.frame()}
        >
          <Icon name="frame" />
        </button>
        <CompareMenu />
        <button
          type="button"
          class="tool"
          aria-label={studio.theme.value === "dark" ? "Light" : "Dark"}
          title="Light or dark (T)"
          data-action="theme"
          onClick={toggleTheme}
        >
          <Icon name={studio.theme.value === "dark" ? "sun" : "moon"} />
        </button>
        <button
          type="button"
          class="tool"
          aria-label="Help"
          title="Help (?)"
          data-action="help"
          onClick={() => {
            studio.helpOpen.value = true;
          }}
        >
          <Icon name="help" />
        </button>
        <button
          type="button"
          class="tool"
          aria-label="Panel"
          aria-pressed={studio.panelOpen.value}
          title="Panel"
          data-action="panel"
          onClick={() => {
            studio.panelOpen.value = !studio.panelOpen.value;
          }}
        >
          <Icon name="panel" />
        </button>
      </div>
    </header>
  );
}

function Panel(): JSX.Element {
  const tab = studio.tab.value;
  return (
    <aside class="panel" aria-label="Panel">
      <div class="tabs" role="tablist">
        {TABS.map(({ tab: own, name }) => (
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
            {name}
          </button>
        ))}
      </div>
      <div class="panel-body" id="panel-body" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {tab === "sheet" && <Parameters />}
        {tab === "look" && <Look />}
        {tab === "charts" && <Charts />}
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

function toggleTheme(): void {
  studio.theme.value = studio.theme.value === "dark" ? "light" : "dark";
}

/** Keys work wherever no text is being written. */
function listenToKeys(theatre: { current: Theatre | null }): () => void {
  const press = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || studio.helpOpen.value) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && event.key !== "Escape") return;
    const key = event.key;
    if (key === " " && target.tagName === "BUTTON") return; // it presses the button
    const digit = Number(key);
    if (key === " ") studio.setRunning(!studio.running.value);
    else if (key === ".") studio.stepOnce();
    else if (key === "r" || key === "R") studio.reset();
    else if (key === "f" || key === "F") theatre.current?.frame();
    else if (key === "w" || key === "W") studio.wire.value = !studio.wire.value;
    else if (key === "p" || key === "P")
      studio.tool.value = studio.tool.value === "pin" ? "hand" : "pin";
    else if (key === "s" || key === "S") studio.galleryOpen.value = !studio.galleryOpen.value;
    else if (key === "t" || key === "T") toggleTheme();
    else if (key === "c" || key === "C")
      document.querySelector<HTMLElement>("[data-action=compare]")?.click();
    else if (key === "?") studio.helpOpen.value = true;
    else if (key === "Escape") {
      studio.tool.value = "hand";
      studio.selectedBody.value = null;
    } else if (key === "ArrowLeft" || key === "ArrowRight") {
      const frames = studio.frames.value;
      const at = studio.first.value?.shown.value ?? frames - 1;
      const to = at + (key === "ArrowLeft" ? -1 : 1);
      studio.scrub(to >= frames - 1 ? null : Math.max(0, to));
    } else if (digit >= 1 && digit <= OVERLAYS.length) studio.setOverlay(OVERLAYS[digit - 1]);
    else return;
    event.preventDefault();
  };
  addEventListener("keydown", press);
  return () => removeEventListener("keydown", press);
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
