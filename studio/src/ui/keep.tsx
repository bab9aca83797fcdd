/** Exports: pictures, films, files, the scene and its link. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ExportRequest } from "../engine/protocol.ts";
import { save } from "../keep/save.ts";
import * as studio from "../studio.ts";
import { Section } from "./controls.tsx";
import { Icon } from "./icons.tsx";
import { useTheatre } from "./stage.tsx";

const FRAME: readonly { format: ExportRequest["format"]; says: string }[] = [
  { format: "glb", says: "three.js, Blender" },
  { format: "obj", says: "any 3D program" },
  { format: "ply", says: "with strain per point" },
];
const RUN: readonly { format: ExportRequest["format"]; says: string }[] = [
  { format: "isoplate", says: "the recording itself, for the command line" },
  { format: "glb", says: "animated glTF" },
  { format: "pc2", says: "point cache and OBJ: Blender, 3ds Max" },
  { format: "abc", says: "Alembic: Maya, Houdini" },
  { format: "usda", says: "USD: Omniverse, Houdini" },
  { format: "obj", says: "one OBJ a frame" },
  { format: "ply", says: "one PLY a frame" },
];
const SIZES = [
  { label: "960 × 540", width: 960, height: 540 },
  { label: "1280 × 720", width: 1280, height: 720 },
  { label: "1920 × 1080", width: 1920, height: 1080 },
  { label: "square 1080", width: 1080, height: 1080 },
] as const;

export function Keep(): JSX.Element {
  return (
    <>
      <PictureAndFilm />
      <FrameFiles />
      <RecordingFiles />
      <SceneFiles />
    </>
  );
}

/** Makes files of the present frame, the recording or the scene, and saves them. */
function makeFiles(request: ExportRequest): Promise<void> {
  const lane = studio.first.value;
  return studio.keep(`${request.what} ${request.format}`, async (options) => {
    if (lane === null) return;
    for (const made of await lane.make(request, options)) {
      save(made.name, made.bytes);
      studio.note(`${made.name} saved`, "good", made.notes);
    }
  });
}

function PictureAndFilm(): JSX.Element {
  const [size, setSize] = useState(1);
  const theatre = useTheatre();
  const frames = studio.frames.value;
  const busy = studio.keeping.value !== null;
  const png = (): Promise<void> =>
    studio.keep("picture", async () => {
      const { width, height } = SIZES[size];
      const blob = await theatre.current?.snapshot(width, height, "png");
      if (blob === undefined) throw new Error("nothing is drawn yet");
      save(`${name()}.png`, blob);
      studio.note(`${name()}.png saved`, "good");
    });
  const film = (): Promise<void> =>
    studio.keep("film", async (options) => {
      const { makeFilm } = await import("../keep/film.ts");
      const current = theatre.current;
      if (current === null) return;
      const made = await makeFilm(current, { ...SIZES[size], ...options });
      save(`${name()}.${made.ending}`, made.bytes);
      studio.note(`${name()}.${made.ending} saved`, "good", [
        `${made.frames} frames, ${made.codec}`,
      ]);
    });
  return (
    <Section
      title="Picture and film"
      note={frames > 0 ? `${frames} frame${frames === 1 ? "" : "s"}` : ""}
    >
      <label class="field row">
        Size
        <select
          value={String(size)}
          onChange={(event) => setSize(Number(event.currentTarget.value))}
        >
          {SIZES.map(({ label }, k) => (
            <option key={label} value={String(k)}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <div class="pair">
        <button type="button" class="wide" disabled={busy} data-keep="png" onClick={png}>
          <Icon name="camera" /> PNG
        </button>
        <button
          type="button"
          class="wide strong"
          disabled={busy || frames < 2}
          data-keep="film"
          onClick={film}
        >
          <Icon name="film" /> Film
        </button>
      </div>
    </Section>
  );
}

function FrameFiles(): JSX.Element {
  const busy = studio.keeping.value !== null;
  return (
    <Section title="This frame">
      <div class="files">
        {FRAME.map(({ format, says }) => (
          <button
            key={format}
            type="button"
            class="file"
            disabled={busy}
            data-keep={`frame-${format}`}
            title={says}
            onClick={() => makeFiles({ what: "frame", format })}
          >
            {format.toUpperCase()}
          </button>
        ))}
      </div>
    </Section>
  );
}

function RecordingFiles(): JSX.Element {
  const busy = studio.keeping.value !== null;
  const lane = studio.first.value;
  const frames = studio.frames.value;
  return (
    <Section title="The recording" note={lane === null ? "" : `${lane.end.value.toFixed(2)} s`}>
      <ul class="exports">
        {RUN.map(({ format, says }) => (
          <li key={format}>
            <button
              type="button"
              class="file"
              disabled={busy || frames < 1}
              data-keep={`run-${format}`}
              onClick={() => makeFiles({ what: "recording", format })}
            >
              {format === "isoplate" ? "isoplate" : format.toUpperCase()}
            </button>
            <span>{says}</span>
          </li>
        ))}
        <li>
          <button
            type="button"
            class="file"
            disabled={busy}
            data-keep="summary"
            onClick={() => makeFiles({ what: "summary", format: "json" })}
          >
            JSON
          </button>
          <span>summary: strain, energy, forces of the pins</span>
        </li>
      </ul>
    </Section>
  );
}

function SceneFiles(): JSX.Element {
  const busy = studio.keeping.value !== null;
  const lane = studio.first.value;
  const touched = lane?.touched.value ?? false;
  const finished = lane?.finished.value ?? null;
  return (
    <Section title="The scene">
      <div class="pair">
        <button
          type="button"
          class="wide"
          disabled={busy}
          data-keep="link"
          onClick={() => copyLink()}
        >
          <Icon name="link" /> Copy link
        </button>
        <button
          type="button"
          class="wide"
          disabled={busy}
          data-keep="scene"
          onClick={() => makeFiles({ what: "scene", format: "json" })}
        >
          <Icon name="file" /> JSON
        </button>
      </div>
      <button
        type="button"
        class="wide"
        onClick={() => document.getElementById("open-file")?.click()}
      >
        <Icon name="open" /> Open a scene or a mesh…
      </button>
      {finished !== null && <Hash hash={finished.hash} time={finished.time} />}
      {touched && <p class="source">{TOUCHED}</p>}
    </Section>
  );
}

/** A link that holds the scene, into the clipboard or the address bar. */
function copyLink(): Promise<void> {
  return studio.keep("link", async () => {
    const link = await studio.link();
    if (link === null) {
      studio.note(
        "This scene needs its mesh file, which a link cannot hold. Save the scene as JSON and send both.",
        "bad",
      );
      return;
    }
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(link);
      studio.note("Link copied", "good");
    } catch {
      studio.note("The link is in the address bar", "good");
    }
  });
}

const TOUCHED =
  "A hand has been in this run: the recording keeps what it did, the link and the JSON hold the scene alone.";

/** What a run of the same scene must give. */
function Hash({ hash, time }: { hash: string; time: number }): JSX.Element {
  return (
    <p class="hash" data-hash={hash} data-time={time}>
      At {time.toFixed(2)} s the positions have the hash <code>{hash.slice(0, 16)}</code>. The same
      scene gives the same hash in <code>isoplate run</code>.
    </p>
  );
}

function name(): string {
  return (studio.input.value.name ?? "scene").replace(/[^\p{L}\p{N}._-]+/gu, "-");
}
