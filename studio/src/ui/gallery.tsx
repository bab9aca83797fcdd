/** All built-in scenes, with a picture of each. */
import type { JSX } from "preact";
import { library } from "../../../src/scene/library.ts";
import * as studio from "../studio.ts";
import { Icon } from "./icons.tsx";

/** Small pictures by scene name, made by scripts/thumbnails. */
const pictures = import.meta.glob<string>("../../thumbnails/*.webp", {
  eager: true,
  query: "?url&no-inline",
  import: "default",
});

function picture(name: string): string | undefined {
  return pictures[`../../thumbnails/${name}.webp`];
}

export function Gallery(): JSX.Element {
  const current = studio.input.value.name;
  const choose = (name: string): void => {
    studio.openLibrary(name);
    if (matchMedia("(max-width: 1179px)").matches) studio.galleryOpen.value = false;
  };
  return (
    <nav class="gallery" aria-label="Scenes" data-open={studio.galleryOpen.value || undefined}>
      <header class="panel-head">
        <h2>Scenes</h2>
        <button
          type="button"
          class="quiet"
          aria-label="Close the list of scenes"
          onClick={() => {
            studio.galleryOpen.value = false;
          }}
        >
          <Icon name="close" />
        </button>
      </header>
      <ul>
        {library.map(({ name, points, shows }) => (
          <li key={name}>
            <button
              type="button"
              class="card"
              data-scene={name}
              aria-current={name === current ? "true" : undefined}
              title={shows}
              onClick={() => choose(name)}
            >
              {picture(name) === undefined ? (
                <span class="thumb thumb-none" aria-hidden="true">
                  <Icon name="grid" />
                </span>
              ) : (
                <img
                  class="thumb"
                  src={picture(name)}
                  alt=""
                  width="176"
                  height="132"
                  loading="lazy"
                  decoding="async"
                />
              )}
              <span class="card-name">{title(name)}</span>
              <span class="card-note">{points} points</span>
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        class="wide"
        onClick={() => document.getElementById("open-file")?.click()}
      >
        <Icon name="open" /> Open a file…
      </button>
    </nav>
  );
}

/** pinned-cloth → Pinned cloth */
export function title(name: string): string {
  const words = name.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
