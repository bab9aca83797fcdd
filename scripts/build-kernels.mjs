/**
 * Builds src/kernels/*.as.ts into two files that are checked in: wasm.generated.ts, for a memory of one thread, and
 * wasm-shared.generated.ts, for one that threads share, apart from it so that a web page need not load it.
 *
 *   node scripts/build-kernels.mjs            writes the files
 *   node scripts/build-kernels.mjs --check    exits 1 if the files are not what the sources give
 *
 * Both import their memory, so that they work on the arena; none has data of its own. The compiler is pinned by package-lock.json, so the
 * bytes are the same everywhere.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const FOLDER = new URL("../src/kernels/", import.meta.url);
const FILES = { "wasm.generated.ts": "plain", "wasm-shared.generated.ts": "shared" };
/** Sources that the others import. Their exports are for them; what the module exports is in the rest. */
const IMPORTED = new Set([
  "lanes.as.ts",
  "cholesky-layout.as.ts",
  "tiles.as.ts",
  "panels.as.ts",
  "threads.as.ts",
]);

const OPTIONS = [
  "--optimizeLevel",
  "3",
  "--shrinkLevel",
  "0",
  "--runtime",
  "stub",
  "--noAssert",
  "--converge",
  "--use",
  "abort=",
  "--importMemory",
  "--initialMemory",
  "1",
  "--maximumMemory",
  "65536",
  "--enable",
  "simd",
  "--enable",
  "bulk-memory",
];
const BUILDS = { plain: [], shared: ["--enable", "threads", "--sharedMemory"] };
/** Entries that one thread has no use for: 2.5 kB, compressed. */
const SHARED_ONLY = new Set(["team.as.ts"]);

async function build(name) {
  const options = BUILDS[name];
  const entries = readdirSync(FOLDER)
    .filter((file) => file.endsWith(".as.ts") && !IMPORTED.has(file))
    .filter((file) => name === "shared" || !SHARED_ONLY.has(file))
    .sort();
  let bytes = null;
  const { error, stderr } = await asc.main(
    [...entries, "--outFile", "out.wasm", ...OPTIONS, ...options],
    {
      readFile: (name, base) => {
        try {
          return readFileSync(new URL(name, new URL(`${base}/`, FOLDER)), "utf8");
        } catch {
          return null;
        }
      },
      writeFile: (_name, contents) => {
        bytes = contents;
      },
      listFiles: () => [],
    },
  );
  if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
  if (!WebAssembly.validate(bytes)) {
    throw new Error("the compiler made a module that this engine refuses");
  }
  return bytes;
}

/**
 * A byte as one letter from # on, without the backslash, or one of them behind } or ~; decode() of kernels.ts. Counted from 253, the first
 * byte of SIMD instructions, on.
 */
function letter(byte) {
  const place = (byte + 3) % 256;
  const [shift, rest] = [["", "}", "~"][Math.floor(place / 89)], place % 89];
  return shift + String.fromCharCode(rest + (rest < 57 ? 35 : 36));
}

/** The text of one of the files, as the sources give it. */
export async function generate(file) {
  const name = FILES[file];
  const bytes = await build(name);
  const letters = Array.from(bytes, letter).join("");
  return `// Built by scripts/build-kernels.mjs from src/kernels/*.as.ts. Do not edit.
/** ${bytes.length} bytes */
export const ${name}: string =
  "${letters}";
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const file of Object.keys(FILES)) {
    const text = await generate(file);
    const place = new URL(file, FOLDER);
    if (!process.argv.includes("--check")) writeFileSync(place, text);
    else if (readFileSync(place, "utf8") !== text) {
      console.error(`src/kernels/${file} is not what its sources give: npm run kernels`);
      process.exit(1);
    }
  }
}
