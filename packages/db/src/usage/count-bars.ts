import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { type CallFilter, countingOf, QUARTER_MS } from "./call-filter.ts";
import { sourcesOf } from "./sum-sources.ts";

/** Counts of one histogram bar, from the rollups. */
interface Bar {
  readonly at: Date;
  readonly requests: number;
  /** Number of failed calls, which are included in `requests`. */
  readonly errors: number;
  /** Number of refused calls, which are not included in `requests`. */
  readonly refused: number;
}

interface Histogram {
  readonly bucketMinutes: number;
  readonly bars: readonly Bar[];
  /** False if the rollups don't support the filter, in which case some counted calls may not match. */
  readonly isExact: boolean;
}

const MAX_BARS = 96;
const widths = [15, 30, 60, 120, 180, 240, 360, 720, 1_440];

/** Returns a histogram of the calls in a time range, including empty bars. Reads only the rollups. */
export async function countBars(transaction: TenantTransaction, filter: CallFilter): Promise<Histogram> {
  const { bucketMinutes, marks } = layOut(filter.from.getTime(), filter.to.getTime());
  const { isExact, countsRefused } = countingOf(filter);
  const has = (status: "success" | "error" | "cancelled") => filter.statuses?.includes(status) ?? true;
  const [others, errors] = [has("success") || has("cancelled"), has("error")];
  const starts = marks.map((atMs) => new Date(atMs));
  const barOf = (at: RawBuilder<Date>) => sql`width_bucket(${at}, ${starts}::timestamptz[]) as bar`;
  const requests = others ? (errors ? sql`requests` : sql`requests - errors`) : errors ? sql`errors` : sql`0`;
  const whole = { ...filter, from: quarter(filter.from, Math.floor), to: quarter(filter.to, Math.ceil) };
  const sources = await sourcesOf(transaction, whole, marks, {
    settled: (at) =>
      sql`${barOf(at)}, ${requests} as requests, ${errors ? sql`errors` : sql`0`} as errors, 0 as refused`,
    refused: countsRefused ? (at) => sql`${barOf(at)}, 0 as requests, 0 as errors, requests as refused` : null,
  });
  const { rows } = await sql<{ bar: number; requests: number; errors: number; refused: number }>`
    select bar, sum(requests)::float8 as requests, sum(errors)::float8 as errors, sum(refused)::float8 as refused
      from (${sources}) as counted group by bar`.execute(transaction);
  const counted = new Map(rows.map(({ bar, ...counts }) => [bar, counts]));
  const nothing = { requests: 0, errors: 0, refused: 0 };
  return { bucketMinutes, bars: starts.map((at, index) => ({ at, ...(counted.get(index + 1) ?? nothing) })), isExact };
}

/** Chooses the narrowest bars within the limit, each aligned to a multiple of its width. */
function layOut(fromMs: number, toMs: number): { bucketMinutes: number; marks: readonly number[] } {
  for (const bucketMinutes of widths) {
    const widthMs = bucketMinutes * 60_000;
    const firstMs = Math.floor(fromMs / widthMs) * widthMs;
    const count = Math.ceil((toMs - firstMs) / widthMs);
    if (count <= MAX_BARS) {
      return { bucketMinutes, marks: Array.from({ length: count }, (_, index) => firstMs + index * widthMs) };
    }
  }
  throw new Error(`no bar width fits a range of ${toMs - fromMs} ms`);
}

const quarter = (at: Date, round: (value: number) => number): Date =>
  new Date(round(at.getTime() / QUARTER_MS) * QUARTER_MS);
