/** Files from strangers: nothing takes more than linear time, and the known bad ones end in 5 s and 1 GB. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { describe, expect, test } from "vitest";
import { cost, GROWTHS } from "../files/growth.ts";
import { builtProgram } from "./program.ts";

/** s of CPU from which a ratio means something. */
const MEASURABLE = 0.04;
/** Bytes at most that are tried in search of it. */
const LARGEST = 2 ** 22;

describe("twice the size takes at most three times as long", () => {
  test.each(GROWTHS)("$name", (growth) => {
    // the least of several: other programs, and the first call of a reader, only ever add
    const least = (size: number): number => Math.min(...[0, 1, 2].map(() => cost(growth, size)));
    let [n, one] = [2 ** 12, least(2 ** 12)];
    while (n < LARGEST && one < MEASURABLE) {
      n *= 2;
      one = least(n);
    }
    expect(one, `${n} bytes`).toBeLessThan(5);
    if (one < MEASURABLE) return;
    // linear is 2; a collection of garbage may fall into the larger one, but not every time
    const pairs = [0, 1, 2].map(() => [least(n), least(2 * n)] as const);
    const ratio = Math.min(...pairs.map(([small, large]) => large / small));
    const two = Math.min(...pairs.map(([, large]) => large));
    expect(
      ratio,
      `${n} bytes: ${pairs.map((pair) => pair.join(" and ")).join(", ")} s`,
    ).toBeLessThan(3.2);
    expect(two).toBeLessThan(5);
  });
});

