/**
 * A scanner for the XML of SVG files: no entities, no DTD, nothing is fetched. It goes through the text once.
 */
import { FileError, quoted } from "./file-error.ts";

const MOST_ELEMENTS = 100_000;
export const DEEPEST = 200;

export interface Element {
  /** Lower case, without a namespace. */
  name: string;
  attributes: Map<string, string>;
  place: string;
  children: Element[];
}

/** The elements of a text. Unmatched ends are forgiven, as browsers do. */
export function elementTree(text: string): Element {
  let root: Element | null = null;
  const open: Element[] = [];
  const openByName = new Map<string, number>();
  let count = 0;
  const close = (): void => {
    const { name } = open.pop()!;
    openByName.set(name, openByName.get(name)! - 1);
  };
  for (const tag of tags(text)) {
    if (tag.kind === "close") {
      if ((openByName.get(tag.name) ?? 0) === 0) continue;
      while (open.at(-1)!.name !== tag.name) close();
      close();
      continue;
    }
    if (++count > MOST_ELEMENTS)
      throw new FileError(
        "SVG",
        tag.place,
        "too many elements",
        `a drawing may have ${MOST_ELEMENTS}`,
      );
    const { name, attributes, place } = tag;
    const element: Element = { name, attributes, place, children: [] };
    if (root === null) {
      if (name !== "svg")
        throw new FileError("SVG", place, `starts with <${name.slice(0, 20)}>`, "needs <svg>");
      root = element;
    }
    open.at(-1)?.children.push(element);
    if (tag.empty) continue;
    open.push(element);
    openByName.set(name, (openByName.get(name) ?? 0) + 1);
    if (open.length > 1000) throw new FileError("SVG", place, "nested more than 1000 deep");
  }
  if (root === null) throw new FileError("SVG", "line 1", "has no <svg>");
  return root;
}

interface Tag {
  kind: "open" | "close";
  /** Lower case, without a namespace. */
  name: string;
  attributes: Map<string, string>;
  /** <…/> */
  empty: boolean;
  place: string;
}

/** The tags of an XML text in order; comments, CDATA, declarations and text between them are passed over. */
function* tags(text: string): Generator<Tag> {
  let line = 1;
  let newline = text.indexOf("\n"); // the next one that is not counted yet, −1 after the last
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    for (; newline >= 0 && newline < at; newline = text.indexOf("\n", newline + 1)) line++;
    const place = `line ${line}`;
    const past = (end: string): number => {
      const found = text.indexOf(end, at + 2);
      if (found < 0)
        throw new FileError(
          "SVG",
          place,
          `${quoted(text.slice(at, at + 20))} does not end`,
          `needs ${end}`,
        );
      return found + end.length;
    };
    if (text.startsWith("<!--", at)) at = past("-->");
    else if (text.startsWith("<![CDATA[", at)) at = past("]]>");
    else if (text.startsWith("<?", at)) at = past("?>");
    else if (text.startsWith("<!", at)) at = past(">");
    else {
      const end = tagEnd(text, at);
      if (end < 0)
        throw new FileError(
          "SVG",
          place,
          `${quoted(text.slice(at, at + 20))} does not end`,
          "needs >",
        );
      const inner = text.slice(at + 1, end);
      at = end + 1;
      const close = inner.startsWith("/");
      const empty = !close && inner.endsWith("/");
      const body = inner.slice(close ? 1 : 0, empty ? -1 : undefined);
      const full = /^[^\s/>]+/.exec(body)?.[0] ?? "";
      yield {
        kind: close ? "close" : "open",
        name: full.slice(full.indexOf(":") + 1).toLowerCase(),
        attributes: close ? new Map() : attributesOf(body.slice(full.length)),
        empty,
        place,
      };
    }
  }
}

/** The > that ends a tag, not one within quotes. */
function tagEnd(text: string, at: number): number {
  let quote = "";
  for (let k = at + 1; k < text.length; k++) {
    const c = text[k];
    if (quote !== "") {
      if (c === quote) quote = "";
    } else if (c === '"' || c === "'") quote = c;
    else if (c === ">") return k;
  }
  return -1;
}

/** key="value" or key='value', any number of them; what is neither is passed over. */
function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const equals = text.indexOf("=", at);
    if (equals < 0) break;
    const key = /[^\s/"'=]{1,100}\s{0,100}$/.exec(text.slice(Math.max(at, equals - 200), equals));
    let quote = equals + 1;
    while (quote < text.length && text.charCodeAt(quote) <= 32) quote++;
    const mark = text[quote];
    const end = mark === '"' || mark === "'" ? text.indexOf(mark, quote + 1) : -1;
    if (end < 0) {
      at = equals + 1;
      if (mark === '"' || mark === "'") break; // does not end
      continue;
    }
    const name = key?.[0].trim();
    if (name !== undefined && !attributes.has(name))
      attributes.set(name, unescaped(text.slice(quote + 1, end)));
    at = end + 1;
  }
  return attributes;
}

function unescaped(text: string): string {
  const names: ReadonlyMap<string, string> = new Map([
    ["lt", "<"],
    ["gt", ">"],
    ["amp", "&"],
    ["quot", '"'],
    ["apos", "'"],
  ]);
  return text.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => names.get(name)!);
}
