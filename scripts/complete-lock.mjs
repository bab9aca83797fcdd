/**
 * Completes package-lock.json: node scripts/complete-lock.mjs [--check]
 *
 * Packages with binaries name one optional package per platform. npm leaves those that it could not
 * fetch out of the lock, and `npm ci` then refuses the lock, on every platform. Here they are added by
 * name, version and platform; without a checksum, which only whoever fetches them can know.
 */
import { readFileSync, writeFileSync } from "node:fs";

const FILE = new URL("../package-lock.json", import.meta.url);
const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const PROCESSORS = ["arm64", "arm", "ia32", "ppc64", "riscv64", "s390x", "wasm32", "x64"];
const LIBRARIES = { gnu: "glibc", gnueabihf: "glibc", musl: "musl" };

/** os, cpu and libc from a name such as @rolldown/binding-linux-arm64-musl. */
function platform(name) {
  const words = name.split("/").pop().split("-");
  const os = SYSTEMS.find((system) => words.includes(system));
  const cpu = PROCESSORS.find((processor) => words.includes(processor));
  const libc = words.map((word) => LIBRARIES[word]).find((library) => library !== undefined);
  if (cpu === undefined) throw new Error(`${name}: for which processor?`);
  return { cpu: [cpu], ...(os && { os: [os] }), ...(os === "linux" && libc && { libc: [libc] }) };
}

const text = readFileSync(FILE, "utf8");
const lock = JSON.parse(text);
const added = {};
for (const [place, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (`node_modules/${name}` in lock.packages || `${place}/node_modules/${name}` in lock.packages)
      continue;
    if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name}: ${version} is not one version`);
    added[`node_modules/${name}`] = {
      version,
      ...(dev && { dev }),
      optional: true,
      ...platform(name),
    };
  }
}

const count = Object.keys(added).length;
if (count > 0 && process.argv.includes("--check")) {
  console.error(`package-lock.json lacks ${count} packages: node scripts/complete-lock.mjs`);
  process.exit(1);
}
if (count > 0) {
  const all = { ...lock.packages, ...added };
  lock.packages = Object.fromEntries(
    Object.keys(all)
      .sort()
      .map((key) => [key, all[key]]),
  );
  writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`added ${count} packages of other platforms`);
}
