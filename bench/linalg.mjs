/**
 * Runs bench/linalg.ts from the sources: node bench/linalg.mjs [--native] [--twin]
 * [--sizes 662,2716] [--kinds S,B] [--seconds 4]. Times in ms; ratios are ours over CHOLMOD's.
 */
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "vite";

const folder = dirname(fileURLToPath(import.meta.url));
const cache = join(folder, "..", ".cache", "bench");
const { values } = parseArgs({
  options: {
    native: { type: "boolean", default: false },
    twin: { type: "boolean", default: false },
    sizes: { type: "string" },
    kinds: { type: "string" },
    seconds: { type: "string" },
  },
});

await build({
  configFile: false,
  logLevel: "warn",
  ssr: { noExternal: true },
  build: { ssr: join(folder, "linalg.ts"), outDir: cache, emptyOutDir: false, target: "es2022" },
});
const { benchLinalg, linalgTable } = await import(pathToFileURL(join(cache, "linalg.js")).href);
const rows = await benchLinalg({
  native: values.native,
  twin: values.twin,
  folder,
  cache,
  ...(values.sizes && { sizes: values.sizes.split(",").map(Number) }),
  ...(values.kinds && { kinds: values.kinds.split(",") }),
  ...(values.seconds && { seconds: Number(values.seconds) }),
  onRow: (row) => console.error(`${row.kind} ${row.points}: ${row.factorMs.toFixed(2)} ms`),
});
console.log(linalgTable(rows));
