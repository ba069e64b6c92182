import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatMoneyWith } from "@tollgate/domain/figures/money-text.ts";
import type { RowOf } from "@tollgate/sdk/platform/platform-client.ts";
import { formatTime } from "../../../format-values.ts";
import { printable, shorten, widthOf } from "../../../output/printable.ts";
import type { Styles } from "../../../output/styles.ts";

export type Call = RowOf<"listLogs">;

export const callFields = [
  "id",
  "requestId",
  "createdAt",
  "organizationId",
  "teamId",
  "teamName",
  "apiKeyId",
  "apiKeyName",
  "endUser",
  "session",
  "model",
  "provider",
  "deploymentId",
  "endpoint",
  "stream",
  "class",
  "weight",
  "httpStatus",
  "errorCode",
  "promptTokens",
  "cachedTokens",
  "completionTokens",
  "reasoningTokens",
  "totalTokens",
  "images",
  "audioSeconds",
  "cost",
  "latencyMs",
  "timeToFirstTokenMs",
  "timing",
  "cacheHit",
  "attempts",
  "fallbackFrom",
  "usageSource",
  "settlement",
  "usd",
] as const;

const MODEL_WIDTH = 15;
const KEY_WIDTH = 11;
const OUTCOME_WIDTH = 28;

/** Formats a request as one line with fixed columns, for streaming output. */
export function formatCallLine(call: Call, width: number, styles: Styles): string {
  const cells = [
    formatTime(call.createdAt).slice("YYYY-MM-DD ".length),
    String(call.httpStatus),
    fit(call.model, MODEL_WIDTH),
    fit(call.apiKeyName ?? call.apiKeyId, KEY_WIDTH),
    fit(describeOutcome(call), OUTCOME_WIDTH),
  ];
  const line = cells.join("  ");
  const id = widthOf(line) + 2 + widthOf(call.requestId) <= width ? `  ${styles.dim(call.requestId)}` : "";
  const shown = shorten(line.trimEnd(), width);
  const status = cells[1] as string;
  return `${(id === "" ? shown : line).replace(` ${status} `, ` ${paintStatus(status, styles)} `)}${id}\n`;
}

/** Formats a request as tab-separated values, without truncation. */
export function formatCallTsv(call: Call): string {
  const { createdAt, httpStatus, model, apiKeyName, apiKeyId, requestId } = call;
  const cells = [createdAt, String(httpStatus), model, apiKeyName ?? apiKeyId, describeOutcome(call), requestId];
  return `${cells.map(printable).join("\t")}\n`;
}

/** Describes the result of a request briefly. */
function describeOutcome(call: Call): string {
  const { errorCode, class: outcome, promptTokens, completionTokens, cost, latencyMs } = call;
  if (errorCode !== null) return `${errorCode.toLowerCase().replaceAll("_", " ")} ${formatDuration(latencyMs)}`;
  if (outcome !== "succeeded") return `${outcome} after ${formatDuration(latencyMs)}`;
  return `${promptTokens} in · ${completionTokens} out · ${formatMoneyWith(cost, 6)} · ${formatDuration(latencyMs)}`;
}

/** Colors a status: green for success, yellow for client errors, otherwise red. */
export function paintStatus(status: string, { green, yellow, red }: Styles): string {
  if (status.startsWith("2")) return green(status);
  return status.startsWith("4") ? yellow(status) : red(status);
}

/** Pads text to a width. Longer text isn't truncated. */
function fit(text: string, width: number): string {
  const shown = printable(text);
  return shown + " ".repeat(Math.max(0, width - widthOf(shown)));
}
