import { defineConfig } from "vitest/config";

/** `fast` is what `npm run check` runs; `slow` holds whole runs, browsers, queues and other programs. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "fast",
          include: ["tests/**/*.test.ts"],
          exclude: ["tests/slow/**"],
          testTimeout: 60_000,
          isolate: false, // modules are loaded once for all files of a worker
          maxWorkers: "100%",
        },
      },
      {
        test: {
          name: "slow",
          include: ["tests/slow/**/*.test.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
