import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { attempt } from "../../src/batch/attempt.ts";
import { ownPool, type Pool } from "../../src/batch/pool.ts";
import { kubernetesJob, slurmScript } from "../../src/batch/print.ts";
import { resultsCsv } from "../../src/batch/results.ts";
import { loadStudy, type Study } from "../../src/batch/study.ts";
import { runStudy } from "../../src/batch/sweep.ts";
import { Interrupted, runScene } from "../../src/recording/run.ts";
import { sceneInput } from "../../src/scene/write.ts";
import { version } from "../../src/version.ts";
import { isoplate } from "../cli/terminal.ts";
import { temporaryFolder } from "../temporary.ts";

const at = temporaryFolder();

const scene = {
  name: "small",
  seconds: 0.1,
  h: 0.01,
  record: { rate: 50, checkpoint: 0.02 },
  sheet: {
    shape: { type: "rectangle", width: 0.2, height: 0.2 },
    sampling: { type: "grid", points: 36 },
  },
  pins: [{ at: { corner: "top-left", radius: 0.05 } }],
};

function study(
  varied: object = { grid: { "sheet.material.D": [1e-4, 1e-3] } },
  change = {},
): Study {
  fs.writeFileSync(at("small.json"), JSON.stringify({ ...scene, ...change }));
  fs.writeFileSync(at("study.json"), JSON.stringify({ scene: "small.json", ...varied }));
  return loadStudy(at("study.json"));
}

/** A pool that counts what it runs. */
function counting(): Pool & { begun: string[] } {
  const pool = ownPool();
  const begun: string[] = [];
  return {
    ...pool,
    begun,
    run: (task, hooks) => {
      begun.push(task.name);
      return pool.run(task, hooks);
    },
  };
}

