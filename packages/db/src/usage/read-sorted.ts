import type { TenantTransaction } from "../tenancy.ts";
import { type CallFilter, countingOf, everyCall, isNarrowed, QUARTER_MS } from "./call-filter.ts";
import { type CountedRange, countByDay, countByQuarter, type Measure, rankQuarters } from "./count-calls.ts";
import { type CallOrder, type CallPosition, type CallRow, readCalls } from "./read-calls.ts";
import type { TimeRange } from "./sum-parts.ts";

interface SortedRequest {
  readonly by: Measure;
  readonly order: CallOrder;
  readonly after: CallPosition | null;
  readonly skip: number;
  readonly limit: number;
}

/**
 * `rows`: the page, plus one extra row if there are more rows. `too_many`: the number of calls that would have to be
 * read, which is above the limit.
 */
type Sorted =
  | { readonly kind: "rows"; readonly rows: readonly CallRow[] }
  | { readonly kind: "too_many"; readonly calls: number };

/** Maximum number of matching calls to sort. */
const MAX_SORTED = 100_000;
/** Maximum number of calls to read to find the matching calls. */
const MAX_LOOKED_AT = 1_000_000;

/** Reads a page sorted by cost, latency, or tokens. */
export async function readSorted(
  transaction: TenantTransaction,
  filter: CallFilter,
  ranges: readonly CountedRange[],
  asked: SortedRequest,
): Promise<Sorted> {
  const request = { ...asked, limit: asked.limit + 1 };
  const calls = sumOf(ranges);
  if (!isNarrowed(filter) && calls <= MAX_SORTED) {
    return { kind: "rows", rows: await readCalls(transaction, filter, ranges, request) };
  }
  // The largest values are only in buckets whose rollup shows such a maximum. The smallest values can be in any bucket.
  if (request.order.isDescending && knowsLargest(filter)) return readLargest(transaction, filter, request);
  if (calls > MAX_SORTED) return { kind: "too_many", calls };
  return readEvery(transaction, filter, ranges, request);
}

/**
 * Reports whether the rollups' maximum applies to the filter. The rollups store the maximum over all calls, regardless
 * of outcome.
 */
function knowsLargest(filter: CallFilter): boolean {
  const { classes } = filter;
  const hasAllEnds = (["succeeded", "failed", "rejected", "canceled"] as const).every(
    (name) => classes?.includes(name) ?? true,
  );
  return countingOf(filter).countsRows && hasAllEnds;
}

async function readLargest(
  transaction: TenantTransaction,
  filter: CallFilter,
  request: SortedRequest,
): Promise<Sorted> {
  const ranked = await rankQuarters(transaction, filter, quartersOf(filter), request.by);
  const needed = request.skip + request.limit;
  // Usually, one bucket per needed call is enough, because each bucket has a call as large as its maximum.
  for (let taken = needed; ; taken *= 2) {
    const quarters = ranked.slice(0, taken);
    if (sumOf(quarters) > MAX_SORTED) return { kind: "too_many", calls: sumOf(ranked) };
    const rows = await readCalls(transaction, filter, clip(quarters, filter), request);
    const last = rows.at(-1);
    const next = ranked[taken];
    // Skipped calls, range boundaries, and ties can require further buckets.
    const isFull = rows.length === request.limit && last !== undefined;
    if (next === undefined || (isFull && measureOf(last, request.by) > next.most)) return { kind: "rows", rows };
  }
}

/** Reads every bucket that may have matching calls. */
async function readEvery(
  transaction: TenantTransaction,
  filter: CallFilter,
  ranges: readonly CountedRange[],
  request: SortedRequest,
): Promise<Sorted> {
  const { organizationId, from, to } = filter;
  const everything: CallFilter = { ...everyCall, organizationId, from, to };
  const days = await countByDay(transaction, everything, quartersOf(filter));
  const calls = sumOf(days.filter((day) => ranges.some(({ fromMs }) => fromMs >= day.fromMs && fromMs < day.toMs)));
  if (calls > MAX_LOOKED_AT) return { kind: "too_many", calls };
  const quarters = await countByQuarter(transaction, filter, quartersOf(filter));
  return { kind: "rows", rows: await readCalls(transaction, filter, clip(quarters, filter), request) };
}

/** Expands the filter's time range to 15-minute boundaries. */
function quartersOf({ from, to }: CallFilter): TimeRange {
  return {
    fromMs: Math.floor(from.getTime() / QUARTER_MS) * QUARTER_MS,
    toMs: Math.ceil(to.getTime() / QUARTER_MS) * QUARTER_MS,
  };
}

function clip(quarters: readonly TimeRange[], { from, to }: CallFilter): TimeRange[] {
  return quarters.map(({ fromMs, toMs }) => ({
    fromMs: Math.max(fromMs, from.getTime()),
    toMs: Math.min(toMs, to.getTime()),
  }));
}

const sumOf = (ranges: readonly CountedRange[]): number => ranges.reduce((sum, { calls }) => sum + calls, 0);

function measureOf(row: CallRow, by: Measure): number {
  return by === "cost" ? Number(row.cost) : by === "tokens" ? Number(row.tokens) : row.latencyMs;
}
