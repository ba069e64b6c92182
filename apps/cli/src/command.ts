import type { CommandContext } from "./context.ts";

/** One flag of a command: `--name`. A secret is never one. */
export interface Flag {
  readonly type: "boolean" | "string" | "number";
  readonly short?: string;
  readonly multiple?: boolean;
  /** In capitals, for the help: `--team TEAM`. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** Read when the flag is not given. */
  readonly env?: string;
  readonly description: string;
  readonly completes?: NameKind;
}

/** One word after the command's own. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly optional?: boolean;
  /** Whether `""` means something. */
  readonly mayBeEmpty?: boolean;
  /** Takes all words that are left. */
  readonly many?: boolean;
  readonly choices?: readonly string[];
  readonly completes?: NameKind;
}

/** Names that completion can ask the platform for. */
export type NameKind = "keys" | "teams" | "models" | "orgs";

type Flags = Readonly<Record<string, Flag>>;
type Arguments = readonly Argument[];

type FlagValue<One extends Flag> = One["type"] extends "boolean"
  ? boolean
  : One["multiple"] extends true
    ? readonly string[]
    : (One["type"] extends "number" ? number : string) | undefined;
export type FlagValues<Given extends Flags> = { readonly [Name in keyof Given]: FlagValue<Given[Name]> };
export type ArgumentValues<Given extends Arguments> = {
  readonly [One in Given[number] as One["name"]]: One["many"] extends true
    ? readonly string[]
    : One["optional"] extends true
      ? string | undefined
      : string;
};

// biome-ignore lint/suspicious/noConfusingVoidType: a command that ends without a word has succeeded.
type Outcome = Promise<number | void>;

/** What a command says of itself; help, completion and `--describe` all read it. Its words and purpose are in its group. */
export interface Command {
  /** Two to four, the plainest first. */
  readonly examples: readonly string[];
  readonly arguments?: Arguments;
  readonly flags?: Flags;
  /** `list`: takes the flags of paging and `--csv`. `change`: takes `--yes` and `--dry-run`. */
  readonly kind?: "list" | "change";
  /** The names `--json=` takes. */
  readonly fields?: readonly string[];
  /** The operations of the interface it stands for. */
  readonly operations?: readonly string[];
  /** Beyond the common ones. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  /** Longer text for the help, below the usage. */
  readonly notes?: string;
  /** An exit code, or nothing for success. */
  run(context: CommandContext, flags: never, args: never): Outcome;
}

/** A command whose flags and arguments are typed by their description. */
export function defineCommand<const GivenFlags extends Flags, const GivenArguments extends Arguments>(
  command: Omit<Command, "flags" | "arguments" | "run"> & {
    readonly flags?: GivenFlags;
    readonly arguments?: GivenArguments;
    run(context: CommandContext, flags: FlagValues<GivenFlags>, args: ArgumentValues<GivenArguments>): Outcome;
  },
): Command {
  return command as unknown as Command;
}

/** A command of ours by its words, loaded when it is called for. */
export interface CommandEntry {
  /** Such as `keys list`. */
  readonly name: string;
  /** Other words for the same, which the help does not list. */
  readonly aliases?: readonly string[];
  readonly purpose: string;
  load(): Promise<Command>;
}

/** A command that another app brings. It reads its own flags and prints its own help. */
export interface ForeignCommand {
  readonly name: string;
  readonly purpose: string;
  runAs(args: readonly string[]): Promise<number>;
}

/** A section of the help. `tollgate help <name>` lists its commands. */
export interface CommandGroup {
  readonly name: string;
  readonly title: string;
  /** One line for `tollgate --help`. */
  readonly summary: string;
  readonly commands: readonly (CommandEntry | ForeignCommand)[];
}
