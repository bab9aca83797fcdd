import { expect } from "vitest";

/** Fails unless the text is well-formed XML: tags match, attributes are quoted and unique, entities are known. */
export function wellFormed(xml: string): void {
  const open: string[] = [];
  let rest = xml.replace(/<!--[\s\S]*?-->/g, "").replace(/^<\?xml[^>]*\?>\s*/, "");
  while (rest !== "") {
    const text = /^[^<]+/.exec(rest)?.[0] ?? "";
    expect(text.replace(/&(amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);/gi, "")).not.toMatch(/[&<]/);
    rest = rest.slice(text.length);
    if (rest === "") break;
    const tag = /^<(\/?)([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>/.exec(rest);
    expect(tag, `at: ${rest.slice(0, 120)}`).not.toBeNull();
    const [whole, closes, name, attributes, empty] = tag!;
    const names = [...attributes.matchAll(/([\w:.-]+)="/g)].map(([, n]) => n);
    expect(new Set(names).size, `attributes of <${name}>`).toBe(names.length);
    if (closes) expect(open.pop()).toBe(name);
    else if (!empty) open.push(name);
    rest = rest.slice(whole.length);
  }
  expect(open).toEqual([]);
}
