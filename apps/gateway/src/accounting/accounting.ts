import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type { BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import type { Hold, HoldRequest, HoldWaiter, ReleasedHold } from "@tollgate/domain/credit/hold.ts";
import type { LossReason } from "@tollgate/domain/credit/usage-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ClosingFacts, JournaledCall } from "@tollgate/journal/journaled-call.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Call } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import type { Deployment } from "../call/deployment.ts";
import type { OperationName } from "../call/operation-traits.ts";
import type { GuardrailObserver } from "../guardrails/guard.ts";
import type { RateLimiter } from "../limits/rate-limiter.ts";
import type { CallOutcome, PriceBook, UsageRecorder } from "./record-usage.ts";

/** Receives the outcomes of calls, for metrics. Every call runs this code, so it must be cheap and never throw. */
export interface CallObserver extends GuardrailObserver {
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
}

/** Everything needed to account for calls. */
export interface AccountingContext {
  readonly holds: CreditHolds;
  readonly limits: RateLimiter;
  readonly journal: UsageJournal;
  readonly prices: PriceBook;
  readonly settings: () => Settings;
  /** Receives a record of each call for display; null if calls aren't displayed. */
  readonly recorder: UsageRecorder | null;
  /** Counts call outcomes; null if metrics are off. */
  readonly observer: CallObserver | null;
  /** Stores requests and responses for callers that opted in; null if content can't be stored. */
  readonly contents: ContentLog | null;
  readonly now: () => number;
  readonly wallClock: () => number;
}

/** The parts of the accounting context that come from outside the gateway. */
export type Accounting = Pick<AccountingContext, "holds" | "limits" | "journal" | "prices">;

/** Reserves credit and budget for calls. */
export interface CreditHolds {
  /** The admission rule by which holds are granted. */
  readonly admission: AdmissionRule;
  /** Takes a hold from locally leased credit. Returns null if the ledger must decide. */
  take(request: HoldRequest): Hold | null;
  /** Adds the request to the next query to the ledger. Returns a function that stops waiting. */
  wait(request: HoldRequest, waiter: HoldWaiter): () => void;
  /** Raises a hold. Returns true if the hold was raised immediately. Otherwise, the waiter is called later. */
  extend(hold: Hold, by: NanoUsd, waiter: HoldWaiter): boolean;
  release(hold: Hold, cost: NanoUsd): ReleasedHold;
  /** Returns an organization's available credit as known to this process, or null if it is unknown. */
  freeCredit(organizationId: string): NanoUsd | null;
  /** Returns the available amount of a budget window as known to this process, or null if it is unknown. */
  freeBudget(organizationId: string, window: BudgetWindow): NanoUsd | null;
}

/** Called when a record is on disk or could not be written. */
export interface JournalWaiter {
  onJournaled(): void;
  onJournalFailed(): void;
}

/** Records the usage of calls durably, so that it survives a crash of this process. */
export interface UsageJournal {
  /** False while the journal can't accept records. Calls must not start while this is false. */
  readonly canAdmit: boolean;
  appendOpen(call: JournaledCall): void;
  appendCheckpoint(id: string, usage: Usage, cost: NanoUsd): void;
  appendClose(call: JournaledCall, facts: ClosingFacts, waiter: JournalWaiter | null): void;
}

/** Request and response of one call, one character per byte. */
export interface CallContent {
  readonly id: string;
  readonly organizationId: string;
  readonly request: string;
  readonly answer: string;
}

/** Stores content for organizations that opted in. May drop entries, but never fails. */
export interface ContentLog {
  keep(content: CallContent): void;
}

/** Maximum stored length. Longer text is truncated. */
export const MAX_CONTENT_BYTES = 64 * 1024;
