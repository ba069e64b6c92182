import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { REQUEST_CLASSES } from "@tollgate/domain/figures/request-class.ts";
import { formatCount, formatShare } from "@tollgate/domain/figures/size-text.ts";
import type { RowOf } from "@tollgate/sdk/platform/platform-client.ts";
import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { sliceList } from "../../../fetch-list.ts";
import { formatTime, parseTime } from "../../../format-values.ts";
import type { Column } from "../../../output/format-table.ts";
import { countOf } from "../count-of.ts";
import { filterFlags, readFilter } from "../logs/log-filter.ts";
import { drawBar } from "./bars.ts";
import { groupNames } from "./group-names.ts";

type Usage = RowOf<"getUsage">;
const groupings = ["day", "hour", "model", "provider", "team", "apiKey", "endpoint", "session"] as const;
type Grouping = (typeof groupings)[number];
const BAR_WIDTH = 24;

/** `tollgate usage`: shows total requests, tokens, and cost, with bars in a terminal. */
export const usage = defineCommand({
  kind: "list",
  examples: [
    "tollgate usage",
    "tollgate usage --by model --range 30d",
    "tollgate usage --by day,model --since 2026-11-01 --csv",
    "tollgate usage --by key --team platform --compare",
  ],
  flags: {
    by: {
      type: "string",
      value: "GROUP[,GROUP]",
      description: "Group by day, hour, model, provider, team, key, endpoint, or session (at most two)",
    },
    range: { type: "string", value: "TIME", description: "Time range ending now; defaults to 7d" },
    since: { type: "string", value: "TIME", description: "Start time, such as 2h, 7d, or 2026-11-01" },
    until: { type: "string", value: "TIME", description: "End time" },
    timezone: {
      type: "string",
      value: "ZONE",
      description: "Time zone for day boundaries; defaults to the organization's time zone",
    },
    compare: { type: "boolean", description: "Compare with the previous period" },
    ...filterFlags,
  },
  fields: [
    "group",
    "isOther",
    "requests",
    ...REQUEST_CLASSES,
    "errorRate",
    "promptTokens",
    "completionTokens",
    "cachedTokens",
    "reasoningTokens",
    "cost",
    "avgCost",
    "cacheHitRate",
    "cacheSaved",
    "p50LatencyMs",
    "p95LatencyMs",
    "p99LatencyMs",
    "usd",
  ],
  operations: ["getUsage"],
  async run(context, flags) {
    const { output } = context;
    const by = readGroupings(flags.by ?? "day");
    if (flags.range !== undefined && flags.since !== undefined)
      throw usageError("--range and --since cannot be combined.");
    const since = flags.since ?? flags.range;
    const query = {
      ...(await readFilter(context, flags)),
      ...(since !== undefined && { startDate: parseTime(since, "past") }),
      ...(flags.until !== undefined && { endDate: parseTime(flags.until, "past") }),
      ...(flags.timezone !== undefined && { timezone: flags.timezone }),
      ...(flags.compare && { compare: "previous" as const }),
      groupBy: by,
    };
    const { data, totals, previous, meta } = await context.waiting(
      "loading usage…",
      context.platform.call("getUsage", { query }),
    );
    const isOverTime = by.includes("day") || by.includes("hour");
    const sorted = isOverTime ? data : data.toSorted((one, other) => Number(other.cost - one.cost));
    const names = output.isJson ? new Map<string, string>() : await groupNames(context, by);
    output.list({
      rows: sliceList(context, sorted),
      meta: { ...meta, totals, ...(previous !== undefined && { previous }) },
      columns: [
        ...by.map((grouping) => groupColumn(grouping, names)),
        { header: "REQUESTS", value: ({ requests }) => formatCount(requests), align: "right" },
        { header: "FAILED", value: ({ failed }) => formatCount(failed), align: "right", priority: 3 },
        { header: "TOKENS IN", value: (row) => formatCount(row.promptTokens), align: "right", priority: 4 },
        { header: "OUT", value: (row) => formatCount(row.completionTokens), align: "right", priority: 4 },
        ...(usesCache(totals) ? cacheColumns : []),
        { header: "P95", value: (row) => formatLatency(row.p95LatencyMs), align: "right", priority: 5 },
        { header: "COST", value: ({ cost }) => formatMoney(cost), align: "right", priority: 1 },
        ...(output.isTerminal ? [barColumn(data)] : []),
      ],
      empty: "No requests in this period.",
    });
    if (!output.isTerminal || output.isJson) return;
    const sums = [
      countOf(totals.requests, "request"),
      `${formatCount(totals.failed)} failed`,
      formatMoney(totals.cost),
      ...(usesCache(totals)
        ? [`${formatHitRate(totals.cacheHitRate)} cached, ${formatMoney(totals.cacheSaved)} saved`]
        : []),
    ];
    const before = previous === undefined ? "" : ` · previous period ${formatMoney(previous.totals.cost)}`;
    const until = `data until ${formatTime(meta.dataUntil).slice(0, "YYYY-MM-DD hh:mm".length)}, time zone ${meta.timezone}`;
    output.note(output.noteStyles.dim(`${sums.join(" · ")}${before} · ${until}`));
  },
});

