import type { Failure } from "@tollgate/contracts/failures.ts";
import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { toList } from "@tollgate/contracts/management/lists.ts";
import { type CallHistogram, CallLogList, LogsQuery } from "@tollgate/contracts/management/usage.ts";
import { type BarMarks, layOutBars } from "@tollgate/db/usage/bar-marks.ts";
import type { CountedRequests } from "@tollgate/db/usage/count-requests.ts";
import { type CallPage, listCalls, MAX_CALLS } from "@tollgate/db/usage/list-calls.ts";
import type { CallOrder, CallPosition } from "@tollgate/db/usage/read-calls.ts";
import { addCounts, type ClassCounts, requestsOf } from "@tollgate/domain/figures/request-class.ts";
import type { Caller } from "../caller.ts";
import { operation, read } from "../operation.ts";
import type { Services } from "../services.ts";
import { toCallLog } from "./call-log.ts";
import { narrowSearch } from "./narrow-search.ts";
import { readCursor, writeCursor } from "./page-cursor.ts";
import { hideOlder, type ReportRange, readRange } from "./report-range.ts";
import { filterOf, runReport } from "./report-scope.ts";
import { searchLogs } from "./search-logs.ts";
import { CSV_HEADER, writeCsv } from "./write-csv.ts";

const CSV_ROWS_AT_ONCE = 2_000;
/** Size of the first batch. It is smaller than later batches, so that the download starts quickly. */
const CSV_ROWS_AT_FIRST = 200;

const measures = { createdAt: "time", cost: "cost", latencyMs: "latency_ms", totalTokens: "tokens" } as const;

/** Lists calls with their usage and cost, as a page or as a CSV file. */
export const listLogs = operation({
  ...read,
  id: "listLogs",
  summary: "List requests with their usage and cost",
  tag: "usage",
  path: "/api/gw/logs",
  auth: "user",
  scope: "own",
  query: LogsQuery,
  answers: {
    200: { description: "One page of requests, or with format=csv, all of them up to 100,000", schema: CallLogList },
  },
  handle: async ({ caller, query, origin, signal }, services) => {
    const range = readRange(query, services.now());
    const { content } = query;
    if (content !== undefined) {
      return { status: 200, body: await searchLogs({ caller, origin, query, content, range, services, signal }) };
    }
    const order = readOrder(query.sort);
    if (query.format === "csv") return answerCsv({ caller, query, range, order, services, signal });
    const after = query.cursor === undefined ? null : readCursor(query.cursor, query.sort);
    if (after === null && query.page * query.pageSize > MAX_CALLS) {
      throw invalidField(
        "page",
        `can only reach the first ${MAX_CALLS} requests; continue with cursor = meta.nextCursor`,
      );
    }
    const skip = after === null ? (query.page - 1) * query.pageSize : 0;
    const page = await readPage({ caller, query, range, order, services }, { after, skip, limit: query.pageSize });
    const { counted } = page;
    const list = toList(page.rows.map(toCallLog), query, counted.rows);
    return {
      status: 200,
      body: {
        ...list,
        meta: {
          ...list.meta,
          counts: withRequests(addCounts(counted.bars)),
          ...(counted.isMinimum && { totalIsMinimum: true }),
          nextCursor: page.next === null ? null : writeCursor(query.sort, page.next),
        },
        ...(page.histogram !== null && { histogram: page.histogram }),
      },
    };
  },
});

interface LogsRequest {
  readonly caller: Caller;
  readonly query: LogsQuery;
  readonly range: ReportRange;
  readonly order: CallOrder;
  readonly services: Services;
}

interface Place {
  readonly after: CallPosition | null;
  readonly skip: number;
  readonly limit: number;
}

function readPage(
  { caller, query, range, order, services }: LogsRequest,
  place: Place,
): Promise<Extract<CallPage, { kind: "page" }> & { readonly histogram: CallHistogram | null }> {
  return runReport(caller, services, async (transaction, scope) => {
    const shown = hideOlder(range, scope.retentionDays, services.now());
    const filter = await narrowSearch(transaction, await filterOf(transaction, scope, shown, query), query.search);
    const bars = wantsBars(query) ? layOutBars(shown.from, shown.to) : null;
    const marks = bars?.marks ?? [shown.from.getTime()];
    const page = await listCalls(transaction, filter, { order, ...place, marks });
    if (page.kind !== "page") throw tooManyToSort(page.calls);
    return { ...page, histogram: bars && describeBars(bars, page.counted) };
  });
}

/** Reports whether the histogram is requested. The histogram covers all pages and can be requested with any page. */
const wantsBars = ({ include, format }: LogsQuery): boolean =>
  format === "json" && include?.includes("histogram") === true;

/** Describes the bars of a histogram. Their sum is the list's total, because both are the same counts. */
function describeBars({ bucketMinutes, marks }: BarMarks, { bars, isMinimum }: CountedRequests): CallHistogram {
  const buckets = bars.map((counts, index) => ({ at: new Date(marks[index] as number), ...withRequests(counts) }));
  return { bucketMinutes, buckets, isExact: !isMinimum };
}

const withRequests = (counts: ClassCounts) => ({ requests: requestsOf(counts), ...counts });

/** Reads and sends a few thousand calls per transaction, so that slow readers don't hold a database connection. */
async function answerCsv(request: LogsRequest & { readonly signal: AbortSignal }) {
  const first = await readPage(request, { after: null, skip: 0, limit: CSV_ROWS_AT_FIRST });
  // Check the number of calls before sending, because an export that has started can't report an error.
  if (request.order.by !== "time" && first.lookedAt > MAX_CALLS) throw tooManyToSort(first.lookedAt);
  async function* lines(): AsyncGenerator<string> {
    yield CSV_HEADER + writeCsv(first.rows.map(toCallLog));
    let [sent, page] = [first.rows.length, first];
    while (page.next !== null && sent < MAX_CALLS && !request.signal.aborted) {
      const limit = Math.min(CSV_ROWS_AT_ONCE, MAX_CALLS - sent);
      page = await readPage(request, { after: page.next, skip: 0, limit });
      sent += page.rows.length;
      yield writeCsv(page.rows.map(toCallLog));
    }
  }
  return {
    status: 200,
    headers: {
      "content-disposition": 'attachment; filename="calls.csv"',
      ...(first.counted.rows > MAX_CALLS && { "x-gw-truncated": "true" }),
    },
    raw: { contentType: "text/csv; charset=utf-8", content: lines() },
  };
}

function tooManyToSort(calls: number): Failure {
  const problem = `other than createdAt would have to scan too many requests (${calls})`;
  return invalidField("sort", `${problem}; narrow the dates or filters`);
}

function readOrder(sort: LogsQuery["sort"]): CallOrder {
  const isDescending = sort.startsWith("-");
  return { by: measures[(isDescending ? sort.slice(1) : sort) as keyof typeof measures], isDescending };
}
