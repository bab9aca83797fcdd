import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

test("building the kernels again gives the bytes that are checked in", () => {
  const check = () => execFileSync(process.execPath, ["scripts/build-kernels.mjs", "--check"]);
  expect(check).not.toThrow();
});
