import {
  type ClassCounts,
  NO_REQUESTS,
  REQUEST_CLASSES,
  type RequestClass,
} from "@tollgate/domain/figures/request-class.ts";
import { type RawBuilder, sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import { type CallFilter, countingOf, QUARTER_MS } from "./call-filter.ts";
import { countRowsByClass } from "./read-calls.ts";
import type { TimeRange } from "./sum-parts.ts";
import { sourcesOf } from "./sum-sources.ts";

/** Requests that match a filter. A list's total and its histogram are both from here, so they always agree. */
export interface CountedRequests {
  /** Counts from each mark to the next. */
  readonly bars: readonly ClassCounts[];
  /** Number of rows. There are fewer rows than requests if some rows stand for many requests. */
  readonly rows: number;
  /** True if counting stopped at a limit, so that more requests match. */
  readonly isMinimum: boolean;
}

/** Adds up counted requests. */
export class RequestCounter {
  readonly #bars: Record<RequestClass, number>[];
  rows = 0;

  constructor(marks: readonly number[]) {
    this.#bars = marks.map(() => ({ ...NO_REQUESTS }));
  }

  get bars(): readonly ClassCounts[] {
    return this.#bars;
  }

  /** Counts the rows in these time ranges, the latest first, and returns their number, which is at most the limit. */
  async countRows(
    transaction: TenantTransaction,
    filter: CallFilter,
    ranges: readonly TimeRange[],
    marks: readonly number[],
    limit: number,
  ): Promise<number> {
    let read = 0;
    for (const { bar, class: name, requests, rows } of await countRowsByClass(
      transaction,
      filter,
      ranges,
      marks,
      limit,
    )) {
      this.#add(bar, name, requests);
      read += rows;
    }
    this.rows += read;
    return read;
  }

  /** Counts the requests of whole quarter hours, from the rollups. Requires a filter that the rollups support. */
  async countSums(transaction: TenantTransaction, filter: CallFilter, marks: readonly number[]): Promise<void> {
    const { settledCounts, unsettledCounts, settledMatches, unsettledRows, countsUnsettled } = countingOf(filter);
    const starts = marks.map((atMs) => new Date(atMs));
    const barOf = (at: RawBuilder<Date>) => sql`width_bucket(${at}, ${starts}::timestamptz[]) as bar`;
    const sources = await sourcesOf(transaction, filter, marks, {
      settled: (at) => sql`${barOf(at)}, ${settledCounts}, ${settledMatches} as rows`,
      refused: countsUnsettled ? (at) => sql`${barOf(at)}, ${unsettledCounts}, ${unsettledRows} as rows` : null,
    });
    const sums = REQUEST_CLASSES.map((name) => sql`sum(${sql.ref(name)})::float8 as ${sql.ref(name)}`);
    const { rows } = await sql<ClassCounts & { readonly bar: number; readonly rows: number }>`
      select bar, ${sql.join(sums)}, sum(rows)::float8 as rows from (${sources}) as counted group by bar`.execute(
      transaction,
    );
    for (const row of rows) {
      for (const name of REQUEST_CLASSES) this.#add(row.bar, name, row[name]);
      this.rows += row.rows;
    }
  }

  #add(bar: number, name: RequestClass, requests: number): void {
    const counts = this.#bars[bar - 1];
    if (counts === undefined) throw new Error(`no mark ${bar}`);
    counts[name] += requests;
  }
}

/**
 * Counts the matching requests from the rollups, and those of the partial quarter hours at both ends from their rows.
 * Requires a filter that the rollups support.
 */
export async function countFromRollups(
  transaction: TenantTransaction,
  filter: CallFilter,
  marks: readonly number[],
  maxRows: number,
): Promise<CountedRequests> {
  const counter = new RequestCounter(marks);
  const [fromMs, toMs] = [filter.from.getTime(), filter.to.getTime()];
  const firstMs = Math.ceil(fromMs / QUARTER_MS) * QUARTER_MS;
  const lastMs = Math.floor(toMs / QUARTER_MS) * QUARTER_MS;
  const isShort = firstMs >= lastMs;
  const ends = isShort
    ? [{ fromMs, toMs }]
    : [
        { fromMs: lastMs, toMs },
        { fromMs, toMs: firstMs },
      ];
  if (!isShort) {
    await counter.countSums(transaction, { ...filter, from: new Date(firstMs), to: new Date(lastMs) }, marks);
  }
  let isMinimum = false;
  for (const end of ends.filter((range) => range.fromMs < range.toMs)) {
    isMinimum ||= (await counter.countRows(transaction, filter, [end], marks, maxRows)) >= maxRows;
  }
  return { bars: counter.bars, rows: counter.rows, isMinimum };
}
