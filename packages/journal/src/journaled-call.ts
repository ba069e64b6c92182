import type { BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import type { CallTimes } from "@tollgate/domain/credit/call-times.ts";
import type { LostAttempt, UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";

export type { LossReason, LostAttempt } from "@tollgate/domain/credit/usage-event.ts";

/** What is known of a call when it is admitted. Written before it goes upstream, and again with its closing facts. */
export interface JournaledCall {
  readonly id: string;
  /** Made once per key by `encodeIdentity`. */
  readonly identity: Uint8Array;
  /** Made once per deployment by `encodeTarget`. */
  readonly target: Uint8Array;
  readonly requestId: string;
  readonly isStream: boolean;
  readonly hold: NanoUsd;
  readonly isBilled: boolean;
  /** The node's epoch when the hold was taken. A node that had to register again has a later one by the end of the call. */
  readonly epoch: number;
  readonly budgets: readonly BudgetWindow[];
  /** Attempts so far that the operator pays for, at most `MAX_LOST_ATTEMPTS`. Open records repeat them for recovery. */
  readonly lostAttempts: readonly LostAttempt[];
}

/** How a call ended. */
export interface ClosingFacts extends CallTimes {
  readonly status: UsageEvent["status"];
  readonly httpStatus: number;
  readonly errorCode: string | null;
  readonly usage: Usage;
  readonly cost: NanoUsd;
  /** What the price of `usage` exceeds `cost` by, because the provider billed a model that costs more than the hold covers. */
  readonly loss: NanoUsd;
  readonly fromLease: NanoUsd;
  /** One for each budget of the call, in their order. */
  readonly budgetShares: readonly NanoUsd[];
  readonly endedAtMs: number;
  readonly latencyMs: number;
  readonly firstTokenMs: number | null;
  /** Calls to upstreams; 1 for nearly all. */
  readonly attempts: number;
  /** The group that was asked for when another one answered. */
  readonly fallbackFrom: string | null;
  /** Whom the client called for, in its own words; cut when it is long. */
  readonly endUser: string | null;
}

/** Who pays: the part of a record that is the same for every call of a key. */
export interface Identity {
  readonly organizationId: string | null;
  readonly teamId: string | null;
  readonly keyId: string;
  readonly userId: string | null;
}

/** What is called: the part of a record that is the same for every call to a deployment by one endpoint. */
export interface Target {
  readonly endpoint: string;
  readonly modelGroup: string;
  readonly deploymentId: string;
  readonly provider: string;
  readonly priceVersionId: string | null;
}
