import type { Failure } from "@tollgate/contracts/failures.ts";
import type { CallPriority } from "../call/operation-traits.ts";
import { PrebuiltRefusals } from "./prebuilt-refusals.ts";
import { ALWAYS_SERVED, type Pressure } from "./pressure.ts";
import { RefusalWindow } from "./refusal-window.ts";

export interface GateSettings {
  /** Maximum number of concurrent calls in this process. */
  readonly maxInFlight: number;
  readonly maxWaiting: number;
  readonly longestWaitMs: number;
}

export const defaultGateSettings: GateSettings = { maxInFlight: 1_000, maxWaiting: 128, longestWaitMs: 250 };

/**
 * Fraction of the capacity below which every call is admitted. Above it, no organization gets more than this fraction
 * or more than two equal shares, which allows for random bursts. An organization that constantly exceeds its share gets
 * one share.
 */
const FREE_PART = 0.75;
const SHARES = 2;
/**
 * Minimum number of concurrent calls per organization, regardless of the number of organizations. An organization that
 * constantly exceeds its share gets only its equal share.
 */
const A_FEW = 4;
/**
 * Fraction of the capacity that is withheld from organizations that constantly exceed their share, so that other
 * organizations rarely find the process full.
 */
const HEADROOM = 0.1;
/** Number of reads per window that are served regardless of pressure. */
const ALWAYS_READ = 32;
const READ_WINDOW_MS = 250;
const FORGET_EVERY = 4_096;

/** An organization's calls. */
class Share {
  inFlight = 0;
  waiting = 0;
  /** Outcomes of the organization's calls while capacity is short. */
  readonly record = new RefusalWindow();
}

interface Waiting {
  readonly share: Share;
  readonly enter: () => void;
  readonly refuse: (failure: Failure) => void;
  readonly timer: NodeJS.Timeout;
}

interface GateParts {
  readonly settings: () => GateSettings;
  readonly pressure: Pressure;
  readonly random: () => number;
  readonly now: () => number;
  /** Called when a call enters and no other call is in flight. */
  readonly onFirst?: () => void;
}

/**
 * Admits calls while there is capacity, and shares the capacity fairly, so that a flood from one organization doesn't
 * take the capacity of other organizations. A refusal costs almost nothing, so the process stays fully used at any
 * load.
 */
export class AdmissionGate {
  readonly #settings: () => GateSettings;
  readonly #pressure: Pressure;
  readonly #now: () => number;
  readonly #onFirst: () => void;
  /** Outcomes of calls from all organizations that don't exceed their share. */
  readonly #record = new RefusalWindow();
  readonly #atLimit: PrebuiltRefusals;
  readonly #overShare: PrebuiltRefusals;
  readonly #shares = new Map<string, Share>();
  readonly #waiting: Waiting[] = [];
  #inFlight = 0;
  /** Fraction of the active organizations that don't exceed their share. */
  #calmPart = 0;
  #active = 0;
  #entered = 0;
  #reads = { since: 0, served: 0 };
  /** Number of refusals since the start, by reason. */
  readonly refused = { full: 0, share: 0, pressure: 0 };

