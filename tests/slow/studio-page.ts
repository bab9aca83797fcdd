/** The studio in a real Chromium, for tests: built, served, opened, and watched for complaints. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { build } from "vite";
import { type StudioServer, serveStudio } from "../../src/cli/studio.ts";
import { needs } from "./needs.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const builtStudio: string = join(root, ".cache", "studio");

/** Flags with which Chromium draws WebGL without a graphics card, and stays off the network. */
export const FLAGS: readonly string[] =
  "--no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader --ignore-gpu-blocklist --enable-precise-memory-info".split(
    " ",
  );

let built: Promise<unknown> | null = null;

/** Builds the sources as they are, once per test file. */
export function buildStudio(): Promise<unknown> {
  built ??= build({
    configFile: join(root, "studio", "vite.config.ts"),
    root: join(root, "studio"),
    logLevel: "error",
    build: { outDir: builtStudio, emptyOutDir: true },
  });
  return built;
}

export interface Visit {
  readonly page: Page;
  readonly server: StudioServer;
  /** What the console and uncaught errors said. */
  readonly complaints: string[];
  /** Addresses asked for that are not the server's. */
  readonly strangers: string[];
  end(): Promise<void>;
}

/** Opens the studio; small, because software draws. */
export async function visit({
  fragment = "",
  isolated = true,
  before,
  ...options
}: BrowserContextOptions & {
  fragment?: string;
  isolated?: boolean;
  before?: (page: Page) => Promise<void>;
} = {}): Promise<Visit> {
  await buildStudio();
  const server = await serveStudio({ folder: builtStudio, isolated });
  let browser: Browser | null = null;
  try {
    browser = await chromium.launch({
      executablePath: needs("chromium", "chromium"),
      args: [...FLAGS],
    });
    const context = await browser.newContext({
      viewport: { width: 900, height: 600 },
      acceptDownloads: true,
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    const complaints: string[] = [];
    const strangers: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error.stack ?? error)));
    page.on("request", (request) => {
      const address = request.url();
      if (!address.startsWith(server.address) && !/^(blob|data):/.test(address))
        strangers.push(address);
    });
    await before?.(page);
    await page.goto(server.address + fragment);
    const open = browser;
    return {
      page,
      server,
      complaints,
      strangers,
      async end() {
        await open.close();
        await server.close();
      },
    };
  } catch (error) {
    await browser?.close();
    await server.close();
    throw error;
  }
}

/** Evaluates an expression of `studio` (its state) and `theatre` (its picture) in the page. */
export function ask<T>(page: Page, expression: string): Promise<T> {
  return page.evaluate(
    `(() => { const { studio, theatre } = globalThis.isoplateStudio; const lane = studio.first.value; return (${expression}); })()`,
  ) as Promise<T>;
}

/** Does something in the page with `studio` and `theatre`. */
export function tell(page: Page, statements: string): Promise<unknown> {
  return page.evaluate(
    `(async () => { const { studio, theatre } = globalThis.isoplateStudio; const lane = studio.first.value; ${statements} })()`,
  );
}

/** Waits until an expression holds. Asks from outside: the page's own policy forbids it to evaluate text. */
export async function until(page: Page, expression: string, timeout = 120_000): Promise<void> {
  const wanted = `(() => { const all = globalThis.isoplateStudio; if (!all) return false; const { studio, theatre } = all; const lane = studio.first.value; return lane !== null && Boolean(${expression}); })()`;
  const end = Date.now() + timeout;
  while (!(await page.evaluate(wanted))) {
    if (Date.now() > end) {
      const seen = await page.evaluate(
        "(() => { const lane = globalThis.isoplateStudio?.studio.first.value; return JSON.stringify([lane?.state.value, lane?.line.value, lane?.refusal.value, lane?.warnings.value]); })()",
      );
      throw new Error(`never came true: ${expression}; the page is at ${seen}`);
    }
    await page.waitForTimeout(100);
  }
}

/** Waits until the engine has built the scene and a picture of it was drawn. */
export async function ready(page: Page): Promise<void> {
  await until(page, `lane.state.value === "ready" && theatre.counts().draws > 0`);
}

/** Stops, and waits until what is shown is the frame at which it stopped. */
export async function still(page: Page): Promise<void> {
  await tell(page, "studio.setRunning(false)");
  // a step that was under way when it stopped may come after a first look
  for (let before = -1, now = -2; before !== now; ) {
    before = await ask<number>(page, "lane.line.value?.steps ?? 0");
    await page.waitForTimeout(250);
    await until(page, "theatre.time() === lane.line.value?.time");
    now = await ask<number>(page, "lane.line.value?.steps ?? 0");
  }
}

/** xyz of every point as they are drawn. */
export function positions(page: Page, pane = 0): Promise<number[]> {
  return ask(page, `Array.from(theatre.positions(${pane}))`);
}

/** Whether the pictures of docs/guide are to be taken: PICTURES=1. */
export const picturesWanted: boolean = process.env.PICTURES === "1";

/** Keeps a picture of the page for docs/guide/studio.md, in 160 colours: a few tens of kilobytes. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!picturesWanted) return;
  // at rest it is drawn with all its pixels
  const running = await ask<boolean>(page, "studio.running.value");
  await tell(page, "studio.setRunning(false)");
  await page.waitForTimeout(4000);
  const folder = join(root, "docs", "guide", "images");
  mkdirSync(folder, { recursive: true });
  const raw = join(folder, `${name}.raw.png`);
  await page.screenshot({ path: raw });
  const filter =
    "split[a][b];[a]palettegen=max_colors=160:stats_mode=single[p];[b][p]paletteuse=dither=sierra2_4a";
  execFileSync(needs("ffmpeg", "ffmpeg"), [
    ...["-loglevel", "error", "-y", "-i", raw, "-vf", filter],
    join(folder, `${name}.png`),
  ]);
  rmSync(raw);
  if (running) await tell(page, "studio.setRunning(true)");
}