describe("known bad files, to the program", () => {
  const program = builtProgram();
  const { at } = program;
  const cloth = {
    shape: { type: "rectangle", width: 0.2, height: 0.2 },
    sampling: { type: "grid", points: 16 },
    pose: { position: [0, 0, 1] },
  };
  const write = (name: string, content: string | object): void =>
    fs.writeFileSync(at(name), typeof content === "string" ? content : JSON.stringify(content));
  const body = (file: string): object => ({
    seconds: 0.02,
    sheet: cloth,
    colliders: [{ body: { type: "mesh", file, closed: false } }],
  });
  const garment = (file: string): object => ({
    seconds: 0.02,
    sheet: { shape: { type: "garment", file } },
  });
  const many = (count: number, piece: (k: number) => string): string =>
    Array.from({ length: count }, (_, k) => piece(k)).join("");
  const scribble = many(30_000, (k) => `L${(7919 * k) % 1000} ${(104729 * k) % 997} `);
  const grid = many(4000, (k) => `v ${k % 64} ${Math.floor(k / 64)} 0\n`);
  const triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

  const bad: readonly [string, (name: string) => string][] = [
    [
      "3000 equal triangles as a body",
      () => {
        write("a.obj", triangle + "f 1 2 3\n".repeat(3000));
        write("scene.json", body("a.obj"));
        return "scene.json";
      },
    ],
    [
      "3000 nearly equal triangles as a body",
      () => {
        const points = many(3000, (k) => `v 0 0 ${k}e-9\nv 1 0 0\nv 0 1 ${k}e-9\n`);
        write("a.obj", points + many(3000, (k) => `f ${3 * k + 1} ${3 * k + 2} ${3 * k + 3}\n`));
        write("scene.json", body("a.obj"));
        return "scene.json";
      },
    ],
    [
      "one polygon of two million corners as a body",
      () => {
        write("a.obj", `${grid}f ${many(2_000_000, (k) => `${1 + (k % 4000)} `)}\n`);
        write("scene.json", body("a.obj"));
        return "scene.json";
      },
    ],
    [
      "one polygon of two million corners as a sheet",
      () => {
        write("a.obj", `${grid}f ${many(2_000_000, (k) => `${1 + (k % 4000)} `)}\n`);
        write("scene.json", { sheet: { shape: { type: "mesh", file: "a.obj" } } });
        return "scene.json";
      },
    ],
    [
      "an SVG that crosses itself 30 000 times and more",
      () => {
        write("a.svg", `<svg viewBox="0 0 9 9"><path d="M0 0 ${scribble}z"/></svg>`);
        write("scene.json", garment("a.svg"));
        return "scene.json";
      },
    ],
    [
      "an SVG on one line",
      () => {
        write("a.svg", `<svg viewBox="0 0 9 9">${"<g/>".repeat(4e6)}</svg>`);
        write("scene.json", garment("a.svg"));
        return "scene.json";
      },
    ],
    [
      "JSON of 40 000 unknown keys",
      () => {
        write("scene.json", `{${many(40_000, (k) => `"k${k}":1,`)}"z":1}`);
        return "scene.json";
      },
    ],
    [
      "YAML of 200 000 anchors",
      () => {
        write("scene.yaml", `a:\n${many(200_000, (k) => ` - &a${k} x\n`)}b: *a1\n`);
        return "scene.yaml";
      },
    ],
    [
      "100 MB of OBJ",
      () => {
        write("a.obj", grid + "f 1 2 3 4\n".repeat(1e7));
        write("scene.json", body("a.obj"));
        return "scene.json";
      },
    ],
    [
      "100 MB of OBJ as a sheet",
      () => {
        write(
          "a.obj",
          grid + many(4e6, (k) => `f ${1 + (k % 3990)} ${2 + (k % 3990)} ${9 + (k % 3990)}\n`),
        );
        write("scene.json", { sheet: { shape: { type: "mesh", file: "a.obj" } } });
        return "scene.json";
      },
    ],
    [
      "60 MB of YAML",
      () => {
        write("scene.yaml", "- x\n".repeat(1.5e7));
        return "scene.yaml";
      },
    ],
    [
      "100 MB of glTF with its data in base64",
      () => {
        const corners = 2.4e6;
        const data = Buffer.alloc(74e6);
        for (let k = 0; k < corners; k++) data.writeFloatLE(k % 1000, 12 * k);
        for (let k = 0; k < corners; k++) data.writeUInt32LE(k, 12 * corners + 4 * k);
        const views = [
          { buffer: 0, byteLength: 12 * corners },
          { buffer: 0, byteOffset: 12 * corners, byteLength: 4 * corners },
        ];
        const accessors = [
          { bufferView: 0, componentType: 5126, type: "VEC3", count: corners },
          { bufferView: 1, componentType: 5125, type: "SCALAR", count: corners },
        ];
        write("a.gltf", {
          asset: { version: "2.0" },
          nodes: [{ mesh: 0 }],
          meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
          buffers: [{ uri: `data:application/octet-stream;base64,${data.toString("base64")}` }],
          bufferViews: views,
          accessors,
        });
        write("scene.json", body("a.gltf"));
        return "scene.json";
      },
    ],
    [
      "50 MB of DXF lines",
      () => {
        const lines = many(
          1e6,
          (k) => `0\nLINE\n8\n0\n10\n${k % 977}.25\n20\n0\n11\n${k % 991}.75\n21\n1\n`,
        );
        write("a.dxf", `0\nSECTION\n2\nENTITIES\n${lines}`);
        write("scene.json", garment("a.dxf"));
        return "scene.json";
      },
    ],
    [
      "JSON of 600 000 objects with a field that nothing has",
      () => {
        write("scene.json", `{"pins":[${many(6e5, (k) => `{"a${k}":1},`)}{}]}`);
        return "scene.json";
      },
    ],
    [
      "one word of 50 MB in YAML",
      () => {
        write("scene.yaml", `name: "${"y".repeat(5e7)}"\n`);
        return "scene.yaml";
      },
    ],
    [
      "the most keys and letters that YAML may have",
      () => {
        const keys = many(124_000, (k) => `k${k}: {a: b}\n`);
        write("scene.yaml", `${keys}z: "${"y".repeat(5e6)}"\n`);
        return "scene.yaml";
      },
    ],
    [
      "a pipe as a mesh",
      () => {
        execFileSync("mkfifo", [at("a.obj")]);
        write("scene.json", body("a.obj"));
        return "scene.json";
      },
    ],
    [
      "a device as a scene",
      () => {
        fs.symlinkSync("/dev/zero", at("scene.json"));
        return "scene.json";
      },
    ],
  ];
  // the process tells its own time and memory at its end
  const tell =
    "data:text/javascript,process.on('exit',()=>{const u=process.resourceUsage();process.stderr.write('USED '+(u.userCPUTime+u.systemCPUTime)/1e6+' '+u.maxRSS/1024)})";

  test.each(bad)("%s: an answer or an error within 5 s and 1 GB", async (name, make) => {
    const file = make(name);
    const args = ["run", file, "--out", at("out"), "--quiet", "--no-report"];
    const run = program.start(process.execPath, ["--import", tell, program.main, ...args]);
    const code = await run.ended;
    const [, seconds, megabytes] = (/USED (\S+) (\S+)/.exec(run.said()) ?? []).map(Number);
    expect([0, 2], run.said().slice(0, 2000)).toContain(code);
    expect(seconds, "s of CPU").toBeLessThan(5);
    expect(megabytes, "MB").toBeLessThan(1024);
  });
});

