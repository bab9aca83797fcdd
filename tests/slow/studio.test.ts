/** The studio in Chromium: what a person does there, and what must hold while they do. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inflateRawSync } from "node:zlib";
import type { Download, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { openRecording } from "../../src/recording/folder.ts";
import { hashNumbers } from "../../src/recording/hash.ts";
import { library } from "../../src/scene/library.ts";
import { BUSY } from "./needs.ts";
import {
  ask,
  picture,
  positions,
  ready,
  still,
  tell,
  until,
  type Visit,
  visit,
} from "./studio-page.ts";

/** A scene that is quick on any machine, and of which all is known. */
const PINNED = "#scene=pinned-cloth&solver=interactive";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "isoplate-studio-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `isoplate` and gives its exit code and output. */
async function isoplate(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const { createColors } = (await import("picocolors")).default;
  const code = await main(args, {
    out: (text) => {
      out += `${text}\n`;
    },
    err: (text) => {
      err += `${text}\n`;
    },
    live: null,
    colors: createColors(false),
    onInterrupt: () => () => {},
  });
  return { code, out, err };
}

async function kept(page: Page, what: string): Promise<{ name: string; bytes: Buffer }> {
  await page.click("[data-tab=keep]");
  const [download]: [Download, unknown] = await Promise.all([
    page.waitForEvent("download"),
    page.click(`[data-keep="${what}"]`),
  ]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Files of a zip, by name, from its central directory. */
function unzipped(bytes: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const end = bytes.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  let at = bytes.readUInt32LE(end + 16);
  for (let k = 0; k < bytes.readUInt16LE(end + 10); k++) {
    const [method, size] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20)];
    const nameLength = bytes.readUInt16LE(at + 28);
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const data = bytes.subarray(start, start + size);
    files.set(name, method === 8 ? inflateRawSync(data) : data);
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return files;
}

/** A .glb of a box, 0.3 × 0.3 × 0.1 m, that moves 0.6 m along our y (its −z) in half a second. */
function animatedBox(): Buffer {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) => [
    k & 1 ? 0.15 : -0.15,
    k & 2 ? 0.15 : -0.15,
    k & 4 ? 0.05 : -0.05,
  ]);
  const sides = [
    [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4],
    [2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5],
  ].flat();
  const views = [
    Float32Array.from(corners),
    Uint16Array.from(sides),
    Float32Array.of(0, 0.5),
    Float32Array.of(0, 0, 0, 0, 0, -0.6),
  ].map((array) => Buffer.from(array.buffer));
  const offsets = views.map((_, k) =>
    views.slice(0, k).reduce((sum, { length }) => sum + length, 0),
  );
  const data = Buffer.concat(views);
  const accessor = (k: number, componentType: number, count: number, type: string) => ({
    bufferView: k,
    componentType,
    count,
    type,
  });
  const json = {
    asset: { version: "2.0" },
    scenes: [{ nodes: [0] }],
    nodes: [{ name: "paddle", mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    accessors: [
      accessor(0, 5126, 8, "VEC3"),
      accessor(1, 5123, 36, "SCALAR"),
      accessor(2, 5126, 2, "SCALAR"),
      accessor(3, 5126, 2, "VEC3"),
    ],
    bufferViews: views.map(({ length }, k) => ({
      buffer: 0,
      byteOffset: offsets[k],
      byteLength: length,
    })),
    buffers: [{ byteLength: data.length }],
    animations: [
      {
        samplers: [{ input: 2, output: 3 }],
        channels: [{ sampler: 0, target: { node: 0, path: "translation" } }],
      },
    ],
  };
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc(-text.length & 3, " ")]);
  const word = (...values: number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer);
  const length = 12 + 8 + padded.length + 8 + data.length;
  return Buffer.concat([
    word(0x46546c67, 2, length, padded.length, 0x4e4f534a),
    padded,
    word(data.length, 0x004e4942),
    data,
  ]);
}

/**
 * What a frame is judged by (decision 0010), from what is drawn and the flat sheet: max |length/rest − 1| of the straight edges or,
 * where samples have frames, max length/rest − 1 of the cubics with their tangents at the ends, as polygons of 64 sides.
 */
