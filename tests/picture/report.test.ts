import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { writeReport } from "../../src/picture/report.ts";
import { createFolderRecorder } from "../../src/recording/folder.ts";
import { bentScene, record } from "./recordings.ts";

const root = mkdtempSync(join(tmpdir(), "isoplate-report-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function recorded(name: string, end: boolean): string {
  const folder = join(root, name);
  const recorder = createFolderRecorder(folder);
  record(recorder, bentScene(), { end });
  recorder.close();
  return folder;
}

describe("report.html", () => {
  test("holds pictures, plots, numbers, the scene and its warnings, and reaches for nothing outside", async () => {
    const folder = recorded("whole", true);
    const steps: string[] = [];
    const path = await writeReport(folder, { width: 320, onProgress: (what) => steps.push(what) });
    expect(path).toBe(join(folder, "report.html"));
    expect(steps).toEqual(["picture", "strip", "plots", "page"]);
    const page = readFileSync(path, "utf8");
    for (const name of ["end", "strain", "strip"]) {
      const png = readFileSync(join(folder, "pictures", `${name}.png`));
      expect(png.subarray(1, 4).toString()).toBe("PNG");
      expect(page.includes(png.toString("base64"))).toBe(true);
    }
    expect([...page.matchAll(/<svg /g)].length).toBeGreaterThanOrEqual(5);
    for (const words of [
      "bent &lt;sheet&gt;",
      "the pin “left” starts inside &lt;nothing&gt;",
      "2 of 1000 steps were not solved",
      "largest growth of distance between far points",
      "0123456789abcdef",
      "flexural rigidity D",
      "&quot;rectangle&quot;",
    ])
      expect(page.includes(words), words).toBe(true);
    const outside = page
      .replaceAll("http://www.w3.org/2000/svg", "")
      .replaceAll("http://www.w3.org/1999/xlink", "")
      .replace(/data:image\/png;base64,[A-Za-z0-9+/=]+/g, "");
    expect(/https?:|src="(?!")|@import/.test(outside)).toBe(false);
    expect(/NaN|undefined|\[object/.test(outside)).toBe(false);
  });

  test("of a run that was broken off tells how far it came", async () => {
    const path = await writeReport(recorded("broken", false), { width: 160 });
    const page = readFileSync(path, "utf8");
    expect(page.includes("This run has not ended: it reached 1 s of 1 s")).toBe(true);
    expect(page.includes("<h2>Numbers</h2>")).toBe(false);
  });

  test("a folder without a recording is refused by name, and nothing is written", async () => {
    const nowhere = join(root, "nowhere");
    await expect(writeReport(nowhere)).rejects.toThrow("no recording here");
    expect(existsSync(nowhere)).toBe(false);
  });
});
