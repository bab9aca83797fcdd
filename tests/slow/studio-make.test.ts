/**
 * Things made in the studio by clicks and typing alone, without YAML: what a person would do, in the order in which a
 * person would do it. With PICTURES=1 it takes the pictures of docs/guide/making.md.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clampForce } from "./elastica.ts";
import { BUSY } from "./needs.ts";
import { ask, picture, positions, ready, still, until, type Visit, visit } from "./studio-page.ts";

let studio: Visit;
let page: Page;

beforeAll(async () => {
  studio = await visit({ viewport: { width: 1180, height: 720 }, reducedMotion: "reduce" });
  page = studio.page;
  page.setDefaultTimeout(30_000);
  await ready(page);
});
afterAll(() => studio.end());

/** Waits until a scene of that name, with so many bodies and pins, can be run. */
function made(name: string, bodies: number, pins: number): Promise<void> {
  return until(
    page,
    `lane.state.value === "ready" && lane.opened.value.scene.name === "${name}" && lane.opened.value.scene.colliders.length === ${bodies} && lane.opened.value.scene.pins.length === ${pins}`,
  );
}

async function create(choose: () => Promise<void>): Promise<void> {
  await page.locator(".stage canvas").focus();
  await page.keyboard.press("n");
  await choose();
  await page.getByRole("button", { name: "Create", exact: true }).click();
}

async function type(label: string | RegExp, value: string): Promise<void> {
  await page.getByLabel(label).first().fill(value);
  await page.keyboard.press("Enter");
}

async function clickAt(x: number, y: number, z: number): Promise<void> {
  // as a person does: once the picture is of the scene that was opened, and nothing covers it
  await until(page, "studio.pictured.value === lane.opened.value.scene.name");
  await still(page);
  const at = await ask<{ x: number; y: number }>(page, `theatre.project([${x}, ${y}, ${z}])`);
  await page.mouse.click(at.x, at.y);
}

async function run(seconds: number): Promise<void> {
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await until(page, `lane.line.value.time >= ${seconds}`);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await still(page);
}

const strain = async (): Promise<number> =>
  Number(await page.getAttribute(".badge", "data-strain"));

