import { failures, type GatewayCode, isGatewayCode } from "@tollgate/contracts/failure-table.ts";
import type { CallRefusal } from "@tollgate/contracts/management/call-detail.ts";
import { toUsdText } from "@tollgate/contracts/management/money.ts";
import { readQuota } from "@tollgate/db/ledger/read-quota.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { CallRow } from "@tollgate/db/usage/read-calls.ts";

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
 * Explains a refusal based on its code. Returns null if the call wasn't refused. Shows the current limits, not the
 * limits at the time of the call.
 */
export async function explainRefusal(
  transaction: TenantTransaction,
  call: CallRow,
  organizationName: string,
): Promise<CallRefusal | null> {
  if (call.status !== "refused" || call.errorCode === null) return null;
  const code = call.errorCode;
  const known = isGatewayCode(code) ? code : null;
  return {
    code,
    message: known === null ? "The request was refused." : failures[known].meaning,
    limit: known === "QUOTA_EXCEEDED" ? await readCredit(transaction, call.organizationId, organizationName) : null,
    fix: known === null ? null : (fixes[known] ?? null),
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
