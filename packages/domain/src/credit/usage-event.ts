import type { NanoUsd } from "../money.ts";
import type { Usage } from "../pricing/usage.ts";
import type { BudgetWindow } from "./budget-window.ts";
import type { CallTimes } from "./call-times.ts";

/** The share of a budget's lease that a call used up. */
export interface BudgetShare extends BudgetWindow {
  readonly fromLease: NanoUsd;
}

/** Why the operator pays for an attempt that produced billable output. */
export type LossReason =
  /** The attempt failed, and another attempt at the same model group replaced it. */
  | "retry"
  /** The attempt failed, and an attempt at another model group replaced it. */
  | "fallback"
  /** The attempt ran into a timeout that the operator set. */
  | "timeout"
  /** The gateway could not read the response. */
  | "malformed"
  /** The provider broke off the response or ended it with an error. */
  | "upstream";

/** An attempt that the provider bills and no caller pays for. Its cost goes to the operator's loss account. */
export interface LostAttempt {
  readonly reason: LossReason;
  readonly deploymentId: string;
  readonly provider: string;
  readonly priceVersionId: string;
  readonly usage: Usage;
  /** The price of `usage` at that price version; more than 0. */
  readonly cost: NanoUsd;
}

/** One call as the books see it: who, what, how much, and which lease its hold came from. Settled exactly once by `id`. */
export interface UsageEvent extends CallTimes {
  /** UUIDv7 made by the gateway; the time and the day of the call are the ones inside it. */
  readonly id: string;
  /** Null for the operator's own key, whose calls nobody's credit pays for. */
  readonly organizationId: string | null;
  readonly teamId: string | null;
  readonly keyId: string;
  readonly userId: string | null;
  /** The client's own label for the call, or the id again. */
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
  /** Null when the deployment has no price, which is only possible while billing is off. */
  readonly priceVersionId: string | null;
  readonly cost: NanoUsd;
  /** The part of the price that the operator pays: cost and loss together are the price of the usage. 0 for nearly all. */
  readonly loss: NanoUsd;
  /** Earlier attempts of the call that the operator pays for; none for nearly all. */
  readonly lostAttempts: readonly LostAttempt[];
  /** Whether the organization's credit pays for it. */
  readonly isBilled: boolean;
  readonly hold: NanoUsd;
  /** The part of the cost that was set aside in the lease: the smaller of cost and hold. */
  readonly fromLease: NanoUsd;
  readonly budgets: readonly BudgetShare[];
  readonly nodeId: string;
  readonly epoch: number;
  readonly endedAtMs: number;
  readonly latencyMs: number;
  readonly firstTokenMs: number | null;
  /** How many calls to upstreams it took; 0 when none was made. */
  readonly attempts: number;
  /** The group that was asked for when another one answered. */
  readonly fallbackFrom: string | null;
  /** Whom the client called for, in its own words. */
  readonly endUser: string | null;
}
