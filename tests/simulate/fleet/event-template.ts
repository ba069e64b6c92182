import { OMITTED_FIELDS, type UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";

/** Fields with the same values in all events. The values don't matter, because this ledger only tracks money. */
export const EVENT_TEMPLATE: Omit<
  UsageEvent,
  "id" | "organizationId" | "cost" | "hold" | "fromLease" | "nodeId" | "epoch" | "endedAtMs"
> = {
  ...OMITTED_FIELDS,
  teamId: "team",
  keyId: "key",
  userId: null,
  requestId: "call",
  endpoint: "/v1/chat/completions",
  modelGroup: "model",
  deploymentId: "deployment",
  provider: "provider",
  isStream: false,
  status: "success",
  httpStatus: 200,
  errorCode: null,
  usage: NO_USAGE,
  priceVersionId: "price",
  lostAttempts: [],
  isBilled: true,
  budgets: [],
  latencyMs: 1_000,
  firstTokenMs: null,
};
