import type { TenantTransaction } from "../tenancy.ts";
import { type CallFilter, QUARTER_MS } from "./call-filter.ts";
import { type CountedStretch, type Measure, rankQuarters } from "./count-calls.ts";
import { type CallOrder, type CallPosition, type CallRow, readCalls } from "./read-calls.ts";

interface SortedRequest {
  readonly by: Measure;
  readonly order: CallOrder;
  readonly after: CallPosition | null;
  readonly skip: number;
  readonly limit: number;
}

/** More calls would have to be looked at than a list may take. */
export const TOO_MANY_TO_SORT = "too many to sort";
const MOST_LOOKED_AT = 100_000;

/** The page of a list by cost, time taken or tokens, and one row more when there are more. */
export async function readSorted(
  transaction: TenantTransaction,
  filter: CallFilter,
  stretches: readonly CountedStretch[],
  request: SortedRequest,
): Promise<CallRow[] | typeof TOO_MANY_TO_SORT> {
  const window = { ...request, limit: request.limit + 1 };
  const calls = stretches.reduce((sum, stretch) => sum + stretch.calls, 0);
  if (calls <= MOST_LOOKED_AT) return readCalls(transaction, filter, stretches, window);
  // The smallest values can be anywhere, the largest only where the sums say that there is one so large.
  return request.order.isDescending ? readLargest(transaction, filter, window) : TOO_MANY_TO_SORT;
}

async function readLargest(
  transaction: TenantTransaction,
  filter: CallFilter,
  request: SortedRequest,
): Promise<CallRow[] | typeof TOO_MANY_TO_SORT> {
  const [fromMs, toMs] = [filter.from.getTime(), filter.to.getTime()];
  const time = { fromMs: Math.floor(fromMs / QUARTER_MS) * QUARTER_MS, toMs };
  const ranked = (await rankQuarters(transaction, filter, time, request.by)).map((quarter) => ({
    ...quarter,
    fromMs: Math.max(quarter.fromMs, fromMs),
    toMs: Math.min(quarter.toMs, toMs),
  }));
  const needed = request.skip + request.limit;
  // As many quarters as calls are needed suffice most of the time: each has a call as large as its largest.
  for (let taken = needed; ; taken *= 2) {
    const quarters = ranked.slice(0, taken);
    if (quarters.reduce((sum, { calls }) => sum + calls, 0) > MOST_LOOKED_AT) return TOO_MANY_TO_SORT;
    const rows = await readCalls(transaction, filter, quarters, request);
    const last = rows.at(-1);
    const next = ranked[taken];
    // Filters, ends of the time and equal values may make calls of further quarters belong here.
    const isComplete =
      rows.length === request.limit && last !== undefined && measureOf(last, request.by) > (next?.most ?? 0);
    if (next === undefined || isComplete) return rows;
  }
}

function measureOf(row: CallRow, by: Measure): number {
  return by === "cost" ? Number(row.cost) : by === "tokens" ? Number(row.tokens) : row.latencyMs;
}
