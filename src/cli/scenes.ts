/** `isoplate scenes`: what is built in. */
import { library } from "../scene/library.ts";
import type { AddCommand } from "./terminal.ts";

export const addScenes: AddCommand = (program, terminal) => {
  program
    .command("scenes")
    .description("list the built-in scenes: name, points, what each shows")
    .option("--json", "as JSON")
    .option("--show <name>", "print one scene as JSON, to start a file of your own from")
    .addHelpText(
      "after",
      `
Examples:
  isoplate scenes
  isoplate scenes --show pinned-cloth > my-cloth.json && isoplate run my-cloth.json`,
    )
    .action((options: { json?: boolean; show?: string }, command) => {
      if (options.show !== undefined) {
        const scene = library.find(({ name }) => name === options.show);
        if (scene === undefined)
          command.error(
            `error: no built-in scene "${options.show}"; known: ${library.map(({ name }) => name).join(", ")}`,
          );
        else terminal.out(JSON.stringify(scene.input(), null, 2));
        return;
      }
      const rows = library.map(({ name, points, shows }) => ({ name, points, shows }));
      if (options.json) {
        terminal.out(JSON.stringify(rows));
        return;
      }
      const wide = Math.max(...rows.map(({ name }) => name.length));
      for (const { name, points, shows } of rows)
        terminal.out(
          `${terminal.colors.bold(name.padEnd(wide))}  ${String(points).padStart(6)} points  ${shows}`,
        );
    });
};