const STRAIN = `(() => {
  const { n, edges, uv, tangent, spacing } = lane.opened.value.sheet, P = theatre.pose();
  let worst = 0;
  for (let e = 0; e < edges.length / 2; e++) {
    const ends = [edges[2*e], edges[2*e+1]], [a, b] = ends;
    const rest = Math.hypot(uv[2*a] - uv[2*b], uv[2*a+1] - uv[2*b+1]);
    const place = (i) => [0, 1, 2].map((c) => P[3*i+c]);
    const slope = (k) => [0, 1, 2].map((c) => (rest / spacing[ends[k]]) * (tangent[4*e+2*k] * P[3*n+6*ends[k]+c] + tangent[4*e+2*k+1] * P[3*n+6*ends[k]+3+c]));
    const [A, B, sides] = [place(a), place(b), tangent ? 64 : 1], [s, t] = tangent ? [slope(0), slope(1)] : [A, B];
    const at = (x) => tangent ? [0, 1, 2].map((c) => (1+2*x)*(1-x)**2*A[c] + x*(1-x)**2*s[c] + x*x*(3-2*x)*B[c] + x*x*(x-1)*t[c]) : x === 0 ? A : B;
    let now = 0;
    for (let k = 0; k < sides; k++) { const [p, q] = [at(k / sides), at((k + 1) / sides)]; now += Math.hypot(p[0]-q[0], p[1]-q[1], p[2]-q[2]); }
    worst = Math.max(worst, tangent ? now / rest - 1 : Math.abs(now / rest - 1));
  }
  return worst;
})()`;

function distance(a: readonly number[], b: readonly number[]): number {
  let most = 0;
  for (let k = 0; k < a.length; k += 3)
    most = Math.max(most, Math.hypot(a[k] - b[k], a[k + 1] - b[k + 1], a[k + 2] - b[k + 2]));
  return most;
}

