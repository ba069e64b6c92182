import type { Command, CommandGroup, NameKind } from "../command.ts";
import { findCommand } from "../find-command.ts";
import { topics } from "../help/topics.ts";
import type { Io } from "../io.ts";
import { printable } from "../output/printable.ts";
import { flagsOf } from "../parse-arguments.ts";
import { namesFor } from "./names.ts";

/**
 * Returns the completions for the last word, which may be incomplete or empty. Never throws, because it runs when the
 * user presses Tab.
 */
export async function complete(words: readonly string[], io: Io, groups: readonly CommandGroup[]): Promise<string[]> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const candidates = await candidatesFor(before, current, io, groups);
  return [...new Set(candidates)].filter((candidate) => candidate.startsWith(current));
}

async function candidatesFor(
  before: readonly string[],
  current: string,
  io: Io,
  groups: readonly CommandGroup[],
): Promise<readonly string[]> {
  const commands = groups.flatMap((group) => group.commands);
  const nextWords = commands.flatMap(({ name }) => {
    const parts = name.split(" ");
    const isAhead = before.length < parts.length && before.every((word, at) => word === parts[at]);
    return isAhead ? [parts[before.length] as string] : [];
  });
  if (before.length === 0 && !current.startsWith("-")) return [...nextWords, "help"];
  if (before[0] === "help" && before.length === 1)
    return [...Object.keys(topics), ...commands.map(({ name }) => name.split(" ")[0] as string)];
  const found = findCommand(before, groups);
  if (found.kind !== "command" || !("load" in found.command)) return nextWords;
  const command = await found.command.load();
  const flags = flagsOf(command);
  const previous = before.at(-1) ?? "";
  const flag = flags[previous.replace(/^--/, "")];
  if (previous.startsWith("--") && flag !== undefined && flag.type !== "boolean") {
    return flag.choices ?? (await names(flag.completes, io));
  }
  if (current.startsWith("-"))
    return [...Object.keys(flags), "json", ...(command.kind === "list" ? ["csv"] : [])].map((name) => `--${name}`);
  return [...nextWords, ...(await argumentCandidates(command, found.rest, io))];
}

async function argumentCandidates(command: Command, rest: readonly string[], io: Io): Promise<readonly string[]> {
  const given = rest.filter((word) => !word.startsWith("-")).length;
  const expected = command.arguments ?? [];
  const argument = expected[given] ?? (expected.at(-1)?.many === true ? expected.at(-1) : undefined);
  return argument?.choices ?? (await names(argument?.completes, io));
}

async function names(kind: NameKind | undefined, io: Io): Promise<readonly string[]> {
  return kind === undefined ? [] : (await namesFor(kind, io)).map(printable);
}
