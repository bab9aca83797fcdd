import { defineConfig } from "vitest/config";

/** Files that measure time or drive a browser: nothing else runs beside them. */
const alone = [
  "tests/slow/examples.test.ts",
  "tests/slow/files-fuzz.test.ts",
  "tests/slow/files-growth.test.ts",
  "tests/slow/picture-speed.test.ts",
  "tests/slow/studio*.test.ts",
];

/** Tests run scenes of every method; that the core alone refuses some of them is tested from the package. */
const setupFiles = ["src/methods.ts"];

const patient = { testTimeout: 600_000, hookTimeout: 600_000 };

/**
 * `fast` is what `npm run check` runs; `slow` holds whole runs, queues and other programs, two files at a time; `alone` those of
 * them that need the machine for themselves, one at a time.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "fast",
          setupFiles,
          include: ["tests/**/*.test.ts"],
          exclude: ["tests/slow/**"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          isolate: false, // modules are loaded once for all files of a worker
          maxWorkers: "100%",
        },
      },
      {
        test: {
          name: "slow",
          setupFiles,
          include: ["tests/slow/**/*.test.ts"],
          exclude: alone,
          ...patient,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "alone",
          setupFiles,
          include: alone,
          ...patient,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
