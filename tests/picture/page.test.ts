import { describe, expect, test } from "vitest";
import { type Block, escaped, reportPage, shown } from "../../src/picture/page.ts";
import { wellFormed } from "./well-formed.ts";

/** Our pages are HTML without optional parts: but for void tags and the doctype they are XML too. */
function asXml(page: string): string {
  return page
    .replace("<!doctype html>", "")
    .replace(/<(meta|img)([^>]*?)>/g, "<$1$2/>")
    .replace(/<style>[\s\S]*?<\/style>/, "<style></style>")
    .trim();
}

const every: Block[] = [
  { type: "text", text: "one\n\ntwo & <three>" },
  {
    type: "facts",
    facts: [
      ["points", 662],
      ["verdict", { text: "good", tone: "good" }],
    ],
  },
  {
    type: "table",
    columns: ["name", "error"],
    rows: [
      ["a", 0.5],
      ["b", 1e-7],
    ],
    caption: "t",
  },
  { type: "picture", src: "data:image/png;base64,AAAA", alt: 'a "quoted" picture', caption: "c" },
  {
    type: "plot",
    svg: '<svg xmlns="http://www.w3.org/2000/svg"><clipPath id="clip0"></clipPath><g clip-path="url(#clip0)"></g></svg>',
  },
  { type: "note", tone: "warn", text: "careful" },
  { type: "code", text: '{"a": "<b>"}' },
  {
    type: "row",
    blocks: [
      { type: "text", text: "left" },
      {
        type: "plot",
        svg: '<svg xmlns="http://www.w3.org/2000/svg"><clipPath id="clip0"></clipPath></svg>',
      },
    ],
  },
  { type: "more", summary: "details", blocks: [{ type: "text", text: "hidden" }] },
];

describe("report pages", () => {
  const page = reportPage({
    title: "Run <1>",
    lead: "It & they",
    sections: ["Result", "Over time", "Numbers", "Result"].map((heading) => ({
      heading,
      blocks: every,
    })),
    footer: "end",
  });

  test("are well-formed, with every kind of block", () => {
    wellFormed(asXml(page));
    for (const word of [
      "Run &lt;1&gt;",
      "It &amp; they",
      "two &amp; &lt;three&gt;",
      "662",
      "1·10⁻⁷",
      "hidden",
    ])
      expect(page).toContain(word);
  });

  test("reach for nothing outside themselves, and forbid it", () => {
    expect(page.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(
      /(src|href)="(?!data:|#)|https?:|@import|url\((?!#)/,
    );
    expect(page).toContain("default-src 'none'");
    expect(page).not.toContain("<script");
  });

  test("clip paths of different plots have different names, and are found", () => {
    const ids = [...page.matchAll(/<clipPath id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of page.matchAll(/url\(#([^)]+)\)/g)) expect(ids).toContain(id);
  });

  test("sections of the same name have links of their own", () => {
    const ids = [...page.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(["result", "over-time", "numbers", "result-2"]);
    for (const id of ids) expect(page).toContain(`href="#${id}"`);
  });

  test("know light and dark, and phones", () => {
    expect(page).toContain("prefers-color-scheme: dark");
    expect(page).toContain('name="viewport"');
  });

  test("whatever words are put in stay words", () => {
    const evil = `"><img src=x onerror=alert(1)>'&`;
    const blocks: Block[] = [
      { type: "text", text: evil },
      { type: "note", tone: "bad", text: evil },
      { type: "code", text: evil },
      { type: "facts", facts: [[evil, evil]] },
      { type: "table", columns: [evil], rows: [[evil]], caption: evil },
      { type: "picture", src: "data:,", alt: evil, caption: evil },
      { type: "more", summary: evil, blocks: [] },
    ];
    const hostile = reportPage({
      title: evil,
      lead: evil,
      sections: [{ heading: evil, blocks }],
      footer: evil,
    });
    wellFormed(asXml(hostile));
    expect(hostile).not.toContain("<img src=x");
    expect(escaped(evil)).toBe("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&#39;&amp;");
  });
});

test("numbers are shown as people write them", () => {
  expect(
    [
      0,
      662,
      -3,
      0.5,
      0.0123456,
      123456.7,
      1234567,
      0.000123,
      -2e-9,
      4.5e12,
      Number.NaN,
      -Infinity,
    ].map((x) => shown(x)),
  ).toEqual([
    "0",
    "662",
    "−3",
    "0.5",
    "0.0123",
    "123457",
    "1234567",
    "1.23·10⁻⁴",
    "−2·10⁻⁹",
    "4.5·10¹²",
    "not a number",
    "−∞",
  ]);
});
