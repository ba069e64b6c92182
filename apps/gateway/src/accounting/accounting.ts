import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type { BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import type { Hold, HoldRequest, HoldWaiter, ReleasedHold } from "@tollgate/domain/credit/hold.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ClosingFacts, JournaledCall } from "@tollgate/journal/journaled-call.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import type { RateLimiter } from "../../rate-limits/rate-limiter.ts";
import type { ContentLog } from "../answer/content-log.ts";
import type { CallObserver } from "../call-observer.ts";
import type { Priced } from "./priced-as.ts";
import type { UsageRecorder } from "./record-usage.ts";

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

/** Makes sure that the ledger has a price before a call uses it. */
export interface PriceBook {
  ensure(deployment: Deployment, priced: Priced): true | Promise<void>;
  /** Registers a price as soon as the ledger is reachable, for a call that is already charged at this price. */
  ensureLater(deployment: Deployment, priced: Priced): void;
}
