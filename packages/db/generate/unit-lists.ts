import { countedUnits } from "@tollgate/domain/pricing/billing-units.ts";

/** Names of a unit in SQL. */
interface Unit {
  readonly name: string;
  readonly column: string;
  readonly price: string;
  readonly priceColumn: string;
}

/** SQL functions list the units one by one. A function that lists two of these units must list all of them. */
const listedUnits: readonly Unit[] = countedUnits;

/** Returns the units that the text of a function mentions less often than the other units, as messages. */
export function findMissingUnits(name: string, text: string, units: readonly Unit[] = listedUnits): string[] {
  const code = text.replace(/--.*$/gm, "");
  return [countersOf, pricesOf].flatMap((namesOf) => {
    const counts = units.map((unit) => countMentions(code, namesOf(unit)));
    if (counts.filter((count) => count > 0).length < 2) return [];
    const expected = Math.max(...counts);
    return units.flatMap((unit, index) =>
      counts[index] === expected
        ? []
        : [`${name} mentions ${namesOf(unit).join(" or ")} ${counts[index]} times instead of ${expected}`],
    );
  });
}

/**
 * Adds the units that are missing from the definition of a function, each after the unit before it in the table. If the
 * parameters change, the previous definition stays, because the previous release calls it (decision 36).
 */
export function addMissingUnits(sql: string, units: readonly Unit[] = listedUnits): string {
  return units.slice(1).reduce((text, unit, index) => addUnit(text, units[index] as Unit, unit), sql);
}

function addUnit(text: string, before: Unit, unit: Unit): string {
  const definition = firstDefinition(text);
  if (!isMissing(definition, before, unit)) return text;
  const extended = moveToEndOfRow(insertUnit(definition, before, unit), unit);
  const hasNewParameters = new RegExp(`\\b${before.column} bigint\\b`).test(definition);
  const previous = "-- The previous release calls this one. It stays until a contract migration drops it.";
  // The replacement is a function, so that dollar signs in the text have no special meaning.
  return text.replace(definition, () => (hasNewParameters ? `${extended}\n\n${previous}\n${definition}` : extended));
}

/** Returns the first definition in a function's file, which is the current one. Older ones follow it. */
function firstDefinition(text: string): string {
  const start = text.indexOf("create or replace function");
  const bodyAt = text.indexOf("$$", start);
  const end = text.indexOf(";", start);
  // A quoted body can contain semicolons.
  const isQuoted = bodyAt >= 0 && bodyAt < end;
  return text.slice(start, isQuoted ? text.indexOf("$$;", bodyAt + 2) + 3 : end + 1);
}

function isMissing(definition: string, before: Unit, unit: Unit): boolean {
  return findMissingUnits("", definition, [before, unit]).length > 0 || mentionsOnly(definition, before, unit);
}

/** Reports whether the definition mentions the first unit and never the second. */
function mentionsOnly(definition: string, before: Unit, unit: Unit): boolean {
  const mentions = (one: Unit) => countMentions(definition, [...countersOf(one), ...pricesOf(one)]) > 0;
  return mentions(before) && !mentions(unit);
}

/** Repeats each mention of a unit for the next unit. */
function insertUnit(definition: string, before: Unit, unit: Unit): string {
  const term = ({ column, priceColumn }: Unit) =>
    `+ case when ${column} > 0 then ${column}::numeric * coalesce((price).${priceColumn}, 0) else 0 end`;
  const patterns = [
    `(?<indent>\\n *)${escapePattern(term(before))}`,
    `'${before.price}=' \\|\\| \\(price\\)\\.${before.priceColumn}`,
    `coalesce\\(\\((?<maybe>\\w+)\\)\\."?${before.name}"?, 0\\)`,
    `\\((?<record>\\w+)\\)\\."?${before.name}"?`,
    `"${before.price}"(?<typed> bigint)?`,
    `(?<![\\w.'"])${before.column} bigint`,
    `(?<![\\w.'"])${before.column}(?=[,)]|\\n)`,
  ];
  return definition.replace(new RegExp(patterns.join("|"), "g"), (mention, ...rest) => {
    const { indent, maybe, record, typed } = rest.at(-1) as Record<string, string | undefined>;
    if (indent !== undefined) return `${mention}${indent}${term(unit)}`;
    if (mention.startsWith("'")) return `${mention}, '${unit.price}=' || (price).${unit.priceColumn}`;
    if (maybe !== undefined) return `${mention}, ${countOrZero(maybe, unit)}`;
    if (record !== undefined) return `${mention}, (${record})."${unit.name}"`;
    if (mention.startsWith('"')) return `${mention}, "${unit.price}"${typed ?? ""}`;
    return `${mention}, ${unit.column}${mention.endsWith(" bigint") ? " bigint" : ""}`;
  });
}

/** Moves a counter to the end of a row of calls, because the row has the columns in the order in which they were added. */
function moveToEndOfRow(definition: string, unit: Unit): string {
  const end = definition.indexOf(")::usage_events");
  if (end < 0) return definition;
  const counter = `, ${countOrZero("units", unit)}`;
  const row = definition.slice(0, end).replace(counter, "");
  return `${row}${counter}${definition.slice(end)}`;
}

const countOrZero = (record: string, { name }: Unit): string => `coalesce((${record})."${name}", 0)`;

const countersOf = ({ name, column }: Unit): string[] => [...new Set([column, name])];
const pricesOf = ({ price, priceColumn }: Unit): string[] => [priceColumn, price];

function countMentions(text: string, names: readonly string[]): number {
  return text.match(new RegExp(`\\b(?:${names.join("|")})\\b`, "g"))?.length ?? 0;
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