describe("a visit", BUSY, () => {
  let studio: Visit;
  let page: Page;
  beforeAll(async () => {
    studio = await visit({ fragment: PINNED });
    page = studio.page;
    await ready(page);
  });
  afterAll(() => studio?.end());

  test("it has shared memory, runs by itself, and the cloth falls", async () => {
    expect(await page.evaluate("crossOriginIsolated")).toBe(true);
    await until(page, "theatre.time() > 0.7");
    await still(page);
    const P = await positions(page);
    expect(Math.min(...P.filter((_, k) => k % 3 === 2))).toBeLessThan(-0.3);
  });

  test("the picture is of the cloth: its colour is where the cloth is, and not in the corner", async () => {
    const [cloth, wall] = (await tell(
      page,
      `const bitmap = await theatre.snapshot(480, 320, "bitmap");
       const canvas = new OffscreenCanvas(480, 320), context = canvas.getContext("2d");
       context.drawImage(bitmap, 0, 0);
       const P = theatre.positions(), n = P.length / 3, box = document.querySelector(".stage").getBoundingClientRect();
       let middle = [0, 0, 0];
       for (let i = 0; i < n; i++) for (let c = 0; c < 3; c++) middle[c] += P[3 * i + c] / n;
       const { data } = context.getImageData(0, 0, 480, 320);
       let red = 0;
       for (let k = 0; k < data.length; k += 4) if (data[k] > 1.7 * data[k + 2] && data[k] > 90) red++;
       return [red / (480 * 320), [...data.subarray(0, 3)]];`,
    )) as [number, number[]];
    expect(cloth).toBeGreaterThan(0.03); // of all pixels are terracotta
    expect(cloth).toBeLessThan(0.7);
    expect(Math.max(...wall) - Math.min(...wall)).toBeLessThan(25); // the wall is nearly grey
  });

  test("the badge tells the truth: it equals the strain measured on the points that are drawn", async () => {
    const badge = Number(await page.getAttribute(".badge", "data-strain"));
    // positions are drawn as float32: 1e-7 of a metre over an edge of 0.04 m
    expect(Math.abs((await ask<number>(page, STRAIN)) - badge)).toBeLessThan(2e-5);
    expect(badge).toBeLessThan(0.01);
  });

  test("dragging moves the point that was grabbed, and after letting go the strain is under 1 %", async () => {
    const low = await ask<{ point: number; x: number; y: number }>(
      page,
      `(() => { const P = theatre.positions(); let i = 0;
        for (let k = 0; k < P.length / 3; k++) if (P[3 * k + 2] < P[3 * i + 2]) i = k;
        return { point: i, ...theatre.project([P[3 * i], P[3 * i + 1], P[3 * i + 2]]) }; })()`,
    );
    const [x, y] = [low.x, low.y - 12];
    await page.mouse.move(x, y);
    await page.mouse.down();
    const point = Number(await page.getAttribute("canvas", "data-holding"));
    expect(Number.isInteger(point)).toBe(true);
    const where = `Array.from(theatre.positions().subarray(${3 * point}, ${3 * point + 3}))`;
    const before = await ask<number[]>(page, where);
    const started = await ask<number>(page, "lane.line.value.time");
    for (let k = 1; k <= 8; k++) await page.mouse.move(x + 10 * k, y - 12 * k);
    await until(page, `theatre.time() > ${started + 0.8}`);
    const during = await ask<number[]>(page, where);
    // 80 px and 96 px on the screen are some 0.4 m here: it must have come most of the way
    const drawn = await ask<{ x: number; y: number }>(
      page,
      `theatre.project(${JSON.stringify(during)})`,
    );
    expect(distance(during, before)).toBeGreaterThan(0.1);
    expect(Math.hypot(drawn.x - (x + 80), drawn.y - (y - 96))).toBeLessThan(60);
    await page.mouse.up();
    expect(await page.getAttribute("canvas", "data-holding")).toBe(null);
    const letGo = await ask<number>(page, "lane.line.value.time");
    await until(page, `theatre.time() > ${letGo + 1}`);
    await still(page);
    expect(Number(await page.getAttribute(".badge", "data-strain"))).toBeLessThan(0.01);
  });

  test("changing D changes the shape and not the strain, without starting anew", async () => {
    await still(page);
    const before = await positions(page);
    const time = await ask<number>(page, "lane.line.value.time");
    await page.click("[data-tab=sheet]");
    await page.fill('input[aria-label="Flexural rigidity D in N·m"]', "0.05");
    await page.keyboard.press("Enter");
    await until(page, "lane.opened.value.scene.sheets[0].material.D === 0.05");
    await tell(page, "studio.setRunning(true)");
    await until(page, `theatre.time() > ${time + 1.5}`);
    await still(page);
    expect(await ask<number>(page, "lane.line.value.time")).toBeGreaterThan(time);
    expect(distance(before, await positions(page))).toBeGreaterThan(0.02);
    expect(Number(await page.getAttribute(".badge", "data-strain"))).toBeLessThan(0.01);
  });

  test("a pin dropped with a click holds its point where it is; a second click takes it out", async () => {
    await page.keyboard.press("p");
    // the middle of the sheet, which the camera sees however the rim has curled
    const spot = await ask<{ x: number; y: number }>(
      page,
      `(() => { const P = theatre.positions(), i = lane.nearest([0.5, 0.5]);
        return theatre.project([P[3 * i], P[3 * i + 1], P[3 * i + 2]]); })()`,
    );
    await page.mouse.click(spot.x, spot.y);
    await until(page, "lane.opened.value.pins.length === 3");
    const point = await ask<number>(page, "lane.opened.value.pins[2].points[0]");
    const where = `Array.from(theatre.positions().subarray(${3 * point}, ${3 * point + 3}))`;
    const before = await ask<number[]>(page, where);
    const time = await ask<number>(page, "lane.line.value.time");
    await tell(page, "studio.setRunning(true)");
    await until(page, `theatre.time() > ${time + 0.3}`);
    await still(page);
    expect(distance(before, await ask<number[]>(page, where))).toBeLessThan(1e-6);
    await page.mouse.click(spot.x, spot.y);
    await until(page, "lane.opened.value.pins.length === 2");
    await page.keyboard.press("Escape");
  });

  test("scrubbing shows the past as it was, and the present as it is", async () => {
    await still(page);
    const present = await positions(page);
    const frames = await ask<number>(page, "studio.frames.value");
    expect(frames).toBeGreaterThan(20);
    await tell(page, "studio.scrub(0)");
    await until(page, "lane.shown.value === 0 && theatre.time() === 0");
    const start = await positions(page);
    expect(Math.max(...start.filter((_, k) => k % 3 === 2).map(Math.abs))).toBeLessThan(1e-6); // flat
    await tell(page, "studio.scrub(15)");
    await until(page, "lane.shown.value === 15 && Math.abs(theatre.time() - 0.5) < 1e-6"); // 30 frames a second
    await tell(page, "studio.scrub(null)");
    await until(page, "lane.shown.value === null && theatre.time() > 0.6");
    expect(distance(present, await positions(page))).toBe(0);
  });

  test("keys: space runs and pauses, a full stop steps, r resets, digits colour", async () => {
    await page.focus("canvas");
    await page.keyboard.press("Space");
    expect(await ask(page, "studio.running.value")).toBe(true);
    await page.keyboard.press("Space");
    await still(page);
    const steps = await ask<number>(page, "lane.line.value.steps");
    await page.keyboard.press(".");
    await until(page, `lane.line.value.steps > ${steps}`);
    await page.keyboard.press("2");
    await page.waitForSelector(".legend");
    expect(await page.textContent(".legend figcaption")).toContain("edge strain %");
    expect(Number(await page.getAttribute(".legend", "data-high"))).toBeGreaterThanOrEqual(1);
    await page.keyboard.press("1");
    await page.keyboard.press("r");
    await until(page, "lane.line.value.time === 0");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog[open]", { state: "detached" });
  });

  test("every overlay has a legend with a unit and a range that holds its numbers", async () => {
    for (const overlay of [
      "principal-strain",
      "curvature",
      "neighbourhood",
      "contact",
      "residual",
    ]) {
      await tell(page, `studio.setOverlay("${overlay}")`);
      await until(page, `lane.legend.value?.overlay === "${overlay}"`);
      await page.waitForSelector(".legend");
      const [low, high, unit] = await Promise.all(
        ["low", "high", "unit"].map((name) => page.getAttribute(".legend", `data-${name}`)),
      );
      expect(Number(high)).toBeGreaterThan(Number(low));
      expect(unit).toMatch(/%|1\/m|points|Pa|1/);
    }
    // of a sheet at rest too: the ends of the legend are those of the picture
    await still(page);
    await tell(page, `studio.setOverlay("edge-strain")`);
    await until(page, `lane.legend.value?.overlay === "edge-strain"`);
    await until(
      page,
      `Number(document.querySelector(".legend")?.dataset.high) === 100 * theatre.range().high`,
    );
    expect(Number(await page.getAttribute(".legend", "data-high"))).toBeLessThan(20);
    await tell(page, `studio.setOverlay("none")`);
  });

  test("a broken scene file gives a message with the fault, and the page lives on", async () => {
    const file = join(folder, "broken.json");
    writeFileSync(
      file,
      `{ "sheet": { "shape": { "type": "rectangle", "width": 1, "height": 1 }, "materail": "silk" }, "h": -1 }`,
    );
    await page.setInputFiles("#open-file", file);
    await page.waitForSelector(".trouble[data-kind=refused]");
    const text = (await page.textContent(".trouble")) ?? "";
    expect(text).toContain("broken.json");
    expect(text).toContain("material"); // did you mean
    expect(text).toContain("h");
    await page.click(".trouble [aria-label=Dismiss]");
    for (const [name, content] of [
      ["garbage.json", "{{{ not json"],
      ["cut.glb", "glTF\u0002"],
      ["empty.obj", ""],
    ]) {
      writeFileSync(join(folder, name), content);
      await page.setInputFiles("#open-file", join(folder, name));
      if (!name.endsWith(".json")) await page.click("[data-answer=cloth]");
      await page.waitForSelector(".trouble[data-kind=refused]");
      expect(await page.textContent(".trouble")).toContain(name);
      await page.click(".trouble [aria-label=Dismiss]");
    }
    const time = await ask<number>(page, "lane.line.value.time");
    await tell(page, "studio.setRunning(true)");
    await until(page, `lane.line.value.time > ${time}`);
    await tell(page, "studio.setRunning(false)");
  });

  test("a mesh dropped on the page becomes a sheet that hangs", async () => {
    const lines: string[] = [];
    for (let j = 0; j <= 10; j++) for (let i = 0; i <= 10; i++) lines.push(`v ${i * 3} 0 ${j * 3}`); // 30 units wide: not metres
    for (let j = 0; j < 10; j++)
      for (let i = 1; i <= 10; i++) {
        const a = 11 * j + i;
        lines.push(`f ${a} ${a + 1} ${a + 12}`, `f ${a} ${a + 12} ${a + 11}`);
      }
    writeFileSync(join(folder, "banner.obj"), `${lines.join("\n")}\n`);
    await page.setInputFiles("#open-file", join(folder, "banner.obj"));
    await page.click("[data-answer=cloth]"); // cloth or body?
    await until(page, `lane.opened.value?.scene.name === "banner" && lane.state.value === "ready"`);
    expect(await ask(page, "lane.opened.value.sheet.n")).toBe(121);
    expect(await ask(page, "lane.opened.value.pins[0].points.length")).toBe(11); // its upper edge
    await tell(page, "studio.setRunning(true)");
    await until(page, "lane.line.value.time > 0.2");
    await tell(page, "studio.setRunning(false)");
  });

  test("a scene dropped together with the files that it names: a body that moves as its GLB says", async () => {
    const body = join(folder, "paddle.glb");
    writeFileSync(body, animatedBox());
    const scene = join(folder, "stirred.json");
    writeFileSync(
      scene,
      JSON.stringify({
        name: "stirred",
        sheet: {
          shape: { type: "rectangle", width: 0.6, height: 0.6 },
          sampling: { points: 80 },
          pose: { type: "flat", rotation: [90, 0, 0] },
        },
        pins: [{ at: { edge: "top" } }],
        colliders: [
          { body: { type: "mesh", file: "paddle.glb" }, position: [0, -0.3, 0.2], motion: "file" },
        ],
      }),
    );
    // alone it is refused, and says what is missing
    await page.setInputFiles("#open-file", scene);
    await page.waitForSelector(".trouble[data-kind=refused]");
    expect(await page.textContent(".trouble")).toContain("drop it together with the scene");
    await page.click(".trouble [aria-label=Dismiss]");
    await page.setInputFiles("#open-file", [scene, body]);
    await until(
      page,
      `lane.opened.value?.scene.name === "stirred" && lane.state.value === "ready"`,
    );
    expect(await ask<number>(page, "lane.opened.value.scene.colliders[0].motion.keys.length")).toBe(
      2,
    );
    await tell(page, "studio.setRunning(true)");
    // the paddle comes 0.6 m along y and takes the cloth with it; time alone may still be that of the scene before
    await until(
      page,
      "theatre.positions(0).length === 240 && theatre.positions(0).some((y, k) => k % 3 === 1 && y > 0.05)",
    );
    await still(page);
  });

  test("nothing was complained of and nothing was fetched from elsewhere", () => {
    expect(studio.complaints).toEqual([]);
    expect(studio.strangers).toEqual([]);
  });
});

