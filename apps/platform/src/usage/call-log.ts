import { usdOf } from "@tollgate/contracts/management/money.ts";
import type { CallLog } from "@tollgate/contracts/management/usage.ts";
import { type CallRow, timeOfId } from "@tollgate/db/usage/read-calls.ts";
import { crockfordToUuid, uuidToCrockford } from "@tollgate/domain/ids.ts";
import { timingOf } from "./call-timing.ts";

/** Converts a call to its API format. */
export function toCallLog(row: CallRow): CallLog {
  const promptTokens = row.inputTokens + row.cacheReadTokens + row.cacheWriteTokens;
  return {
    id: `use_${uuidToCrockford(row.id)}`,
    requestId: row.requestId,
    createdAt: new Date(timeOfId(row.id)),
    organizationId: row.organizationId,
    teamId: row.teamId,
    teamName: row.teamName,
    apiKeyId: row.keyId,
    apiKeyName: row.keyName,
    endUser: row.endUser,
    session: row.session,
    model: row.model,
    provider: row.provider,
    deploymentId: row.deploymentId,
    endpoint: row.endpoint,
    stream: row.isStream,
    class: row.class,
    weight: row.weight,
    httpStatus: row.httpStatus,
    errorCode: row.errorCode,
    param: row.param,
    requestedModel: row.requestedModel,
    promptTokens: Number(promptTokens),
    cachedTokens: Number(row.cacheReadTokens),
    completionTokens: Number(row.outputTokens),
    reasoningTokens: Number(row.reasoningTokens),
    totalTokens: Number(row.tokens),
    images: Number(row.images),
    audioSeconds: Number(row.audioMs) / 1_000,
    cost: row.cost,
    latencyMs: row.latencyMs,
    timeToFirstTokenMs: row.firstTokenMs,
    timing: timingOf(row),
    // A successful call without attempts came from the cache.
    cacheHit: row.attempts === 0 && row.class === "succeeded",
    attempts: row.attempts,
    fallbackFrom: row.fallbackFrom,
    usageSource: row.usageSource === "reported" ? "provider" : "estimated",
    settlement:
      row.state === null ? null : { state: row.state, settledAt: row.settledAt, transactionId: row.transactionId },
    usd: usdOf({ cost: row.cost }),
  };
}

/** Returns the UUID in a public ID (`use_…`), or null if the ID is invalid. */
export function callIdOf(text: string): string | null {
  return text.startsWith("use_") ? crockfordToUuid(text.slice(4)) : null;
}
