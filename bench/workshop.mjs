/** Builds the programs of this folder from their sources and runs them, for `isoplate bench --native` and `--peers`. */
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "vite";

const folder = dirname(fileURLToPath(import.meta.url));
const cache = join(folder, "..", ".cache", "bench");

/** Engines of others stay outside the bundle. */
const PEERS = ["jolt-physics", "ammojs-typed", "@mujoco/mujoco", "vega", "vega-lite"];

async function load(name) {
  await build({
    configFile: false,
    logLevel: "warn",
    ssr: { noExternal: true, external: PEERS },
    build: { ssr: join(folder, `${name}.ts`), outDir: cache, emptyOutDir: false, target: "es2022" },
  });
  return import(pathToFileURL(join(cache, `${name}.js`)).href);
}

/** Sparse Cholesky beside CHOLMOD, as a table. */
export async function linalg(options) {
  const { benchLinalg, linalgTable } = await load("linalg");
  return linalgTable(await benchLinalg({ folder, cache, ...options }));
}

/** Other engines on the pinned sheet, as a table; a plot goes to bench/results. */
export async function peers(options) {
  const { benchPeers, peersTable } = await load("peers");
  return peersTable(await benchPeers({ folder, ...options }));
}
