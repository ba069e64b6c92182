import { operationPaths } from "@tollgate/sdk/platform/operations.generated.ts";
import { expect, test } from "vitest";
import { commandGroups } from "../command-groups.ts";
import { findCommand } from "../find-command.ts";
import { parseArguments } from "../parse-arguments.ts";

const commands = commandGroups.flatMap((group) => group.commands).flatMap((each) => ("load" in each ? [each] : []));

test.for(commands)("$name has a summary and two to four valid examples", async (entry) => {
  const command = await entry.load();
  expect(entry.purpose).toMatch(/^[A-Z].{0,58}[^.]$/);
  expect(command.examples.length).toBeGreaterThanOrEqual(2);
  expect(command.examples.length).toBeLessThanOrEqual(4);
  for (const example of command.examples) {
    const words = wordsOf(example);
    const found = findCommand(words, commandGroups);
    expect(found, example).toMatchObject({ kind: "command", command: { name: entry.name } });
    if (found.kind === "command") expect(() => parseArguments(command, found.rest, {}), example).not.toThrow();
  }
  for (const id of command.operations ?? []) {
    // Gateway operations are identified by path.
    if (!id.startsWith("/") && !id.includes(" ")) expect(Object.keys(operationPaths)).toContain(id);
  }
});

/** Returns the arguments of an example command, without pipes, redirects, or comments. */
function wordsOf(example: string): string[] {
  const within = /\$\(tollgate ([^)]*)\)/.exec(example)?.[1];
  const typed = within ?? /tollgate (.*?)(?: +#.*| [|<>].*)?$/s.exec(example)?.[1] ?? "";
  return [...typed.matchAll(/'([^']*)'|"([^"]*)"|((?:[^\s'"]|'[^']*'|"[^"]*")+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? (plain as string).replaceAll(/['"]/g, ""),
  );
}
