import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { builtFolder } from "./built.ts";

/** Steps a hung cloth with so many threads, once they are up; prints the hash of where it is, and how often they worked together. */
const PROGRAM = `
const [folder, count] = process.argv.slice(2);
const { createSimulation, parseScene } = await import(folder + "/index.js");
const { nodeThreads } = await import(folder + "/cli/threads.js");
const { createHash } = await import("node:crypto");
const threads = nodeThreads(Number(count));
let team;
const counted = { ...threads, startTeam: (arena, control) => (team = threads.startTeam(arena, control)) };
const scene = parseScene({
  sheet: { shape: { type: "rectangle", width: 1, height: 1 }, sampling: { points: 150 } },
  pins: [{ at: { corner: "top-left" } }, { at: { corner: "bottom-right" } }],
});
const simulation = createSimulation(scene, { threads: counted });
while (team && !team.isUp()) await new Promise((done) => setTimeout(done, 20));
let together = 0;
if (team) {
  const run = team.run.bind(team);
  team.run = (job) => run((n) => { together += n > 1 ? 1 : 0; job(n); });
}
for (let k = 0; k < 30; k++) simulation.step();
console.log(createHash("sha256").update(new Uint8Array(simulation.Y.slice().buffer)).digest("hex"), together);
simulation.dispose();
`;

test("one, two and four threads give the same bits", () => {
  const folder = pathToFileURL(builtFolder()).href;
  const program = path.join(
    fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-threads-")),
    "hung.mjs",
  );
  fs.writeFileSync(program, PROGRAM);
  const results = ["1", "2", "4"].map((count) =>
    execFileSync(process.execPath, [program, folder, count], {
      encoding: "utf8",
    })
      .trim()
      .split(" "),
  );
  const [alone, two, four] = results;
  expect(Number(alone[1])).toBe(0);
  for (const several of [two, four]) {
    expect(several[0]).toBe(alone[0]);
    expect(Number(several[1])).toBeGreaterThanOrEqual(64); // at least the trial is theirs
  }
});
