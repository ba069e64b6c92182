import type { BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import type { CallTimes } from "@tollgate/domain/credit/call-times.ts";
import type { LostAttempt, UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";

export type { LossReason, LostAttempt } from "@tollgate/domain/credit/usage-event.ts";

/** Call data at admission. Written before the call goes upstream, and again in the closing record. */
export interface JournaledCall {
  readonly id: string;
  /** Encoded once per key by `encodeIdentity`. */
  readonly identity: Uint8Array;
  /** Encoded once per deployment by `encodeTarget`. */
  readonly target: Uint8Array;
  readonly requestId: string;
  readonly isStream: boolean;
  readonly hold: NanoUsd;
  readonly isBilled: boolean;
  /** The node's epoch when the hold was taken. It may be older than the epoch at the end of the call. */
  readonly epoch: number;
  readonly budgets: readonly BudgetWindow[];
  /** Failed attempts that the operator pays for, at most `MAX_LOST_ATTEMPTS`. Open records repeat them for recovery. */
  readonly lostAttempts: readonly LostAttempt[];
}

/** The outcome of a call. */
export interface ClosingFacts extends CallTimes {
  readonly status: UsageEvent["status"];
  readonly httpStatus: number;
  readonly errorCode: string | null;
  readonly usage: Usage;
  readonly cost: NanoUsd;
  /** The part of the price of `usage` above `cost`, if the provider billed a model that costs more than the hold. */
  readonly loss: NanoUsd;
  readonly fromLease: NanoUsd;
  /** One share per budget of the call, in the same order. */
  readonly budgetShares: readonly NanoUsd[];
  readonly endedAtMs: number;
  readonly latencyMs: number;
  readonly firstTokenMs: number | null;
  /** Number of upstream calls; usually 1. */
  readonly attempts: number;
  /** The requested model group, if a different group served the call. */
  readonly fallbackFrom: string | null;
  /** End-user ID sent by the client; truncated if too long. */
  readonly endUser: string | null;
  /** Session ID sent by the client; truncated if too long. */
  readonly session: string | null;
}

/** The payer: the part of a record that all calls of a key share. */
export interface Identity {
  readonly organizationId: string | null;
  readonly teamId: string | null;
  readonly keyId: string;
  readonly userId: string | null;
}

/** The target: the part of a record that all calls to a deployment through one endpoint share. */
export interface Target {
  readonly endpoint: string;
  readonly modelGroup: string;
  readonly deploymentId: string;
  readonly provider: string;
  readonly priceVersionId: string | null;
}
