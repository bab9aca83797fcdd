/**
 * Reports as one HTML file: no scripts, no outside links, light and dark, readable on a phone.
 *
 * A report is data, sections of blocks; every word is escaped here, so callers pass plain text. Pictures
 * are data URIs, plots inline SVG whose ink is the page's (plots.ts). A content policy in the page's head
 * forbids it to load anything, so that "self-contained" is enforced by whoever opens it.
 *
 * The trap: SVGs name their clip paths clip0, clip1, …, each for itself. In one page they would clip each
 * other, so every SVG gets its own prefix.
 */

export type Tone = "good" | "warn" | "bad" | "quiet";
export type Cell = string | number | { text: string; tone?: Tone };

export type Block =
  | { type: "text"; text: string }
  /** Names and values in two columns. */
  | { type: "facts"; facts: readonly (readonly [string, Cell])[] }
  | {
      type: "table";
      columns: readonly string[];
      rows: readonly (readonly Cell[])[];
      caption?: string;
    }
  /** src: a data URI. */
  | { type: "picture"; src: string; alt: string; caption?: string }
  | { type: "plot"; svg: string; caption?: string }
  | { type: "note"; tone: Tone; text: string }
  | { type: "code"; text: string }
  /** Blocks beside each other as far as the screen is wide. */
  | { type: "row"; blocks: readonly Block[] }
  /** The same for many small ones. */
  | { type: "tiles"; blocks: readonly Block[] }
  /** Closed until clicked. */
  | { type: "more"; summary: string; blocks: readonly Block[] };

export interface Section {
  heading: string;
  blocks: readonly Block[];
}

export interface Report {
  title: string;
  /** One or two sentences: what this is and how it went. */
  lead?: string;
  sections: readonly Section[];
  footer?: string;
}

/** @example reportPage({ title: "Locking", sections: [{ heading: "Result", blocks: [{ type: "text", text: "None." }] }] }) */
export function reportPage({ title, lead, sections, footer }: Report): string {
  const svgs = { count: 0 };
  const ids = headingIds(sections.map((s) => s.heading));
  const contents =
    sections.length > 3
      ? `<nav><ul>${sections.map((s, i) => `<li><a href="#${ids[i]}">${escaped(s.heading)}</a></li>`).join("")}</ul></nav>`
      : "";
  const body = sections.map(
    ({ heading, blocks }, i) =>
      `<section id="${ids[i]}"><h2>${escaped(heading)}</h2>\n${blocks.map((b) => html(b, svgs)).join("\n")}\n</section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header><h1>${escaped(title)}</h1>${lead ? `<p class="lead">${escaped(lead)}</p>` : ""}${contents}</header>
${body.join("\n")}
${footer ? `<footer>${escaped(footer)}</footer>` : ""}
</main>
</body>
</html>
`;
}

/** Text that means itself in HTML, also within quotes. */
export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/**
 * A number as people write it: three digits, a power of ten where zeros would pile up, a true minus.
 * @example shown(0.000123) // "1.23·10⁻⁴"
 */
export function shown(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "not a number" : value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return String(value).replace("-", "−");
  if (size >= 1e-3 && size < 1e6) {
    const text = value.toPrecision(Math.max(digits, Math.floor(Math.log10(size)) + 1));
    return (text.includes(".") ? text.replace(/\.?0+$/, "") : text).replace("-", "−");
  }
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const raised = [...power.replace("+", "")].map((c) =>
    c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)],
  );
  return `${mantissa.replace(/\.?0+$/, "").replace("-", "−")}·10${raised.join("")}`;
}

function html(block: Block, svgs: { count: number }): string {
  switch (block.type) {
    case "text":
      return block.text
        .split(/\n{2,}/)
        .map((p) => `<p>${escaped(p)}</p>`)
        .join("\n");
    case "facts":
      return `<dl>${block.facts.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd${tone(value)}>${cell(value)}</dd></div>`).join("")}</dl>`;
    case "table": {
      const numeric = block.columns.map(
        (_, c) => block.rows.length > 0 && block.rows.every((row) => typeof row[c] === "number"),
      );
      const side = (c: number): string => (numeric[c] ? ' class="number"' : "");
      const head = block.columns.map(
        (name, c) => `<th scope="col"${side(c)}>${escaped(name)}</th>`,
      );
      const rows = block.rows.map(
        (row) =>
          `<tr>${row.map((value, c) => `<td${tone(value) || side(c)}>${cell(value)}</td>`).join("")}</tr>`,
      );
      const caption = block.caption ? `<caption>${escaped(block.caption)}</caption>` : "";
      return `<div class="wide"><table>${caption}<thead><tr>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
    }
    case "picture":
      return `<figure><img src="${escaped(block.src)}" alt="${escaped(block.alt)}">${captioned(block.caption)}</figure>`;
    case "plot":
      return `<figure class="plot">${ownNames(block.svg, svgs.count++)}${captioned(block.caption)}</figure>`;
    case "note":
      return `<p class="note ${block.tone}">${escaped(block.text)}</p>`;
    case "code":
      return `<pre><code>${escaped(block.text)}</code></pre>`;
    case "row":
    case "tiles":
      return `<div class="${block.type}">${block.blocks.map((b) => html(b, svgs)).join("\n")}</div>`;
    case "more":
      return `<details><summary>${escaped(block.summary)}</summary>${block.blocks.map((b) => html(b, svgs)).join("\n")}</details>`;
  }
}

