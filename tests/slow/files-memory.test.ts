import { expect, test } from "vitest";
import { EXPORT_FORMATS, exportAnimation, type FormatName } from "../../src/files/export.ts";
import { wavingSheets } from "../files/fixture.ts";

/** 20 000 points and enough frames for 150 MB of positions: nothing of that may pile up. */
const base = wavingSheets({ nu: 100, nv: 100, bodies: false });
const Y = new Float64Array(3 * base.n);
base.positions(0, Y);
const frames = 300;
const animation = {
  ...base,
  frames,
  positions: (frame: number, out: Float64Array) => {
    out.set(Y);
    out[2] += 1e-3 * frame;
  },
};

// a GLB is at most 256 targets by nature; the others are as long as the recording
const formats = (Object.keys(EXPORT_FORMATS) as FormatName[]).filter((name) => name !== "glb");

test.each(formats)("%s: memory does not grow with the frames", (format) => {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  let bytes = 0;
  for (const { chunks } of exportAnimation(animation, format).files)
    for (const chunk of chunks) {
      bytes += chunk.length;
      most = Math.max(most, process.memoryUsage().rss);
    }
  expect(bytes).toBeGreaterThan(frames * 12 * animation.n);
  // what the collector leaves lying around; all frames together would be more than a file
  expect(most - before).toBeLessThan(Math.max(120e6, 0.3 * bytes));
  expect(most).toBeLessThan(2 ** 30);
});
