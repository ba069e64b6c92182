import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatLimitValue } from "@tollgate/domain/figures/limit-text.ts";
import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { formatShare } from "@tollgate/domain/figures/size-text.ts";
import { describeTiming } from "@tollgate/sdk/platform/describe-timing.ts";
import type { Operations } from "@tollgate/sdk/platform/operations.generated.ts";
import { defineCommand } from "../../../command.ts";
import { formatTime } from "../../../format-values.ts";
import { formatTable, formatTsv } from "../../../output/format-table.ts";
import { printable } from "../../../output/printable.ts";
import { callFields } from "./call-text.ts";

type Detail = Operations["getLog"]["answer"]["log"];

/** `tollgate logs show`: shows a request with its timing and cost. */
export const logsShow = defineCommand({
  examples: ["tollgate logs show req_01J…", "tollgate logs show use_01J… --jq .costLines"],
  arguments: [{ name: "call", description: "Request ID or log entry ID" }],
  fields: [...callFields, "content", "contentState", "costLines", "promptCache", "price", "route", "refusal"],
  operations: ["getLog"],
  async run(context, _, { call }) {
    const { log } = await context.platform.call("getLog", { params: { id: call } });
    const { output } = context;
    output.pairs(log, facts(log));
    if (output.isJson) return;
    if (log.costLines.length > 0) output.text(`\n${costTable(log, output.isTerminal, output.width, output.styles)}`);
    if (log.content !== null) output.text(`\n${printText(log.content.request)}\n\n${printText(log.content.answer)}\n`);
  },
});

function facts(log: Detail): readonly (readonly [string, string | null])[] {
  const { refusal, route, price } = log;
  const attempts = route.attempts > 1 ? `, ${route.attempts} attempts` : "";
  const fallback = route.fallbackFrom === null ? "" : `, fallback from ${route.fallbackFrom}`;
  return [
    ["request", log.requestId],
    ["id", log.id],
    ["time", formatTime(log.createdAt)],
    ["status", `${log.httpStatus} ${log.class}${log.errorCode === null ? "" : ` (${log.errorCode})`}`],
    [log.class === "rejected" ? "rejected" : "refused", refusal === null ? null : refusal.message],
    ["limit", refusal?.limit == null ? null : formatLimit(refusal.limit)],
    ["fix", refusal?.fix ?? null],
    ["field", log.param],
    ["model", log.model === "" ? log.requestedModel : log.model],
    ["stands for", log.weight === 1 ? null : `${log.weight} requests`],
    ["provider", route.provider === null ? null : `${route.provider}${attempts}${fallback}`],
    ["key", log.apiKeyName ?? log.apiKeyId],
    ["team", log.teamName ?? log.teamId],
    ["user", log.endUser],
    ["session", log.session],
    ["operation", `${log.endpoint}${log.stream ? ", streamed" : ""}${log.cacheHit ? ", from the cache" : ""}`],
    ["tokens", `${log.promptTokens} in (${log.cachedTokens} cached), ${log.completionTokens} out`],
    ["latency", formatDuration(log.latencyMs)],
    ["timing", log.timing === null ? null : describeTiming(log.timing)],
    ["cost", formatExactMoney(log.cost)],
    ["saved", describeSavings(log.promptCache)],
    ["price", price === null ? null : `${price.source}, since ${formatTime(price.effectiveFrom)}`],
    ["condition", price?.condition ?? null],
    ["settlement", log.settlement === null ? null : log.settlement.state],
    ["content", log.content === null ? log.contentState.replaceAll("_", " ") : null],
  ];
}

/** Describes what the provider's prompt cache saved; null if it was not used. */
function describeSavings(cache: Detail["promptCache"]): string | null {
  if (cache === null) return null;
  const rate = cache.hitRate === null ? "" : ` (${formatShare(cache.hitRate)} of the input cached)`;
  return `${formatExactMoney(cache.saved)} by the provider's prompt cache${rate}`;
}

function formatLimit(limit: NonNullable<NonNullable<Detail["refusal"]>["limit"]>): string {
  const resets = limit.resetsAt === null ? "" : `, resets ${formatTime(limit.resetsAt)}`;
  const shown = (value: string) => formatLimitValue(limit.kind, value);
  return `${limit.kind} of ${limit.ownerType} ${limit.ownerName}: ${shown(limit.current)} of ${shown(limit.maximum)}${resets}`;
}

function costTable(
  { costLines }: Detail,
  isTerminal: boolean,
  width: number,
  styles: Parameters<typeof formatTable>[3],
): string {
  type Line = (typeof costLines)[number];
  const columns = [
    { header: "UNIT", value: ({ unit }: Line) => unit.replaceAll("_", " "), priority: 1 },
    { header: "COUNT", value: ({ count }: Line) => String(count), align: "right" as const },
    {
      header: "$/1M",
      value: ({ ratePerMillion }: Line) =>
        ratePerMillion === null ? "–" : formatExactMoney(ratePerMillion).replace("$", ""),
      align: "right" as const,
    },
    { header: "AMOUNT", value: ({ amount }: Line) => formatExactMoney(amount), align: "right" as const, priority: 1 },
  ];
  return isTerminal ? formatTable(costLines, columns, width, styles) : formatTsv(costLines, columns);
}

/** Removes control characters from each line of user or model text. */
function printText(text: string): string {
  return text
    .split("\n")
    .map((line) => printable(line))
    .join("\n");
}
