import type { Failure } from "@tollgate/contracts/failures.ts";
import { larger, smaller } from "@tollgate/domain/credit/amounts.ts";
import type { BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import { MAX_TIME_US } from "@tollgate/domain/credit/call-times.ts";
import type { Denial, HeldBudget, Hold, HoldWaiter } from "@tollgate/domain/credit/hold.ts";
import type { BudgetShare, LossReason } from "@tollgate/domain/credit/usage-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { JournaledCall } from "@tollgate/journal/journaled-call.ts";
import { type Call, type CallGuards, endAttempt, inStage } from "../call/call.ts";
import type { Deployment, Priced } from "../call/deployment.ts";
import { countTokens, type RateLimitReservation } from "../limits/limit.ts";
import { limitLines } from "../limits/limit-lines.ts";
import { type AccountingContext, type CallContent, type JournalWaiter, MAX_CONTENT_BYTES } from "./accounting.ts";
import { withFees } from "./call-fees.ts";
import { type ConditionalPrices, conditionalPrices, priceSoFar, servedPrice } from "./conditional-price.ts";
import { describeDenial } from "./describe-denial.ts";
import { type CallEstimate, maxPriceFor, priceOutput } from "./estimate-call.ts";
import {
  type CallOutcome,
  costOf,
  errorCodeOf,
  journalTarget,
  pricedAs,
  recordOf,
  statusCodeOf,
} from "./record-usage.ts";

/** Remaining fraction of the last step at which a stream requests the next step. */
const EXTEND_AT = 0.25;

const NO_WINDOWS: readonly BudgetWindow[] = [];
const NO_SHARES: readonly NanoUsd[] = [];

/** Called with the result of a hold extension. */
export interface ExtensionListener {
  onExtended(): void;
  onExtensionRefused(failure: Failure): void;
}

interface ChargedCall {
  readonly usage: Usage;
  readonly cost: NanoUsd;
}

/** Accounting for one call: its hold, and the single record of its usage. */
export class CallAccount implements HoldWaiter {
  readonly call: Call;
  readonly #accounting: AccountingContext;
  readonly #entry: { -readonly [Name in keyof JournaledCall]: JournaledCall[Name] };
  #deployment: Deployment;
  #priced: Priced;
  /** Prices that depend on what the provider serves; null if the price has no conditions. */
  #conditional: ConditionalPrices | null;
  /** Version of the price that the journal's target names. */
  #targetVersionId: string | null;
  /** Price of the model that responded, if that model differs from the requested one. */
  #served: Priced | null = null;
  #hold: Hold | null;
  #stepTokens: number;
  #taken: RateLimitReservation | null = null;
  #isClosed = false;
  #charged: ChargedCall | null = null;
  #heldOutput: number;
  #extension: ExtensionListener | null = null;
  /** Output tokens that the pending extension covers. */
  #requestedMaxOutput = 0;

  constructor(
    accounting: AccountingContext,
    call: Call,
    deployment: Deployment,
    estimate: CallEstimate | null,
    hold: Hold | null,
  ) {
    this.#accounting = accounting;
    this.call = call;
    this.#deployment = deployment;
    this.#conditional = conditionalPrices(call, deployment);
    this.#priced = this.#conditional?.requested ?? pricedAs(call, deployment);
    this.#targetVersionId = this.#priced.priceVersionId;
    this.#hold = hold;
    this.#stepTokens = estimate?.stepTokens ?? 0;
    this.#heldOutput = estimate?.outputTokens ?? Number.POSITIVE_INFINITY;
    const { caller, exchange, model } = call;
    this.#entry = {
      id: exchange.eventId,
      identity: caller.identity,
      target: journalTarget(exchange.endpoint ?? call.operation, model.name, deployment, this.#priced),
      requestId: exchange.callId,
      isStream: call.isStream,
      hold: hold?.amount ?? 0n,
      isBilled: caller.organizationId !== null && accounting.settings().billing.provider !== "off",
      epoch: hold?.epoch ?? 0,
      budgets: windowsOf(hold),
      lostAttempts: [],
    };
  }

  get deployment(): Deployment {
    return this.#deployment;
  }

  /** The price that the call was admitted at. */
  get priced(): Priced {
    return this.#priced;
  }

  /** The current hold; null if the call needs none. */
  get hold(): Hold | null {
    return this.#hold;
  }

  /**
   * Moves the call to another deployment or model. `hold` covers the target's maximum cost, and the call is charged at
   * the target's price.
   */
  moveTo(deployment: Deployment, estimate: CallEstimate | null, hold: Hold | null): void {
    const { call } = this;
    this.#deployment = deployment;
    this.#conditional = conditionalPrices(call, deployment);
    this.#priced = this.#conditional?.requested ?? pricedAs(call, deployment);
    this.#served = null;
    this.#hold = hold;
    this.#stepTokens = estimate?.stepTokens ?? 0;
    this.#heldOutput = estimate?.outputTokens ?? Number.POSITIVE_INFINITY;
    inStage(call, "opened").outputLimit = estimate?.outputLimit ?? null;
    this.#setTarget(this.#priced);
    this.#entry.hold = hold?.amount ?? 0n;
    this.#entry.epoch = hold?.epoch ?? 0;
    this.#entry.budgets = windowsOf(hold);
    // If this process crashes, the call is charged at the price of its last target.
    this.#accounting.journal.appendOpen(this.#entry);
  }

  /** Opens the call in the journal. From now on, the call is accounted for even if this process crashes. */
  begin(taken: RateLimitReservation | null): this {
    this.#taken = taken;
    this.#accounting.journal.appendOpen(this.#entry);
    return this;
  }

  /**
   * Charges the call at the price of another model named in the response. If that price is higher, the hold caps the
   * charge.
   */
  serveAs(priced: Priced): void {
    this.#served = priced;
  }

  /**
   * Records the current attempt as a loss: the provider bills it, and the operator pays. `inputTokens` is the size of the
   * prompt, if the usage doesn't contain it.
   */
  loseAttempt(reason: LossReason, usage: Usage, inputTokens?: number): void {
    const { id, provider, usesOwnKey } = this.#deployment;
    // The operator pays what the provider charges, not what a customer would pay.
    const { cost: bought, priceVersionId: soldVersionId, price } = this.#priceSoFar(usage, inputTokens);
    const priceVersionId = bought?.id ?? soldVersionId;
    const cost = costOf({ price: bought?.price ?? price, priceVersionId }, usage);
    // The provider bills attempts with a caller's own key to the caller.
    if (priceVersionId === null || cost === 0n || usesOwnKey) return;
    const lost = {
      reason,
      deploymentId: id,
      provider: provider.name,
      priceVersionId,
      usage: withoutReportedCost(usage),
      cost,
    };
    this.#entry.lostAttempts = [...this.#entry.lostAttempts, lost];
    this.#accounting.observer?.attemptLost(reason, cost);
  }

  /** Returns the header lines that report the caller's remaining rate limits. */
  limitLines(): string {
    if (this.#taken === null) return "";
    return limitLines(this.#accounting.limits, this.#taken, this.call.model.name, this.#accounting.now());
  }

  /** Releases the hold of a call that was refused after the hold was taken. Does not record the call. */
  abandon(): void {
    this.#isClosed = true;
    if (this.#hold !== null) this.#accounting.holds.release(this.#hold, 0n);
  }

  /** Journals a stream's current usage, in case this process crashes before the stream ends. */
  checkpoint(usage: Usage): void {
    if (this.#isClosed) return;
    const priced = this.#priceSoFar({ ...usage, source: "estimated" });
    if (priced.priceVersionId !== this.#targetVersionId) {
      this.#setTarget(priced);
      // A checkpoint has no version, so the call is opened again with the version of the checkpoint's price.
      this.#accounting.journal.appendOpen(this.#entry);
    }
    const charged = withFees(usage, this.call, this.#deployment, priced);
    this.#accounting.journal.appendCheckpoint(this.#entry.id, charged, costOf(priced, charged));
  }

  /** Output tokens that the hold covers; infinite if there is no hold. */
  get heldOutput(): number {
    return this.#heldOutput;
  }

  /** Number of choices if the request sets no output limit, otherwise 0. */
  get openChoices(): number {
    return this.#stepTokens / this.#accounting.settings().billing.outputStep;
  }

  /** True if the output is unbounded, so the hold has to grow with it. */
  get growsInSteps(): boolean {
    return this.#stepTokens > 0 && this.#hold !== null;
  }

  /**
   * Requests a larger hold if the current one is nearly used up. Returns false if the hold doesn't cover this much
   * output yet. The stream must then pause until the listener is called.
   */
  covers(outputTokens: number, listener: ExtensionListener): boolean {
    if (this.#stepTokens === 0 || this.#hold === null) return true;
    const beyond = outputTokens - (this.#heldOutput - this.#stepTokens * EXTEND_AT);
    if (beyond >= 0 && this.#extension === null) {
      // A single chunk may contain more than one step.
      this.#requestedMaxOutput = this.#stepTokens * (1 + Math.floor(beyond / this.#stepTokens));
      this.#extension = listener;
      const price = this.#conditional?.maximum ?? this.#priced.price;
      const { billing } = this.#accounting.settings();
      const by =
        price === null
          ? 0n
          : priceOutput(this.#requestedMaxOutput, maxPriceFor(this.call, this.#deployment, price), billing);
      if (this.#accounting.holds.extend(this.#hold, by, this)) this.#extended();
    }
    return outputTokens < this.#heldOutput;
  }

  granted(): void {
    const listener = this.#extension;
    this.#extended();
    listener?.onExtended();
  }

  denied(denial: Denial): void {
    const listener = this.#extension;
    this.#extension = null;
    listener?.onExtensionRefused(describeDenial(denial, this.call));
  }

  /**
   * Closes the account. Releases the unused part of the hold and writes the closing record. The waiter is called when
   * the record is on disk. The last byte of the response is not sent before then. Returns the cost of the call. An
   * account can be closed only once.
   */
  close(outcome: CallOutcome, waiter: JournalWaiter | null): NanoUsd {
    if (this.#isClosed) throw new Error("the account was already closed");
    this.#isClosed = true;
    const endedAtMs = this.#accounting.wallClock();
    const priced = this.#chargedAs(outcome.usage, endedAtMs);
    const { usage, cost, loss } = this.#charge(this.#ownCostOnly(outcome.usage), priced);
    this.#charged = { usage, cost };
    const released = this.#hold === null ? null : this.#accounting.holds.release(this.#hold, cost);
    if (this.#taken !== null) {
      this.#accounting.limits.finish(
        this.#taken,
        countTokens(this.#accounting.settings().general.tokenRateLimitType, usage),
      );
    }
    const { failure, status } = outcome;
    const { exchange } = this.call;
    const nowMs = this.#accounting.now();
    const latencyMs = nowMs - exchange.startedAtMs;
    const queueMs = exchange.queuedMs + this.call.waitedMs;
    const sentAtMs = this.call.firstSentAtMs === 0 ? nowMs : this.call.firstSentAtMs;
    // A stream's hold may have grown since the opening record.
    if (this.#hold !== null) this.#entry.hold = this.#hold.amount;
    this.#accounting.journal.appendClose(
      this.#entry,
      {
        status,
        httpStatus: statusCodeOf(status, failure?.status ?? null),
        errorCode: errorCodeOf(outcome),
        usage,
        cost,
        loss,
        fromLease: released?.fromLease ?? 0n,
        budgetShares: released === null || released.budgets.length === 0 ? NO_SHARES : released.budgets.map(toShare),
        endedAtMs,
        latencyMs: Math.round(latencyMs),
        firstTokenMs: outcome.firstTokenMs === null ? null : Math.round(outcome.firstTokenMs),
        attempts: this.call.attempts,
        fallbackFrom: this.call.fallbackFrom,
        endUser: this.call.endUser,
        session: this.call.sessionName,
        gatewayBeforeUs: toMicroseconds(sentAtMs - exchange.startedAtMs - queueMs),
        queueUs: toMicroseconds(queueMs),
        failedUs: toMicroseconds(failedMsOf(this.call, outcome, nowMs)),
        // For a truncated response, all time until the end counts as waiting for the upstream.
        gatewayAfterUs: status === "success" ? toMicroseconds(nowMs - this.call.lastByteAtMs) : 0,
      },
      waiter,
    );
    endTarget(this.call, outcome, endedAtMs, latencyMs);
    this.#accounting.observer?.callClosed(this.call, this.#deployment, outcome, cost, latencyMs);
    this.#accounting.recorder?.(recordOf(this.call, this.#deployment, outcome, cost, endedAtMs, latencyMs));
    return cost;
  }

  /** Returns the usage with fees, the cost of the call, and the part of the provider's price that the operator pays. */
  #charge(reported: Usage, priced: Priced): { readonly usage: Usage; readonly cost: NanoUsd; readonly loss: NanoUsd } {
    const usage = withFees(reported, this.call, this.#deployment, priced);
    const own = costOf(priced, usage);
    const served = this.#served;
    if (served === null) return { usage, cost: own, loss: 0n };
    // The model that responded can have fees that the requested one doesn't have.
    const used = withFees(reported, this.call, this.#deployment, served);
    const price = costOf(served, used);
    if (price <= own) return { usage, cost: own, loss: 0n };
    // The charge is never less than the cost at the requested model's price, even if that cost exceeds the hold.
    const held = this.#hold?.amount ?? price;
    const cost = smaller(price, larger(held, own));
    this.#setTarget(served);
    this.#accounting.observer?.modelSubstituted(this.#deployment, price - cost);
    return { usage: used, cost, loss: price - cost };
  }

  /** Removes a reported cost, unless the provider charges it to the operator's account. */
  #ownCostOnly(usage: Usage): Usage {
    if (usage.reportedCost === undefined) return usage;
    const { provider, usesOwnKey } = this.#deployment;
    return provider.reportsCost === true && !usesOwnKey ? usage : withoutReportedCost(usage);
  }

  /** Returns the price of what the provider served. The closing record names its version. */
  #chargedAs(usage: Usage, endedAtMs: number): Priced {
    if (this.#conditional === null) return this.#priced;
    const priced = servedPrice(this.#conditional, this.#deployment, usage, endedAtMs);
    if (priced.priceVersionId !== this.#targetVersionId) this.#setTarget(priced);
    return priced;
  }

  /** Returns the price of usage before the response is complete. */
  #priceSoFar(usage: Usage, inputTokens?: number): Priced {
    if (this.#conditional === null) return this.#priced;
    return priceSoFar(this.#conditional, this.#deployment, usage, this.#accounting.wallClock(), inputTokens);
  }

  #setTarget(priced: Priced): void {
    const { exchange, operation, model } = this.call;
    this.#entry.target = journalTarget(exchange.endpoint ?? operation, model.name, this.#deployment, priced);
    this.#targetVersionId = priced.priceVersionId;
  }

  /** True if the request and response of this call are stored. */
  get keepsContent(): boolean {
    return this.call.caller.keepsContent && this.#accounting.contents !== null;
  }

  /** Stores the request and the response if the caller opted in. `answer` has one character per byte. */
  keepContent(answer: string): void {
    const { exchange, caller, prompt } = this.call;
    if (!this.keepsContent || caller.organizationId === null) return;
    const content = { id: exchange.eventId, organizationId: caller.organizationId, request: prompt ?? "", answer };
    if (this.call.guards?.cleansLog === true) void this.#keepCleaned(this.call.guards, content);
    else this.#accounting.contents?.keep(content);
  }

  async #keepCleaned(guards: CallGuards, content: CallContent): Promise<void> {
    const cleaned = await guards.cleanForLog(
      this.call,
      content.request.slice(0, MAX_CONTENT_BYTES),
      content.answer.slice(0, MAX_CONTENT_BYTES),
    );
    if (cleaned !== null) this.#accounting.contents?.keep({ ...content, ...cleaned });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** What the call was charged; null until the account is closed. */
  get charged(): ChargedCall | null {
    return this.#charged;
  }

  #extended(): void {
    this.#heldOutput += this.#requestedMaxOutput;
    this.#extension = null;
  }
}

function withoutReportedCost(usage: Usage): Usage {
  if (usage.reportedCost === undefined) return usage;
  const { reportedCost: _reported, ...rest } = usage;
  return rest;
}

/** Ends the current attempt, if there is one, and records a success for its deployment. */
function endTarget(call: Call, { status, usage, firstTokenMs }: CallOutcome, nowMs: number, latencyMs: number): void {
  const { target } = call;
  if (target === null) return;
  if (status === "success") {
    const tokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
    target.state.succeed(nowMs, tokens, latencyMs, call.isStream ? (firstTokenMs ?? 0) : 0, usage.outputTokens);
  }
  endAttempt(call);
}

/** Returns the time from the first attempt to the successful one, or to now if no attempt succeeded. */
function failedMsOf(call: Call, { status, firstTokenMs }: CallOutcome, nowMs: number): number {
  if (call.firstSentAtMs === 0) return 0;
  const hasFailed = status === "failure" && firstTokenMs === null;
  return (hasFailed ? nowMs : call.sentAtMs) - call.firstSentAtMs;
}

function toMicroseconds(milliseconds: number): number {
  return Math.min(MAX_TIME_US, Math.max(0, Math.round(milliseconds * 1_000)));
}

function windowsOf(hold: Hold | null): readonly BudgetWindow[] {
  return hold === null || hold.heldBudgets.length === 0 ? NO_WINDOWS : hold.heldBudgets.map(toWindow);
}

function toWindow({ window }: HeldBudget): BudgetWindow {
  return window;
}

function toShare({ fromLease }: BudgetShare): NanoUsd {
  return fromLease;
}
