/** The fast subset of `isoplate validate`: every test once, small. The full one is a command. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { tests } from "../../src/validation/index.ts";

const read = (file: string): string =>
  readFileSync(new URL(`../../validation/reference/${file}`, import.meta.url), "utf8");

test.each(tests.map((test) => [test.name, test.title, test] as const))(
  "%s: %s",
  (_name, _title, { run }) => {
    const { rows, claims } = run({ fast: true, read, say: () => {} });
    expect(rows.length + claims.length).toBeGreaterThan(0);
    const short = [
      ...rows
        .filter(({ error, limit }) => limit !== null && !(error <= limit))
        .map(({ what, mesh, ours, reference }) => `${what}, ${mesh}: ${ours} for ${reference}`),
      ...claims
        .filter(({ holds }) => !holds)
        .map(({ what, ours, asked }) => `${what}: ${ours} (${asked})`),
    ];
    expect(short).toEqual([]);
  },
);
