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

/** The page, and one row more when there are more; or how many calls would have to be looked at for it. */
export type Sorted =
  | { readonly kind: "rows"; readonly rows: readonly CallRow[] }
  | { readonly kind: "too_many"; readonly calls: number };

/** So many matching calls are sorted. */
const MAX_SORTED = 100_000;
/** So many calls are looked at to find them. */
const MAX_LOOKED_AT = 1_000_000;

/** The page of a list by cost, time taken or tokens. */
export async function readSorted(
  transaction: TenantTransaction,
  filter: CallFilter,
  stretches: readonly CountedRange[],
  asked: SortedRequest,
): Promise<Sorted> {
  const request = { ...asked, limit: asked.limit + 1 };
  const calls = sumOf(stretches);
  if (!isNarrowed(filter) && calls <= MAX_SORTED) {
    return { kind: "rows", rows: await readCalls(transaction, filter, stretches, request) };
  }
  // The largest values are only where the sums say that there is one so large; the smallest can be anywhere.
  if (request.order.isDescending && knowsLargest(filter)) return readLargest(transaction, filter, request);
  if (calls > MAX_SORTED) return { kind: "too_many", calls };
  return readEvery(transaction, filter, stretches, request);
}

/** The sums keep the largest value of all calls, however they ended. */
function knowsLargest(filter: CallFilter): boolean {
  const { statuses } = filter;
  const hasAllEnds = (["success", "error", "cancelled"] as const).every((status) => statuses?.includes(status) ?? true);
  return countingOf(filter).isExact && hasAllEnds;
}

async function readLargest(
  transaction: TenantTransaction,
  filter: CallFilter,
  request: SortedRequest,
): Promise<Sorted> {
  const ranked = await rankQuarters(transaction, filter, quartersOf(filter), request.by);
  const needed = request.skip + request.limit;
  // As many quarters as calls are needed suffice most of the time: each has a call as large as its largest.
  for (let taken = needed; ; taken *= 2) {
    const quarters = ranked.slice(0, taken);
    if (sumOf(quarters) > MAX_SORTED) return { kind: "too_many", calls: sumOf(ranked) };
    const rows = await readCalls(transaction, filter, clip(quarters, filter), request);
    const last = rows.at(-1);
    const next = ranked[taken];
    // Calls before the page, ends of the time and equal values may make calls of further quarters belong here.
    const isFull = rows.length === request.limit && last !== undefined;
    if (next === undefined || (isFull && measureOf(last, request.by) > next.most)) return { kind: "rows", rows };
  }
}

/** Looks at every quarter that may have matching calls. */
async function readEvery(
  transaction: TenantTransaction,
  filter: CallFilter,
  stretches: readonly CountedRange[],
  request: SortedRequest,
): Promise<Sorted> {
  const { organizationId, from, to } = filter;
  const everything: CallFilter = { ...everyCall, organizationId, from, to };
  const days = await countByDay(transaction, everything, quartersOf(filter));
  const calls = sumOf(days.filter((day) => stretches.some(({ fromMs }) => fromMs >= day.fromMs && fromMs < day.toMs)));
  if (calls > MAX_LOOKED_AT) return { kind: "too_many", calls };
  const quarters = await countByQuarter(transaction, filter, quartersOf(filter));
  return { kind: "rows", rows: await readCalls(transaction, filter, clip(quarters, filter), request) };
}

/** The time of a filter as whole quarters of an hour. */
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

const sumOf = (stretches: readonly CountedRange[]): number => stretches.reduce((sum, { calls }) => sum + calls, 0);

function measureOf(row: CallRow, by: Measure): number {
  return by === "cost" ? Number(row.cost) : by === "tokens" ? Number(row.tokens) : row.latencyMs;
}
