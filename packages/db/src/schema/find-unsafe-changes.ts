import type { Migration } from "./read-migrations.ts";

interface Rule {
  /** Matches the rejected part of a statement. */
  readonly pattern: RegExp;
  readonly why: string;
}

const CONTRACT =
  "the running release may still use it; stop using it in one release and remove it in a contract migration of the next";
const SCAN =
  "scans the whole table under a lock; add the constraint as `not valid` and validate it in a later migration";

const RULES: readonly Rule[] = [
  { pattern: /\bdrop (?!not null\b|default\b|constraint\b)/, why: CONTRACT },
  { pattern: /\brename\b/, why: CONTRACT },
  { pattern: /^truncate\b/, why: CONTRACT },
  { pattern: /^revoke\b(?!.* from public$)/, why: CONTRACT },
  {
    pattern: /\balter (column \w+ )?(set data )?type\b(?!.* add (attribute|value)\b)/,
    why: "rewrites the table; add a new column instead",
  },
  { pattern: /\bset not null\b/, why: "the running release may still write null; it also scans the whole table" },
  {
    pattern: /\badd column\b(?!.*\bdefault\b).*\bnot null\b/,
    why: "the running release does not write the column; give it a default",
  },
  {
    pattern: /\badd column\b.*\bdefault (?!now\(\))\w+\(/,
    why: "rewrites the table; add the default in a separate statement",
  },
  { pattern: /\badd column\b.*\b(check|references|unique|primary key)\b/, why: SCAN },
  { pattern: /\badd (constraint \w+ )?(check|foreign key)\b(?!.*\bnot valid\b)/, why: SCAN },
  {
    pattern: /\badd (constraint \w+ )?(unique|primary key|exclude)\b(?! using index)/,
    why: "builds an index while writes are blocked",
  },
  { pattern: /^(lock table|vacuum full|cluster|reindex)\b/, why: "locks the table while it runs" },
];
const INDEX = /^create (?:unique )?index (?!concurrently)(?:if not exists )?\w+ on (?:only )?(\w+)/;

/**
 * Describes, in one sentence each, the changes in a migration that would break a release running during or after the
 * migration. Returns no changes for a contract migration, because it declares which releases can run.
 */
export function findUnsafeChanges({ sql, runsFrom }: Pick<Migration, "sql" | "runsFrom">): string[] {
  if (runsFrom !== null) return [];
  const statements = readStatements(sql);
  const made = new Set(
    statements.flatMap(
      (statement) => /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(statement)?.[1] ?? [],
    ),
  );
  return statements.flatMap((statement) => {
    const changed = /^alter table (?:only )?(\w+)/.exec(statement)?.[1] ?? INDEX.exec(statement)?.[1];
    // A new table has no rows, and no release uses it yet.
    if (changed !== undefined && made.has(changed)) return [];
    const problems = partsOf(statement).flatMap((part) =>
      RULES.filter(({ pattern }) => pattern.test(part)).map(({ why }) => `${shorten(part)}: ${why}`),
    );
    const blocks = INDEX.test(statement)
      ? [`${shorten(statement)}: blocks writes; use an \`-- online\` migration`]
      : [];
    return [...problems, ...blocks];
  });
}

/** Returns one line per statement, without comments, string literals, or function bodies. Function bodies run later. */
function readStatements(sql: string): string[] {
  return sql
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "body")
    .replace(/--.*$/gm, "")
    .replace(/'(?:[^']|'')*'/g, "text")
    .toLowerCase()
    .split(";")
    .map((statement) => statement.replace(/\s+/g, " ").trim())
    .filter(
      (statement) => statement !== "" && !/^(create (or replace )?(function|procedure)|comment on)\b/.test(statement),
    );
}

/** Splits an `alter table` into its individual changes. */
function partsOf(statement: string): string[] {
  return statement.startsWith("alter table") ? statement.split(/,(?= (?:add|alter|drop|rename) )/) : [statement];
}

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
