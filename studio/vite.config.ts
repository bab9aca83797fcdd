/**
 * The studio as static files in studio/dist. Nothing in it is fetched from elsewhere: relative addresses only, so that
 * it works from any folder of any server, with shared memory where the server sends the two headers and without where
 * it does not.
 */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** What shared memory asks of a page. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Packs what is worth it once, at the build, so that serving it costs nothing. */
function packed(): Plugin {
  const pack = promisify(brotliCompress);
  return {
    name: "packed",
    apply: "build",
    async writeBundle({ dir }) {
      if (dir === undefined) return;
      for (const name of await readdir(dir, { recursive: true })) {
        if (!/\.(html|js|css|svg)$/.test(name)) continue;
        const bytes = await readFile(join(dir, name));
        // quality 11: 4 % smaller than 9, which is what keeps the first load under 350 kB; some seconds more
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
        await writeFile(join(dir, `${name}.br`), await pack(bytes, { params }));
      }
    },
  };
}

export default defineConfig({
  plugins: [packed()],
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
    // how long plugins took is no business of whoever installs
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  server: { headers: isolation },
  preview: { headers: isolation },
});
