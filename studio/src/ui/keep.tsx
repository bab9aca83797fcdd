/** What can be taken home: pictures, films, files, the scene and its link. */
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
  { format: "obj", says: "one OBJ a frame" },
  { format: "ply", says: "one PLY a frame" },
];
const SIZES = [
  { label: "960 × 540", width: 960, height: 540 },
  { label: "1280 × 720", width: 1280, height: 720 },
  { label: "1920 × 1080", width: 1920, height: 1080 },
  { label: "square 1080", width: 1080, height: 1080 },
] as const;

/** What is being made, how far it is, and how to begin something. */
interface Making {
  readonly busy: string | null;
  readonly progress: number;
  cancel(): void;
  setProgress(share: number): void;
  start(what: string, job: (signal: AbortSignal) => Promise<void>): Promise<void>;
}

function useMaking(): Making {
  const [busy, setBusy] = useState<string | null>(null);
  const [progress, setProgress] = useState(0);
  const [cancel, setCancel] = useState<() => void>(() => () => {});
  return {
    busy,
    progress,
    cancel,
    setProgress,
    async start(what, job) {
      const abort = new AbortController();
      setBusy(what);
      setProgress(0);
      setCancel(() => () => abort.abort());
      try {
        await job(abort.signal);
      } catch (error) {
        if (abort.signal.aborted) studio.note("Cancelled: nothing was saved");
        else studio.note(`Could not make it: ${(error as Error).message}`, "bad");
      } finally {
        setBusy(null);
      }
    },
  };
}

export function Keep(): JSX.Element {
  const making = useMaking();
  const { busy, progress, cancel } = making;
  return (
    <>
      {busy !== null && <Job what={busy} progress={progress} cancel={cancel} />}
      <PictureAndFilm making={making} />
      <FrameFiles making={making} />
      <RecordingFiles making={making} />
      <SceneFiles making={making} />
    </>
  );
}

/** Makes files of the present frame, the recording or the scene, and saves them. */
function makeFiles(making: Making, request: ExportRequest): Promise<void> {
  const lane = studio.first.value;
  return making.start(`${request.what} ${request.format}`, async (signal) => {
    if (lane === null) return;
    const options = { onProgress: making.setProgress, signal };
    for (const made of await lane.make(request, options)) {
      save(made.name, made.bytes);
      studio.note(`${made.name} saved`, "good", made.notes);
    }
  });
}

function PictureAndFilm({ making }: { making: Making }): JSX.Element {
  const [size, setSize] = useState(1);
  const theatre = useTheatre();
  const frames = studio.frames.value;
  const { busy, progress } = making;
  const png = (): Promise<void> =>
    making.start("png", async () => {
      const { width, height } = SIZES[size];
      const blob = await theatre.current?.snapshot(width, height, "png");
      if (blob === undefined) throw new Error("nothing is drawn yet");
      save(`${name()}.png`, blob);
      studio.note(`${name()}.png saved`, "good");
    });
  const film = (): Promise<void> =>
    making.start("film", async (signal) => {
      const { makeFilm } = await import("../keep/film.ts");
      const current = theatre.current;
      if (current === null) return;
      const options = { ...SIZES[size], onProgress: making.setProgress, signal };
      const made = await makeFilm(current, options);
      save(`${name()}.${made.ending}`, made.bytes);
      studio.note(`${name()}.${made.ending} saved`, "good", [
        `${made.frames} frames, ${made.codec}`,
      ]);
    });
  return (
    <Section title="Picture and film" note={frames > 0 ? `${frames} frames` : ""}>
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
        <button type="button" class="wide" disabled={busy !== null} data-keep="png" onClick={png}>
          <Icon name="camera" /> PNG
        </button>
        <button
          type="button"
          class="wide strong"
          disabled={busy !== null || frames < 2}
          data-keep="film"
          onClick={film}
        >
          <Icon name="film" /> {busy === "film" ? `${Math.round(100 * progress)} %` : "Film"}
        </button>
      </div>
    </Section>
  );
}

function FrameFiles({ making }: { making: Making }): JSX.Element {
  const { busy } = making;
  return (
    <Section title="This frame">
      <div class="files">
        {FRAME.map(({ format, says }) => (
          <button
            key={format}
            type="button"
            class="file"
            disabled={busy !== null}
            data-keep={`frame-${format}`}
            title={says}
            onClick={() => makeFiles(making, { what: "frame", format })}
          >
            {format.toUpperCase()}
          </button>
        ))}
      </div>
    </Section>
  );
}

function RecordingFiles({ making }: { making: Making }): JSX.Element {
  const { busy } = making;
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
              disabled={busy !== null || frames < 1}
              data-keep={`run-${format}`}
              onClick={() => makeFiles(making, { what: "recording", format })}
            >
              {format === "isoplate" ? "isoplate" : format.toUpperCase()}
            </button>
            <span>{says}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function SceneFiles({ making }: { making: Making }): JSX.Element {
  const { busy } = making;
  const lane = studio.first.value;
  const touched = lane?.touched.value ?? false;
  const finished = lane?.finished.value ?? null;
  return (
    <Section title="The scene">
      <div class="pair">
        <button
          type="button"
          class="wide"
          disabled={busy !== null}
          data-keep="link"
          onClick={() => copyLink(making)}
        >
          <Icon name="link" /> Copy link
        </button>
        <button
          type="button"
          class="wide"
          disabled={busy !== null}
          data-keep="scene"
          onClick={() => makeFiles(making, { what: "scene", format: "json" })}
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
function copyLink(making: Making): Promise<void> {
  return making.start("link", async () => {
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

/** What is being made, and a way to stop it. */
function Job({
  what,
  progress,
  cancel,
}: {
  what: string;
  progress: number;
  cancel: () => void;
}): JSX.Element {
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
