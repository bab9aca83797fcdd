/**
 * The studio as static files in studio/dist. Nothing in it is fetched from elsewhere: relative addresses only, so that
 * it works from any folder of any server, with shared memory where the server sends the two headers and without where
 * it does not.
 */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** What shared memory asks of a page. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  worker: { format: "es" },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
  server: { headers: isolation },
  preview: { headers: isolation },
});
