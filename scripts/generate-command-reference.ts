import type { Command, CommandEntry, Flag } from "../apps/cli/src/command.ts";
import { commandGroups } from "../apps/cli/src/command-groups.ts";
import { exitMeanings } from "../apps/cli/src/exit-codes.ts";
import { changeFlags, globalFlags, listFlags } from "../apps/cli/src/global-flags.ts";
import { usageOf } from "../apps/cli/src/help/format-help.ts";
import { serverCommands } from "../apps/server/src/server-commands.ts";

const intro = `# Command reference

Look up every command with its arguments, flags, and examples. \`tollgate <command> --help\` prints the same information, and \`tollgate --describe\` prints it as JSON. For sign-in, output formats, and recipes, see [CLI recipes](recipes.md).
`;

const silent = { stdout: { write: () => true }, stderr: { write: () => true }, env: {}, cwd: "/" };

/** Renders the CLI reference, one section per command group. */
export async function describeCommandReference(): Promise<string> {
  const groups = await Promise.all(
    commandGroups.map(async ({ title, commands }) => {
      const own = commands.filter((each): each is CommandEntry => "load" in each);
      const loaded = await Promise.all(own.map(async (entry) => section(entry, await entry.load())));
      return `## ${title}\n\n${loaded.join("\n")}`;
    }),
  );
  return [intro, ...groups, server(), common()].join("\n");
}

function section({ name, purpose, aliases = [] }: CommandEntry, command: Command): string {
  const { arguments: words = [], flags = {}, kind, fields = [], exitCodes = {}, notes, operations = [] } = command;
  const facts = [
    ...(aliases.length === 0 ? [] : [`Aliases: ${aliases.map((alias) => code(`tollgate ${alias}`)).join(", ")}.`]),
    ...(kind === "list" ? ["Accepts the [list flags](#list-flags)."] : []),
    ...(kind === "change" ? ["Accepts the [change flags](#change-flags)."] : []),
    ...(fields.length === 0 ? [] : [`Fields: ${fields.map(code).join(", ")}.`]),
    ...(operations.length === 0 ? [] : [`API operations: ${operations.map(code).join(", ")}.`]),
    ...Object.entries(exitCodes).map(
      ([exit, meaning]) => `Exit code ${exit}: ${meaning || exitMeanings[Number(exit)]}.`,
    ),
  ];
  return [
    `### ${code(usageOf(name, command))}`,
    "",
    `${purpose}.${notes === undefined ? "" : ` ${notes}`}`,
    "",
    "```",
    ...command.examples,
    "```",
    "",
    ...(words.length === 0
      ? []
      : [
          "| Argument | Description |",
          "|---|---|",
          ...words.map(({ name: word, description, choices }) => row(code(word), withChoices(description, choices))),
          "",
        ]),
    ...flagTable(flags),
    ...(facts.length === 0 ? [] : [facts.join(" "), ""]),
  ].join("\n");
}

function server(): string {
  const rows = serverCommands(silent).map(({ name, purpose }) => row(code(`tollgate ${name}`), purpose));
  return [
    "## Server",
    "",
    "Run a command with `--help` to list its flags.",
    "",
    "| Command | Description |",
    "|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function common(): string {
  return [
    "## Global flags",
    "",
    ...flagTable(globalFlags),
    "`--json[=FIELDS]` prints JSON. If you list FIELDS, only these fields are printed.",
    "",
    "### List flags",
    "",
    ...flagTable(listFlags),
    "`--csv[=FIELDS]` prints CSV.",
    "",
    "### Change flags",
    "",
    ...flagTable(changeFlags),
    "## Exit codes",
    "",
    "| Code | Meaning |",
    "|---|---|",
    ...Object.entries(exitMeanings).map(([exit, meaning]) => row(exit, meaning)),
    "",
  ].join("\n");
}

function flagTable(flags: Readonly<Record<string, Flag>>): string[] {
  const rows = Object.entries(flags).map(([name, flag]) => {
    const value = flag.type === "boolean" ? "" : ` ${flag.value ?? (flag.type === "number" ? "NUMBER" : "TEXT")}`;
    const short = flag.short === undefined ? "" : `, ${code(`-${flag.short}`)}`;
    const again = flag.multiple === true ? " (repeatable)" : "";
    const variable = flag.env === undefined ? "" : ` (${code(flag.env)})`;
    return row(
      `${code(`--${name}${value}`)}${short}`,
      `${withChoices(flag.description, flag.choices)}${again}${variable}`,
    );
  });
  return rows.length === 0 ? [] : ["| Flag | Description |", "|---|---|", ...rows, ""];
}

function withChoices(description: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? description : `${description}. Values: ${choices.map(code).join(", ")}`;
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}
