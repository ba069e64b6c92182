import type { Argument, Command, CommandGroup, Flag } from "../command.ts";
import { exitMeanings } from "../exit-codes.ts";
import type { AnyCommand } from "../find-command.ts";
import { changeFlags, globalFlags, listFlags } from "../global-flags.ts";
import type { Styles } from "../output/styles.ts";

const WIDTH = 26;
const OVERVIEW_WIDTH = 11;

/** Commands that `tollgate --help` lists first. */
const mostUsed = ["dev", "login", "keys create", "chat", "usage", "logs tail", "serve", "doctor"];

/** Formats the most common commands and one line per group. Fits a screen of 80 columns and 24 rows. */
export function formatOverview(groups: readonly CommandGroup[], version: string, styles: Styles): string {
  const commands = groups.flatMap((group) => group.commands);
  const first = mostUsed.flatMap((wanted) => commands.filter(({ name }) => name === wanted));
  const lines = (rows: readonly { readonly name: string; readonly text: string }[]) =>
    rows.map(({ name, text }) => `  ${name.padEnd(OVERVIEW_WIDTH)}  ${text}\n`).join("");
  return [
    `Tollgate ${version}: OpenAI-compatible inference gateway with built-in billing\n`,
    `${styles.bold("Most used")} (tollgate <command> [flags])\n${lines(first.map(({ name, purpose }) => ({ name, text: purpose })))}`,
    `${styles.bold("Groups")} (tollgate help <group>)\n${lines(groups.map(({ name, summary }) => ({ name, text: summary })))}`,
    "All commands: tollgate help --all      One command: tollgate <command> --help\nTopics: tollgate help exit-codes, environment, formatting, config\n",
  ].join("\n");
}

/** Formats all commands by group, one line each. */
export function formatAllCommands(groups: readonly CommandGroup[], styles: Styles): string {
  const width = Math.max(...groups.flatMap(({ commands }) => commands.map(({ name }) => name.length)));
  return groups.map(({ title, commands }) => `${styles.bold(title)}\n${formatCommands(commands, width)}`).join("\n");
}

/** Formats commands with their summaries, one line each. */
export function formatCommands(commands: readonly AnyCommand[], minWidth = WIDTH - 9): string {
  const width = Math.max(minWidth, ...commands.map(({ name }) => name.length));
  return commands.map(({ name, purpose }) => `  tollgate ${name.padEnd(width)}  ${purpose}\n`).join("");
}

/** Formats the full help for a command, examples first. */
export function formatCommandHelp(
  name: string,
  purpose: string,
  command: Command,
  docsUrl: string,
  styles: Styles,
): string {
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`${styles.bold(title)}\n${lines.map((line) => `  ${line}\n`).join("")}`];
  const codes = Object.entries(command.exitCodes ?? {});
  return [
    `${purpose}.\n`,
    ...section("Examples", command.examples),
    ...section("Usage", [usageOf(name, command)]),
    ...(command.notes === undefined ? [] : [`${command.notes}\n`]),
    ...section("Arguments", (command.arguments ?? []).map(describeArgument)),
    ...section("Flags", describeFlags({ ...command.flags, ...(command.kind === "change" && changeFlags) })),
    ...section("Paging", command.kind === "list" ? describeFlags(listFlags) : []),
    ...section("Output", outputLines(command)),
    ...section("Global flags", describeFlags(commonFlags)),
    ...section("JSON fields", wrap(command.fields ?? [])),
    ...section(
      "Exit codes",
      codes.map(([code, meaning]) => `${code}  ${meaning || (exitMeanings[Number(code)] ?? "")}`),
    ),
    `${styles.dim("Docs:")} ${docsUrl}    ${styles.dim("Common exit codes:")} tollgate help exit-codes\n`,
  ].join("\n");
}

/** Returns the usage line for a command. */
export function usageOf(name: string, command: Pick<Command, "arguments">): string {
  const words = (command.arguments ?? []).map(({ name: word, optional, many }) => {
    const shown = many === true ? `${word}…` : word;
    return optional === true ? `[${shown}]` : `<${shown}>`;
  });
  return ["tollgate", name, ...words, "[flags]"].join(" ");
}

const { jq: _, ...commonFlags } = globalFlags;

function outputLines({ kind, fields }: Command): string[] {
  const [json, csv] = ["--json[=FIELDS]", "--csv[=FIELDS]"].map((name) => name.padEnd(WIDTH));
  return [
    ...(fields === undefined ? [] : [`${json}  Print JSON; all fields by default`]),
    ...describeFlags({ jq: globalFlags.jq }),
    ...(kind === "list" ? [`${csv}  Print CSV with a header row`] : []),
  ];
}

function describeArgument({ name, description, choices }: Argument): string {
  const options = choices === undefined ? "" : ` (${choices.join(", ")})`;
  return `${name.padEnd(WIDTH)}  ${description}${options}`;
}

function describeFlags(flags: Readonly<Record<string, Flag>>): string[] {
  return Object.entries(flags).map(([name, flag]) => {
    const short = flag.short === undefined ? "" : `, -${flag.short}`;
    const value = flag.type === "boolean" ? "" : ` ${flag.value ?? (flag.type === "number" ? "NUMBER" : "TEXT")}`;
    const notes = [flag.choices?.join(", "), flag.multiple === true ? "repeatable" : undefined].filter(Boolean);
    const noted = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
    const variable = flag.env === undefined ? "" : ` [${flag.env}]`;
    return `${`--${name}${short}${value}`.padEnd(WIDTH)}  ${flag.description}${noted}${variable}`;
  });
}

function wrap(names: readonly string[]): string[] {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length < 90) lines[lines.length - 1] = `${last}, ${name}`;
    else lines.push(name);
  }
  return lines;
}
