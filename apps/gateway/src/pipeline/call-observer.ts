import type { LossReason } from "@tollgate/domain/credit/usage-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { OperationName } from "../operations/operation-kind.ts";
import type { CallOutcome } from "./account/call-account.ts";
import type { Call } from "./call.ts";
import type { Caller } from "./caller.ts";

/**
 * Receives the outcomes of calls, for metrics. It runs in the path of every call, so it must be cheap and never throw.
 */
export interface CallObserver {
  /** The call has ended and was charged. */
  callClosed(call: Call, deployment: Deployment, outcome: CallOutcome, cost: NanoUsd, latencyMs: number): void;
  /** The call was refused before it cost anything. Caller and call are null if unknown. */
  callRefused(caller: Caller | null, call: Call | null, operation: OperationName, error: unknown): void;
  /** The call replayed the response of its Idempotency-Key, at no cost. */
  callRepeated(call: Call): void;
  /** An attempt failed; another deployment may be tried. */
  attemptFailed(deployment: Deployment, error: unknown): void;
  /** The provider bills a failed attempt, and the operator pays for it. */
  attemptLost(reason: LossReason, cost: NanoUsd): void;
  /** The response names a more expensive model; `loss` is the part that the hold did not cover. */
  modelSubstituted(deployment: Deployment, loss: NanoUsd): void;
  /** The call looked up the response cache. */
  cacheAsked(call: Call, isHit: boolean): void;
  /** A guardrail ran or failed. A block is not a failure. */
  guardrailRan(guardrail: string, mode: string, durationMs: number, hasFailed: boolean): void;
}
