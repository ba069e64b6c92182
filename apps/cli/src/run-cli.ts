import { type CliError, usageError } from "./cli-error.ts";
import { closestTo } from "./closest-to.ts";
import type { CommandEntry, CommandGroup } from "./command.ts";
import { CommandContext } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { type AnyCommand, type Found, findCommand } from "./find-command.ts";
import type { Io } from "./io.ts";
import { Output } from "./output/output.ts";
import { stylesFor } from "./output/styles.ts";
import { parseArguments, takeOutputFlags } from "./parse-arguments.ts";
import { reportError } from "./report-error.ts";
import { loadSettings, type Settings } from "./settings/settings.ts";

interface CliOptions {
  readonly groups: readonly CommandGroup[];
  readonly version: string;
}

interface DispatchOptions extends CliOptions {
  /** Called with the settings of the command, before it runs. */
  readonly onSettings: (settings: Settings) => void;
}

/** Runs the command that the arguments name. Returns the exit code and never throws. */
export async function runCli(given: readonly string[], io: Io, options: CliOptions): Promise<number> {
  const isPlain = given.includes("--no-color") || Boolean(io.env.TOLLGATE_NO_COLOR);
  // The settings may be what is wrong, so errors start with the format of the environment.
  let prefersJson = io.env.TOLLGATE_OUTPUT === "json";
  const onSettings = ({ values }: Settings) => {
    prefersJson = values.output.value === "json";
  };
  try {
    return await dispatch(given, io, { ...options, onSettings }, isPlain);
  } catch (error) {
    const { output } = takeOutputFlags(given);
    const isJson = output.json !== null || given.some((word) => /^--jq(?:=|$)/.test(word)) || prefersJson;
    const isDebug = given.includes("--debug") || Boolean(io.env.TOLLGATE_DEBUG);
    return reportError(error, io, { isJson, isPlain, isDebug });
  }
}

async function dispatch(given: readonly string[], io: Io, options: DispatchOptions, isPlain: boolean): Promise<number> {
  const { groups, version } = options;
  if (given[0] === "--version" || given[0] === "-V") {
    io.stdout.write(`${version}\n`);
    return EXIT.ok;
  }
  if (given[0] === "__complete") {
    const { complete } = await import("./completion/complete.ts");
    io.stdout.write((await complete(given.slice(1), io, groups)).map((each) => `${each}\n`).join(""));
    return EXIT.ok;
  }
  if (given.includes("--describe")) {
    const { describeCommands } = await import("./help/describe-commands.ts");
    io.stdout.write(`${JSON.stringify(await describeCommands(groups, version))}\n`);
    return EXIT.ok;
  }
  const isHelp = given[0] === "help";
  const found = findCommand(isHelp ? [...given.slice(1), "--help"] : given, groups);
  if (found.kind === "command" && !isHelp) {
    if ("runAs" in found.command) return found.command.runAs(found.rest);
    return runCommand(found.command, found.rest, io, options);
  }
  return help(found, given, io, options, isPlain);
}

async function runCommand(
  entry: CommandEntry,
  rest: readonly string[],
  io: Io,
  options: DispatchOptions,
): Promise<number> {
  const command = await entry.load();
  const end = rest.indexOf("--");
  const isHelp = rest.some((word, at) => (word === "--help" || word === "-h") && (end === -1 || at < end));
  if (isHelp) return showHelp(entry, io, rest.includes("--no-color"));
  const parsed = parseArguments(command, rest, io.env);
  const settings = loadSettings(parsed.flags, io.env, io.cwd);
  options.onSettings(settings);
  const { flags } = parsed;
  const output = new Output(io, {
    flags: parsed.output,
    jq: (flags.jq as string | undefined) ?? null,
    isQuiet: flags.quiet === true,
    isPlain: flags["no-color"] === true,
    prefersJson: settings.values.output.value === "json",
    usesPager: flags["no-pager"] !== true,
    pager: settings.values.pager.value,
    fields: command.fields ?? [],
  });
  const context = new CommandContext({ io, output, settings, parsed, version: options.version });
  return (await command.run(context, flags as never, parsed.args as never)) ?? EXIT.ok;
}

async function help(
  found: Found,
  given: readonly string[],
  io: Io,
  options: CliOptions,
  isPlain: boolean,
): Promise<number> {
  const { formatAllCommands, formatCommands, formatOverview } = await import("./help/format-help.ts");
  const topic = given[0] === "help" ? await findTopic(given.slice(1)) : null;
  if (topic !== null) io.stdout.write(topic);
  const isAsked = topic !== null || given[0] === "help" || given.includes("--help") || given.includes("-h");
  switch (found.kind) {
    case "command":
      return topic === null ? showHelp(found.command, io, isPlain) : EXIT.ok;
    case "nothing": {
      const styles = stylesFor(io.stdout, io.env, isPlain);
      const isAll = isAsked && given.includes("--all");
      io.stdout.write(
        isAll ? formatAllCommands(options.groups, styles) : formatOverview(options.groups, options.version, styles),
      );
      return EXIT.ok;
    }
    case "group":
      if (!isAsked || found.unknown !== null) throw explainGroup(found, formatCommands(found.commands));
      io.stdout.write(`${topic === null ? "" : "\n"}${formatCommands(found.commands)}`);
      return EXIT.ok;
    case "unknown": {
      if (topic !== null) return EXIT.ok;
      const group = options.groups.find(({ name }) => name === found.words);
      if (group !== undefined && isAsked) {
        io.stdout.write(formatCommands(group.commands));
        return EXIT.ok;
      }
      if (group !== undefined)
        throw usageError(`'${group.name}' is a group of commands.`, `tollgate help ${group.name}`);
      const fix = found.suggestion === null ? "tollgate help" : `Did you mean 'tollgate ${found.suggestion}'?`;
      throw usageError(`Unknown command '${found.words}'.`, fix);
    }
  }
}

async function findTopic(words: readonly string[]): Promise<string | null> {
  const { topics } = await import("./help/topics.ts");
  return topics[words.join(" ")]?.() ?? null;
}

function explainGroup({ noun, commands, unknown }: Extract<Found, { kind: "group" }>, listed: string): CliError {
  if (unknown === null) return usageError(`Missing subcommand for '${noun}'. Available subcommands:\n\n${listed}`);
  const close = closestTo(
    `${noun} ${unknown}`,
    commands.map(({ name }) => name),
  );
  const fix = close === null ? null : `Did you mean 'tollgate ${close}'?`;
  return usageError(`Unknown command '${noun} ${unknown}'. Available commands:\n\n${listed}`, fix);
}

async function showHelp(entry: AnyCommand, io: Io, isPlain: boolean): Promise<number> {
  if ("runAs" in entry) return entry.runAs(["--help"]);
  const { formatCommandHelp } = await import("./help/format-help.ts");
  const { values } = loadSettings({}, io.env, io.cwd);
  const styles = stylesFor(io.stdout, io.env, isPlain);
  io.stdout.write(formatCommandHelp(entry.name, entry.purpose, await entry.load(), `${values.url.value}/docs`, styles));
  return EXIT.ok;
}
