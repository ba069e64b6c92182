import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { toList } from "@tollgate/contracts/management/lists.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { RequestSessionList, RequestSessionsQuery } from "@tollgate/contracts/management/request-sessions.ts";
import {
  listRequestSessions as listSessions,
  MAX_SUMMED,
  type SessionOrder,
} from "@tollgate/db/usage/list-request-sessions.ts";
import { requestsOf } from "@tollgate/domain/figures/request-class.ts";
import { operation, read } from "../operation.ts";
import { hideOlder, readRange } from "./report-range.ts";
import { filterOf, runReport } from "./report-scope.ts";

const DAY_MS = 86_400_000;

/** Lists the sessions that clients named in their requests, with what each of them cost. */
export const listRequestSessions = operation({
  ...read,
  id: "listRequestSessions",
  summary: "List the sessions of requests with their cost",
  tag: "usage",
  path: "/api/gw/sessions",
  auth: "user",
  scope: "own",
  query: RequestSessionsQuery,
  answers: {
    200: {
      description: "One page of the sessions with requests in the time range, by default the last 24 hours",
      schema: RequestSessionList,
    },
  },
  handle: async ({ caller, query }, services) => {
    const now = services.now();
    const startDate = query.startDate ?? new Date(now.getTime() - DAY_MS).toISOString();
    const range = readRange({ ...query, startDate }, now);
    const isDescending = query.sort.startsWith("-");
    const listed = await runReport(caller, services, async (transaction, scope) => {
      const filter = await filterOf(transaction, scope, hideOlder(range, scope.retentionDays, now), query);
      return listSessions(transaction, filter, {
        by: (isDescending ? query.sort.slice(1) : query.sort) as SessionOrder,
        isDescending,
        skip: (query.page - 1) * query.pageSize,
        limit: query.pageSize,
      });
    });
    if (listed.kind === "too_many") {
      throw invalidField(
        "startDate",
        `and endDate include more than ${MAX_SUMMED} requests with a session; narrow the dates or filters`,
      );
    }
    const rows = listed.sessions.map(({ keys, ...sums }) => ({
      ...sums,
      requests: requestsOf(sums),
      totalTokens: sums.promptTokens + sums.completionTokens,
      apiKeys: [...keys],
      models: [...sums.models],
      usd: usdOf({ cost: sums.cost }),
    }));
    return { status: 200, body: toList(rows, query, listed.total) };
  },
});
