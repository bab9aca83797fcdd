/**
 * npm run soak: random valid scenes, one after another, each checked as `isoplate verify` does.
 *
 *   npm run soak -- --minutes 60                 a new seed, printed
 *   npm run soak -- --seed 12345 --scenes 1      one scene again
 *   npm run soak -- --without bodies,self        leaves out scenes by what they are made of
 *   npm run soak -- --depth 0.001                lets triangles, not points, reach 1 mm into bodies; says how many scenes needed it
 *   npm run soak -- --shrink 0                   does not make failures simpler (else for 120 s each)
 *   npm run soak -- --minutes 2 --each 1         then goes on until every class has had one, by scenes that have one that is missing
 *
 * A scene that fails is made simpler as long as it still fails, and written to out/soak/<seed>.json with how it fails.
 * Exit code 0 if all held, 1 if one did not.
 */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { CLASSES, randomScene, simpler } from "./random-scene.mjs";

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    scenes: { type: "string", default: "Infinity" },
    seed: { type: "string" },
    without: { type: "string", default: "" },
    out: { type: "string", default: "out/soak" },
    program: { type: "string", default: "dist" },
    failures: { type: "string", default: "5" },
    strain: { type: "string", default: "0.02" },
    depth: { type: "string", default: "0" },
    shrink: { type: "string", default: "120" },
    each: { type: "string", default: "0" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  const [, text] = /^\/\*\*\n([\s\S]*?) \*\/$/m.exec(fs.readFileSync(import.meta.filename, "utf8"));
  console.log(text.replaceAll(/^ \* ?/gm, "").trimEnd());
  process.exit(0);
}
const without = options.without.split(",").filter((name) => name !== "");
for (const name of without)
  if (!CLASSES.includes(name)) {
    console.error(`--without ${name}: needs some of ${CLASSES.join(", ")}`);
    process.exit(2);
  }
const module = (name) => import(pathToFileURL(path.resolve(options.program, name)).href);
const { runToFolder, verifyFolder } = await module("node.js");
const { parseScene } = await module("index.js");

/** s of processor time that one scene may take; by the clock a busy machine would fail scenes that are only waiting. */
const PATIENCE = 120;
const base = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-soak-"));
const folder = path.join(base, "recording");
process.on("exit", () => fs.rmSync(base, { recursive: true, force: true }));

/** Names of scenes with triangles that reach into bodies by no more than --depth. */
const shallow = new Set();

function isShallow(fault) {
  const [, millimetres] = /triangle \d+ reaches (\S+) mm into body/.exec(fault) ?? [];
  return millimetres !== undefined && Number(millimetres) <= 1000 * Number(options.depth);
}

function writeFiles(to, files) {
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(to, name), text);
}

/**
 * The strain that a scene is allowed: --strain, and what physics asks for where a sheet that moves at the start is pinned. Such a jump of velocity
 * Δv runs through the sheet as a wave of strain Δv/√(K/σ), however exact the solver is.
 */
function strainLimit({ sheets, pins }) {
  const jumps = sheets.map(
    ({ velocity, material: { density, membraneStiffness } }) =>
      Math.hypot(...velocity) / Math.sqrt(membraneStiffness / density),
  );
  return Number(options.strain) + (pins.length > 0 ? Math.max(...jumps) : 0);
}

/** What is wrong with a scene, in a line; null if nothing is, or if a deadline passes before it is known. */
async function failure(input, files, deadline = Number.POSITIVE_INFINITY) {
  writeFiles(base, files);
  const scene = parseScene(input);
  const stop = new AbortController();
  const begun = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(begun);
    if (performance.now() >= deadline || (user + system) / 1e6 > PATIENCE) stop.abort();
  }, 100);
  fs.rmSync(folder, { recursive: true, force: true });
  try {
    const { problems } = await runToFolder(scene, folder, { base, signal: stop.signal });
    const { faults } = verifyFolder(folder, { strainLimit: strainLimit(scene) });
    // one that has no room is held back with a warning: that is what it should do
    const open = problems.filter((text) => !/could not go on/.test(text));
    const all = [...faults.filter((text) => !isShallow(text)), ...open];
    if (all.length < faults.length + open.length) shallow.add(input.name);
    return all.length === 0
      ? null
      : `${all[0]}${all.length > 1 ? ` (and ${all.length - 1} more)` : ""}`;
  } catch (error) {
    if (error.name === "Interrupted" && performance.now() >= deadline) return null;
    const why = error.name === "Interrupted" ? ` after ${PATIENCE} s of work` : "";
    return `${error.name}: ${error.message}${why}`;
  } finally {
    clearInterval(timer);
  }
}

