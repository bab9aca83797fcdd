/** Pages of the guide that are followed word by word: each line is typed into a shell, and what it prints is what the page says. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { needs } from "./needs.ts";
import { builtProgram } from "./program.ts";

const guide = fileURLToPath(new URL("../../docs/guide/", import.meta.url));
const program = builtProgram();

/** A file that a page tells to save. */
interface Save {
  file: string;
  text: string;
}

interface Line {
  command: string;
  code: number;
  /** What is printed; "…" stands for anything. */
  said: string[];
}

/** The files that a page tells to save (YAML that begins with its name) and the commands of its console blocks, with what follows them. */
function linesOf(page: string): (Line | Save)[] {
  const text = fs.readFileSync(path.join(guide, page), "utf8");
  const all: (Line | Save)[] = [];
  for (const [, language, block] of text.matchAll(/^```(console|yaml)\n([\s\S]*?)^```/gm)) {
    const [, file] = /^# (\S+\.yaml)\n/.exec(block) ?? [];
    if (language === "yaml" && file !== undefined) all.push({ file, text: block });
    if (language === "console") all.push(...commandsOf(block));
  }
  return all;
}

function commandsOf(block: string): Line[] {
  const lines: Line[] = [];
  for (const line of block.trimEnd().split("\n")) {
    if (line.startsWith("$ ")) {
      const [, command, code] = /^\$ (.*?)(?: # exits with (\d+))?$/.exec(line)!;
      lines.push({ command, code: Number(code ?? 0), said: [] });
    } else lines.at(-1)!.said.push(line);
  }
  return lines;
}

/** Whether a text is what the page says: a line of … stands for any number of lines, one within a line for anything. */
function pattern(said: readonly string[]): RegExp {
  const escaped = (line: string): string =>
    line
      .split("…")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*");
  const parts = said.map((line) => (line === "…" ? "(?:.*\\n)*?" : `${escaped(line)}\\n`));
  return new RegExp(`^${parts.join("")}$`);
}

test.each(["proof.md", "strangers.md", "files.md", "studies.md", "garments.md"])(
  "%s, typed in line by line",
  (page) => {
    needs("redis-server", "redis-server");
    const bin = program.at("bin");
    fs.mkdirSync(bin);
    fs.symlinkSync(program.main, path.join(bin, "isoplate"));
    fs.cpSync(path.join(guide, "patterns"), program.at("patterns"), { recursive: true });
    const lines = linesOf(page);
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      if ("file" in line) {
        fs.writeFileSync(program.at(line.file), line.text);
        continue;
      }
      const { command, code, said } = line;
      // both outputs in the order in which a terminal shows them; a job in the background keeps neither open
      const script = `exec > ${program.at("said")} 2>&1\n${command}`;
      let ended = 0;
      try {
        execFileSync("bash", ["-c", script], {
          cwd: program.at(),
          env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
          stdio: "ignore",
        });
      } catch (error) {
        ended = (error as { status: number }).status;
      }
      const printed = fs.readFileSync(program.at("said"), "utf8");
      expect(ended, `${command}\n${printed}`).toBe(code);
      if (said.length > 0 || printed !== "")
        expect(
          printed === "" || printed.endsWith("\n") ? printed : `${printed}\n`,
          command,
        ).toMatch(pattern(said));
    }
  },
);