describe("side by side", BUSY, () => {
  test("three lanes of one scene stand at the same time and are drawn beside each other", async () => {
    const { page, complaints, end } = await visit({ fragment: PINNED });
    try {
      await ready(page);
      await page.click("[data-action=compare]");
      await page.click("[data-comparison=Stiffness]");
      await until(
        page,
        "studio.lanes.value.length === 3 && studio.lanes.value.every(l => l.state.value === 'ready')",
      );
      await until(page, "theatre.time(0) > 0.4");
      // every picture shows one time
      for (let k = 0; k < 5; k++) {
        const times = await ask<number[]>(page, "[0, 1, 2].map(k => theatre.time(k))");
        expect(times[1]).toBe(times[0]);
        expect(times[2]).toBe(times[0]);
        await page.waitForTimeout(150);
      }
      expect(await page.locator(".lane").count()).toBe(3);
      expect(await page.locator(".lane .badge").count()).toBe(3);
      await tell(page, "studio.setRunning(false)");
      await page.waitForTimeout(500);
      const [soft, stiff] = [await positions(page, 0), await positions(page, 2)];
      expect(distance(soft, stiff)).toBeGreaterThan(0.01); // 10⁻⁵ and 10⁻² N·m
      await page.click("[data-action=compare]");
      await page.click("[data-comparison=none]");
      await until(page, "studio.lanes.value.length === 1");
      expect(complaints).toEqual([]);
    } finally {
      await end();
    }
  });
});

