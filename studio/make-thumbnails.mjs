/**
 * Makes the small pictures of the gallery: runs every built-in scene in the studio itself, in headless Chromium, and
 * keeps one picture of each as studio/thumbnails/<name>.webp.
 *
 *   npm run build && npm run studio:build && node studio/make-thumbnails.mjs [name…] [--seconds 60]
 *
 * A scene is pictured at two thirds of its time, or where it is after so many seconds of wall time.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { serveStudio } from "../dist/cli/studio.js";
import { library } from "../dist/scene/library.js";

const here = dirname(fileURLToPath(import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "60" } },
});
const names = positionals.length > 0 ? positionals : library.map(({ name }) => name);
const folder = join(here, "thumbnails");
await mkdir(folder, { recursive: true });

const server = await serveStudio();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
  ],
});
for (const name of names) {
  // reduced motion: nothing runs or is drawn that is not asked for
  const page = await browser.newPage({
    viewport: { width: 420, height: 468 },
    reducedMotion: "reduce",
  });
  try {
    await page.goto(`${server.address}#scene=${name}&solver=interactive`);
    await page.waitForFunction(
      () => globalThis.isoplateStudio?.studio.first.value?.state.value === "ready",
      null,
      { timeout: 300_000 },
    );
    await page.evaluate(() => {
      const { studio } = globalThis.isoplateStudio;
      studio.theme.value = "light";
      studio.setSpeed(4);
      studio.setRunning(true);
    });
    await page
      .waitForFunction(
        () => {
          const lane = globalThis.isoplateStudio.studio.first.value;
          const { seconds, static: still } = lane.opened.value.scene;
          return (
            lane.line.value.time >= (2 / 3) * seconds || (still && lane.finished.value !== null)
          );
        },
        null,
        { timeout: 1000 * Number(values.seconds) },
      )
      .catch(() => {}); // as far as it came
    const { time, data } = await page.evaluate(async () => {
      const { studio, theatre } = globalThis.isoplateStudio;
      studio.setRunning(false);
      await new Promise((resolve) => setTimeout(resolve, 3000));
      theatre.take();
      theatre.turn(1e-4, 0); // from the same side, but close to what there is now
      theatre.frame();
      const bitmap = await theatre.snapshot(704, 528, "bitmap");
      const canvas = document.createElement("canvas");
      canvas.width = 352;
      canvas.height = 264;
      const context = canvas.getContext("2d");
      context.imageSmoothingQuality = "high";
      context.drawImage(bitmap, 0, 0, 352, 264);
      return {
        time: studio.first.value.line.value.time,
        data: canvas.toDataURL("image/webp", 0.86).split(",")[1],
      };
    });
    const bytes = Buffer.from(data, "base64");
    await writeFile(join(folder, `${name}.webp`), bytes);
    console.log(`${name}: ${time.toFixed(2)} s, ${bytes.length} bytes`);
  } catch (error) {
    console.error(`${name}: ${error.message.split("\n")[0]}`);
    process.exitCode = 1;
  }
  await page.close();
}
await browser.close();
await server.close();
