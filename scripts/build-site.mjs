/**
 * `npm run site`: one folder of static files in out/site that needs no server of its own: the guide as pages, a gallery
 * of all built-in scenes with links that open them, the API pages, and the studio itself.
 *
 *   npm run build && npm run site [-- --out DIR] [--no-api]
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import MarkdownIt from "markdown-it";
import { Application } from "typedoc";
import { build } from "vite";
import { library } from "../dist/scenes.js";

/** Links to sources, examples and the container file. */
const SOURCES = /<a href="(?:\.\.\/)*(?:src|examples|tests|Containerfile)[^"]*">(.*?)<\/a>/g;

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { values } = parseArgs({
  options: { out: { type: "string" }, "no-api": { type: "boolean" } },
});
const out = values.out ?? join(root, "out", "site");
const markdown = new MarkdownIt({ html: false, linkify: true });

/** The colours of the studio. */
const STYLE = `
:root { --ink: #2b2926; --soft: #6b655d; --paper: #faf8f4; --raised: #fff; --line: #e3ddd3; --accent: #a93f28 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eeeae3; --soft: #a9a299; --paper: #211f1c; --raised: #2b2825; --line: #37332e; --accent: #e8825f }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif }
nav { display: flex; flex-wrap: wrap; gap: 4px 20px; padding: 14px 24px; border-bottom: 1px solid var(--line) }
nav a:first-child { font-weight: 650 }
a { color: var(--accent) }
nav a { color: var(--ink); text-decoration: none }
main { max-width: 860px; margin: 0 auto; padding: 24px 24px 80px; overflow-wrap: anywhere }
img { max-width: 100%; height: auto; border-radius: 8px }
pre { overflow-x: auto; padding: 12px 14px; border-radius: 8px; background: var(--raised); border: 1px solid var(--line); font-size: 13.5px }
code { font-size: 0.92em }
table { display: block; overflow-x: auto; border-collapse: collapse }
th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); text-align: left }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 16px }
.card { display: grid; gap: 2px; padding: 10px; border: 1px solid var(--line); border-radius: 12px; background: var(--raised); color: var(--ink); text-decoration: none }
.card span { color: var(--soft); font-size: 14px }
`;

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await buildStudio();
const pages = await buildGuide();
await buildGallery();
if (values["no-api"] !== true) await buildApi();
console.log(`${out}: ${pages} guide pages, ${library.length} scenes, the studio`);

/** The studio, as it is served by `isoplate studio`. */
async function buildStudio() {
  await build({
    configFile: join(root, "studio", "vite.config.ts"),
    root: join(root, "studio"),
    logLevel: "error",
    build: { outDir: join(out, "studio"), emptyOutDir: true },
  });
}

/** Every page of docs/guide, the documents at the root (the README as the first page), and the decisions. */
async function buildGuide() {
  const from = join(root, "docs", "guide");
  await cp(join(from, "images"), join(out, "guide", "images"), { recursive: true });
  await cp(join(from, "patterns"), join(out, "guide", "patterns"), { recursive: true });
  const names = (await readdir(from)).filter((name) => name.endsWith(".md"));
  for (const name of names) {
    const text = await readFile(join(from, name), "utf8");
    const file = name === "README.md" ? "index.html" : name.replace(/\.md$/, ".html");
    await writeFile(join(out, "guide", file), page(titleOf(text, name), body(text), "../"));
  }
  await cp(join(root, "docs", "images"), join(out, "docs", "images"), { recursive: true });
  await buildDecisions();
  for (const name of (await readdir(root)).filter((file) => file.endsWith(".md"))) {
    const text = (await readFile(join(root, name), "utf8")).replaceAll("docs/guide/", "guide/");
    const file = name === "README.md" ? "index.html" : name.replace(/\.md$/, ".html");
    await writeFile(join(out, file), page(titleOf(text, name), body(text), "./"));
  }
  return names.length;
}

/** docs/decisions, with a list of them. */
async function buildDecisions() {
  const from = join(root, "docs", "decisions");
  const to = join(out, "docs", "decisions");
  await mkdir(to, { recursive: true });
  const items = [];
  // what a decision measured with goes along
  await cp(from, to, { recursive: true, filter: (file) => !file.endsWith(".md") });
  for (const name of (await readdir(from)).filter((file) => file.endsWith(".md")).sort()) {
    const text = await readFile(join(from, name), "utf8");
    const file = name.replace(/\.md$/, ".html");
    await writeFile(join(to, file), page(titleOf(text, name), body(text), "../../"));
    items.push(`<li><a href="${file}">${escaped(titleOf(text, name))}</a></li>`);
  }
  const html = `<h1>Decisions</h1><ul>${items.join("")}</ul>`;
  await writeFile(join(to, "index.html"), page("Decisions", html, "../../"));
}

/** All scenes with their pictures; a click opens one in the studio. */
async function buildGallery() {
  const thumbnails = join(root, "studio", "thumbnails");
  await cp(thumbnails, join(out, "gallery"), { recursive: true });
  const pictured = new Set((await readdir(thumbnails)).map((name) => basename(name, ".webp")));
  const cards = library.map(({ name, points, shows }) => {
    const picture = pictured.has(name)
      ? `<img src="gallery/${name}.webp" alt="" width="352" height="264" loading="lazy">`
      : "";
    return `<a class="card" href="studio/index.html#scene=${name}&amp;solver=interactive">${picture}<strong>${escaped(name)}</strong><span>${escaped(shows)}, ${points} points</span></a>`;
  });
  const html = `<h1>Gallery</h1><p>Every built-in scene. A click runs it in the studio, in this browser.</p><div class="cards">${cards.join("")}</div>`;
  await writeFile(join(out, "gallery.html"), page("Gallery", html, "./"));
}

/** The API pages, from the comments of the source. */
async function buildApi() {
  const app = await Application.bootstrapWithPlugins({
    options: join(root, "typedoc.json"),
    out: join(out, "api"),
    logLevel: "Error",
  });
  const project = await app.convert();
  if (project === undefined) throw new Error("the API pages could not be made");
  await app.generateOutputs(project);
}

/** Markdown as HTML; links to other pages become links to their HTML, headings can be linked to. */
function body(text) {
  return markdown
    .render(text)
    .replace(SOURCES, "$1") // files of the repository are not part of the site
    .replace(/<h([1-3])>(.*?)<\/h\1>/g, (_, level, title) => {
      const id = title
        .toLowerCase()
        .replace(/<[^>]*>/g, "")
        .replace(/[^\p{L}\p{N}]+/gu, "-");
      return `<h${level} id="${id}">${title}</h${level}>`;
    })
    .replace(/href="(?!https?:)([^"#]*?)README\.md/g, 'href="$1index.html')
    .replace(/href="(?!https?:)([^"#]*?)\.md/g, 'href="$1.html')
    .replace(/href="docs\/decisions\/?"/g, 'href="docs/decisions/index.html"');
}

function titleOf(text, name) {
  return /^# (.*)$/m.exec(text)?.[1] ?? basename(name, ".md");
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function page(title, html, up) {
  const links = [
    ["index.html", "isoplate"],
    ["guide/index.html", "Guide"],
    ["gallery.html", "Gallery"],
    ["api/index.html", "API"],
    ["studio/index.html", "Studio"],
  ];
  const nav = links.map(([to, name]) => `<a href="${up}${to}">${name}</a>`).join("");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<nav>${nav}</nav>
<main>${html}</main>
</html>
`;
}
