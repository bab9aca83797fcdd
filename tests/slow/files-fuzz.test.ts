/**
 * Broken files to every reader. `npm run fuzz` reads a hundred thousand, and as many of another seed with FUZZ_SEED=n npm run fuzz; the tests read a
 * share of them, with a new seed that is printed.
 */
import { expect, test } from "vitest";
import { fuzz } from "../files/fuzz.ts";

const cases = Number(process.env.FUZZ_CASES ?? 20_000);
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);

test(`${cases} broken files: a result or an error that says why, within 5 s and a gigabyte each`, () => {
  console.log(`fuzz with seed ${seed}`);
  const outcome = fuzz(cases, seed);
  const { results, refused, slowest, memory } = outcome;
  console.log(
    `${results} read, ${refused} refused; slowest ${slowest.seconds.toFixed(2)} s (${slowest.target}, case ${slowest.case}), ${Math.round(memory / 2 ** 20)} MB`,
  );
  expect(results + refused).toBe(cases);
  expect(results).toBeGreaterThan(cases / 100);
  expect(slowest.seconds, `${slowest.target}, case ${slowest.case} of seed ${seed}`).toBeLessThan(
    5,
  );
  expect(memory).toBeLessThan(2 ** 30);
});
