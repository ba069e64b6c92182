import { parseArgs } from "node:util";
import { closestTo } from "./closest-to.ts";
import type { CommandEntry, CommandGroup, ForeignCommand } from "./command.ts";
import { changeFlags, globalFlags, listFlags } from "./global-flags.ts";

export type AnyCommand = CommandEntry | ForeignCommand;

export type Found =
  | { readonly kind: "command"; readonly command: AnyCommand; readonly rest: readonly string[] }
  /** A noun that several commands start with, and the unknown verb that follows it, if any. */
  | {
      readonly kind: "group";
      readonly noun: string;
      readonly commands: readonly AnyCommand[];
      readonly unknown: string | null;
    }
  | { readonly kind: "unknown"; readonly words: string; readonly suggestion: string | null }
  | { readonly kind: "nothing" };

/** Finds the command that the arguments name. Global flags can precede the command. */
export function findCommand(given: readonly string[], groups: readonly CommandGroup[]): Found {
  const commands = groups.flatMap((group) => group.commands);
  const positions = wordPositions(given);
  if (positions.length === 0) return { kind: "nothing" };
  const words = inPlural(
    positions.map((at) => given[at] as string),
    commands,
  );
  for (let count = Math.min(3, words.length); count > 0; count -= 1) {
    const name = words.slice(0, count).join(" ");
    const command = commands.find((each) => each.name === name || aliasesOf(each).includes(name));
    if (command === undefined) continue;
    if (command.name !== name && standsForGroup(name, given, positions[count - 1], commands)) break;
    const taken = new Set(positions.slice(0, count));
    return { kind: "command", command, rest: given.filter((_, at) => !taken.has(at)) };
  }
  return explainMiss(words, commands);
}

/**
 * Reports whether an alias such as `credits` means the command group instead of the command. It means the group if an
 * unknown verb or a help flag follows.
 */
function standsForGroup(
  alias: string,
  given: readonly string[],
  at: number | undefined,
  commands: readonly AnyCommand[],
): boolean {
  const next = given[(at ?? 0) + 1];
  const isMeant = next !== undefined && (/^(?:-h|--help)$/.test(next) || !next.startsWith("-"));
  return isMeant && commands.some(({ name }) => name.startsWith(`${alias} `));
}

function explainMiss(words: readonly string[], commands: readonly AnyCommand[]): Found {
  for (let count = Math.min(2, words.length); count > 0; count -= 1) {
    const noun = words.slice(0, count).join(" ");
    const members = commands.filter((each) =>
      [each.name, ...aliasesOf(each)].some((name) => name === noun || name.startsWith(`${noun} `)),
    );
    if (members.length > 0) return { kind: "group", noun, commands: members, unknown: words[count] ?? null };
  }
  const names = commands.flatMap((each) => [each.name, each.name.split(" ")[0] as string, ...aliasesOf(each)]);
  const two = words.slice(0, 2).join(" ");
  return { kind: "unknown", words: two, suggestion: closestTo(two, names) ?? closestTo(words[0] as string, names) };
}

/** Accepts singular nouns: `key list` means `keys list`. */
function inPlural(words: readonly string[], commands: readonly AnyCommand[]): string[] {
  const known = new Set(commands.flatMap(({ name }) => name.split(" ").slice(0, 2)));
  return words.map((word, at) => (at < 2 && !known.has(word) && known.has(`${word}s`) ? `${word}s` : word));
}

function aliasesOf(command: AnyCommand): readonly string[] {
  return "load" in command ? (command.aliases ?? []) : [];
}

/** Returns the positions of words that are neither flags nor values of common flags. */
function wordPositions(given: readonly string[]): number[] {
  const known = Object.entries({ ...globalFlags, ...listFlags, ...changeFlags }).map(([name, flag]) => [
    name,
    {
      type: flag.type === "boolean" ? ("boolean" as const) : ("string" as const),
      ...("short" in flag && { short: flag.short }),
    },
  ]);
  const { tokens } = parseArgs({
    args: [...given],
    options: { ...Object.fromEntries(known), json: { type: "boolean" }, csv: { type: "boolean" } },
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const end = given.indexOf("--");
  return tokens
    .filter((token) => token.kind === "positional" && (end === -1 || token.index < end))
    .map(({ index }) => index);
}
