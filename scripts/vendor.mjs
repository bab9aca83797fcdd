/**
 * Puts small packages into the build, so that who installs isoplate installs no more than five: node scripts/vendor.mjs [dist]
 *
 * Each becomes one file, dist/vendor/NAME.js, and the built code imports that instead; their licences are in dist/vendor/LICENSES.txt.
 * The sources keep importing them by name.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

/** Module → name of its file: for the command line, and for browsers as well. */
const FOR_NODE = {
  "cli-progress": "cli-progress",
  commander: "commander",
  picocolors: "picocolors",
};
const FOR_ALL = { "svg-path-commander": "svg-path-commander" };
const VENDORED = { ...FOR_NODE, ...FOR_ALL };
const root = fileURLToPath(new URL("..", import.meta.url));
const dist = path.resolve(process.argv[2] ?? path.join(root, "dist"));

const licences = new Map();
const keepLicences = {
  name: "licences",
  moduleParsed({ id }) {
    const [, folder, name] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(id) ?? [];
    if (folder === undefined || licences.has(name)) return;
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const { license, version } = JSON.parse(
      readFileSync(path.join(folder, "package.json"), "utf8"),
    );
    const text = file === undefined ? license : readFileSync(path.join(folder, file), "utf8");
    licences.set(name, `${name} ${version} (${license})\n\n${text.trim()}\n`);
  },
};

const outDir = path.join(dist, "vendor");
rmSync(outDir, { recursive: true, force: true });
for (const [modules, forNode] of [
  [FOR_NODE, true],
  [FOR_ALL, false],
])
  await build({
    configFile: false,
    logLevel: "warn",
    root,
    plugins: [keepLicences],
    ...(forNode && { ssr: { noExternal: true } }), // Node's own modules stay outside, packages do not
    build: {
      ssr: forNode,
      outDir,
      emptyOutDir: false,
      copyPublicDir: false,
      minify: false,
      modulePreload: false,
      target: "es2022",
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(modules).map(([name, file]) => [file, name])),
        output: { entryFileNames: "[name].js", chunkFileNames: "shared-[hash].js", format: "es" },
        preserveEntrySignatures: "strict",
      },
    },
  });
writeFileSync(path.join(dist, "vendor", "LICENSES.txt"), [...licences.values()].join("\n\n"));

for (const file of readdirSync(dist, { recursive: true })) {
  if (!file.endsWith(".js") || file.startsWith("vendor")) continue;
  const place = path.join(dist, file);
  const text = readFileSync(place, "utf8");
  const changed = text.replace(/(\bfrom\s+)"([^"]+)"/g, (whole, from, name) => {
    if (!(name in VENDORED)) return whole;
    const to = path.relative(path.dirname(file), path.join("vendor", `${VENDORED[name]}.js`));
    return `${from}"${to.split(path.sep).join("/")}"`;
  });
  if (changed !== text) writeFileSync(place, changed);
}