/** Columns for the effect of the providers' prompt caches. They are shown if a cache was used. */
const cacheColumns: readonly Column<Usage>[] = [
  { header: "CACHED", value: (row) => formatHitRate(row.cacheHitRate), align: "right", priority: 5 },
  { header: "SAVED", value: ({ cacheSaved }) => formatMoney(cacheSaved), align: "right", priority: 3 },
];

function usesCache({ cachedTokens, cacheSaved }: Pick<Usage, "cachedTokens" | "cacheSaved">): boolean {
  return cachedTokens > 0 || cacheSaved !== 0n;
}

/** Formats the share of input tokens that were read from a provider's cache. */
function formatHitRate(rate: number | null): string {
  return rate === null ? "–" : formatShare(rate);
}

function readGroupings(text: string): readonly Grouping[] {
  const names = text.split(",").map((each) => (each.trim() === "key" ? "apiKey" : each.trim()));
  const wrong = names.find((each) => !groupings.includes(each as Grouping));
  if (wrong !== undefined)
    throw usageError(
      `Usage cannot be grouped by '${wrong}'.`,
      "Use day, hour, model, provider, team, key, endpoint, or session.",
    );
  if (names.length > 2) throw usageError("--by accepts at most two values.");
  return names as Grouping[];
}

/** Names of requests that ended before their model or provider was known, as in the console. */
const emptyNames: Partial<Record<Grouping, string>> = {
  model: "not recorded",
  provider: "not sent to a provider",
  session: "no session",
};

function groupColumn(grouping: Grouping, names: ReadonlyMap<string, string>): Column<Usage> {
  return {
    header: grouping === "apiKey" ? "KEY" : grouping.toUpperCase(),
    value: ({ group, isOther }) => {
      const value = group[grouping] ?? "";
      if (isOther === true && value === "" && isCut(grouping)) return "other";
      if (grouping === "hour") return formatTime(value).slice(0, "YYYY-MM-DD hh:mm".length);
      return value === "" ? (emptyNames[grouping] ?? "none") : (names.get(value) ?? value);
    },
    priority: 1,
  };
}

/** Reports whether only the groups with the highest cost are listed. */
const isCut = (grouping: Grouping): boolean => grouping === "endpoint" || grouping === "session";

/** Column with a bar for each row's cost, or for its number of requests if all costs are zero. */
function barColumn(rows: readonly Usage[]): Column<Usage> {
  const isFree = rows.every(({ cost }) => cost === 0n);
  const amountOf = ({ cost, requests }: Usage) => (isFree ? requests : Number(cost));
  const largest = Math.max(0, ...rows.map(amountOf));
  return {
    header: "",
    value: (row) => drawBar(amountOf(row), largest, BAR_WIDTH),
    paint: (text, { cyan }) => cyan(text),
  };
}

function formatLatency(ms: number | null): string {
  return ms === null ? "–" : formatDuration(ms);
}
