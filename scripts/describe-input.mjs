/**
 * Writes the descriptions, units, ranges and defaults of schema.json into the comments of src/scene/input.ts, so that editors show them:
 * node scripts/describe-input.mjs [--check]
 *
 * Their one source are src/scene/schema.ts (ranges, units, defaults) and descriptions.ts (texts), printed by `isoplate schema`; `--check` fails if the comments differ from it.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const FILE = `${root}src/scene/input.ts`;
const schema = JSON.parse(readFileSync(`${root}schema.json`, "utf8"));
const before = readFileSync(FILE, "utf8");
const source = ts.createSourceFile(FILE, before, ts.ScriptTarget.Latest, true);

const declared = new Map();
source.forEachChild((node) => {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
    declared.set(node.name.text, node);
});

/** All schemas of objects that a schema stands for: references followed, alternatives and lists opened. */
function objects(node) {
  if (node === undefined) return [];
  if (node.$ref) return objects(definition(node));
  const inner = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.items ? [node.items] : [])];
  if (node.additionalProperties && typeof node.additionalProperties === "object")
    inner.push(node.additionalProperties);
  return [...(node.properties ? [node] : []), ...inner.flatMap(objects)];
}

function definition({ $ref }) {
  return $ref ? schema.$defs[$ref.split("/").pop()] : {};
}

/** One line: what it is, its unit, its range, its default. */
function described(node) {
  const { default: usual } = node;
  // a field that may be null, or that refers to a definition, has its description inside
  const forms = [node, ...(node.anyOf ?? [])].map((form) => ({ ...definition(form), ...form }));
  const { description } = forms.find((form) => form.description) ?? {};
  if (!description) return null;
  const ranged = forms.find(({ minimum }) => minimum !== undefined);
  const range =
    ranged?.maximum !== undefined && Math.abs(ranged.maximum) < 1e15
      ? ` ${ranged.minimum} … ${ranged.maximum}.`
      : "";
  const given = usual === undefined || typeof usual === "object" ? "" : ` Default: ${usual}.`;
  return `/** ${description.replace(/\*\//g, "* /")}${range}${given} */`;
}

const edits = [];
const seen = new Set();

function visitType(type, schemas) {
  if (type === undefined || schemas.length === 0) return;
  if (ts.isTypeLiteralNode(type)) visitMembers(type.members, schemas);
  else if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type))
    for (const part of type.types) visitType(part, schemas);
  else if (ts.isParenthesizedTypeNode(type)) visitType(type.type, schemas);
  else if (ts.isArrayTypeNode(type)) visitType(type.elementType, schemas);
  else if (ts.isTypeReferenceNode(type)) {
    const name = type.typeName.getText();
    for (const argument of type.typeArguments ?? []) visitType(argument, schemas);
    const declaration = declared.get(name);
    if (declaration === undefined || seen.has(name)) return;
    seen.add(name);
    if (ts.isInterfaceDeclaration(declaration)) visitMembers(declaration.members, schemas);
    else visitType(declaration.type, schemas);
  }
}

function visitMembers(members, schemas) {
  const tag = members.find((member) => member.name?.getText() === "type");
  const literal = tag?.type && ts.isLiteralTypeNode(tag.type) ? tag.type.literal.text : undefined;
  const fitting = schemas.filter(
    ({ properties }) => literal === undefined || properties.type?.const === literal,
  );
  for (const member of members) {
    const found = fitting.flatMap(({ properties }) => properties[member.name.getText()] ?? []);
    const comment = found.map(described).find((text) => text !== null);
    if (comment) edits.push({ member, comment });
    visitType(member.type, found.flatMap(objects));
  }
}

seen.add("SceneInput");
visitMembers(declared.get("SceneInput").members, objects(schema));

let text = before;
for (const { member, comment } of edits.sort((a, b) => b.member.pos - a.member.pos)) {
  const [first] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
  const start = first?.pos ?? member.getStart();
  text = `${text.slice(0, start)}\n${comment}\n${text.slice(member.getStart())}`;
}
const biome = `${root}node_modules/@biomejs/biome/bin/biome`;
const after = execFileSync(process.execPath, [biome, "format", "--stdin-file-path", FILE], {
  cwd: root,
  input: text,
  encoding: "utf8",
});
if (process.argv.includes("--check")) {
  if (after.replace(/\s+/g, " ") === before.replace(/\s+/g, " ")) process.exit(0);
  console.error(
    "src/scene/input.ts does not say what schema.json says: node scripts/describe-input.mjs",
  );
  process.exit(1);
}
writeFileSync(FILE, after);
