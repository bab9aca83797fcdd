/** The example pages: built, opened in a real Chromium, dragged with a real pointer. package.test.ts runs the one for Node. */
import { createReadStream, existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUSY, needs } from "./needs.ts";
import { FLAGS, picturesWanted } from "./studio-page.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const built = join(root, ".cache", "examples");
const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript" };

let server: Server;
let browser: Browser;
let address = "";

beforeAll(async () => {
  await build({
    configFile: join(root, "examples", "vite.config.ts"),
    logLevel: "error",
    build: { outDir: built, emptyOutDir: true },
  });
  server = createServer(({ url = "/" }, response) => {
    const file = join(built, new URL(url, "http://localhost").pathname);
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await chromium.launch({
    executablePath: needs("chromium", "chromium"),
    args: [...FLAGS],
  });
});
afterAll(async () => {
  await browser?.close();
  server?.close();
});

/** Height of the highest point of the sheet, m. */
const HEIGHT =
  "Math.max(...[...globalThis.simulation.frame.positions].filter((_, k) => k % 3 === 2))";

test.each(["three", "react-three-fiber"])(
  "%s: the cloth falls, and follows the pointer that drags it",
  BUSY,
  async (name) => {
    const page = await browser.newPage({ viewport: { width: 320, height: 240 } });
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error.stack ?? error)));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(`${address}/${name}/index.html`);
    await page.waitForFunction("globalThis.simulation?.frame.time > 0.5", null, {
      timeout: 20_000,
    });
    expect(await page.textContent("#status")).toMatch(/t = \d/);

    // the cloth lies on the ball, in the middle of the picture: take it there and lift it
    const before = (await page.evaluate(HEIGHT)) as number;
    await page.mouse.move(160, 108);
    await page.mouse.down();
    await page.mouse.move(160, 20, { steps: 4 });
    await page.waitForFunction(`${HEIGHT} > ${before + 0.05}`, null, { timeout: 20_000 });
    await page.mouse.up();
    expect(complaints).toEqual([]);
    if (picturesWanted && name === "three") {
      await page.setViewportSize({ width: 640, height: 400 });
      await page.waitForTimeout(4000);
      await page.screenshot({ path: join(root, "docs", "guide", "images", "three.png") });
    }
    await page.close();
  },
);