describe("pipes, devices and files without an end, wherever a name may lead to one", () => {
  const program = builtProgram();
  const { at } = program;
  const KINDS: readonly [string, (file: string) => void, RegExp][] = [
    ["a pipe", (file) => execFileSync("mkfifo", [file]), /is a pipe, needs a file/],
    [
      "a device",
      (file) => fs.symlinkSync("/dev/zero", file),
      /is a device, needs a file|outside the scene's folder|from its own folder only|is a link/,
    ],
    [
      "100 GB",
      (file) => {
        fs.writeFileSync(file, "");
        fs.truncateSync(file, 1e11); // sparse: it takes no room
      },
      /has 100000000000 bytes, needs at most|not a file of a recording/,
    ],
  ];
  const scene = (sheet: object, body?: object): string =>
    JSON.stringify({ seconds: 0.01, sheet, ...(body && { colliders: [body] }) });
  const disc = { shape: { type: "disc", radius: 0.1 }, sampling: { points: 30 } };
  /** Every way in: the name of the file, the scene or study that names it, and the command. */
  const WAYS: readonly (readonly [file: string, text: string | null, args: readonly string[]])[] = [
    ["a.json", null, ["run", "a.json"]],
    ["a.yaml", null, ["run", "a.yaml"]],
    ...["a.obj", "a.ply", "a.stl", "a.glb"].flatMap((file) => [
      [file, scene({ shape: { type: "mesh", file } }), ["run", "it.json"]] as const,
      [file, scene(disc, { body: { type: "mesh", file } }), ["run", "it.json"]] as const,
    ]),
    [
      "a.glb",
      scene(disc, { body: { type: "mesh", file: "a.glb" }, motion: "file" }),
      ["run", "it.json"],
    ],
    ...["a.svg", "a.dxf", "a.json"].map(
      (file) => [file, scene({ shape: { type: "garment", file } }), ["run", "it.json"]] as const,
    ),
    ["a.yaml", null, ["sweep", "a.yaml"]],
    ["a.json", JSON.stringify({ scene: "a.json", list: [{ seed: 1 }] }), ["sweep", "it.json"]],
    [
      "a.json",
      JSON.stringify({ scene: "a.json", list: [{ seed: 1 }] }),
      ["sweep", "it.json", "--print", "slurm"],
    ],
    ["a.json", null, ["verify", "rec", "--certificate", "a.json"]],
    ...["scene.json", "sheet", "frames"].flatMap((name) =>
      [
        ["verify", "rec"],
        ["export", "rec", "--format", "obj"],
        ...(name === "sheet" ? [] : [["run", "--resume", "rec"]]), // which makes the sheet anew
      ].map((args) => [`rec/${name}`, null, args] as const),
    ),
  ];

  test.each(KINDS)(
    "%s is refused at once, by name, with exit 2 or as not proven",
    async (kind, make, told) => {
      fs.writeFileSync(at("disc.json"), scene(disc));
      const recorded = program.isoplate(
        "run",
        "disc.json",
        "--out",
        "rec",
        "--quiet",
        "--no-report",
      );
      expect(await recorded.ended, recorded.said()).toBe(0);
      // pipes, which an open() would wait for, by every way; the others by every fourth
      const ways = WAYS.filter((_, k) => kind === "a pipe" || k % 4 === 0);
      for (const [file, text, args] of ways) {
        if (text !== null) fs.writeFileSync(at("it.json"), text);
        const isPart = file.startsWith("rec/");
        if (isPart) fs.renameSync(at(file), at("kept"));
        make(at(file));
        const run = program.isoplate(...args);
        const late = setTimeout(() => run.child.kill("SIGKILL"), 20_000);
        const code = await run.ended;
        clearTimeout(late);
        const what = `${args.join(" ")}, ${file}\n${run.said().slice(0, 500)}`;
        expect(args[0] === "verify" ? [1, 2] : [2], what).toContain(code);
        expect(run.said(), what).toMatch(told);
        expect(run.said(), what).toContain(file.replace("rec/", ""));
        fs.rmSync(at(file));
        if (isPart) fs.renameSync(at("kept"), at(file));
      }
    },
  );
});
