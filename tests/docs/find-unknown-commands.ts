/** Text that can contain commands, and its location. */
export interface NamingText {
  readonly source: string;
  readonly text: string;
}

/**
 * Words that follow the product's name but are not commands: database connection names, and ordinary words in
 * sentences.
 */
const NOT_COMMANDS: ReadonlySet<string> = new Set(
  [
    "accounting",
    "delivery",
    "gateway",
    "jobs",
    "management",
    "notices",
    "platform",
    "queue",
    "repeats",
    "reports",
  ].concat(["runs", "worker", "secret key", "is", "on"]),
);

/**
 * Matches a command as it is written in messages and pages: in backticks, at the start of a line or a string, or after
 * a prompt or a verb.
 */
const NAMED =
  /(?:[`"'$>(:,]|^|\n|\b(?:[Rr]un|[Uu]se|[Ss]ee|[Tt]ry|with|by|or|and|then)) *tollgate ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)/gm;

/** Returns every unknown command in the text. */
export function findUnknownCommands(texts: readonly NamingText[], commands: readonly string[]): string[] {
  const known = new Set(commands);
  const groups = new Set(commands.flatMap((name) => prefixesOf(name)));
  return texts.flatMap(({ source, text }) =>
    [...text.matchAll(NAMED)].flatMap(([, named = ""]) => {
      const words = named.split(" ");
      if (NOT_COMMANDS.has(words[0] ?? "") || NOT_COMMANDS.has(named) || isCommand(words, known, groups)) return [];
      return [`${source}: tollgate ${named}`];
    }),
  );
}

/** Reports whether the words name a command group, or start with a command, after which arguments may follow. */
function isCommand(words: readonly string[], known: ReadonlySet<string>, groups: ReadonlySet<string>): boolean {
  for (let count = 1; count <= words.length; count += 1) {
    const name = words.slice(0, count).join(" ");
    if (known.has(name)) return true;
    if (!groups.has(name)) return false;
  }
  return true;
}

function prefixesOf(name: string): string[] {
  const words = name.split(" ");
  return words.slice(0, -1).map((_, index) => words.slice(0, index + 1).join(" "));
}
