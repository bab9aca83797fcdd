/**
 * What `import … from "isoplate"` costs a web page: node scripts/core-size.mjs [--most 150] [--parts]
 *
 * Bundles src/index.ts with everything that it imports, the wasm included (it is text in the bundle), minified,
 * and prints the size, compressed as servers do. `--most` (kB) makes it fail beyond; `--parts` lists the folders by size.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";

const { values } = parseArgs({
  options: { most: { type: "string" }, parts: { type: "boolean", default: false } },
});
const [{ output }] = [
  await build({
    configFile: false,
    logLevel: "warn",
    build: {
      write: false,
      minify: true,
      target: "es2023",
      rolldownOptions: { output: { minify: true } }, // of libraries vite alone keeps the blanks
      lib: {
        entry: fileURLToPath(new URL("../src/index.ts", import.meta.url)),
        formats: ["es"],
        fileName: "isoplate",
      },
    },
  }),
].flat();
const chunks = output.filter(({ type }) => type === "chunk");
const bytes = Buffer.concat(chunks.map(({ code }) => Buffer.from(code)));
const kb = (n) => `${(n / 1000).toFixed(1)} kB`;
const gzip = gzipSync(bytes, { level: 9 }).length;
const brotli = brotliCompressSync(bytes, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11 },
}).length;
console.log(`core: ${kb(bytes.length)} minified, ${kb(gzip)} gzip, ${kb(brotli)} brotli`);

if (values.parts) {
  const sizes = new Map();
  for (const { modules } of chunks)
    for (const [id, { code }] of Object.entries(modules)) {
      const [, dependency] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id) ?? [];
      const part = dependency ?? id.replace(/^.*\/src\//, "").replace(/\/.*/, "");
      sizes.set(part, (sizes.get(part) ?? "") + (code ?? ""));
    }
  const rows = [...sizes].map(([part, code]) => [part, gzipSync(code, { level: 9 }).length]);
  for (const [part, size] of rows.sort((a, b) => b[1] - a[1]))
    console.log(`  ${part.padEnd(24)} ${kb(size).padStart(9)} before minifying, gzip`);
}
if (values.most !== undefined && gzip > 1000 * Number(values.most)) {
  console.error(`that is more than ${values.most} kB`);
  process.exit(1);
}
