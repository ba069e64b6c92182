import type { KeyName } from "@tollgate/db/keys/find-visible-key.ts";
import { invalid, readKeyName, readUserId } from "./read-fields.ts";

/** Selects the calls in a report. `from` is inclusive and `to` is exclusive. */
export interface SpendFilter {
  readonly from: Date;
  readonly to: Date;
  readonly organizationId: string | null;
  readonly teamIds: readonly string[] | null;
  readonly key: KeyName | null;
  readonly userId: number | null;
  readonly models: readonly string[] | null;
  readonly requestId: string | null;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;
const MAX_DAYS = 92;

interface RangeQuery {
  readonly start_date?: string | null;
  readonly end_date?: string | null;
}

interface ScopeQuery extends RangeQuery {
  readonly api_key?: string | null;
  readonly user_id?: string | null;
  readonly team_id?: string | null;
  readonly organization_id?: string | null;
  readonly model?: string | null;
}

/** Parses a query into a spend filter. */
export function readSpendFilter(query: ScopeQuery, now: Date): SpendFilter {
  return {
    ...readRange(query, now),
    organizationId: query.organization_id ?? null,
    teamIds: typeof query.team_id === "string" ? [query.team_id] : null,
    key: typeof query.api_key === "string" ? readKeyName("api_key", query.api_key) : null,
    userId: typeof query.user_id === "string" ? readUserId("user_id", query.user_id) : null,
    models: typeof query.model === "string" ? [query.model] : null,
    requestId: null,
  };
}

/** Returns the range between two timestamps, or from the start of the first day to the end of the last day, in UTC. */
function readRange({ start_date, end_date }: RangeQuery, now: Date): { readonly from: Date; readonly to: Date } {
  const to = typeof end_date === "string" ? readTimestamp("end_date", end_date, DAY_MS) : now;
  const from =
    typeof start_date === "string"
      ? readTimestamp("start_date", start_date, 0)
      : new Date(Math.floor(to.getTime() / DAY_MS - DEFAULT_DAYS) * DAY_MS);
  if (from > to) throw invalid("start_date", "must not be after end_date.");
  if (to.getTime() - from.getTime() > MAX_DAYS * DAY_MS) {
    throw invalid("start_date", `and end_date can be at most ${MAX_DAYS} days apart. Use a shorter range.`);
  }
  return { from, to };
}

function readTimestamp(name: string, text: string, afterDayMs: number): Date {
  const atMs = Date.parse(text) + (DAY.test(text) ? afterDayMs : 0);
  if (Number.isNaN(atMs) || atMs < 0 || !/^\d{4}-/.test(text))
    throw invalid(name, "must be a date such as 2026-11-15.");
  return new Date(atMs);
}
