/** The static site: every page has what it links to, and the studio in it runs without a server's headers. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { library } from "../../src/scenes.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const out = join(mkdtempSync(join(tmpdir(), "site-")), "site");

beforeAll(() => {
  execFileSync("node", [join(root, "scripts/build-site.mjs"), "--out", out, "--no-api"]);
});

/** Pages that the site's own script writes. */
function pages(): string[] {
  return (readdirSync(out, { recursive: true, encoding: "utf8" }) as string[]).filter(
    (name) => name.endsWith(".html") && !name.startsWith("studio"),
  );
}

describe("the site", () => {
  test("has the guide, the gallery and the studio", () => {
    for (const name of ["index.html", "guide/index.html", "guide/studio.html", "gallery.html"])
      expect(pages()).toContain(name);
    expect(existsSync(join(out, "studio", "index.html"))).toBe(true);
    const gallery = readFileSync(join(out, "gallery.html"), "utf8");
    for (const { name } of library) expect(gallery).toContain(`#scene=${name}&`);
    expect(gallery.match(/<img /g)?.length).toBe(library.length); // a picture of every scene
  });

  test("links to nothing that is not there", () => {
    const missing: string[] = [];
    for (const name of pages()) {
      const html = readFileSync(join(out, name), "utf8");
      for (const [, to] of html.matchAll(/(?:href|src)="([^"#?]+)/g)) {
        if (/^(https?:|mailto:)/.test(to) || to.includes("api/index.html")) continue;
        const target = join(out, dirname(name), decodeURIComponent(to));
        // files of the repository beside the guide are not part of the site
        if (!existsSync(target)) missing.push(`${name}: ${to}`);
      }
    }
    expect(missing).toEqual([]);
  });
});
