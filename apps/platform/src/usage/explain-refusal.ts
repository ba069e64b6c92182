import { failures, type GatewayCode, isGatewayCode } from "@tollgate/contracts/failure-table.ts";
import type { CallRefusal } from "@tollgate/contracts/management/call-detail.ts";
import { toUsdText } from "@tollgate/contracts/management/money.ts";
import { compileOnUse } from "@tollgate/contracts/validation/compile-check.ts";
import { readQuota } from "@tollgate/db/ledger/read-quota.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { CallRow } from "@tollgate/db/usage/read-calls.ts";
import Type, { type Static } from "typebox";

const Figure = Type.Union([Type.Number(), Type.String()]);

/** A limit as the gateway records it, which is as error responses have it. */
const RecordedLimit = Type.Object({
  kind: Type.String(),
  ownerType: Type.String(),
  ownerName: Type.String(),
  current: Figure,
  maximum: Figure,
  resetsAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
});

const checkLimit = compileOnUse(RecordedLimit);
const isRecordedLimit = (limit: unknown): limit is Static<typeof RecordedLimit> => checkLimit(limit);

/** Fixes by refusal code, for refusals that always have the same fix. */
const fixes: Partial<Readonly<Record<GatewayCode, string>>> = {
  QUOTA_EXCEEDED: "Buy credits, or lower max_tokens to reduce the hold for the request.",
  budget_exceeded: "Raise the exhausted budget, or wait until it resets.",
  rate_limit_exceeded: "Send fewer requests, or raise the limit of the key, team, or organization.",
  no_deployments_available: "Retry in a minute, or add other models to 'fallbacks'.",
  TEAM_BLOCKED:
    "Buy credits. The team is unblocked once the balance is above zero. If an administrator blocked the team, ask them to unblock it.",
  key_blocked: "Enable the key, or use another key.",
  expired_key: "Extend the key, or use another key.",
  key_model_access_denied: "Add the model to the key, or use a key that allows it.",
  team_model_access_denied: "Add the model to the team, or use a key of another team.",
  org_model_access_denied: "Ask an administrator to allow the model for the organization.",
  route_not_allowed: "Use a key that allows this operation.",
  tag_not_allowed: "Send different tags or none, or ask an administrator to tag a deployment.",
};

/**
 * Explains why a request was refused or rejected; null for requests with a usage event. Uses what the gateway recorded at
 * the time. Only the credit of requests from before it recorded any is the current one.
 */
export async function explainRefusal(
  transaction: TenantTransaction,
  call: CallRow,
  organizationName: string,
): Promise<CallRefusal | null> {
  const { errorCode: code, facts, param, requestedModel } = call;
  if (call.state !== null || code === null) return null;
  const known = isGatewayCode(code) ? code : null;
  const needsCredit = known === "QUOTA_EXCEEDED" && facts === null;
  return {
    code,
    message: known === null ? "The request was refused." : failures[known].meaning,
    limit: needsCredit ? await readCredit(transaction, call.organizationId, organizationName) : readLimit(facts),
    fix: typeof facts?.fix === "string" ? facts.fix : known === null ? null : (fixes[known] ?? null),
    ...{ param, requestedModel, facts },
  };
}

/** Returns the recorded limit; null if none was recorded. */
function readLimit(facts: CallRow["facts"]): CallRefusal["limit"] {
  const limit = facts?.limit;
  if (!isRecordedLimit(limit)) return null;
  const { kind, ownerType, ownerName, current, maximum, resetsAt } = limit;
  return {
    ...{ kind, ownerType, ownerName, current: String(current), maximum: String(maximum) },
    resetsAt: resetsAt === null ? null : new Date(resetsAt),
  };
}

async function readCredit(
  transaction: TenantTransaction,
  organizationId: string,
  ownerName: string,
): Promise<CallRefusal["limit"]> {
  const quota = await readQuota(transaction, organizationId);
  if (quota === null) return null;
  return {
    kind: "credit",
    ownerType: "organization",
    ownerName,
    current: toUsdText(quota.leased),
    maximum: toUsdText(quota.balance),
    resetsAt: null,
  };
}
