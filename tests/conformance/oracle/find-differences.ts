import { isDeepStrictEqual } from "node:util";
import type { Observation, UpstreamRequest } from "./question.ts";
import { spelledAlike } from "./spelled-alike.ts";

/** One difference between the two gateways. Undefined means absent. */
export interface Difference {
  /** For example, `status`, `header retry-after`, `body /error/code`, or `upstream /body/model`. */
  readonly place: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

/** Returns all differences between the two gateways' responses to a request, and between their upstream requests. */
export function findDifferences(theirs: Observation, ours: Observation): readonly Difference[] {
  const found: Difference[] = [];
  const note = (place: string, left: unknown, right: unknown) => found.push({ place, theirs: left, ours: right });
  if (theirs.status !== ours.status) note("status", theirs.status, ours.status);
  // A success and an error have nothing in common to compare.
  if (isSuccess(theirs) === isSuccess(ours)) {
    compareHeaders(theirs.headers, ours.headers, note);
    compareValues("body ", theirs.body, ours.body, note);
  }
  compareUpstream(theirs.upstream, ours.upstream, note);
  return found;
}

function isSuccess({ status }: Observation): boolean {
  return status < 300;
}

type Note = (place: string, theirs: unknown, ours: unknown) => void;

/** Compares only headers that both gateways send, because each gateway may have its own headers. */
function compareHeaders(theirs: Observation["headers"], ours: Observation["headers"], note: Note): void {
  for (const [name, left] of Object.entries(theirs)) {
    const right = ours[name];
    if (right !== undefined && left !== right) note(`header ${name}`, left, right);
  }
}

function compareUpstream(theirs: readonly UpstreamRequest[], ours: readonly UpstreamRequest[], note: Note): void {
  if (theirs.length !== ours.length) return note("upstream calls", theirs.length, ours.length);
  for (const [index, left] of theirs.entries()) {
    compareValues("upstream ", spelledAlike(left), spelledAlike(ours[index] as UpstreamRequest), note);
  }
}

function compareValues(place: string, theirs: unknown, ours: unknown, note: Note): void {
  if (isDeepStrictEqual(theirs, ours) || isSameJson(theirs, ours)) return;
  if (Array.isArray(theirs) && Array.isArray(ours)) return compareLists(place, theirs, ours, note);
  if (!isRecord(theirs) || !isRecord(ours)) return note(place, theirs, ours);
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
    compareValues(`${place}/${name}`, theirs[name], ours[name], note);
  }
}

function compareLists(place: string, theirs: readonly unknown[], ours: readonly unknown[], note: Note): void {
  const [left, right] = [byName(theirs), byName(ours)];
  if (left !== null && right !== null) return compareValues(place, left, right, note);
  if ([...theirs, ...ours].every((item) => typeof item === "string")) {
    // The order of these lists of names is ignored.
    const only = (some: readonly unknown[], others: readonly unknown[]) => some.filter((one) => !others.includes(one));
    const [onlyTheirs, onlyOurs] = [only(theirs, ours), only(ours, theirs)];
    if (onlyTheirs.length > 0 || onlyOurs.length > 0) note(`${place}/*`, onlyTheirs, onlyOurs);
    return;
  }
  for (let index = 0; index < Math.max(theirs.length, ours.length); index += 1) {
    compareValues(`${place}/${index}`, theirs[index], ours[index], note);
  }
}

/** Function arguments are JSON inside a string, in which whitespace is insignificant. */
function isSameJson(theirs: unknown, ours: unknown): boolean {
  const parse = (value: unknown) =>
    typeof value === "string" && value.startsWith("{") ? JSON.parse(value) : undefined;
  try {
    const [left, right] = [parse(theirs), parse(ours)];
    return left !== undefined && isDeepStrictEqual(left, right);
  } catch {
    return false;
  }
}

/** Indexes models, teams, and members by name, so that they are compared regardless of their position in a list. */
function byName(list: readonly unknown[]): Record<string, unknown> | null {
  const names = list.map((item) => (isRecord(item) ? nameOf(item) : null));
  if (names.includes(null)) return null;
  return Object.fromEntries(list.map((item, index) => [String(names[index]), item]));
}

function nameOf(item: Record<string, unknown>): string | null {
  const name = item.object === "model" ? item.id : "role" in item && "user_id" in item ? item.user_id : item.team_alias;
  return typeof name === "string" ? name : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
