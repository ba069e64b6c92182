import type { CallLog } from "@tollgate/contracts/management/usage.ts";
import { csvLine } from "@tollgate/domain/csv.ts";

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
  "class",
  "weight",
  "httpStatus",
  "errorCode",
  "param",
  "requestedModel",
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
  "session",
] as const satisfies (keyof CallLog)[];

export const CSV_HEADER = csvLine([...columns, "costUsd"]);

/** Formats calls as CSV lines, without the header. */
export function writeCsv(logs: readonly CallLog[]): string {
  return logs.map((log) => csvLine([...columns.map((column) => log[column]), { number: log.usd.cost ?? "" }])).join("");
}
