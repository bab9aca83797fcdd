/** All built-in scenes in groups, with a picture of each, to be searched. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type LibraryScene, library } from "../../../src/scenes.ts";
import { LESSONS, lessonOf } from "../document/lessons.ts";
import * as studio from "../studio.ts";
import { Icon } from "./icons.tsx";

/** Small pictures by scene name, made by make-thumbnails.mjs. */
const pictures = import.meta.glob<string>("../../thumbnails/*.webp", {
  eager: true,
  query: "?url&no-inline",
  import: "default",
});

function picture(name: string): string | undefined {
  return pictures[`../../thumbnails/${name}.webp`];
}

/** Which scenes belong together; what no pattern knows comes last. */
const GROUPS: readonly { name: string; has: RegExp }[] = [
  { name: "Hanging", has: /^(pinned|pinched|shear|hanging|cantilever)/ },
  { name: "On bodies", has: /^(drape|tablecloth|two-layers|impact|incline)/ },
  { name: "Garments", has: /^(tank|tunic|skirt)/ },
  { name: "Folding", has: /^(fold|crumple|cylinder)/ },
  { name: "Skin and film", has: /^(skin|foundation)/ },
  { name: "More", has: /./ },
];

interface Group {
  readonly name: string;
  readonly scenes: readonly LibraryScene[];
}

/** Whether a text has every word of the search. */
function matches(search: string, text: string): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => text.toLowerCase().includes(word));
}

/** The scenes that have every word of the search in their name or line, by group. */
function found(search: string): Group[] {
  const some = library.filter(({ name, shows }) => matches(search, `${title(name)} ${shows}`));
  const group = ({ name }: LibraryScene): string => GROUPS.find(({ has }) => has.test(name))!.name;
  return GROUPS.map(({ name }) => ({
    name,
    scenes: some.filter((scene) => group(scene) === name),
  })).filter(({ scenes }) => scenes.length > 0);
}

export function Gallery(): JSX.Element {
  const [search, setSearch] = useState("");
  const groups = found(search);
  const lessons = LESSONS.filter(({ title: name, says }) => matches(search, `${name} ${says}`));
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
      <div class="gallery-top">
        <button
          type="button"
          class="wide strong"
          onClick={() => {
            studio.newOpen.value = true;
          }}
        >
          <Icon name="plus" /> New
        </button>
        <button
          type="button"
          class="wide"
          onClick={() => document.getElementById("open-file")?.click()}
        >
          <Icon name="open" /> Open
        </button>
      </div>
      <label class="search">
        <Icon name="search" />
        <input
          type="search"
          placeholder="Search scenes"
          aria-label="Search scenes"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </label>
      <div class="cards">
        {lessons.length > 0 && (
          <section aria-label="Lessons">
            <h3>Lessons</h3>
            <div class="lessons">
              {lessons.map((lesson) => (
                <button
                  key={lesson.name}
                  type="button"
                  class="lesson-name"
                  data-lesson={lesson.name}
                  title={lesson.says}
                  aria-current={studio.input.value.name === `lesson-${lesson.name}` || undefined}
                  onClick={() => {
                    studio.openLesson(lesson);
                    closeIfNarrow();
                  }}
                >
                  {lesson.title}
                </button>
              ))}
            </div>
          </section>
        )}
        {groups.map(({ name, scenes }) => (
          <section key={name} aria-label={name}>
            <h3>{name}</h3>
            <ul>
              {scenes.map((scene) => (
                <Card key={scene.name} scene={scene} />
              ))}
            </ul>
          </section>
        ))}
        {groups.length + lessons.length === 0 && (
          <p class="empty">No scene has “{search}” in its name.</p>
        )}
      </div>
    </nav>
  );
}

/** On small screens the list lies over the picture. */
function closeIfNarrow(): void {
  if (matchMedia("(max-width: 1179px)").matches) studio.galleryOpen.value = false;
}

function Card({ scene: { name, points, shows } }: { scene: LibraryScene }): JSX.Element {
  const choose = (): void => {
    studio.openLibrary(name);
    closeIfNarrow();
  };
  const source = picture(name);
  return (
    <li>
      <button
        type="button"
        class="card"
        data-scene={name}
        aria-current={name === studio.input.value.name ? "true" : undefined}
        title={shows}
        onClick={choose}
      >
        {source === undefined ? (
          <span class="thumb thumb-none" aria-hidden="true">
            <Icon name="grid" />
          </span>
        ) : (
          <img
            class="thumb"
            src={source}
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
  );
}

/** pinned-cloth → Pinned cloth; lessons have titles of their own. */
export function title(name: string): string {
  const lesson = lessonOf(name);
  if (lesson !== undefined) return lesson.title;
  const words = name.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
