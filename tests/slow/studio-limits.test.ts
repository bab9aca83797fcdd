/**
 * What the studio may cost: bytes, time to the first picture, time of the main thread, memory. With MEASURES=1 it says
 * what it measured.
 */
import { cpus, loadavg } from "node:os";
import type { CDPSession, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { slowness } from "../yardstick.ts";
import { BUSY } from "./needs.ts";
import { ask, ready, tell, until, visit } from "./studio-page.ts";

/** How much slower than the machine that limits hold for (yardstick.ts), idle, this one is now. */
function crowding(): number {
  return Math.max(loadavg()[0] / cpus().length, slowness());
}

describe("the beginning", BUSY, () => {
  test("what is loaded before the first scene runs is under 350 kB", async () => {
    let bytes = 0;
    const { page, end } = await visit({
      before: async (fresh) => {
        fresh.on("response", async (response) => {
          // as it travelled: the server says how long the packed body is
          bytes += Number(response.headers()["content-length"] ?? 0);
        });
      },
    });
    try {
      await ready(page);
      await until(page, "lane.line.value?.time > 0");
      if (process.env.MEASURES === "1") process.stderr.write(`initial transfer ${bytes} bytes\n`);
      expect(bytes).toBeGreaterThan(100_000); // workers are counted too
      expect(bytes).toBeLessThan(350_000);
    } finally {
      await end();
    }
  });

  test("the first picture is there within 1.5 s", async () => {
    const times: number[] = [];
    for (let k = 0; k < 3; k++) {
      const { page, end } = await visit();
      try {
        await ready(page);
        times.push(
          (await page.evaluate(
            `performance.getEntriesByName("first-picture")[0].startTime`,
          )) as number,
        );
      } finally {
        await end();
      }
    }
    if (process.env.MEASURES === "1") process.stderr.write(`first picture ${times} ms\n`);
    expect(Math.min(...times)).toBeLessThan(1500 * crowding());
  });
});

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

/** Durations in ms of the tasks of the page's main thread while something is done. */
async function tasksDuring(
  page: Page,
  act: () => Promise<void>,
): Promise<{ wall: number; cpu: number }[]> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]));
  });
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel", "blink.user_timing", "__metadata"] },
  });
  // the process of this page is the one that sets the mark
  await page.evaluate(`performance.mark("traced")`);
  await act();
  const complete = new Promise<void>((resolve) => {
    session.once("Tracing.tracingComplete", () => resolve());
  });
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  const mark = events.find(({ name }) => name === "traced");
  if (mark === undefined) throw new Error("the trace has no mark");
  return events
    .filter(
      ({ name, ph, pid, tid, ts }) =>
        ph === "X" &&
        pid === mark.pid &&
        tid === mark.tid &&
        ts > mark.ts &&
        /RunTask|RunNormalPriorityTask/.test(name),
    )
    .map(({ dur = 0, tdur = 0 }) => ({ wall: dur / 1000, cpu: tdur / 1000 }));
}