describe("runStudy", () => {
  test("every run has its folder, its row, and the hash of a run done alone; a second time nothing is run", async () => {
    const two = study();
    const pool = counting();
    const shares: number[] = [];
    const { results, csv } = await runStudy(two, {
      out: at("out"),
      pool,
      page: false,
      onProgress: ({ share }) => shares.push(share),
    });
    expect(pool.begun).toEqual(two.runs.map((run) => run.name));
    for (const { run, outcome } of results) {
      expect(outcome?.status).toBe("done");
      const { hash } = await runScene(run.scene);
      expect(outcome).toMatchObject({ summary: { hash } });
      expect(fs.existsSync(at("out", "runs", run.name, "frames"))).toBe(true);
    }
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
    const table = fs.readFileSync(csv, "utf8");
    expect(table.split("\r\n")).toHaveLength(4);

    const again = counting();
    const second = await runStudy(study(), { out: at("out"), pool: again, page: false });
    expect(again.begun).toEqual([]);
    expect(fs.readFileSync(second.csv, "utf8")).toBe(table);
  });

  test("the page holds a picture per run and a plot per measure and field, and nothing from outside", async () => {
    const { page } = await runStudy(study(), { out: at("out"), pool: ownPool() });
    const html = fs.readFileSync(page ?? "", "utf8");
    expect(html.match(/<img src="data:image\/png/g)).toHaveLength(2);
    expect(html.match(/<svg/g)).toHaveLength(3);
    expect(html).not.toMatch(/(src|href)="https?:/);
    expect(html).toContain("D = 0.0001");
  });

  test("a scene that has changed is run again, whatever its name says", async () => {
    const options = { out: at("out"), page: false };
    await runStudy(study(), { ...options, pool: ownPool() });
    const pool = counting();
    const { results } = await runStudy(study(undefined, { seconds: 0.05 }), { ...options, pool });
    expect(pool.begun).toHaveLength(2);
    for (const { outcome } of results) expect(outcome).toMatchObject({ summary: { steps: 5 } });
  });

  test("broken off in the middle, it goes on from the checkpoint to the same bits", async () => {
    const two = study();
    const stop = new AbortController();
    const broken = runStudy(two, {
      out: at("out"),
      pool: ownPool(),
      signal: stop.signal,
      onProgress: ({ running }) => running > 0 && stop.abort(),
    });
    await expect(broken).rejects.toThrow(Interrupted);
    expect(fs.readdirSync(at("out", "running"))).toHaveLength(1);
    const { results } = await runStudy(two, { out: at("out"), pool: ownPool(), page: false });
    for (const { run, outcome } of results)
      expect(outcome).toMatchObject({ summary: { hash: (await runScene(run.scene)).hash } });
    expect(fs.existsSync(at("out", "running"))).toBe(false);
  });

  test("a run that cannot be is told, kept from being tried again, and does not hold up the others", async () => {
    // passes as data, but holds no point of the sheet
    const region = { min: [0.001, 0.001], max: [0.002, 0.002] };
    const nowhere = { "pins.0.at": { region } };
    const mixed = study({ list: [nowhere, { seed: 2 }] });
    const { results } = await runStudy(mixed, { out: at("out"), pool: ownPool(), page: false });
    expect(results.map(({ outcome }) => outcome?.status)).toEqual(["failed", "done"]);
    const again = counting();
    await runStudy(mixed, { out: at("out"), pool: again, page: false });
    expect(again.begun).toEqual([]);
    const retried = counting();
    await runStudy(mixed, { out: at("out"), pool: retried, page: false, retry: true });
    expect(retried.begun).toEqual([mixed.runs[0].name]);
  });

  test("parts of a study are disjoint and together all of it", async () => {
    const five = study({ grid: { seed: [1, 2, 3, 4, 5] } });
    const begun: string[] = [];
    for (const k of [1, 2]) {
      const pool = counting();
      await runStudy(five, { out: at("out"), pool, part: { k, n: 2 } });
      begun.push(...pool.begun);
    }
    expect(begun.sort()).toEqual(five.runs.map((run) => run.name).sort());
    expect(fs.existsSync(at("out", "results.csv"))).toBe(false);
  });
});

describe("two attempts at one run", () => {
  test("both come to the same end, and one result is kept", async () => {
    const [run] = study().runs;
    const task = (token: string) => ({
      out: at("out"),
      name: run.name,
      token,
      scene: sceneInput(run.scene),
      base: at(),
      outside: false,
    });
    const [a, b] = await Promise.all([attempt(task("a")), attempt(task("b"))]);
    expect(a).toMatchObject({ status: "done" });
    expect(b).toMatchObject({ status: "done" });
    expect(fs.readdirSync(at("out", "runs"))).toEqual([run.name]);
    expect(fs.readdirSync(at("out", "running"))).toEqual([]);
  });

  test("the furthest checkpoint is gone on from, a damaged one is not", async () => {
    const [run] = study().runs;
    const stop = new AbortController();
    const task = {
      out: at("out"),
      name: run.name,
      scene: sceneInput(run.scene),
      base: at(),
      outside: false,
    };
    const first = attempt(
      { ...task, token: "a" },
      {
        signal: stop.signal,
        onProgress: ({ steps }) => steps >= 0 && stop.abort(),
      },
    );
    await expect(first).rejects.toThrow(Interrupted);
    const folder = at("out", "running", `${run.name}.a`);
    fs.cpSync(folder, at("out", "running", `${run.name}.b`), { recursive: true });
    fs.writeFileSync(at("out", "running", `${run.name}.b`, "checkpoint"), "torn");
    const outcome = await attempt({ ...task, token: "c" });
    expect(outcome).toMatchObject({ summary: { hash: (await runScene(run.scene)).hash } });
    expect(fs.readdirSync(at("out", "running"))).toEqual([]);
  });
});

describe("results.csv", () => {
  test("quotes what needs it, keeps all digits, leaves unknown cells empty, and has no column twice", () => {
    const odd = study({
      list: [
        { name: 'a "b", c', seconds: 0.1 },
        { seconds: 0.2, seed: 3 },
      ],
    });
    const text = resultsCsv(
      odd,
      odd.runs.map((run) => ({ run, outcome: null })),
    );
    const [head, first, second] = text.split("\r\n");
    const names = head.split(",");
    expect(new Set(names).size).toBe(names.length);
    expect(names.slice(0, 5)).toEqual(["run", "status", "name", "seconds", "seed"]);
    expect(first).toContain(',waiting,"a ""b"", c",0.1,,');
    expect(second).toContain(",waiting,,0.2,3,");
  });
});

describe("scripts for schedulers", () => {
  test("a Slurm array that bash reads, one task per part", () => {
    const script = slurmScript(study({ grid: { seed: [1, 2, 3] } }), {
      file: "my study.yaml",
      out: "out/s",
      program: "/opt/iso plate/main.js",
    });
    fs.writeFileSync(at("job.sbatch"), script);
    execFileSync("bash", ["-n", at("job.sbatch")]);
    expect(script).toMatch(/^#!/);
    expect(script).toContain("#SBATCH --array=1-3\n");
    expect(script).toContain("#SBATCH --signal=B:TERM@60\n");
    expect(script).not.toContain("npx");
    expect(script).toContain(
      `node '/opt/iso plate/main.js' sweep 'my study.yaml' --out out/s --jobs 1 --part "$SLURM_ARRAY_TASK_ID/3"`,
    );
  });

  test("a Kubernetes Job that is YAML, indexed, with study and scene in it", () => {
    const job = kubernetesJob(study({ grid: { seed: [1, 2, 3] } }), {
      file: at("study.json"),
      out: "out/s",
      parts: 2,
    });
    const [map, spec] = parseAllDocuments(job).map((document) => document.toJS());
    expect(Object.keys(map.data)).toEqual(["study.json", "small.json"]);
    expect(parse(map.data["small.json"])).toEqual(scene);
    expect(spec).toMatchObject({
      kind: "Job",
      spec: { completions: 2, parallelism: 2, completionMode: "Indexed" },
    });
    expect(spec.spec.template.spec.containers[0].args[0]).toContain(
      '--part "$((JOB_COMPLETION_INDEX + 1))/2"',
    );
  });

  test("the image is made alike by the printed Job, the guide and the Containerfile, which takes what npm put there", () => {
    const text = (name: string): string =>
      fs.readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
    const made = `npm pack && npm install --prefix container ./isoplate-${version}.tgz`;
    const job = kubernetesJob(study({ list: [{ seed: 1 }] }), { file: at("study.json"), out: "o" });
    for (const where of [job, text("docs/guide/studies.md"), text("Containerfile")])
      expect(where).toContain(made);
    expect(text("Containerfile")).toContain("COPY container/node_modules ");
  });
});

describe("isoplate sweep", () => {
  test("--dry-run lists, --print prints, and neither writes", async () => {
    study();
    const dry = await isoplate(["sweep", at("study.json"), "--dry-run", "--out", at("out")]);
    expect(dry.code).toBe(0);
    expect(dry.out.trim().split("\n")).toHaveLength(2);
    const printed = await isoplate(["sweep", at("study.json"), "--print", "slurm"]);
    expect(printed.out).toMatch(/^#!\/bin\/bash/);
    expect(fs.existsSync(at("out"))).toBe(false);
  });

  test("a bad study, options that exclude each other, and no study are exit code 2", async () => {
    study();
    fs.writeFileSync(at("study.json"), JSON.stringify({ scene: "small.json", grid: { sed: [1] } }));
    const bad = await isoplate(["sweep", at("study.json"), "--out", at("out")]);
    expect(bad.code).toBe(2);
    expect(bad.err).toContain('did you mean "seed"?');
    expect(fs.existsSync(at("out"))).toBe(false);
    const args = ["sweep", at("study.json"), "--part", "1/2", "--collect", "--queue", "q"];
    const both = await isoplate(args);
    expect(both.code).toBe(2);
    expect(both.err).toContain("--part is for");
    expect(both.err).toContain("need --redis");
    expect((await isoplate(["sweep", at("none.yaml")])).code).toBe(2);
    expect((await isoplate(["worker"])).code).toBe(2);
  });
});