describe("made by clicks and typing", BUSY, () => {
  test("a tablecloth on a round table", async () => {
    await create(() => page.getByRole("button", { name: "Tablecloth", exact: true }).click());
    await made("tablecloth", 1, 0);
    await page.getByRole("button", { name: "Cylinder", exact: true }).click();
    await made("tablecloth", 2, 0);
    await type("Radius in m", "0.5"); // the cloth's, then the table's
    await page.keyboard.press("Control+z");
    await made("tablecloth", 2, 0);
    await page.locator("[data-body='1']").click();
    await page.locator(".list-more").getByLabel("Radius in m").fill("0.4");
    await page.keyboard.press("Enter");
    await until(page, "lane.opened.value.scene.colliders[1].body.radius === 0.4");
    await made("tablecloth", 2, 0);
    await page.keyboard.press("Escape");
    await run(1.5);
    await picture(page, "making-tablecloth");

    const P = await positions(page);
    for (let i = 0; i < P.length / 3; i++) {
      const r = Math.hypot(P[3 * i], P[3 * i + 1]);
      // the top of the table is at 0.744 m: nothing is in it, and the middle lies on it
      if (r < 0.39) expect(P[3 * i + 2]).toBeGreaterThan(0.743);
      if (r < 0.15) expect(P[3 * i + 2]).toBeLessThan(0.75);
    }
    const heights = P.filter((_, k) => k % 3 === 2);
    expect(Math.min(...heights)).toBeLessThan(0.65); // a fifth of a metre of it hangs, in folds
    expect(await strain()).toBeLessThan(0.02);
  });

  test("an A4 sheet buckled between two clamps, with its force curve", async () => {
    await create(() => page.getByRole("button", { name: "A4 paper", exact: true }).click());
    await made("paper", 0, 0);
    await page.getByText("clamp", { exact: true }).click();
    await page.getByRole("button", { name: "Pick edge" }).click();
    await clickAt(-0.14, 0, 0.75);
    await made("paper", 0, 1);
    await clickAt(0.14, 0, 0.75);
    await made("paper", 0, 2);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^right/ }).click();
    await page.getByRole("button", { name: "Add a keyframe" }).click();
    await type("Time of keyframe 1", "1.5");
    await type("x of keyframe 1", "-25");
    await type("Gravity in m/s²", "0");
    await type("Pressure in Pa", "0.1"); // enough for it to know to which side
    await page.getByRole("button", { name: "interactive" }).click(); // forces want the accurate solver
    await until(page, `lane.opened.value.scene.solver === "accurate"`);
    await made("paper", 0, 2);
    await run(1.75);

    await page.getByRole("tab", { name: "Charts" }).click();
    await page.getByLabel("Up", { exact: true }).selectOption("force of right");
    await page.getByLabel("Across", { exact: true }).selectOption("shift of right");
    await page.waitForSelector(".xy path[d]");
    await picture(page, "making-buckling");
    const curve = JSON.parse((await page.locator(".xy").getAttribute("data-points")) ?? "[]") as [
      number,
      number,
    ][];
    // a plate of D = E t³ / 12 (1 − ν²), bent to a cylinder, with the pressure that was typed, which eases the load by 5 %
    const D = (5e9 * 1e-12) / 12 / (1 - 0.09);
    const strip = { stiffness: 0.21 * D, length: 0.297, shortening: 0.025 };
    const wanted = clampForce({ ...strip, load: 0.1 * 0.21 });
    // without it, it is Euler's load and 4 % more, half of the relative shortening
    expect(clampForce({ ...strip, load: 0 })).toBeCloseTo(
      ((4 * Math.PI ** 2 * strip.stiffness) / strip.length ** 2) * 1.044,
      4,
    );
    const held = curve.slice(-5); // the clamp has come to rest a quarter of a second before
    for (const [shift, force] of held) {
      expect(shift).toBeCloseTo(0.025, 6);
      expect(Math.abs(force / wanted - 1)).toBeLessThan(0.01);
    }
    const early = curve.find(([shift]) => shift > 0.001)!;
    expect(early[1]).toBeLessThan(held[0][1]);
    const z = (await positions(page)).filter((_, k) => k % 3 === 2);
    expect(Math.max(...z) - Math.min(...z)).toBeGreaterThan(0.04); // it has bowed
    expect(await strain()).toBeLessThan(0.005);
  });

  test("a skirt sewn from two panels on a body", async () => {
    await create(() => page.getByLabel("Shape").getByText("Skirt").click());
    await made("skirt", 1, 0);
    for (const [from, to] of [
      ["front:right", "back:left"],
      ["front:left", "back:right"],
    ]) {
      await page.getByRole("button", { name: new RegExp(`^${from}`) }).click();
      await page.getByRole("button", { name: new RegExp(`^${to}`) }).click();
    }
    await page.getByText("front:left to back:right").waitFor();
    await page.getByRole("tab", { name: "Make" }).click();
    await page.getByRole("button", { name: "Capsule", exact: true }).click();
    await made("skirt", 2, 0);
    await page.keyboard.press("Escape");
    await run(1.5);
    await picture(page, "making-skirt");

    // the side seams are closed: their points are together, and what was two panels hangs on the body
    const gap = await ask<number>(
      page,
      `(() => { const P = theatre.positions(); const { named } = lane.opened.value;
        const at = (name) => named.find((place) => place.name === name).points;
        const d = (i, j) => Math.hypot(P[3*i] - P[3*j], P[3*i+1] - P[3*j+1], P[3*i+2] - P[3*j+2]);
        let worst = 0;
        for (const [a, b] of [["front:right", "back:left"], ["front:left", "back:right"]])
          for (const i of at(a)) worst = Math.max(worst, Math.min(...Array.from(at(b), (j) => d(i, j))));
        return worst; })()`,
    );
    expect(gap).toBeLessThan(2e-3);
    const z = (await positions(page)).filter((_, k) => k % 3 === 2);
    expect(Math.min(...z)).toBeGreaterThan(0.2); // not on the floor
    expect(await strain()).toBeLessThan(0.02);
  });

  test("a scarf dragged over a box", async () => {
    await create(async () => {
      await page.getByRole("button", { name: "Scarf", exact: true }).click();
      await page.getByRole("dialog").getByLabel("Points").fill("160");
    });
    await made("scarf", 1, 0);
    await page.getByRole("button", { name: "Box", exact: true }).click();
    await made("scarf", 2, 0);
    await page.getByText("pin", { exact: true }).click();
    await page.getByLabel("Hold by name").selectOption("edge left");
    await made("scarf", 2, 1);
    await page.getByRole("button", { name: "Add a keyframe" }).click();
    await type("x of keyframe 1", "-250");
    await page.getByRole("button", { name: "interactive" }).click();
    await until(page, `lane.opened.value.scene.solver === "accurate"`);
    await made("scarf", 2, 1);
    const before = await positions(page);
    await run(1);
    await picture(page, "making-scarf");

    // the camera has left room for where the scarf is led
    const lost = await ask<number>(
      page,
      `(() => { const { left, right, top, bottom } = document.querySelector(".stage").getBoundingClientRect();
        const P = theatre.positions();
        return Array.from({ length: P.length / 3 }, (_, i) => theatre.project([P[3 * i], P[3 * i + 1], P[3 * i + 2]]))
          .filter(({ x, y }) => x < left || x > right || y < top || y > bottom).length; })()`,
    );
    expect(lost).toBe(0);

    const after = await positions(page);
    const middle = (P: number[]): number => {
      let [sum, count] = [0, 0];
      for (let i = 0; i < P.length / 3; i++)
        if (Math.abs(before[3 * i]) < 0.1) [sum, count] = [sum + P[3 * i], count + 1];
      return sum / count;
    };
    expect(middle(after)).toBeLessThan(-0.2); // what lay on the middle of the box has gone along
    // no point in the box, whose top is at 0.744 m and whose half width is 0.27 m
    for (let i = 0; i < after.length / 3; i++)
      if (Math.abs(after[3 * i]) < 0.26 && Math.abs(after[3 * i + 1]) < 0.26)
        expect(after[3 * i + 2]).toBeGreaterThan(0.743);
    expect(await strain()).toBeLessThan(0.02);
  });

  test("fifty changes taken back give the same scene and the same hash after 1 s, and so does its link", async () => {
    await create(async () => {
      await page.getByLabel("Shape").getByText("Rectangle").click();
      await page.getByRole("dialog").getByLabel("Points").fill("120");
    });
    await made("cloth", 1, 0);
    const hash = async (): Promise<string> => {
      await page.getByRole("button", { name: "Reset", exact: true }).click();
      await until(page, "lane.line.value.steps === 0 && lane.finished.value === null");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await until(page, "lane.finished.value !== null");
      await page.getByRole("button", { name: "Pause", exact: true }).click();
      return ask(page, "lane.finished.value.hash");
    };
    await type("Length of the scene in s", "1");
    await until(page, "lane.opened.value.scene.seconds === 1");
    const text = await ask<string>(page, "JSON.stringify(studio.input.value)");
    const first = await hash();
    for (let k = 0; k < 25; k++) {
      await page.getByRole("button", { name: "Sphere", exact: true }).click();
      await page.getByLabel("Hold by name").selectOption("corner top-left");
    }
    expect(await ask(page, "studio.input.value.colliders.length")).toBe(26);
    expect(await ask(page, "studio.input.value.pins.length")).toBe(25);
    await page.locator(".stage canvas").focus();
    for (let k = 0; k < 50; k++) await page.keyboard.press("Control+z");
    expect(await ask(page, "JSON.stringify(studio.input.value)")).toBe(text);
    await made("cloth", 1, 0);
    expect(await hash()).toBe(first);

    // the same scene from its link
    const link = await ask<string>(page, "studio.link()");
    const other = await page.context().newPage();
    await other.goto(link);
    await ready(other);
    await other.getByRole("button", { name: "Run", exact: true }).click();
    await until(other, "lane.finished.value !== null");
    expect(await ask<number>(other, "lane.finished.value.time")).toBeCloseTo(1, 9);
    expect(await ask(other, "lane.finished.value.hash")).toBe(first);
    await other.close();
  });

  test("the text beside it: typing changes the scene, changing the scene changes the text", async () => {
    await page.getByRole("tab", { name: "Text" }).click();
    const area = page.getByLabel("The scene as YAML");
    await expect.poll(() => area.inputValue()).toContain("points: 120");
    await area.fill((await area.inputValue()).replace("points: 120", "points: 150"));
    await until(page, "lane.opened.value.sheet.n === 150 && lane.state.value === 'ready'");
    await area.fill((await area.inputValue()).replace("points: 150", "points: many"));
    await page.getByText("sheet.sampling.points").waitFor();
    expect(await ask(page, "studio.input.value.sheet.sampling.points")).toBe(150);
    await page.locator(".stage canvas").focus();
    await page.keyboard.press("Control+z");
    await expect.poll(() => area.inputValue()).toContain("points: 120");
    await page.getByRole("tab", { name: "Make" }).click();
  });

  test("a dropped pattern becomes a garment, a dropped mesh asks what it is", async () => {
    const folder = mkdtempSync(join(tmpdir(), "studio-make-"));
    const pattern = new URL("../../docs/guide/patterns/flared-skirt.svg", import.meta.url);
    writeFileSync(join(folder, "flared-skirt.svg"), readFileSync(pattern));
    await page.setInputFiles("#open-file", join(folder, "flared-skirt.svg"));
    await until(
      page,
      `lane.state.value === "ready" && lane.opened.value.scene.sheets[0].shape.type === "garment" && studio.input.value.description.includes("flared-skirt.svg")`,
    );
    expect(await page.locator(".flat-edge").count()).toBeGreaterThan(5);
    // covered until what one sees is what is named
    const covered = page.locator(".cover");
    if (await ask(page, `studio.pictured.value !== "flared-skirt"`))
      expect(
        (await covered.count()) === 1 ||
          (await ask(page, `studio.pictured.value`)) === "flared-skirt",
      ).toBe(true);
    await until(page, `studio.pictured.value === "flared-skirt"`);
    await expect.poll(() => covered.count()).toBe(0);
    await picture(page, "pattern-dropped");

    // its grain, by keys and by hand; the print turns with it, and nothing starts anew
    await page.getByRole("tab", { name: "Look" }).click();
    await page.getByLabel("Print").selectOption("stripes");
    await page.getByRole("tab", { name: "Pattern" }).click();
    await page.getByRole("button", { name: "Step", exact: true }).click();
    await until(page, "lane.line.value.steps === 1 && theatre.time() > 0");
    await page.waitForTimeout(1000);
    const canvas = page.locator(".stage canvas");
    const straight = await canvas.screenshot();
    const grains = (): Promise<(number | null)[]> =>
      ask(page, "studio.input.value.sheet.shape.panels.map(({ grain = null }) => grain)");
    await page.getByRole("slider", { name: "Grain of front" }).focus();
    for (let k = 0; k < 9; k++) await page.keyboard.press("ArrowLeft");
    expect(await grains()).toEqual([45, null]);
    const arrow = (await page.getByRole("slider", { name: "Grain of back" }).boundingBox())!;
    await page.mouse.move(arrow.x + arrow.width / 2, arrow.y + arrow.height / 4);
    await page.mouse.down();
    await page.mouse.move(arrow.x - arrow.height / 2, arrow.y + arrow.height / 2, { steps: 3 });
    await page.mouse.up();
    expect(await grains()).toEqual([45, 90]);
    await until(page, "lane.opened.value.scene.sheets[0].shape.panels[1].grain > 1.5");
    // the picture turns as soon as the painter gets to it
    await expect
      .poll(async () => (await canvas.screenshot()).equals(straight), { timeout: 20_000 })
      .toBe(false);
    expect(await ask(page, "lane.line.value.steps")).toBe(1);
    await page.keyboard.press("Control+z");
    expect(await grains()).toEqual([45, null]);

    const box =
      "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nv 0 0 1\nf 1 4 3 2\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n";
    writeFileSync(join(folder, "tent.obj"), box);
    await page.setInputFiles("#open-file", join(folder, "tent.obj"));
    await page.getByRole("button", { name: "Body", exact: true }).click();
    await until(
      page,
      `lane.state.value === "ready" && lane.opened.value.scene.colliders.at(-1)?.name === "tent"`,
    );
    expect(await ask(page, "studio.input.value.sheet.shape.type")).toBe("garment"); // still there
    // the camera holds it
    const outside = await ask(
      page,
      `(() => { const { left, right, top, bottom } = document.querySelector(".stage").getBoundingClientRect();
        return [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 1]]
          .map((own) => theatre.project(own.map((x, c) => x + theatre.poses()[12 * (theatre.poses().length / 12 - 1) + 9 + c])))
          .filter(({ x, y }) => x < left || x > right || y < top || y > bottom); })()`,
    );
    expect(outside).toEqual([]);
  });

  test("shortcuts work after clicks on buttons, radios and sliders", async () => {
    await page.keyboard.press("s"); // the gallery, if it is not open
    if (!(await page.getByRole("navigation", { name: "Scenes" }).isVisible()))
      await page.keyboard.press("s");
    await page.getByLabel("Search scenes").fill("cantilever");
    expect(await page.locator(".card").count()).toBe(1);
    await page.locator(".card").click();
    await until(
      page,
      `lane.opened.value.scene.name === "cantilever" && lane.state.value === "ready"`,
    );
    const running = (): Promise<boolean> => ask(page, "studio.running.value");
    expect(await running()).toBe(false); // reduced motion
    await page.keyboard.press("Space"); // would restart the scene if it pressed the card again
    expect(await running()).toBe(true);
    await until(page, "lane.line.value.time > 0.1");
    await page.keyboard.press("Space");
    expect(await running()).toBe(false);
    expect(await ask<number>(page, "lane.line.value.time")).toBeGreaterThan(0.05);
    await page.getByText("hinge", { exact: true }).click();
    await page.keyboard.press("w");
    expect(await ask(page, "studio.wire.value")).toBe(true);
    await page.getByLabel("Drag, slider").click();
    await page.keyboard.press("w");
    expect(await ask(page, "studio.wire.value")).toBe(false);
    // a tolerance only where something is projected to it
    await page.getByRole("tab", { name: "Sheet" }).click();
    expect(await page.getByLabel("Tolerance, slider").count()).toBe(0);
    await page.getByLabel("Solver", { exact: true }).selectOption("paper");
    await page.getByLabel("Tolerance, slider").waitFor();
    await page.locator(".stage canvas").focus();
    await page.keyboard.press("Control+z");
    await page.getByRole("tab", { name: "Make" }).click();
  });

  test("a lesson, and a sweep: the stiffer a strip, the less it hangs, and its clamp carries its weight", async () => {
    await page.getByLabel("Search scenes").fill("stick out");
    await page.getByRole("button", { name: "How far does it stick out?" }).click();
    await made("lesson-cantilever-length", 0, 1);
    await page.getByRole("tab", { name: "Charts" }).click();
    await page.getByLabel("Values").fill("5");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Sweep", exact: true }).click();
    const plot = page.locator(".xy").nth(1);
    const points = async (): Promise<[number, number][]> =>
      JSON.parse((await plot.getAttribute("data-points")) ?? "[]");
    await expect.poll(async () => (await points()).length, { timeout: 60_000 }).toBe(5);
    const hangs = await points();
    for (let k = 1; k < hangs.length; k++) expect(hangs[k][1]).toBeLessThan(hangs[k - 1][1]);
    expect(hangs[4][0] / hangs[0][0]).toBeCloseTo(100, 3);
    await plot.scrollIntoViewIfNeeded();
    await picture(page, "lesson-sweep");
    await page.getByLabel("Up, at rest").selectOption("force of clamp");
    const { density } = await ask<{ density: number }>(
      page,
      "lane.opened.value.scene.sheets[0].material",
    );
    const weight = density * 0.2 * 0.08 * 9.81;
    for (const [, force] of await points())
      expect(Math.abs(force / weight - 1)).toBeLessThan(0.002);
    await page.getByRole("tab", { name: "Make" }).click();
    await page.getByLabel("Search scenes").fill("");
  });

  test("a point is held and led by keyboard", async () => {
    await page.locator(".stage canvas").focus();
    await page.keyboard.press("h");
    await until(page, "studio.grip.value !== null");
    const point = await ask<number>(page, "studio.grip.value.point");
    const height = `theatre.positions()[${3 * point + 2}]`;
    const before = await ask<number>(page, height);
    for (let k = 0; k < 6; k++) await page.keyboard.press("ArrowUp");
    await until(page, `${height} > ${before} + 0.04`);
    await page.keyboard.press("Enter");
    expect(await ask(page, "studio.grip.value")).toBe(null);
  });

  test("axe finds nothing, whatever is open", async () => {
    const axe = readFileSync(
      new URL("../../node_modules/axe-core/axe.min.js", import.meta.url),
      "utf8",
    );
    await page.evaluate(axe);
    const check = async (state: string): Promise<void> => {
      const found = (await page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))",
      )) as string[];
      expect(found, state).toEqual([]);
    };
    for (const tab of ["make", "sheet", "look", "charts", "text", "keep"]) {
      await page.click(`[data-tab=${tab}]`);
      await page.waitForSelector(".panel-body > *");
      await check(tab);
    }
    await page.click("[data-tab=make]");
    await page.locator(".stage canvas").focus();
    await page.keyboard.press("n");
    await page.getByRole("dialog").waitFor();
    await check("new scene");
    await page.getByLabel("Shape").getByText("Skirt").click();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await made("skirt", 1, 0);
    await check("pattern");
    await page.keyboard.press("t");
    await check("dark");
  });

  test("nothing was complained of", () => {
    expect(studio.complaints).toEqual([]);
  });
});