describe("to take home", BUSY, () => {
  /** Small, so that a second of it is quick everywhere. */
  const small = {
    name: "napkin",
    seconds: 0.5,
    solver: "interactive",
    sheet: {
      shape: { type: "rectangle", width: 0.4, height: 0.4 },
      sampling: { points: 150 },
      material: { density: 0.2, D: 1e-4 },
    },
    pins: [{ name: "a", at: { corner: "top-left", radius: 0.03 } }],
  };
  let studio: Visit;
  let page: Page;
  beforeAll(async () => {
    studio = await visit({ reducedMotion: "reduce" });
    page = studio.page;
    await ready(page);
    const file = join(folder, "napkin.json");
    writeFileSync(file, JSON.stringify(small));
    await page.setInputFiles("#open-file", file);
    await until(page, `lane.opened.value?.scene.name === "napkin" && lane.state.value === "ready"`);
  });
  afterAll(() => studio?.end());

  test("reduced motion: nothing runs before it is asked to", async () => {
    expect(await ask(page, "studio.running.value")).toBe(false);
    expect(await ask(page, "lane.line.value.time")).toBe(0);
  });

  let hash = "";
  test("the page, its scene file and its link give the hash that the command line gives", async () => {
    await tell(page, "studio.setRunning(true)");
    await until(page, "lane.finished.value !== null");
    await tell(page, "studio.setRunning(false)");
    hash = await ask<string>(page, "lane.finished.value.hash");
    const { name, bytes } = await kept(page, "scene");
    expect(name).toBe("napkin.json");
    const file = join(folder, "kept.json");
    writeFileSync(file, bytes);
    const ran = await isoplate("run", file, "--out", join(folder, "run"), "--json", "--quiet");
    expect(ran.err).toBe("");
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.out).hash).toBe(hash);

    const link = await ask<string>(page, "studio.link()");
    expect(link).toContain("#z=");
    const other = await page.context().newPage();
    await other.goto(link);
    await ready(other);
    expect(await ask(other, "lane.opened.value.scene.name")).toBe("napkin");
    await tell(other, "studio.setRunning(true)");
    await until(other, "lane.finished.value !== null");
    expect(await ask(other, "lane.finished.value.hash")).toBe(hash);
    await other.close();
  });

  test("the recording opens in the command line, with the same last frame", async () => {
    await tell(page, "studio.reset(); studio.setRunning(true)");
    await until(page, "lane.finished.value !== null && lane.line.value.time >= 0.5");
    await tell(page, "studio.setRunning(false)");
    const { name, bytes } = await kept(page, "run-isoplate");
    expect(name).toBe("napkin.isoplate.zip");
    for (const [path, content] of unzipped(bytes)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const recording = openRecording(join(folder, "napkin"));
    // the frame at the scene's own end is that of `isoplate run`
    const end = recording.metrics.findIndex(({ steps }) => steps === 30);
    expect(hashNumbers(recording.positions(end))).toBe(hash);
    expect(recording.summary?.hash).toBe(hashNumbers(recording.positions(recording.frames - 1)));
    recording.close();
    const out = join(folder, "objs");
    const exported = await isoplate(
      "export",
      join(folder, "napkin"),
      "--format",
      "obj",
      "--out",
      out,
    );
    expect(exported.code).toBe(0);
  });

  test("frames and recordings in the files of other programs", async () => {
    const glb = await kept(page, "frame-glb");
    expect(glb.bytes.toString("latin1", 0, 4)).toBe("glTF");
    const obj = await kept(page, "frame-obj");
    expect(obj.bytes.toString().match(/^v /gm)?.length).toBe(150);
    const ply = await kept(page, "frame-ply");
    expect(ply.bytes.toString("latin1", 0, 400)).toContain("element vertex 150");
    const pc2 = await kept(page, "run-pc2");
    const names = [...unzipped(pc2.bytes).keys()];
    expect(names.some((name) => name.endsWith(".pc2"))).toBe(true);
    expect(names.some((name) => name.endsWith(".obj"))).toBe(true);
    const animated = await kept(page, "run-glb");
    expect(animated.bytes.toString("latin1")).toContain('"animations"');
  });

  test("a picture and a film", async () => {
    const png = await kept(page, "png");
    expect(png.bytes.subarray(1, 4).toString("latin1")).toBe("PNG");
    expect([png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)]).toEqual([1280, 720]);
    await page.selectOption(".panel-body select", "0");
    const film = await kept(page, "film");
    if (film.name.endsWith(".mp4")) expect(film.bytes.toString("latin1", 4, 8)).toBe("ftyp");
    else expect(film.bytes.readUInt32BE(0)).toBe(0x1a45dfa3); // EBML
    expect(film.bytes.length).toBeGreaterThan(3000);
  });

  test("a film that is cancelled saves nothing and leaves the page as it was", async () => {
    await page.click("[data-tab=keep]");
    const time = await ask<number>(page, "lane.line.value.time");
    let saved = 0;
    page.on("download", () => saved++);
    await page.click("[data-keep=film]");
    await page.click("[data-tab=look]"); // it goes on, in sight, whatever is looked at
    await page.click("[data-action=cancel]");
    await page.getByText("Cancelled: nothing was saved").waitFor();
    await until(page, `lane.shown.value === null && lane.line.value.time === ${time}`);
    expect(saved).toBe(0);
  });

  test("nothing was complained of", () => {
    expect(studio.complaints).toEqual([]);
  });
});

