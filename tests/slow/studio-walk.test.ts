/**
 * The walk of docs/guide/studio.md, by what the page shows and nothing else: a draped cloth, a stiffer material, a film.
 * With PICTURES=1 it takes the pictures of that page.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BUSY } from "./needs.ts";
import { ask, picture, picturesWanted, ready, still, tell, until, visit } from "./studio-page.ts";

test("a new user drapes a cloth, makes it stiffer and takes a film home", {
  ...BUSY,
  timeout: 1_800_000,
}, async () => {
  const { page, complaints, end } = await visit({ viewport: { width: 1200, height: 750 } });
  try {
    // 1: it runs by itself, and says what to do
    await ready(page);
    await until(page, "theatre.time() > 0.9");
    expect(await page.getByText("Take hold of the sheet").isVisible()).toBe(true);
    await picture(page, "studio-first");

    // 2: take hold of it, by the corner that is lowest in the picture
    const at = await ask<{ x: number; y: number }>(
      page,
      `(() => { const P = theatre.positions();
        const at = Array.from({ length: P.length / 3 }, (_, i) => theatre.project([P[3 * i], P[3 * i + 1], P[3 * i + 2]]));
        return at.reduce((low, own) => (own.y > low.y ? own : low)); })()`,
    );
    await page.mouse.move(at.x, at.y - 14);
    await page.mouse.down();
    expect(await page.getAttribute("canvas", "data-holding")).not.toBe(null);
    const from = await ask<number>(page, "lane.line.value.time");
    const eye = await ask(page, "theatre.camera.eye");
    for (let k = 1; k <= 8; k++) await page.mouse.move(at.x + 18 * k, at.y - 14 - 11 * k);
    expect(await ask(page, "theatre.camera.eye")).toEqual(eye); // the hand leads the cloth, not the camera
    await until(page, `theatre.time() > ${from + 0.8}`);
    await picture(page, "studio-hold");
    await page.mouse.up();

    // 3: a draped cloth, from the scenes
    if (!(await page.getByRole("navigation", { name: "Scenes" }).isVisible()))
      await page.getByRole("button", { name: "Scenes" }).first().click();
    await page.getByRole("button", { name: /Drape sphere/ }).click();
    await until(
      page,
      `lane.opened.value?.scene.name === "drape-sphere" && lane.state.value === "ready"`,
    );
    await until(page, `theatre.time() > ${picturesWanted ? 2 : 0.6}`);
    await picture(page, "studio-drape");
    const limp = await ask<number>(page, "lane.opened.value.scene.sheets[0].material.D");

    // 4: stiffer
    await page.getByRole("tab", { name: "Sheet" }).click();
    await page.getByRole("button", { name: "leather" }).click();
    await until(page, `lane.opened.value.scene.sheets[0].material.D > ${10 * limp}`);
    const changed = await ask<number>(page, "lane.line.value.time");
    await until(page, `theatre.time() > ${changed + (picturesWanted ? 1.5 : 0.3)}`);
    expect(Number(await page.getAttribute(".badge", "data-strain"))).toBeLessThan(0.02);
    await picture(page, "studio-stiffer");

    // 5: what the colours say
    await page.getByRole("tab", { name: "Look" }).click();
    await page.getByText("Edge strain").click();
    await page.waitForSelector(".legend");
    await picture(page, "studio-strain");
    await page.getByText("Material", { exact: true }).click();

    // 6: a film
    await still(page);
    await page.getByRole("tab", { name: "Keep" }).click();
    await page.getByLabel("Size").selectOption("960 × 540");
    const download = page.waitForEvent("download", { timeout: 500_000 });
    await page.getByRole("button", { name: "Film" }).click();
    const film = await download;
    expect(film.suggestedFilename()).toMatch(/^drape-sphere\.(mp4|webm)$/);
    expect(readFileSync(await film.path()).length).toBeGreaterThan(5000);
    await page.getByText(/saved$/).waitFor();
    await picture(page, "studio-film");

    // 7: the same scene by three methods, and converged
    await tell(page, `studio.openLibrary("pinned-cloth")`);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("menuitem", { name: /Methods/ }).click();
    await until(
      page,
      "studio.lanes.value.length === 4 && studio.lanes.value.every(l => l.state.value === 'ready')",
    );
    await tell(page, `studio.setOverlay("edge-strain")`);
    await until(page, `theatre.time(2) > ${picturesWanted ? 1.5 : 0.1}`);
    await picture(page, "studio-compare");
    expect(complaints).toEqual([]);
  } finally {
    await end();
  }
});
