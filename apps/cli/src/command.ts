import type { CommandContext } from "./context.ts";

/** One flag of a command: `--name`. Secrets are never passed as flags. */
export interface Flag {
  readonly type: "boolean" | "string" | "number";
  readonly short?: string;
  readonly multiple?: boolean;
  /** Placeholder in the help, in capitals: `--team TEAM`. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** Environment variable that is read if the flag isn't given. */
  readonly env?: string;
  readonly description: string;
  readonly completes?: NameKind;
}

/** One positional argument of a command. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly optional?: boolean;
  /** True if `""` is a valid value. */
  readonly mayBeEmpty?: boolean;
  /** True if all remaining arguments are values of this argument. */
  readonly many?: boolean;
  readonly choices?: readonly string[];
  readonly completes?: NameKind;
}

/** Object types with names that shell completion fetches from the platform. */
export type NameKind = "keys" | "teams" | "models" | "orgs";

type Flags = Readonly<Record<string, Flag>>;
type Arguments = readonly Argument[];

type FlagValue<One extends Flag> = One["type"] extends "boolean"
  ? boolean
  : One["multiple"] extends true
    ? readonly string[]
    : (One["type"] extends "number" ? number : string) | undefined;
type FlagValues<Given extends Flags> = { readonly [Name in keyof Given]: FlagValue<Given[Name]> };
type ArgumentValues<Given extends Arguments> = {
  readonly [One in Given[number] as One["name"]]: One["many"] extends true
    ? readonly string[]
    : One["optional"] extends true
      ? string | undefined
      : string;
};

// biome-ignore lint/suspicious/noConfusingVoidType: a command that returns nothing has succeeded.
type Outcome = Promise<number | void>;

/**
 * Description of a command, used by help, completion, and `--describe`. The command group defines the command's name
 * and purpose.
 */
export interface Command {
  /** Two to four examples, simplest first. */
  readonly examples: readonly string[];
  readonly arguments?: Arguments;
  readonly flags?: Flags;
  /** `list` adds paging flags and `--csv`. `change` adds `--yes` and `--dry-run`. */
  readonly kind?: "list" | "change";
  /** Field names that `--json=` accepts. */
  readonly fields?: readonly string[];
  /** API operations that the command uses. */
  readonly operations?: readonly string[];
  /** Additional exit codes specific to this command. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  /** Longer text that the help shows below the usage line. */
  readonly notes?: string;
  /** Returns an exit code, or nothing for success. */
  run(context: CommandContext, flags: never, args: never): Outcome;
}

/** Defines a command and infers the types of its flags and arguments from their descriptions. */
export function defineCommand<const GivenFlags extends Flags, const GivenArguments extends Arguments>(
  command: Omit<Command, "flags" | "arguments" | "run"> & {
    readonly flags?: GivenFlags;
    readonly arguments?: GivenArguments;
    run(context: CommandContext, flags: FlagValues<GivenFlags>, args: ArgumentValues<GivenArguments>): Outcome;
  },
): Command {
  return command as unknown as Command;
}

/** A named command whose module is loaded when the command runs. */
export interface CommandEntry {
  /** Full name, such as `keys list`. */
  readonly name: string;
  /** Alternative names that the help doesn't list. */
  readonly aliases?: readonly string[];
  readonly purpose: string;
  load(): Promise<Command>;
}

/** A command provided by another app, which parses the flags and prints the help. */
export interface ForeignCommand {
  readonly name: string;
  readonly purpose: string;
  runAs(args: readonly string[]): Promise<number>;
}

/** A section of the help. `tollgate help <name>` lists its commands. */
export interface CommandGroup {
  readonly name: string;
  readonly title: string;
  /** One-line summary for `tollgate --help`. */
  readonly summary: string;
  readonly commands: readonly (CommandEntry | ForeignCommand)[];
}
