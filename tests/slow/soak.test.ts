/**
 * A share of the soak with a seed that is new for every commit and the same for the same commit: what fails fails again, and a change is not refused for
 * what another scene would have found. `npm run soak` draws a new seed each time.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CLASSES, randomScene } from "../../scripts/random-scene.mjs";
import { parseScene } from "../../src/scene/scene.ts";
import { builtProgram } from "./program.ts";

const program = builtProgram();
const root = fileURLToPath(new URL("../..", import.meta.url));
const script = fileURLToPath(new URL("../../scripts/soak.mjs", import.meta.url));

const soak = async (...args: string[]): Promise<{ code: number | null; said: string }> => {
  const built = program.main.replace(/cli.main\.js$/, "");
  const run = program.start(process.execPath, [script, "--program", built, ...args]);
  const code = await run.ended;
  return { code, said: run.said() };
};

test("the generator draws every kind of scene, and all of them are valid", () => {
  const drawn = new Set<string>();
  for (let seed = 0; seed < 400; seed++) {
    const { input, classes } = randomScene(seed);
    parseScene(input as never);
    for (const name of classes) drawn.add(name);
  }
  expect([...drawn].sort()).toEqual([...CLASSES].sort());
  expect(JSON.stringify(randomScene(7))).toBe(JSON.stringify(randomScene(7)));
});

/** The first 31 bits of the commit's name. */
function seedOfCommit(): string {
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  return String(Number.parseInt(commit.slice(0, 8), 16) >>> 1);
}

test("60 random scenes, about two minutes of them, and one at least of every class: all proven", async () => {
  const seed = seedOfCommit();
  const { code, said } = await soak(
    ...["--seed", seed, "--scenes", "60", "--each", "1", "--shrink", "30"],
  );
  console.log(said);
  expect(said).toContain(`soak with seed ${seed}`);
  expect(code, said).toBe(0);
  expect(said).toMatch(/^\d+ scenes, 0 failed/m);
  for (const name of CLASSES)
    expect(said).toMatch(new RegExp(`^ {2}${name} +[1-9]\\d* scenes, 0 failed`, "m"));
});

test("a scene that fails prints its seed, is made simpler, and is written down", async () => {
  // no scene keeps to a millionth
  const { code, said } = await soak(
    "--seed",
    "7",
    "--scenes",
    "1",
    "--strain",
    "1e-6",
    "--shrink",
    "20",
  );
  expect(code).toBe(1);
  expect(said).toMatch(/seed 7 \(.*\): .*strained by/);
  expect(said).toMatch(/simplest that still fails: isoplate run out\/soak\/7\.json --certify/);
});