/** The kind of a failure: what is left without its numbers. */
const kindOf = (text) =>
  text
    .replace(/^frame \d+ \([^)]*\): /, "")
    .replace(/[-\d.e+]+/g, "#")
    .slice(0, 40);

/** Makes a failing scene simpler while it still fails in the same way. */
async function shrunk(input, files, reason) {
  const kind = kindOf(reason);
  const until = performance.now() + 1000 * Number(options.shrink);
  while (performance.now() < until) {
    let smaller = null;
    for (const candidate of simpler(input)) {
      const again = await failure(candidate, files, until).catch(() => null);
      if (again !== null && kindOf(again) === kind) {
        smaller = candidate;
        reason = again;
        break;
      }
    }
    if (smaller === null) break;
    input = smaller;
  }
  return { input, reason };
}

/** The files that a scene still names. */
function namedFiles(input, files) {
  const text = JSON.stringify(input);
  return Object.fromEntries(Object.entries(files).filter(([name]) => text.includes(`"${name}"`)));
}

const seed = Number(options.seed ?? Math.floor(Math.random() * 2 ** 31));
const end = performance.now() + 60_000 * Number(options.minutes);
const held = new Map();
const PROGRESS = 60_000; // ms
const start = performance.now();
let ran = 0;
let failed = 0;
let told = start;
let slowest = { seed, work: 0 };
let spent = 0; // s of work
/** How far it has come, in a line. */
const soFar = () =>
  `${((performance.now() - start) / 60_000).toFixed(1)} min, ${(spent / 60).toFixed(1)} of work: ${ran} scenes, ${failed} failed; the slowest took ${slowest.work.toFixed(1)} s of work (seed ${slowest.seed})`;
console.log(`soak with seed ${seed}${without.length > 0 ? `, without ${without.join(", ")}` : ""}`);
/** Classes that have had too few scenes. */
const missing = () =>
  CLASSES.filter(
    (name) => !without.includes(name) && (held.get(name)?.ran ?? 0) < Number(options.each),
  );
for (let k = 0; ; k++) {
  const own = (seed + k) % 2 ** 31;
  const { input, classes, files } = randomScene(own);
  if (classes.some((name) => without.includes(name))) continue;
  // a scene that has begun is finished: what is counted was proven
  if (ran >= Number(options.scenes) || performance.now() >= end) {
    const wanted = missing();
    if (wanted.length === 0) break;
    if (!classes.some((name) => wanted.includes(name))) continue;
  }
  const begun = process.cpuUsage();
  const reason = await failure(input, files);
  const { user, system } = process.cpuUsage(begun);
  const work = (user + system) / 1e6;
  spent += work;
  if (work > slowest.work) slowest = { seed: own, work };
  ran++;
  if (performance.now() - told > PROGRESS) {
    told = performance.now();
    console.log(soFar());
  }
  for (const name of classes) {
    const count = held.get(name) ?? { ran: 0, failed: 0 };
    count.ran++;
    if (reason !== null) count.failed++;
    held.set(name, count);
  }
  if (reason === null) continue;
  failed++;
  console.log(`seed ${own} (${classes.join(", ")}): ${reason}`);
  const small = await shrunk(input, files, reason);
  fs.mkdirSync(options.out, { recursive: true });
  writeFiles(options.out, namedFiles(small.input, files));
  const file = path.join(options.out, `${own}.json`);
  fs.writeFileSync(
    file,
    `${JSON.stringify({ ...small.input, description: small.reason.slice(0, 500) }, null, 2)}\n`,
  );
  console.log(`  simplest that still fails: isoplate run ${file} --certify`);
  if (failed >= Number(options.failures)) {
    console.log(`stopped after ${failed} failures`);
    break;
  }
}
console.log(soFar());
console.log(`${ran} scenes, ${failed} failed`);
if (shallow.size > 0)
  console.log(
    `${shallow.size} scenes had triangles in bodies by up to ${1000 * Number(options.depth)} mm, which --depth allows`,
  );
for (const [name, count] of [...held].sort(([a], [b]) => CLASSES.indexOf(a) - CLASSES.indexOf(b)))
  console.log(`  ${name.padEnd(14)} ${count.ran} scenes, ${count.failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
