import pc from "picocolors";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { progressDisplay } from "../../src/cli/progress.ts";
import type { Terminal } from "../../src/cli/terminal.ts";

let lines: string[] = [];
const terminal: Terminal = {
  out: () => undefined,
  err: (text) => void lines.push(text),
  live: null,
  colors: pc.createColors(false),
  onInterrupt: () => () => undefined,
};

beforeEach(() => {
  lines = [];
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("elsewhere than on a terminal a line comes at once, then every five seconds, and when something new begins", () => {
  const display = progressDisplay("comparing", terminal, false);
  display.update({ share: 0, what: "shells", details: ["0 of 4 s"] });
  display.update({ share: 0.1, what: "shells" });
  expect(lines).toEqual(["comparing: 0 %, shells, 0 of 4 s"]);
  vi.advanceTimersByTime(5000);
  display.update({ share: 0.25, what: "shells" }); // a quarter in five seconds
  display.update({ share: 0.25, what: "quads", leftSeconds: 61 });
  expect(lines.slice(1)).toEqual([
    "comparing: 25 %, 15 s left, shells",
    "comparing: 25 %, 1 min 01 s left, quads",
  ]);
});

test("quiet says nothing", () => {
  const display = progressDisplay("comparing", terminal, true);
  display.update({ share: 0.5 });
  display.done();
  expect(lines).toEqual([]);
});
