import type { BudgetShare, LostAttempt, UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { isPlainUsage } from "@tollgate/domain/pricing/units.generated.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { sanitizeForPostgres } from "../sanitize-for-postgres.ts";

// JSON.stringify escapes lone surrogates. PostgreSQL text can't contain lone surrogates or null characters.
const UNTAKEABLE = /\\u(?:0000|d[89a-f])/;

/**
 * Encodes events as JSON for PostgreSQL. Replaces characters that PostgreSQL can't store, so that a client's label
 * never causes a call to be lost.
 */
export function writeEvents(events: readonly UsageEvent[]): string {
  const writable = events.map(writeAmounts);
  const text = JSON.stringify(writable);
  return UNTAKEABLE.test(text) ? JSON.stringify(writable, sanitizeForPostgres) : text;
}

// Don't use a JSON replacer, which would run for every value and take most of the time. List the fields, because
// spreading them would double the time.
function writeAmounts(event: UsageEvent): unknown {
  const { budgets } = event;
  return {
    id: event.id,
    organizationId: event.organizationId,
    teamId: event.teamId,
    keyId: event.keyId,
    userId: event.userId,
    requestId: event.requestId,
    endpoint: event.endpoint,
    modelGroup: event.modelGroup,
    deploymentId: event.deploymentId,
    provider: event.provider,
    isStream: event.isStream,
    status: event.status,
    httpStatus: event.httpStatus,
    errorCode: event.errorCode,
    usage: writeUsage(event.usage),
    priceVersionId: event.priceVersionId,
    cost: event.cost.toString(),
    isBilled: event.isBilled,
    hold: event.hold.toString(),
    fromLease: event.fromLease.toString(),
    budgets: budgets.length === 0 ? budgets : budgets.map(writeShare),
    nodeId: event.nodeId,
    epoch: event.epoch,
    endedAtMs: event.endedAtMs,
    latencyMs: event.latencyMs,
    firstTokenMs: event.firstTokenMs,
    // Omit default values, which the database fills in.
    loss: event.loss === 0n ? undefined : event.loss.toString(),
    lostAttempts: event.lostAttempts.length === 0 ? undefined : event.lostAttempts.map(writeLostAttempt),
    attempts: event.attempts === 1 ? undefined : event.attempts,
    fallbackFrom: event.fallbackFrom ?? undefined,
    endUser: event.endUser ?? undefined,
    session: event.session ?? undefined,
    gatewayBeforeUs: event.gatewayBeforeUs ?? undefined,
    queueUs: event.queueUs ?? undefined,
    failedUs: event.failedUs ?? undefined,
    gatewayAfterUs: event.gatewayAfterUs ?? undefined,
  } satisfies Record<keyof UsageEvent, unknown>;
}

function writeUsage(usage: Usage): unknown {
  const { reportedCost } = usage;
  if (reportedCost !== undefined) return { ...usage, reportedCost: reportedCost.toString() };
  return isPlainUsage(usage) ? writeTokens(usage) : usage;
}

function writeTokens(usage: Usage): unknown {
  return {
    inputTokens: usage.inputTokens,
    cacheReadTokens: usage.cacheReadTokens,
    cacheWriteTokens: usage.cacheWriteTokens,
    outputTokens: usage.outputTokens,
    reasoningTokens: usage.reasoningTokens,
    source: usage.source,
  };
}

function writeShare(budget: BudgetShare): unknown {
  return { ...budget, fromLease: budget.fromLease.toString() };
}

function writeLostAttempt(attempt: LostAttempt): unknown {
  return { ...attempt, cost: attempt.cost.toString() };
}
