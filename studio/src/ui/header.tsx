/** The name of the scene, how much it stretches, and what concerns the page as a whole. */
import type { ComponentChildren, JSX } from "preact";
import * as studio from "../studio.ts";
import type { Theatre } from "../theatre/theatre.ts";
import { StrainBadge } from "./badge.tsx";
import { CompareMenu } from "./compare.tsx";
import { title } from "./gallery.tsx";
import { Icon } from "./icons.tsx";
import { toggleTheme } from "./keys.ts";

export function Header({ theatre }: { theatre: { current: Theatre | null } }): JSX.Element {
  const lane = studio.first.value;
  const { name, description } = studio.input.value;
  return (
    <header class="header">
      <button
        type="button"
        class="brand"
        aria-label="isoplate: Scenes"
        aria-expanded={studio.galleryOpen.value}
        title="Scenes (S)"
        data-action="gallery"
        onClick={() => {
          studio.galleryOpen.value = !studio.galleryOpen.value;
        }}
      >
        <Logo />
        <span>isoplate</span>
      </button>
      <div class="scene-title">
        <h1>{title(name ?? "scene")}</h1>
        <p>
          {description !== title(name ?? "") && description}
          {studio.edited.value && <span class="edited"> · edited</span>}
        </p>
      </div>
      {lane !== null && !studio.comparing.value && <StrainBadge lane={lane} />}
      <div class="tools">
        <Tool
          label="Undo"
          title="Undo (Ctrl+Z)"
          action="undo"
          disabled={!studio.canUndo.value}
          onClick={studio.undo}
        >
          <Icon name="undo" />
        </Tool>
        <Tool
          label="Redo"
          title="Redo (Ctrl+Shift+Z)"
          action="redo"
          disabled={!studio.canRedo.value}
          onClick={studio.redo}
        >
          <Icon name="redo" />
        </Tool>
        <Tool
          label="Frame everything"
          title="Frame everything (F)"
          action="frame"
          onClick={() => theatre.current?.frame()}
        >
          <Icon name="frame" />
        </Tool>
        <CompareMenu />
        <Tool
          label={studio.theme.value === "dark" ? "Light" : "Dark"}
          title="Light or dark (T)"
          action="theme"
          onClick={toggleTheme}
        >
          <Icon name={studio.theme.value === "dark" ? "sun" : "moon"} />
        </Tool>
        <Tool
          label="Help"
          title="Help (?)"
          action="help"
          onClick={() => {
            studio.helpOpen.value = true;
          }}
        >
          <Icon name="help" />
        </Tool>
        <Tool
          label="Panel"
          title="Panel"
          action="panel"
          pressed={studio.panelOpen.value}
          onClick={() => {
            studio.panelOpen.value = !studio.panelOpen.value;
          }}
        >
          <Icon name="panel" />
        </Tool>
      </div>
    </header>
  );
}

function Tool({
  label,
  title: hint,
  action,
  disabled = false,
  pressed,
  children,
  onClick,
}: {
  label: string;
  title: string;
  action: string;
  disabled?: boolean;
  pressed?: boolean;
  children: ComponentChildren;
  onClick: () => void;
}): JSX.Element {
  return (
    <button
      type="button"
      class="tool"
      aria-label={label}
      title={hint}
      disabled={disabled}
      data-action={action}
      onClick={onClick}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
    >
      {children}
    </button>
  );
}

function Logo(): JSX.Element {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <path
        d="M4 9c6-4 10 3 16 0 3-1.5 5-3 8-2.5v14c-3-.5-5 1-8 2.5-6 3-10-4-16 0z"
        class="fold-back"
      />
      <path d="M4 9c6-4 10 3 16 0v14c-6 3-10-4-16 0z" class="fold-front" />
    </svg>
  );
}
