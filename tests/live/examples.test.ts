/** The examples of the methods of a Simulation run as they stand. tests/slow/api-examples.test.ts compiles those of all public functions. */
import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import { createSimulation, parseScene, type Simulation } from "../../src/index.ts";

const file = new URL("../../src/simulation.ts", import.meta.url);
const source = ts.createSourceFile("", readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);

/** Methods of the interface and their examples. */
const methods = source.statements
  .filter((node) => ts.isInterfaceDeclaration(node))
  .filter(({ name }) => name.text === "Simulation")
  .flatMap(({ members }) => members.filter((member) => ts.isMethodSignature(member)))
  .map((method): [string, string] => {
    const [tag] = ts.getJSDocTags(method).filter(({ tagName }) => tagName.text === "example");
    return [method.name.getText(), ts.getTextOfJSDocComment(tag?.comment) ?? ""];
  });

/** A cloth on two pins beside a ball, as the examples take for given. */
function given(): Simulation {
  const simulation = createSimulation(
    parseScene({
      sheet: {
        name: "cloth",
        shape: { type: "rectangle", width: 0.4, height: 0.4 },
        sampling: { points: 60 },
      },
      pins: [
        { name: "left", at: { corner: "top-left" } },
        { name: "right", at: { corner: "top-right" } },
      ],
      colliders: [{ name: "ball", body: { type: "sphere", radius: 0.1 }, position: [0, 0, -1] }],
    }),
  );
  simulation.step();
  return simulation;
}

test("every method has an example", () => {
  expect(methods.length).toBeGreaterThan(25);
  expect(methods.filter(([, example]) => example === "")).toEqual([]);
});

test.each(methods)("%s: its example runs, and the simulation goes on", async (name, example) => {
  const simulation = given();
  const run = new Function("simulation", "point", `return (async () => {\n${example}\n})();`);
  await run(simulation, 0);
  if (name === "dispose") expect(() => simulation.step()).toThrow(/disposed/);
  else expect(simulation.step().converged).toBe(true);
});