describe("elsewhere", BUSY, () => {
  test("as plain files, without the headers, frames are transferred and it runs all the same", async () => {
    const { page, complaints, end } = await visit({ fragment: PINNED, isolated: false });
    try {
      await ready(page);
      expect(await page.evaluate("crossOriginIsolated")).toBe(false);
      await until(page, "theatre.time() > 0.3");
      await still(page);
      const badge = Number(await page.getAttribute(".badge", "data-strain"));
      expect(Math.abs((await ask<number>(page, STRAIN)) - badge)).toBeLessThan(2e-5);
      expect(complaints).toEqual([]);
    } finally {
      await end();
    }
  });

  test("on a small touch screen everything is within reach and nothing hangs over the edge", async () => {
    const { page, complaints, end } = await visit({
      fragment: PINNED,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      colorScheme: "dark",
    });
    try {
      await ready(page);
      expect(await page.getAttribute("html", "data-theme")).toBe("dark");
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
      // what the desk has in its header and beside the timeline
      for (const name of [
        /^Scenes; this one is/,
        "Frame everything",
        "Light",
        "Settle",
        /^interactive/,
      ])
        expect(await page.getByRole("button", { name }).first().isVisible(), String(name)).toBe(
          true,
        );
      expect(await page.getByLabel("Speed").isVisible()).toBe(true);
      const axe = new URL("../../node_modules/axe-core/axe.min.js", import.meta.url);
      await page.evaluate(readFileSync(axe, "utf8"));
      expect(
        await page.evaluate(
          "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id }) => id))",
        ),
      ).toEqual([]);
      await page.tap("[data-tab=look]");
      await page.tap('input[value="edge-strain"]');
      await page.waitForSelector(".legend");
      await until(page, "theatre.time() > 0.4");
      await picture(page, "studio-small");
      await page.tap("[data-action=panel]");
      await page.tap("[data-action=gallery]");
      await page.waitForSelector(".gallery[data-open]");
      expect(await page.locator(".card").count()).toBe(library.length);
      await page.tap('[data-scene="cantilever"]');
      await until(
        page,
        `lane.opened.value?.scene.name === "cantilever" && lane.state.value === "ready"`,
      );
      expect(complaints).toEqual([]);
    } finally {
      await end();
    }
  });
});
