/**
 * A share of the soak: two minutes with a new seed, which is printed and repeated by SOAK_SEED=n. A scene that fails prints its own seed; run on the commit before
 * (npm run soak -- --seed n --scenes 1) it tells whether the change is the cause.
 */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CLASSES, randomScene } from "../../scripts/random-scene.mjs";
import { parseScene } from "../../src/scene/scene.ts";
import { builtProgram } from "./program.ts";

const program = builtProgram();
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

test("two minutes of random scenes with a new seed, and one at least of every class: all proven", async () => {
  const { SOAK_SEED } = process.env;
  const { code, said } = await soak(
    ...["--minutes", "2", "--each", "1", "--shrink", "30"],
    ...(SOAK_SEED === undefined ? [] : ["--seed", SOAK_SEED]),
  );
  console.log(said);
  expect(said).toMatch(/^soak with seed \d+\n/);
  if (SOAK_SEED !== undefined) expect(said).toContain(`soak with seed ${SOAK_SEED}\n`);
  expect(code, said).toBe(0);
  expect(said).toMatch(/^[1-9]\d* scenes, 0 failed/m);
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
