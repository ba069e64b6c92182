import type { Difference } from "./find-differences.ts";
import type { Reason } from "./reasons/reason.ts";
import { reasons } from "./reasons/reasons.ts";

/** One table row: a difference, or several similar differences, and the reason. */
export interface Row {
  readonly operation: string;
  readonly scenario: string;
  readonly place: string;
  readonly theirs: string;
  readonly ours: string;
  /** Null if no reason is documented, which fails the run. */
  readonly reason: Reason | null;
}

interface QuestionName {
  readonly operation: string;
  readonly scenario: string;
}

/**
 * Returns the rows for one question. Puts related differences in one row: fields of the same object that only one
 * gateway returns, for the same reason, and fields with the same name that differ in the same way.
 */
export function rowsOf({ operation, scenario }: QuestionName, differences: readonly Difference[]): readonly Row[] {
  const groups = new Map<string, { first: Difference; names: string[]; reason: Reason | null; isOneSided: boolean }>();
  for (const difference of differences) {
    const reason = reasons.find((one) => covers(one, { operation, scenario }, difference)) ?? null;
    const slash = difference.place.lastIndexOf("/");
    const [parent, name] = [difference.place.slice(0, slash), difference.place.slice(slash + 1)];
    const side = difference.theirs === undefined ? "ours" : difference.ours === undefined ? "theirs" : null;
    const alike = JSON.stringify([name, difference.theirs, difference.ours]);
    const key = `${reason?.name} ${side === null || slash < 0 ? alike : `${side} ${parent}`}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: difference, names: [name], reason, isOneSided: side !== null });
    else group.names.push(name);
  }
  return [...groups.values()].map(({ first, names, reason, isOneSided }) => {
    const isOne = names.length === 1 || !isOneSided;
    const shown = (value: unknown) => (isOne || value === undefined ? show(value) : `${names.length} fields`);
    return {
      operation,
      scenario,
      place: describePlace(first.place, names, isOneSided),
      theirs: shown(first.theirs),
      ours: shown(first.ours),
      reason,
    };
  });
}

function describePlace(place: string, names: readonly string[], isOneSided: boolean): string {
  if (names.length === 1) return place;
  if (!isOneSided) return `${place} (and ${names.length - 1} similar)`;
  return `${place.slice(0, place.lastIndexOf("/"))}/{${names.join(", ")}}`;
}

/** Reports whether a reason covers this difference. */
export function covers(
  reason: Reason,
  { operation, scenario }: QuestionName,
  { place, theirs, ours }: Difference,
): boolean {
  return (
    (reason.operation?.test(operation) ?? true) &&
    (reason.scenario?.test(scenario) ?? true) &&
    reason.place.test(place) &&
    (reason.holds?.(theirs, ours) ?? true)
  );
}

const SHOWN_LENGTH = 120;

function show(value: unknown): string {
  if (value === undefined) return "–";
  const text = JSON.stringify(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}
