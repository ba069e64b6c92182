import type { NanoUsd } from "../money.ts";
import type { Usage } from "../pricing/usage.ts";
import type { BudgetWindow } from "./budget-window.ts";
import { type CallTimes, NO_TIMES } from "./call-times.ts";

/** Maximum stored length of a session ID. Longer IDs are truncated. */
export const MAX_SESSION_LENGTH = 128;

/** The part of a call's cost covered by a budget's lease. */
export interface BudgetShare extends BudgetWindow {
  readonly fromLease: NanoUsd;
}

/** Reason why the operator pays for an attempt that produced billable output. */
export type LossReason =
  /** The attempt failed, and another attempt in the same model group replaced it. */
  | "retry"
  /** The attempt failed, and an attempt in another model group replaced it. */
  | "fallback"
  /** The attempt exceeded a timeout that the operator set. */
  | "timeout"
  /** The gateway could not read the response. */
  | "malformed"
  /** The provider ended the response early or with an error. */
  | "upstream";

/** An attempt that the provider bills and no caller pays for. Its cost goes to the operator's loss account. */
export interface LostAttempt {
  readonly reason: LossReason;
  readonly deploymentId: string;
  readonly provider: string;
  readonly priceVersionId: string;
  readonly usage: Usage;
  /** The price of `usage` at this price version, always more than 0. */
  readonly cost: NanoUsd;
}

/**
 * A call as recorded in the ledger: its caller, its usage and cost, and the lease of its hold. Settled once per `id`.
 */
export interface UsageEvent extends CallTimes {
  /** UUIDv7 created by the gateway; it contains the time and day of the call. */
  readonly id: string;
  /** Null for the operator's own key, whose calls don't use credit. */
  readonly organizationId: string | null;
  readonly teamId: string | null;
  readonly keyId: string;
  readonly userId: string | null;
  /** The client's label for the call; defaults to `id`. */
  readonly requestId: string;
  readonly endpoint: string;
  readonly modelGroup: string;
  readonly deploymentId: string;
  readonly provider: string;
  readonly isStream: boolean;
  readonly status: "success" | "failure" | "client_disconnect";
  readonly httpStatus: number;
  readonly errorCode: string | null;
  readonly usage: Usage;
  /** Null if the deployment has no price, which is only possible while billing is off. */
  readonly priceVersionId: string | null;
  readonly cost: NanoUsd;
  /** The part of the price that the operator pays: cost plus loss is the price of the usage. Usually 0. */
  readonly loss: NanoUsd;
  /** Earlier attempts of the call that the operator pays for; usually none. */
  readonly lostAttempts: readonly LostAttempt[];
  /** True if the organization's credit pays for the call. */
  readonly isBilled: boolean;
  readonly hold: NanoUsd;
  /** The part of the cost reserved in the lease: the smaller of cost and hold. */
  readonly fromLease: NanoUsd;
  readonly budgets: readonly BudgetShare[];
  readonly nodeId: string;
  readonly epoch: number;
  readonly endedAtMs: number;
  readonly latencyMs: number;
  readonly firstTokenMs: number | null;
  /** Number of upstream calls; 0 if no call was made. */
  readonly attempts: number;
  /** The requested model group, if a different group served the call. */
  readonly fallbackFrom: string | null;
  /** End-user ID sent by the client. */
  readonly endUser: string | null;
  /** Session ID sent by the client. It never changes what the call costs. */
  readonly session: string | null;
}

/**
 * Fields that a record omits for most calls, with the values that they have in that case: one attempt, no fallback, no
 * loss, no session, and no measured times.
 */
export const OMITTED_FIELDS: Pick<
  UsageEvent,
  "loss" | "attempts" | "fallbackFrom" | "endUser" | "session" | keyof CallTimes
> = {
  loss: 0n,
  attempts: 1,
  fallbackFrom: null,
  endUser: null,
  session: null,
  ...NO_TIMES,
};
