import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatMoneyWith } from "@tollgate/domain/figures/money-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { defineCommand } from "../../../command.ts";
import { fetchList, printMoreHint } from "../../../fetch-list.ts";
import { formatTime, parseTime } from "../../../format-values.ts";
import { callFields, paintStatus } from "./call-text.ts";
import { callFlags, readCallFilter } from "./log-filter.ts";
import { tailCalls } from "./tail-calls.ts";

/** `tollgate logs list`: lists requests, newest first. */
export const logsList = defineCommand({
  kind: "list",
  examples: [
    "tollgate logs list --since 1h",
    "tollgate logs list --class failed --key ci-bot",
    "tollgate logs list --model sim/echo --json=requestId,cost,latencyMs",
    "tollgate logs list --since 24h --min-cost 0.01 --sort=-cost",
  ],
  flags: {
    since: { type: "string", value: "TIME", description: "Start time, such as 2h, 7d, or 2026-11-01; defaults to 7d" },
    until: { type: "string", value: "TIME", description: "End time" },
    ...callFlags,
    sort: {
      type: "string",
      value: "ORDER",
      choices: ["createdAt", "-createdAt", "cost", "-cost", "latencyMs", "-latencyMs", "totalTokens", "-totalTokens"],
      description: "Sort order; prefix with - for descending",
    },
    follow: {
      type: "boolean",
      short: "f",
      description: "Keep printing requests as they finish, like tollgate logs tail",
    },
  },
  fields: callFields,
  operations: ["listLogs"],
  async run(context, flags) {
    const filter = await readCallFilter(context, flags);
    if (flags.follow) return tailCalls(context, filter, { last: context.listFlags.limit ?? 0, limit: Infinity });
    const query = {
      ...filter,
      ...(flags.since !== undefined && { startDate: parseTime(flags.since, "past") }),
      ...(flags.until !== undefined && { endDate: parseTime(flags.until, "past") }),
      ...(flags.sort !== undefined && { sort: flags.sort as "cost" }),
    };
    const list = await context.waiting("fetching logs…", fetchList(context, "listLogs", { query }));
    context.output.list({
      ...list,
      columns: [
        { header: "TIME", value: ({ createdAt }) => formatTime(createdAt), priority: 1 },
        { header: "STATUS", value: ({ httpStatus }) => String(httpStatus), priority: 1, paint: paintStatus },
        { header: "MODEL", value: ({ model }) => model, priority: 1 },
        { header: "KEY", value: ({ apiKeyName, apiKeyId }) => apiKeyName ?? apiKeyId },
        { header: "TOKENS", value: ({ totalTokens }) => formatCount(totalTokens), align: "right", priority: 3 },
        { header: "COST", value: ({ cost }) => formatMoneyWith(cost, 6), align: "right" },
        { header: "LATENCY", value: ({ latencyMs }) => formatDuration(latencyMs), align: "right", priority: 3 },
        { header: "ERROR", value: ({ errorCode }) => errorCode ?? "", priority: 4 },
        { header: "REQUEST", value: ({ requestId }) => requestId, priority: 4 },
      ],
      empty: 'No requests in this period. To send one: tollgate chat "hello"',
    });
    // A row can stand for many requests of a flood, so the numbers of rows and of requests differ.
    printMoreHint(context, list, "requests", "tollgate logs list", {
      shown: list.rows.reduce((sum, { weight }) => sum + weight, 0),
      total: (list.meta.counts as { readonly requests: number }).requests,
    });
  },
});
