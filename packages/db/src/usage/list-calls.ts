import type { TenantTransaction } from "../tenancy.ts";
import { type CallFilter, countingOf, isIndexed, isNarrowed, QUARTER_MS } from "./call-filter.ts";
import { type CountedRange, countByDay, countByQuarter } from "./count-calls.ts";
import { type CountedRequests, countFromRollups, RequestCounter } from "./count-requests.ts";
import { beginningOf, endOf, isWhole, skipWhole, sumOf, takeEnough } from "./counted-ranges.ts";
import { type CallOrder, type CallPosition, type CallRow, countRows, firstIdAt, readCalls } from "./read-calls.ts";
import { readSorted } from "./read-sorted.ts";
import type { TimeRange } from "./sum-parts.ts";

interface PageRequest {
  readonly order: CallOrder;
  /** End of the previous page. If set, `skip` is 0. */
  readonly after: CallPosition | null;
  readonly skip: number;
  readonly limit: number;
  /** Start of the time range, and of each further bar of its histogram. */
  readonly marks: readonly number[];
}

export type CallPage =
  | {
      readonly kind: "page";
      readonly rows: readonly CallRow[];
      /** All matching requests, on this page and on others. */
      readonly counted: CountedRequests;
      /** Number of calls in the time ranges that can have matching calls. */
      readonly lookedAt: number;
      /** Start of the next page; null at the end. */
      readonly next: CallPosition | null;
    }
  /** The list can't be sorted by anything but time, because that would require reading this many calls. */
  | { readonly kind: "too_many_to_sort"; readonly calls: number };

/** Maximum number of calls that are counted, skipped, or sorted. */
export const MAX_CALLS = 100_000;
/** Maximum number of calls counted for indexed filters. The limit is lower because the matching rows are far apart. */
const MAX_COUNTED = 10_000;
/** Number of calls read per statement if only the call rows show which calls match. */
const LOOK_AT_ONCE = 25_000;
/** Above this many calls, it is faster to skip by rollups than by rows. */
const SKIP_BY_SUMS = 500;
/**
 * Time limit for a search. When the limit is reached, the search returns the rows that it has found and a position to
 * continue from.
 */
const SEARCH_MS = 1_500;

/** Lists one page of the matching calls. Uses the rollups, so that only time ranges that can have matches are read. */
export async function listCalls(
  transaction: TenantTransaction,
  filter: CallFilter,
  request: PageRequest,
): Promise<CallPage> {
  const ranges = await findRanges(transaction, filter);
  const counted = await countMatching(transaction, filter, ranges, request.marks);
  const { order, after, limit } = request;
  const lookedAt = sumOf(ranges);
  if (order.by !== "time") {
    const sorted = await readSorted(transaction, filter, ranges, { ...request, order, by: order.by });
    if (sorted.kind === "too_many") return { kind: "too_many_to_sort", calls: sorted.calls };
    return { kind: "page", counted, lookedAt, ...cut(sorted.rows, limit, order, null) };
  }
  const walked = after !== null || request.skip === 0 || request.skip < counted.rows || counted.isMinimum;
  const found = walked ? await walk(transaction, filter, ranges, request) : { rows: [], reachedMs: null };
  return { kind: "page", counted, lookedAt, ...cut(found.rows, limit, order, found.reachedMs) };
}

const NEWEST_FIRST: CallOrder = { by: "time", isDescending: true };

/**
 * Lists the matching calls that were made before a position, latest first, without counting all matching calls. Can
 * list fewer calls than the limit, or none, before the end.
 */
export async function listCallsBefore(
  transaction: TenantTransaction,
  filter: CallFilter,
  { after, limit }: { readonly after: CallPosition | null; readonly limit: number },
): Promise<{ readonly rows: readonly CallRow[]; readonly next: CallPosition | null }> {
  const ranges = await findRanges(transaction, filter);
  const found = await walk(transaction, filter, ranges, { order: NEWEST_FIRST, after, skip: 0, limit });
  return cut(found.rows, limit, NEWEST_FIRST, found.reachedMs);
}

/** Splits the time range into the partial 15-minute buckets at its ends and the days between them, latest first. */
async function findRanges(transaction: TenantTransaction, filter: CallFilter): Promise<CountedRange[]> {
  const [fromMs, toMs] = [filter.from.getTime(), filter.to.getTime()];
  const firstMs = Math.ceil(fromMs / QUARTER_MS) * QUARTER_MS;
  const lastMs = Math.floor(toMs / QUARTER_MS) * QUARTER_MS;
  if (firstMs >= lastMs) return countPieces(transaction, filter, [{ fromMs, toMs }]);
  return [
    ...(await countPieces(transaction, filter, [{ fromMs: lastMs, toMs }])),
    ...(await countByDay(transaction, filter, { fromMs: firstMs, toMs: lastMs })),
    ...(await countPieces(transaction, filter, [{ fromMs, toMs: firstMs }])),
  ];
}

/** Counts the rows of partial buckets, which have no rollups. */
async function countPieces(
  transaction: TenantTransaction,
  filter: CallFilter,
  pieces: readonly TimeRange[],
): Promise<CountedRange[]> {
  const counted: CountedRange[] = [];
  for (const piece of pieces.filter(({ fromMs, toMs }) => fromMs < toMs)) {
    const calls = await countRows(transaction, filter, [piece], MAX_CALLS);
    if (calls > 0) counted.push({ ...piece, calls });
  }
  return counted;
}