test(
  "in a run of 2716 points with a hand at work, and while a film and a cache are made of it, no task of the main thread takes 50 ms",
  BUSY,
  async () => {
    const { page, end } = await visit({
      fragment: "#scene=drape-fine&solver=interactive",
      viewport: { width: 1280, height: 800 },
    });
    try {
      await ready(page);
      await until(page, "lane.line.value?.time > 0.1 && theatre.time() > 0.05");
      expect(await ask(page, "lane.opened.value.sheet.n")).toBe(2716);
      await page.click("[data-tab=charts]");
      await page.waitForSelector(".uplot");
      const before = await ask<number>(page, "lane.line.value.steps");
      const tasks = await tasksDuring(page, async () => {
        // look around, hold the sheet, colour it, change the world
        const box = (await page.locator(".stage canvas").boundingBox())!;
        await page.mouse.move(box.x + 40, box.y + box.height - 40);
        await page.mouse.down();
        for (let k = 0; k < 12; k++) {
          await page.mouse.move(box.x + 40 + 8 * k, box.y + box.height - 40 - 3 * k);
          await page.waitForTimeout(60);
        }
        await page.mouse.up();
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
        await page.mouse.down();
        for (let k = 0; k < 12; k++) {
          await page.mouse.move(box.x + box.width / 2 + 6 * k, box.y + box.height / 2 - 6 * k);
          await page.waitForTimeout(60);
        }
        await page.mouse.up();
        await page.focus(".stage canvas");
        await page.keyboard.press("3");
        await tell(page, "studio.change((scene) => ({ ...scene, gravity: 5 }))");
        await page.waitForTimeout(2500);
      });
      expect(await ask<number>(page, "lane.line.value.steps")).toBeGreaterThan(before);
      expect(tasks.length).toBeGreaterThan(50);
      const most = (pick: (task: { wall: number; cpu: number }) => number): number =>
        Math.max(...tasks.map(pick));
      if (process.env.MEASURES === "1")
        process.stderr.write(
          `tasks ${tasks.length}, longest ${most(({ cpu }) => cpu)} ms of work, ${most(({ wall }) => wall)} ms of time\n`,
        );
      expect(most(({ cpu }) => cpu)).toBeLessThan(50 * slowness());
      // waiting counts too, but for what the machine's other programs take
      const limit = 50 * crowding();
      expect(tasks.filter(({ wall }) => wall > limit).length / tasks.length).toBeLessThan(0.01);

      // a few frames are enough: every one is shown, drawn and encoded alike
      await tell(page, "studio.reset()");
      await until(page, "lane.line.value.steps === 0");
      await tell(page, "studio.setRunning(true)");
      await until(page, "lane.frames.value > 5");
      await tell(page, "studio.setRunning(false)");
      await page.click("[data-tab=keep]");
      await page.getByLabel("Size").selectOption("960 × 540");
      const making = await tasksDuring(page, async () => {
        for (const what of ["film", "run-pc2"]) {
          const saved = page.waitForEvent("download");
          await page.click(`[data-keep=${what}]`);
          await saved;
        }
      });
      const longest = Math.max(...making.map(({ cpu }) => cpu));
      if (process.env.MEASURES === "1")
        process.stderr.write(
          `film and cache: tasks ${making.length}, longest ${longest} ms of work\n`,
        );
      expect(making.length).toBeGreaterThan(50);
      expect(longest).toBeLessThan(50 * slowness());
    } finally {
      await end();
    }
  },
);

test(
  "twenty scenes one after the other leave no memory, no worker and no object of the graphics card behind",
  BUSY,
  async () => {
    const { page, complaints, end } = await visit({ viewport: { width: 700, height: 480 } });
    try {
      await ready(page);
      const session = await page.context().newCDPSession(page);
      const names = ["cantilever", "hanging-strip", "shear-flag", "pinched-cloth"];
      const open = async (name: string): Promise<void> => {
        await tell(page, `studio.openLibrary("${name}")`);
        await until(
          page,
          `lane.opened.value?.scene.name === "${name}" && lane.state.value === "ready"`,
        );
        await until(page, "lane.line.value.time > 0 && theatre.time() > 0");
      };
      const measure = async (): Promise<{ heap: number; all: number; counts: unknown }> => {
        await tell(page, "studio.setRunning(false)");
        await session.send("HeapProfiler.collectGarbage");
        await page.waitForTimeout(500);
        const { usedSize } = await session.send("Runtime.getHeapUsage");
        const all = (await page.evaluate(
          "performance.measureUserAgentSpecificMemory().then(({ bytes }) => bytes)",
        )) as number;
        const { draws: _, ...counts } = await ask<Record<string, number>>(page, "theatre.counts()");
        await tell(page, "studio.setRunning(true)");
        return { heap: usedSize, all, counts };
      };

      // once around, so that everything is loaded and compiled; then four times around
      for (const name of names) await open(name);
      const before = await measure();
      for (let k = 0; k < 20; k++) await open(names[k % 4]);
      const after = await measure();
      if (process.env.MEASURES === "1")
        process.stderr.write(`before ${JSON.stringify(before)}\nafter  ${JSON.stringify(after)}\n`);
      expect(after.counts).toEqual(before.counts);
      expect(page.workers().length).toBe(2); // an engine and a painter
      expect(after.heap - before.heap).toBeLessThan(2e6);
      // one scene has some 10 MB; a leak would keep twenty
      expect(after.all - before.all).toBeLessThan(40e6);
      expect(complaints).toEqual([]);
    } finally {
      await end();
    }
  },
);
