/** `isoplate schema`: the JSON Schema of scene files, for editors and for other programs. */
import { sceneJsonSchema } from "../scene/json-schema.ts";
import type { AddCommand } from "./terminal.ts";

export const addSchema: AddCommand = (program, terminal) => {
  program
    .command("schema")
    .description("print the JSON Schema of scene files")
    .addHelpText(
      "after",
      `
Example:
  isoplate schema > isoplate.schema.json
  then put "$schema": "./isoplate.schema.json" into a scene, and an editor completes and checks it`,
    )
    .action(() => terminal.out(JSON.stringify(sceneJsonSchema(), null, 2)));
};
