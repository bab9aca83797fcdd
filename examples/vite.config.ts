/** Serves and builds the example pages, with isoplate from the sources of this repository. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  root: here("."),
  base: "./",
  resolve: {
    alias: [
      { find: /^isoplate$/, replacement: here("../src/index.ts") },
      { find: /^isoplate\/(view|files|worker)$/, replacement: here("../src/$1/index.ts") },
      { find: /^isoplate\/worker\/engine$/, replacement: here("../src/worker/engine.ts") },
    ],
  },
  worker: { format: "es" },
  build: {
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      input: [here("three/index.html"), here("react-three-fiber/index.html")],
      checks: { bundlerTimings: false },
    },
  },
});
