import type { LossReason } from "@tollgate/domain/credit/usage-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { OperationName } from "../operations/operation-kind.ts";
import type { CallOutcome } from "./account/call-account.ts";
import type { Call } from "./call.ts";
import type { Caller } from "./caller.ts";

/** Hears what becomes of calls, to count it. Stands in the way of every call: it costs next to nothing and never throws. */
export interface CallObserver {
  /** The call is over and charged. */
  callClosed(call: Call, deployment: Deployment, outcome: CallOutcome, cost: NanoUsd, latencyMs: number): void;
  /** It was refused before it cost anything; what of it is known. */
  callRefused(caller: Caller | null, call: Call | null, operation: OperationName, error: unknown): void;
  /** It got the answer of the first call with its Idempotency-Key, at no cost. */
  callRepeated(call: Call): void;
  /** A deployment did not answer; another may. */
  attemptFailed(deployment: Deployment, error: unknown): void;
  /** The provider bills a failed attempt, and the operator pays for it. */
  attemptLost(reason: LossReason, cost: NanoUsd): void;
  /** The response names another model that costs more; `loss` is what the hold did not cover. */
  modelSubstituted(deployment: Deployment, loss: NanoUsd): void;
  /** Its answer was looked for among those of earlier calls. */
  cacheAsked(call: Call, isHit: boolean): void;
  /** A guardrail looked at something of a call, or could not: that it blocked is no failure of its own. */
  guardrailRan(guardrail: string, mode: string, durationMs: number, hasFailed: boolean): void;
}
