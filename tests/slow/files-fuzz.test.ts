import { expect, test } from "vitest";
import { fuzz } from "../files/fuzz.ts";

test("a hundred thousand broken files: a result or a FileError, in time, within a gigabyte", () => {
  const outcome = fuzz(100_000, 20260);
  expect(outcome.results + outcome.refused).toBe(100_000);
  expect(outcome.slowest).toSatisfy(({ seconds }) => seconds < 10); // some 0.1 s where it was written
  expect(outcome.memory).toBeLessThan(2 ** 30);
});