async function countMatching(
  transaction: TenantTransaction,
  filter: CallFilter,
  ranges: readonly CountedRange[],
  marks: readonly number[],
): Promise<CountedRequests> {
  if (countingOf(filter).isExact) return countFromRollups(transaction, filter, marks, MAX_CALLS);
  const counter = new RequestCounter(marks);
  const counted = (isMinimum: boolean) => ({ bars: counter.bars, rows: counter.rows, isMinimum });
  if (isIndexed(filter)) {
    return counted((await counter.countRows(transaction, filter, ranges, marks, MAX_COUNTED)) >= MAX_COUNTED);
  }
  let lookedAt = 0;
  for (const range of ranges) {
    for (const piece of await split(transaction, filter, range)) {
      if (lookedAt >= MAX_CALLS) return counted(true);
      await counter.countRows(transaction, filter, piece, marks, MAX_CALLS);
      lookedAt += sumOf(piece);
    }
  }
  return counted(false);
}

interface Found {
  readonly rows: CallRow[];
  /** Time that the search had reached when it timed out; null if it didn't time out. */
  readonly reachedMs: number | null;
}

/** Searches in time order until the page is full. Reads one extra row to detect whether there are more rows. */
async function walk(
  transaction: TenantTransaction,
  filter: CallFilter,
  ranges: readonly CountedRange[],
  { order, after, skip, limit }: Omit<PageRequest, "marks">,
): Promise<Found> {
  const { countsRows } = countingOf(filter);
  const deadlineMs = performance.now() + SEARCH_MS;
  const rows: CallRow[] = [];
  const ordered = order.isDescending ? ranges : ranges.toReversed();
  const ahead = ordered.filter((range) => !isPassed(range, after, order));
  const start = countsRows ? skipWhole(ahead, skip) : { kept: ahead, left: skip };
  let { left } = start;
  const readsWhole = countsRows && left < SKIP_BY_SUMS && !isNarrowed(filter);
  for await (const piece of piecesOf(transaction, filter, start.kept, order, readsWhole)) {
    if (performance.now() > deadlineMs) {
      return { rows, reachedMs: order.isDescending ? endOf(piece) : beginningOf(piece) };
    }
    const need = limit + 1 - rows.length;
    const rest = countsRows ? skipWhole(piece, left) : { kept: piece, left };
    const looked = countsRows && after === null ? takeEnough(rest.kept, rest.left + need) : rest.kept;
    const found = await readCalls(transaction, filter, looked, { order, after, skip: rest.left, limit: need });
    rows.push(...found);
    if (rows.length > limit) return { rows, reachedMs: null };
    const isSkipped = found.length > 0 || rest.left === 0;
    left = isSkipped ? 0 : rest.left - (await countRows(transaction, filter, looked, rest.left));
  }
  return { rows, reachedMs: null };
}

/**
 * Yields the ranges in order: all ranges together, each range as a whole, or split ranges if that locates matching
 * calls more precisely.
 */
async function* piecesOf(
  transaction: TenantTransaction,
  filter: CallFilter,
  ranges: readonly CountedRange[],
  { isDescending }: CallOrder,
  readsWhole: boolean,
): AsyncGenerator<readonly CountedRange[]> {
  if (isIndexed(filter)) {
    yield ranges;
    return;
  }
  for (const range of ranges) {
    const pieces = readsWhole ? [[range]] : await split(transaction, filter, range);
    yield* isDescending ? pieces : pieces.map((piece) => piece.toReversed()).toReversed();
  }
}

/**
 * Splits a day into the 15-minute buckets that may have matching calls, and groups the buckets so that
 * each statement reads a limited number of calls.
 */
async function split(
  transaction: TenantTransaction,
  filter: CallFilter,
  range: CountedRange,
): Promise<CountedRange[][]> {
  if (!isWhole(range)) return [[range]];
  const pieces: CountedRange[][] = [];
  let lookedAt = Number.POSITIVE_INFINITY;
  for (const quarter of await countByQuarter(transaction, filter, range)) {
    if (lookedAt >= LOOK_AT_ONCE) {
      pieces.push([]);
      lookedAt = 0;
    }
    pieces.at(-1)?.push(quarter);
    lookedAt += quarter.calls;
  }
  return pieces;
}

function isPassed({ fromMs, toMs }: TimeRange, after: CallPosition | null, { isDescending }: CallOrder): boolean {
  if (after === null) return false;
  return isDescending ? firstIdAt(fromMs) > after.id : firstIdAt(toMs) <= after.id;
}

function cut(
  rows: readonly CallRow[],
  limit: number,
  { by }: CallOrder,
  reachedMs: number | null,
): { rows: readonly CallRow[]; next: CallPosition | null } {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  if (last !== undefined) return { rows: rows.slice(0, limit), next: { id: last.id, value: measured(last, by) } };
  return { rows, next: reachedMs === null ? null : { id: firstIdAt(reachedMs), value: 0n } };
}

function measured(row: CallRow, by: CallOrder["by"]): bigint {
  if (by === "time") return 0n;
  return by === "cost" ? row.cost : by === "tokens" ? row.tokens : BigInt(row.latencyMs);
}
