import type { LossReason } from "@tollgate/domain/credit/usage-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { OperationName } from "../operations/operation-kind.ts";
import type { CallOutcome } from "./account/call-account.ts";
import type { Call } from "./call.ts";
import type { Caller } from "./caller.ts";

/** Receives the outcomes of calls, for metrics. Every call runs this code, so it must be cheap and never throw. */
export interface CallObserver {
  /** Called when a call has ended and has been charged. */
  callClosed(call: Call, deployment: Deployment, outcome: CallOutcome, cost: NanoUsd, latencyMs: number): void;
  /** Called when a call is refused before it causes any cost. Caller and call are null if unknown. */
  callRefused(caller: Caller | null, call: Call | null, operation: OperationName, error: unknown): void;
  /** Called when a call replays the response stored for its Idempotency-Key, at no cost. */
  callRepeated(call: Call): void;
  /** Called when an attempt fails. Another deployment may be tried. */
  attemptFailed(deployment: Deployment, error: unknown): void;
  /** Called when the provider bills a failed attempt, which the operator pays for. */
  attemptLost(reason: LossReason, cost: NanoUsd): void;
  /**
   * Called when a response names a more expensive model. `loss` is the part of the cost that the hold did not cover.
   */
  modelSubstituted(deployment: Deployment, loss: NanoUsd): void;
  /** Called after a lookup in the response cache. */
  cacheAsked(call: Call, isHit: boolean): void;
  /** Called when a guardrail has run or failed. A block is not a failure. */
  guardrailRan(guardrail: string, mode: string, durationMs: number, hasFailed: boolean): void;
}