  constructor({ settings, pressure, random, now, onFirst = () => {} }: GateParts) {
    this.#settings = settings;
    this.#pressure = pressure;
    this.#now = now;
    this.#onFirst = onFirst;
    this.#atLimit = new PrebuiltRefusals("This instance is at capacity.", random);
    this.#overShare = new PrebuiltRefusals("Your organization has reached its share of this instance.", random);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Returns null if the call may proceed immediately, or a promise that resolves when it is admitted. Throws if it is
   * refused.
   */
  enter(owner: string, priority: CallPriority): null | Promise<void> {
    if (this.#inFlight >= ALWAYS_SERVED && this.#pressure.sheds(priority)) throw this.#refuse("pressure");
    const share = this.#shareOf(owner);
    const settings = this.#settings();
    const room = this.#roomFor(share, settings);
    if (this.#inFlight < room && this.#isFree(room)) return this.#take(share);
    return this.#enterFull(share, priority, room, settings);
  }

  /** Releases the capacity of a call that has ended. */
  leave(owner: string): void {
    const share = this.#shares.get(owner);
    if (share === undefined) throw new Error("a request left the gate without entering it");
    this.#inFlight -= 1;
    share.inFlight -= 1;
    if (share.inFlight === 0) this.#active -= 1;
    if (this.#waiting.length > 0) this.#admitNext();
  }

  /**
   * Returns a refusal if a read request must be shed, and otherwise null. Reads are shed first under pressure, but a
   * few reads are always served.
   */
  refuseRead(): Failure | null {
    if (!this.#pressure.sheds("read")) return null;
    const nowMs = this.#now();
    if (nowMs - this.#reads.since >= READ_WINDOW_MS) this.#reads = { since: nowMs, served: 0 };
    this.#reads.served += 1;
    return this.#reads.served > ALWAYS_READ ? this.#refuse("pressure") : null;
  }

  /** Admits calls by share while capacity is short, and records the outcomes. */
  #enterFull(share: Share, priority: CallPriority, room: number, settings: GateSettings): null | Promise<void> {
    const { record } = share;
    const nowMs = this.#now();
    record.roll(nowMs, settings.longestWaitMs);
    if (this.#record.roll(nowMs, settings.longestWaitMs)) this.#countCalm();
    record.asked += 1;
    const isFull = this.#inFlight >= (record.isPressing ? room * (1 - HEADROOM * this.#calmPart) : room);
    const most = this.#mostOf(share, room);
    if (isFull ? share.inFlight > most : share.inFlight >= most) {
      // The remaining capacity is reserved for other organizations.
      record.refused += 1;
      throw this.#refuse("share");
    }
    if (record.isPressing && isFull) {
      // Count this refusal only for this organization, so that its flood doesn't affect whether calls from other
      // organizations may wait.
      record.refused += 1;
      throw this.#refuse("full");
    }
    this.#record.asked += 1;
    if (!isFull) return this.#take(share);
    if (priority === "usual" && this.#mayWait(share, settings)) return this.#wait(share, settings);
    record.refused += 1;
    this.#record.refused += 1;
    throw this.#refuse("full");
  }

  #countCalm(): void {
    let pressing = 0;
    for (const { inFlight, record } of this.#shares.values()) if (inFlight > 0 && record.isPressing) pressing += 1;
    this.#calmPart = this.#active === 0 ? 0 : 1 - pressing / this.#active;
  }

  #refuse(reason: keyof AdmissionGate["refused"]): Failure {
    this.refused[reason] += 1;
    return reason === "share" ? this.#overShare.next() : this.#atLimit.next();
  }

  #shareOf(owner: string): Share {
    const known = this.#shares.get(owner);
    if (known !== undefined) return known;
    const made = new Share();
    this.#shares.set(owner, made);
    return made;
  }

  /**
   * Returns the total capacity that applies to calls from an organization. A process that lags has less capacity,
   * except for organizations without calls in flight, which are refused last.
   */
  #roomFor(share: Share, { maxInFlight }: GateSettings): number {
    const { room } = this.#pressure;
    return share.inFlight === 0 || room > maxInFlight ? maxInFlight : room;
  }

  /** Reports whether enough capacity is free to ignore shares. */
  #isFree(room: number): boolean {
    if (this.#inFlight >= room * FREE_PART) return false;
    // A process that lags has no spare capacity beyond its minimum.
    return this.#inFlight < ALWAYS_SERVED || !this.#pressure.sheds("background");
  }

  /** Returns an organization's maximum number of concurrent calls when capacity is short. */
  #mostOf(share: Share, room: number): number {
    const equal = room / this.#ownersWith(share);
    if (share.record.isPressing) return equal;
    return Math.max(A_FEW, Math.min(equal * SHARES, Math.max(equal, room * FREE_PART)));
  }

  /**
   * Returns the number of organizations that share the capacity, including this organization and recently active
   * organizations, which may call again.
   */
  #ownersWith(share: Share): number {
    const owners = share.inFlight === 0 ? this.#active + 1 : this.#active;
    return owners === 1 && this.#shares.size > 1 ? 2 : owners;
  }

  #take(share: Share): null {
    this.#inFlight += 1;
    if (this.#inFlight === 1) this.#onFirst();
    if (share.inFlight === 0) this.#active += 1;
    share.inFlight += 1;
    this.#entered += 1;
    if (this.#entered % FORGET_EVERY === 0) this.#forgetIdle();
    return null;
  }

  /**
   * Reports whether a call may wait. A short queue smooths random bursts. If many calls are refused, waiting calls
   * would only be refused later.
   */
  #mayWait(share: Share, { maxWaiting }: GateSettings): boolean {
    if (this.#record.isPressing) return false;
    return this.#waiting.length < maxWaiting && share.waiting < maxWaiting / this.#ownersWith(share);
  }

  #wait(share: Share, { longestWaitMs }: GateSettings): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = {
      share,
      enter: resolve,
      refuse: reject,
      timer: setTimeout(() => this.#giveUp(waiting), longestWaitMs),
    };
    share.waiting += 1;
    this.#waiting.push(waiting);
    return promise;
  }

  /**
   * Admits the newest waiting call. The client that has waited longest is the most likely to have disconnected, and
   * wasted work is worse than a refusal.
   */
  #admitNext(): void {
    const settings = this.#settings();
    for (let index = this.#waiting.length - 1; index >= 0; index -= 1) {
      const waiting = this.#waiting[index] as Waiting;
      const room = this.#roomFor(waiting.share, settings);
      if (this.#inFlight >= room || waiting.share.inFlight >= this.#mostOf(waiting.share, room)) continue;
      this.#stopWaiting(index);
      clearTimeout(waiting.timer);
      this.#take(waiting.share);
      waiting.enter();
      return;
    }
  }

  #giveUp(waiting: Waiting): void {
    this.#stopWaiting(this.#waiting.indexOf(waiting));
    waiting.share.record.refused += 1;
    this.#record.refused += 1;
    waiting.refuse(this.#refuse("full"));
  }

  #stopWaiting(index: number): void {
    const [waiting] = this.#waiting.splice(index, 1);
    if (waiting !== undefined) waiting.share.waiting -= 1;
  }

  /** Removes idle organizations from time to time to limit the size of the map. */
  #forgetIdle(): void {
    for (const [owner, share] of this.#shares) {
      if (share.inFlight === 0 && share.waiting === 0) this.#shares.delete(owner);
    }
  }
}
