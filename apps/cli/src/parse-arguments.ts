import { parseArgs } from "node:util";
import { usageError } from "./cli-error.ts";
import { closestTo } from "./closest-to.ts";
import type { Argument, Command, Flag } from "./command.ts";
import { changeFlags, globalFlags, listFlags } from "./global-flags.ts";
import type { OutputFlags, ParsedArguments } from "./parsed-arguments.ts";

/**
 * Returns all flags that a command accepts. The command's own flags override the flags for its command type and the
 * global flags.
 */
export function flagsOf(command: Command): Readonly<Record<string, Flag>> {
  return {
    ...globalFlags,
    ...(command.kind === "list" && listFlags),
    ...(command.kind === "change" && changeFlags),
    ...command.flags,
  };
}

/** Parses the arguments after the command's name and checks them against its description. */
export function parseArguments(command: Command, given: readonly string[], env: NodeJS.ProcessEnv): ParsedArguments {
  const known = flagsOf(command);
  const { output, rest } = takeOutputFlags(given);
  const { tokens } = parseArgs({
    args: rest,
    options: optionsOf(known),
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const flags: Record<string, boolean | number | string | string[] | undefined> = {};
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const flag = known[token.name];
    if (flag === undefined) throw unknownFlag(token.rawName, Object.keys(known));
    const value = readValue(flag, token.rawName, token.value, token.inlineValue === true);
    if (flag.multiple === true)
      flags[token.name] = [...((flags[token.name] as string[] | undefined) ?? []), String(value)];
    else flags[token.name] = value;
  }
  for (const [name, flag] of Object.entries(known)) flags[name] ??= fallbackOf(name, flag, env);
  if (output.csv !== null && command.kind !== "list")
    throw usageError("--csv is only available for lists.", "Use --json.");
  return { flags, args: readWords(command.arguments ?? [], words), output };
}

/** Extracts `--json` and `--csv`, because the standard parser doesn't support optional values. */
export function takeOutputFlags(given: readonly string[]): { output: OutputFlags; rest: string[] } {
  const end = given.indexOf("--");
  const found: { json: string[] | null; csv: string[] | null } = { json: null, csv: null };
  const rest = given.filter((word, index) => {
    const match = end !== -1 && index > end ? null : /^--(json|csv)(?:=(.*))?$/s.exec(word);
    if (match === null) return true;
    const names = (match[2] ?? "").split(",").filter((name) => name !== "");
    found[match[1] as "json" | "csv"] = names.map((name) => name.trim());
    return false;
  });
  return { output: found, rest };
}

function optionsOf(known: Readonly<Record<string, Flag>>) {
  return Object.fromEntries(
    Object.entries(known).map(([name, flag]) => [
      name,
      {
        type: flag.type === "boolean" ? ("boolean" as const) : ("string" as const),
        ...(flag.short !== undefined && { short: flag.short }),
        ...(flag.multiple === true && { multiple: true }),
      },
    ]),
  );
}

function readValue(flag: Flag, name: string, value: string | undefined, isInline: boolean): boolean | number | string {
  if (flag.type === "boolean") {
    if (isInline) throw usageError(`${name} does not take a value.`);
    return true;
  }
  // A value that looks like a flag counts as missing, unless it is a negative number or a valid choice.
  const isChoice = value !== undefined && flag.choices?.includes(value) === true;
  if (value === undefined || (!isInline && !isChoice && /^-(?!\d)./.test(value)))
    throw usageError(`${name} requires a value.`);
  if (flag.choices !== undefined && !flag.choices.includes(value)) {
    throw usageError(`${name} must be one of: ${flag.choices.join(", ")}.`);
  }
  return flag.type === "number" ? readNumber(name, value) : value;
}

function readNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw usageError(`${name} must be a number, not '${text}'.`);
  return value;
}

function fallbackOf(
  name: string,
  flag: Flag,
  env: NodeJS.ProcessEnv,
): boolean | number | string | string[] | undefined {
  const text = flag.env === undefined ? "" : (env[flag.env] ?? "");
  if (flag.type === "boolean") return text !== "" && text !== "0" && text !== "false";
  // The settings loader reads the environment for global flags, because it also records the source of each value.
  if (text === "" || name in globalFlags) return flag.multiple === true ? [] : undefined;
  return readValue(flag, flag.env as string, text, true) as number | string;
}

function readWords(expected: readonly Argument[], words: readonly string[]) {
  const values: Record<string, string | readonly string[] | undefined> = {};
  let next = 0;
  for (const { name, optional, mayBeEmpty, many, choices } of expected) {
    const value = many === true ? words.slice(next) : words[next];
    next = many === true ? words.length : next + 1;
    const isMissing = value === undefined || (value.length === 0 && mayBeEmpty !== true);
    if (optional !== true && isMissing) throw usageError(`Missing argument <${name}>.`);
    if (typeof value === "string" && choices !== undefined && !choices.includes(value)) {
      const close = closestTo(value, choices);
      throw usageError(`<${name}> must be one of: ${choices.join(", ")}.`, close && `Did you mean '${close}'?`);
    }
    values[name] = value;
  }
  if (words.length > next)
    throw usageError(`Unexpected argument '${words[next]}'.`, "Put quotes around arguments that contain spaces.");
  return values;
}

function unknownFlag(name: string, known: readonly string[]) {
  const close = closestTo(name.replace(/^-+/, ""), known);
  return usageError(`Unknown flag: ${name}.`, close === null ? null : `Did you mean --${close}?`);
}
