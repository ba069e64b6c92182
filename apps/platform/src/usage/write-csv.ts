import type { CallLog } from "@tollgate/contracts/management/usage.ts";

const columns = [
  "id",
  "requestId",
  "createdAt",
  "organizationId",
  "teamId",
  "apiKeyId",
  "apiKeyName",
  "endUser",
  "model",
  "provider",
  "deploymentId",
  "endpoint",
  "stream",
  "status",
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
  "cacheHit",
  "attempts",
  "fallbackFrom",
  "usageSource",
] as const satisfies (keyof CallLog)[];

export const CSV_HEADER = `${[...columns, "costUsd"].join(",")}\r\n`;

/** Formats calls as CSV lines, without the header. */
export function writeCsv(logs: readonly CallLog[]): string {
  return logs
    .map((log) => `${[...columns.map((column) => toCell(log[column])), log.usd.cost ?? ""].join(",")}\r\n`)
    .join("");
}

/** Formats a CSV cell. Text that a spreadsheet could read as a formula gets a leading apostrophe. */
export function toCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@\t\r\n|%＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
