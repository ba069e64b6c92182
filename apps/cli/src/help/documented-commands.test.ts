import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandGroups } from "../command-groups.ts";
import { findCommand } from "../find-command.ts";
import { parseArguments, takeOutputFlags } from "../parse-arguments.ts";

const guide = readFileSync(join(import.meta.dirname, "../../../../docs/cli/recipes.md"), "utf8");
/** Server commands, which parse their own flags. */
const foreign = /^tollgate (?:dev|serve)\b/;

test("every command in the guide exists, with valid flags and fields", async () => {
  const blocks = [...guide.matchAll(/```(?:sh|bash|console)(?: runnable)?\n([\s\S]*?)```/g)];
  const lines = blocks.flatMap(([, block = ""]) => block.split("\n")).map((line) => line.replace(/^\$ /, ""));
  const shown = lines.flatMap(commandsIn).filter((line) => !foreign.test(line));
  expect(shown.length).toBeGreaterThan(30);
  for (const line of shown) await expectValid(line);
});

test("every help example is valid", async () => {
  for (const group of commandGroups) {
    for (const entry of group.commands) {
      if (!("load" in entry)) continue;
      const { examples } = await entry.load();
      expect(examples.length, entry.name).toBeGreaterThan(0);
      for (const line of examples.flatMap(commandsIn)) await expectValid(line);
    }
  }
});

/** Returns the parts of a shell line that call `tollgate`. */
function commandsIn(line: string): string[] {
  const text = line.replace(/\s#.*$/, "");
  return [...text.matchAll(/(?:^|\$\(|\| |<\()(tollgate (?:'[^']*'|"[^"]*"|[^'"|()<>&])*)/g)].map(([, found = ""]) =>
    found.trim(),
  );
}

async function expectValid(line: string): Promise<void> {
  const words = [...line.matchAll(/(?:'([^']*)'|"([^"]*)"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/['"]/g, ""));
  const found = findCommand(words.slice(1), commandGroups);
  if (found.kind !== "command" || !("load" in found.command)) throw new Error(`${line}: ${found.kind}`);
  const command = await found.command.load();
  try {
    parseArguments(command, found.rest, {});
  } catch (error) {
    throw new Error(`${line}: ${(error as Error).message}`);
  }
  const { output } = takeOutputFlags(found.rest);
  const unknown = [...(output.json ?? []), ...(output.csv ?? [])].filter((name) => !command.fields?.includes(name));
  expect(unknown, line).toEqual([]);
}
