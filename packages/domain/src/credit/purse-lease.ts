import type { NanoUsd } from "../money.ts";
import { larger } from "./amounts.ts";
import type { Purse, PurseAnswer, PurseMode, PurseRequest } from "./lease-messages.ts";
import { SliceSize } from "./slice-size.ts";

/** A purse this long without a new hold is quiet: it keeps no idle credit here. */
const QUIET_AFTER_MS = 30_000;

/** Calls of this purse wait until the other nodes have given back their idle credit. */
export interface RecallWait {
  number: number;
  tries: number;
  isDue: boolean;
  cancelTimer: () => void;
}

/** What one node holds of one purse in one epoch: how much of it is idle, and what to ask for or give back. */
export class PurseLease {
  purse: Purse;
  /** False after it was forgotten: what earlier calls used up must be learnt from the ledger's totals first. */
  isKnown: boolean;
  /** Granted − returned, less what an unanswered request gives back. */
  held: NanoUsd = 0n;
  /** The part of it that no open hold and no charge uses. */
  idle: NanoUsd = 0n;
  charged: NanoUsd = 0n;
  openCalls = 0;
  mode: PurseMode = "slices";
  /** As last answered; null before. */
  free: NanoUsd | null = null;
  balance: NanoUsd = 0n;
  /** Idle credit below this is reason to ask for more. */
  refillBelow: NanoUsd = 0n;
  recallHeard = 0;
  recallWait: RecallWait | null = null;
  /** In its organization's lists. */
  isNeedy = false;
  isTouched = false;
  /** A request was sent and its outcome is not known. */
  isUnresolved = false;
  wantsTotals = false;
  trimsSurplus = false;
  readonly #size = new SliceSize();
  #target: NanoUsd = 0n;
  #returning: NanoUsd = 0n;
  #recallSent = 0;
  #recallAnswered = 0;
  #largestHold: NanoUsd = 0n;
  #largestSent: NanoUsd = 0n;
  #lastSeenMs = Number.NEGATIVE_INFINITY;
  #seenBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(purse: Purse, isKnown: boolean) {
    this.purse = purse;
    this.isKnown = isKnown;
  }

  /** Notes that a hold of this size was wanted. */
  see(amount: NanoUsd, nowMs: number): void {
    this.#seenBeforeMs = this.#lastSeenMs;
    this.#lastSeenMs = nowMs;
    if (amount > this.#largestHold) this.#largestHold = amount;
  }

  /** Sets idle credit aside for a hold; the caller has seen that there is enough. */
  take(amount: NanoUsd): void {
    this.idle -= amount;
  }

  /** Ends a hold: what was not used is idle again at once. */
  release(amount: NanoUsd, fromLease: NanoUsd): void {
    this.idle += amount - fromLease;
    this.charged += fromLease;
  }

  get inUse(): NanoUsd {
    return this.held - this.idle - this.charged;
  }

  /** Idle here, on its way back, or leased by nobody when last asked; null before that. */
  get available(): NanoUsd | null {
    return this.free === null ? null : this.free + this.idle + this.#returning;
  }

  get owesRecall(): boolean {
    return this.recallHeard > this.#recallAnswered;
  }

  /** Whether idle credit must not stay here. */
  givesAllBack(nowMs: number, wallMs: number): boolean {
    return this.mode === "exact" || this.owesRecall || this.isQuiet(nowMs) || this.hasEnded(wallMs);
  }

  isQuiet(nowMs: number): boolean {
    return nowMs - this.#lastSeenMs > QUIET_AFTER_MS;
  }

  hasEnded(wallMs: number): boolean {
    return this.purse.kind === "budget" && this.purse.window.endsAtMs <= wallMs;
  }

  /** A heartbeat's look: notes new spending and tells whether idle credit should be moved. */
  needsMoving(nowMs: number, wallMs: number, liveNodes: number): boolean {
    this.#observe(nowMs, liveNodes);
    if (this.givesAllBack(nowMs, wallMs)) return this.idle > 0n || this.owesRecall;
    this.trimsSurplus = this.idle > 2n * this.#target;
    this.refillBelow = this.#slices(nowMs) ? this.#target / 2n : 0n;
    return this.trimsSurplus || this.idle < this.refillBelow;
  }

  /** Whether a request would say anything of this purse, apart from holds that wait for it. */
  hasWork(nowMs: number, wallMs: number, liveNodes: number): boolean {
    if (this.isUnresolved || this.wantsTotals || this.owesRecall) return true;
    if (this.givesAllBack(nowMs, wallMs)) return this.idle > 0n;
    this.#observe(nowMs, liveNodes);
    return (this.trimsSurplus && this.idle > 2n * this.#target) || this.#wantedSlice(nowMs) > 0n;
  }

  /** What to ask now. What is given back is not idle any more, until the outcome is known. */
  compose(nowMs: number, wallMs: number, liveNodes: number): PurseRequest {
    // A lost request may have been applied, so this one gives back no less than that one did.
    const promised = this.#returning;
    this.takeBackRequest();
    this.#observe(nowMs, liveNodes);
    const all = this.givesAllBack(nowMs, wallMs);
    const surplus = all ? this.idle : this.trimsSurplus ? this.idle - this.#target : 0n;
    const returned = larger(surplus, promised);
    const slice = all || returned > 0n ? 0n : this.#wantedSlice(nowMs);

    this.idle -= returned;
    this.held -= returned;
    this.#returning = returned;
    this.#recallSent = all ? this.recallHeard : this.#recallAnswered;
    this.#largestSent = this.#largestHold;
    this.#largestHold = 0n;
    return {
      purse: this.purse,
      returned,
      slice,
      largestHold: this.#largestSent,
      recallSeen: this.#recallSent,
    };
  }

  /** The request changed nothing: what it gave back is idle still. */
  takeBackRequest(): void {
    this.idle += this.#returning;
    this.held += this.#returning;
    this.#returning = 0n;
    this.#largestHold = larger(this.#largestHold, this.#largestSent);
    this.#largestSent = 0n;
    this.isUnresolved = false;
  }

  /**
   * Believes the ledger's totals, whichever of several requests under one number they come from. A repeated request may
   * not have been the one that was applied, so it answers no recall.
   */
  settle(answer: PurseAnswer, isRepeat: boolean, nowMs: number, liveNodes: number): void {
    const used = this.held - this.idle;
    this.held = answer.granted - answer.returned;
    if (this.isKnown) {
      this.idle = this.held - used;
    } else {
      this.charged = this.held;
      this.isKnown = true;
    }
    this.#returning = 0n;
    this.#largestSent = 0n;
    this.isUnresolved = false;
    this.wantsTotals = false;
    this.trimsSurplus = false;
    this.free = answer.free;
    this.balance = answer.balance;
    this.mode = answer.mode;
    if (!isRepeat && this.#recallSent > this.#recallAnswered) this.#recallAnswered = this.#recallSent;
    // With plenty left nobody waits for an old recall.
    if (answer.mode === "exact" && answer.recall > this.recallHeard) this.recallHeard = answer.recall;
    this.#observe(nowMs, liveNodes);
    // Who was given less than it asked for asks again when half of that is used, not at once.
    const half = this.#target / 2n;
    this.refillBelow = !this.#slices(nowMs) ? 0n : this.idle < half ? this.idle / 2n : half;
  }

  #wantedSlice(nowMs: number): NanoUsd {
    if (!this.#slices(nowMs) || this.idle >= this.#target / 2n) return 0n;
    return this.#target - this.idle;
  }

  #slices(nowMs: number): boolean {
    return this.isKnown && this.mode === "slices" && nowMs - this.#seenBeforeMs <= QUIET_AFTER_MS;
  }

  #observe(nowMs: number, liveNodes: number): void {
    this.#size.observe(nowMs, this.charged, larger(this.#largestHold, this.#largestSent));
    this.#target = this.#size.target(this.balance, liveNodes);
  }
}
