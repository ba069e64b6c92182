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

/** What it takes to account for calls. */
export interface AccountingContext {
  readonly holds: CreditHolds;
  readonly limits: RateLimiter;
  readonly journal: UsageJournal;
  readonly prices: PriceBook;
  readonly settings: () => Settings;
  /** Hears of each call besides, to show it; null when nobody looks. */
  readonly recorder: UsageRecorder | null;
  /** Counts what becomes of calls; null when nobody does. */
  readonly observer: CallObserver | null;
  /** Keeps what was asked and answered, for those who want that; null when nothing can be kept. */
  readonly contents: ContentLog | null;
  readonly now: () => number;
  readonly wallClock: () => number;
}

/** The part of a desk that is not the gateway's own. */
export type Accounting = Pick<AccountingContext, "holds" | "limits" | "journal" | "prices">;

/** Sets credit and budgets aside for calls. */
export interface CreditHolds {
  /** The rule by which they are granted. */
  readonly admission: AdmissionRule;
  /** At once from what this process has leased; null when it must be asked for. */
  take(request: HoldRequest): Hold | null;
  /** Joins the next question to the ledger. Returns the way to stop waiting. */
  wait(request: HoldRequest, waiter: HoldWaiter): () => void;
  /** Raises a hold; true when that was possible at once, else the waiter hears. */
  extend(hold: Hold, by: NanoUsd, waiter: HoldWaiter): boolean;
  release(hold: Hold, cost: NanoUsd): ReleasedHold;
  /** What an organization has free as far as is known here, or null. */
  freeCredit(organizationId: string): NanoUsd | null;
  /** The same of a budget. */
  freeBudget(organizationId: string, window: BudgetWindow): NanoUsd | null;
}

/** Hears that a record is on disk, or will never be. */
export interface JournalWaiter {
  onJournaled(): void;
  onJournalFailed(): void;
}

/** Remembers what calls used, beyond the death of this process. */
export interface UsageJournal {
  /** False while nothing more can be remembered: then no call may be made. */
  readonly canAdmit: boolean;
  appendOpen(call: JournaledCall): void;
  appendCheckpoint(id: string, usage: Usage, cost: NanoUsd): void;
  appendClose(call: JournaledCall, facts: ClosingFacts, waiter: JournalWaiter | null): void;
}

/** Makes sure that the ledger knows a price before a call is made under it. */
export interface PriceBook {
  ensure(deployment: Deployment, priced: Priced): true | Promise<void>;
  /** Makes a price known to the ledger as soon as it can be reached, for a call that is charged by it already. */
  ensureLater(deployment: Deployment, priced: Priced): void;
}
