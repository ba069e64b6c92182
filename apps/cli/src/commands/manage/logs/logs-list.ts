import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatMoneyWith } from "@tollgate/domain/figures/money-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import type { CommandContext } from "../../../context.ts";
import { type FetchedList, fetchList, printMoreHint } from "../../../fetch-list.ts";
import { formatTime, parseTime } from "../../../format-values.ts";
import { callFields, paintStatus } from "./call-text.ts";
import { callFlags, readCallFilter } from "./log-filter.ts";
import { tailCalls } from "./tail-calls.ts";

/** `tollgate logs list`: lists requests, newest first. */
export const logsList = defineCommand({
  kind: "list",
  examples: [
    "tollgate logs list --since 1h --class failed --key ci-bot",
    "tollgate logs list --model sim/echo --json=requestId,cost,latencyMs",
    "tollgate logs list --since 24h --min-cost 0.01 --sort=-cost",
    'tollgate logs list --content "open invoices"',
  ],
  flags: {
    since: { type: "string", value: "TIME", description: "Start time, such as 2h, 7d, or 2026-11-01; defaults to 7d" },
    until: { type: "string", value: "TIME", description: "End time" },
    ...callFlags,
    content: {
      type: "string",
      value: "TEXT",
      description: "Search stored prompts and responses, newest first, until enough requests are found",
    },
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
    if (flags.follow && flags.content !== undefined) {
      throw usageError(
        "--content cannot be used with --follow.",
        "Contents are stored after a request ends. Run the search again without --follow.",
      );
    }
    if (flags.follow) return tailCalls(context, filter, { last: context.listFlags.limit ?? 0, limit: Infinity });
    const query = {
      ...filter,
      ...(flags.since !== undefined && { startDate: parseTime(flags.since, "past") }),
      ...(flags.until !== undefined && { endDate: parseTime(flags.until, "past") }),
      ...(flags.sort !== undefined && { sort: flags.sort as "cost" }),
      ...(flags.content !== undefined && { content: flags.content }),
    };
    const isSearch = flags.content !== undefined;
    const fetched = fetchList(context, "listLogs", { query });
    const list = await context.waiting(isSearch ? "searching stored contents…" : "fetching logs…", fetched);
    context.output.list({
      rows: list.rows,
      meta: isSearch ? searchMeta(list) : list.meta,
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
      empty: isSearch
        ? "No stored prompt or response in this period contains the text."
        : 'No requests in this period. To send one: tollgate chat "hello"',
    });
    if (isSearch) return noteSearch(context, list.meta);
    // A row can stand for many requests of a flood, so the numbers of rows and of requests differ.
    printMoreHint(context, list, "requests", "tollgate logs list", {
      shown: list.rows.reduce((sum, { weight }) => sum + weight, 0),
      total: (list.meta.counts as { readonly requests: number }).requests,
    });
  },
});

/** Describes a search that took several requests to the server, each of which counts only what it found. */
function searchMeta({ rows, meta }: FetchedList<unknown>) {
  return { total: rows.length, nextCursor: meta.nextCursor, searchedUntil: searchedUntil(meta) };
}

/** Reports how far a search got if it did not search the whole period. */
function noteSearch({ output }: CommandContext, meta: FetchedList<unknown>["meta"]): void {
  if (meta.nextCursor === null) return;
  output.note(output.noteStyles.dim(`Searched back to ${formatTime(searchedUntil(meta))}. To search further: --all`));
}

const searchedUntil = (meta: FetchedList<unknown>["meta"]): string =>
  (meta.searched as { readonly until: string }).until;
