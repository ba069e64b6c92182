import { ErrorCauses, ErrorCausesQuery } from "@tollgate/contracts/management/error-causes.ts";
import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { type CallRow, readCalls } from "@tollgate/db/usage/read-calls.ts";
import { operation, read } from "../operation.ts";
import { toCallLog } from "./call-log.ts";
import { describeCause } from "./describe-cause.ts";
import { hideOlder, readRange } from "./report-range.ts";
import { filterOf, runReport } from "./report-scope.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 7;
const MAX_CALLS = 5_000;
const MAX_CAUSES = 20;

/** Lists recent errors by cause, because many calls with the same cause need one fix. */
export const listErrorCauses = operation({
  ...read,
  id: "listErrorCauses",
  summary: "List failed, refused, and rejected requests by cause",
  tag: "usage",
  path: "/api/gw/logs/errors",
  auth: "user",
  scope: "own",
  query: ErrorCausesQuery,
  answers: { 200: { description: "Up to 20 causes, most frequent first", schema: ErrorCauses } },
  handle: async ({ caller, query }, services) => {
    const now = services.now();
    const startDate = query.startDate ?? new Date(now.getTime() - DAY_MS).toISOString();
    const range = readRange({ ...query, startDate }, now);
    if (range.to.getTime() - range.from.getTime() > (MAX_DAYS + 1) * DAY_MS) {
      throw invalidField("startDate", `and endDate must be at most ${MAX_DAYS} days apart`);
    }
    const calls = await runReport(caller, services, async (transaction, scope) => {
      const shown = hideOlder(range, scope.retentionDays, now);
      const filter = await filterOf(transaction, scope, shown, { class: ["failed", "refused", "rejected"] });
      const timeRange = { fromMs: shown.from.getTime(), toMs: shown.to.getTime() };
      const order = { by: "time", isDescending: true } as const;
      return readCalls(transaction, filter, [timeRange], { order, after: null, skip: 0, limit: MAX_CALLS });
    });
    const causes = [...groupByCause(calls).values()]
      .map(toCause)
      .sort((one, other) => other.count - one.count)
      .slice(0, MAX_CAUSES);
    return { status: 200, body: { causes, isSample: calls.length === MAX_CALLS } };
  },
});

/** Groups refused and rejected requests by key, and failed ones by model. */
function groupByCause(calls: readonly CallRow[]): ReadonlyMap<string, readonly CallRow[]> {
  return Map.groupBy(calls, (call) =>
    JSON.stringify([call.class, call.errorCode, call.httpStatus, call.class === "failed" ? call.model : call.keyId]),
  );
}

function toCause(calls: readonly CallRow[]) {
  const [latest] = calls as [CallRow, ...CallRow[]];
  const common = <T>(of: (call: CallRow) => T): T | null =>
    calls.every((call) => of(call) === of(latest)) ? of(latest) : null;
  const { errorCode, httpStatus, createdAt, requestId } = toCallLog(latest);
  const named = {
    model: common(({ model }) => model) || null,
    provider: common(({ provider }) => provider),
    apiKeyId: common(({ keyId }) => keyId),
    apiKeyName: common(({ keyName }) => keyName),
  };
  const message = describeCause({ errorCode, httpStatus, isOfKey: latest.class !== "failed", ...named });
  const count = calls.reduce((sum, { weight }) => sum + weight, 0);
  return {
    class: latest.class,
    errorCode,
    httpStatus,
    ...named,
    count,
    lastAt: createdAt,
    lastRequestId: requestId,
    message,
  };
}