function cell(value: Cell): string {
  return escaped(
    typeof value === "number" ? shown(value) : typeof value === "string" ? value : value.text,
  );
}

function tone(value: Cell): string {
  return typeof value === "object" && value.tone ? ` class="${value.tone}"` : "";
}

function captioned(caption: string | undefined): string {
  return caption ? `<figcaption>${escaped(caption)}</figcaption>` : "";
}

function ownNames(svg: string, which: number): string {
  return svg
    .replace(/^<\?xml[^>]*\?>\s*/, "")
    .replace(/\bid="([^"]+)"/g, `id="plot${which}-$1"`)
    .replace(/url\((['"]?)#([^)'"]+)\1\)/g, `url(#plot${which}-$2)`)
    .replace(/\bhref="#([^"]+)"/g, `href="#plot${which}-$1"`);
}

/** Names for links that are unique even when headings are not. */
function headingIds(headings: readonly string[]): string[] {
  const taken = new Set<string>();
  return headings.map((heading) => {
    const base =
      heading
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, "") || "part";
    let id = base;
    for (let n = 2; taken.has(id); n++) id = `${base}-${n}`;
    taken.add(id);
    return id;
  });
}

const STYLE = `
:root { color-scheme: light dark; --ink: #2b2926; --soft: #6e675e; --paper: #faf8f5; --card: #ffffff; --rule: #e2ddd5;
  --good: #2e6b3c; --warn: #8a5a00; --bad: #a3261d; --good-bg: #e8f2e9; --warn-bg: #fbf1dc; --bad-bg: #fbe7e4; --link: #2b639b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9e5de; --soft: #a69f94; --paper: #191816; --card: #22201e; --rule: #3a3733;
  --good: #8fce9c; --warn: #e8bf6a; --bad: #f09a8f; --good-bg: #1f2f22; --warn-bg: #342b17; --bad-bg: #3a2120; --link: #8fbbe8; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; overflow-wrap: break-word; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0.5rem 0; font-weight: 650; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem; padding-top: 1rem; border-top: 1px solid var(--rule); font-weight: 620; }
p { max-width: 46rem; margin: 0.6rem 0; }
a { color: var(--link); }
.lead { font-size: 1.1rem; color: var(--soft); }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; list-style: none; padding: 0; margin: 1rem 0 0; }
figure { margin: 1rem 0; min-width: 0; }
figure img { display: block; width: 100%; height: auto; border-radius: 6px; }
figcaption { color: var(--soft); font-size: 0.9rem; margin-top: 0.4rem; }
.plot { background: var(--card); border: 1px solid var(--rule); border-radius: 6px; padding: 0.5rem; }
.plot svg { display: block; width: 100%; height: auto; max-width: 46rem; }
.plot figcaption { padding: 0 0.5rem 0.25rem; }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); gap: 0 1rem; align-items: start; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 12rem), 1fr)); gap: 0 1rem; align-items: start; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.95rem; margin: 0.75rem 0; min-width: 50%; }
caption { text-align: left; color: var(--soft); padding-bottom: 0.4rem; }
th, td { text-align: left; padding: 0.35rem 1.25rem 0.35rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { font-weight: 600; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); gap: 0 3rem; margin: 0.75rem 0; }
dl > div { display: flex; justify-content: space-between; gap: 1rem; border-bottom: 1px solid var(--rule); padding: 0.3rem 0; }
dt { color: var(--soft); }
dd { margin: 0; flex: none; max-width: 62%; text-align: right; font-variant-numeric: tabular-nums; }
.note { padding: 0.6rem 0.9rem; border-radius: 6px; background: var(--card); border-left: 4px solid var(--rule); }
.note.good { background: var(--good-bg); border-color: var(--good); }
.note.warn { background: var(--warn-bg); border-color: var(--warn); }
.note.bad { background: var(--bad-bg); border-color: var(--bad); }
td.good, dd.good { color: var(--good); font-weight: 600; }
td.warn, dd.warn { color: var(--warn); font-weight: 600; }
td.bad, dd.bad { color: var(--bad); font-weight: 600; }
td.quiet, dd.quiet { color: var(--soft); }
pre { overflow-x: auto; background: var(--card); border: 1px solid var(--rule); border-radius: 6px; padding: 0.75rem; font-size: 0.85rem; line-height: 1.45; }
summary { cursor: pointer; color: var(--link); padding: 0.4rem 0; }
footer { margin-top: 3rem; color: var(--soft); font-size: 0.9rem; }
@media print { nav { display: none; } figure { break-inside: avoid; } }
`;
