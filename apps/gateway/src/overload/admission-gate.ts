import type { Failure } from "@tollgate/contracts/failures.ts";
import { RefusalWindow } from "./asking-record.ts";
import { ALWAYS_SERVED, type CallPriority, type Pressure } from "./pressure.ts";
import { PrebuiltRefusals } from "./ready-refusals.ts";

export interface GateSettings {
  /** Calls under way in this process at once. */
  readonly maxInFlight: number;
  readonly maxWaiting: number;
  readonly longestWaitMs: number;
}

export const defaultGateSettings: GateSettings = { maxInFlight: 1_000, maxWaiting: 128, longestWaitMs: 250 };

/**
 * Up to this part of the room everybody is let in. Beyond it nobody gets more than twice an equal share, which is what
 * chance needs, nor more than this part; and whoever asks for more all the time gets one share.
 */
const FREE_PART = 0.75;
const SHARES = 2;
/** A few calls at once are nobody's flood, among however many the room is shared. */
const A_FEW = 4;
/** What of the room nobody gets who asks for more all the time, so that the others seldom find it full. */
const HEADROOM = 0.1;
/** Reads that are served in this time whatever the pressure. */
const ALWAYS_READ = 32;
const READ_WINDOW_MS = 250;
const FORGET_EVERY = 4_096;

/** The calls of one organization. */
class Share {
  inFlight = 0;
  waiting = 0;
  /** How it went since the room is short. */
  readonly record = new RefusalWindow();
}

interface Waiting {
  readonly share: Share;
  readonly enter: () => void;
  readonly refuse: (failure: Failure) => void;
  readonly timer: NodeJS.Timeout;
}

export interface GateParts {
  readonly settings: () => GateSettings;
  readonly pressure: Pressure;
  readonly random: () => number;
  readonly now: () => number;
}

/**
 * Lets calls in while there is room, and keeps the room fair: one organization's flood must not take what others need.
 * A refusal costs next to nothing, so that whatever is offered, what can be served is served.
 */
export class AdmissionGate {
  readonly #settings: () => GateSettings;
  readonly #pressure: Pressure;
  readonly #now: () => number;
  /** Of all organizations that did not press. */
  readonly #record = new RefusalWindow();
  readonly #atLimit: PrebuiltRefusals;
  readonly #overShare: PrebuiltRefusals;
  readonly #shares = new Map<string, Share>();
  readonly #waiting: Waiting[] = [];
  #inFlight = 0;
  /** Which part of those who are here do not press. */
  #calmPart = 0;
  #active = 0;
  #entered = 0;
  #reads = { since: 0, served: 0 };
  /** How many were refused since the start, by reason. */
  readonly refused = { full: 0, share: 0, pressure: 0 };

  constructor({ settings, pressure, random, now }: GateParts) {
    this.#settings = settings;
    this.#pressure = pressure;
    this.#now = now;
    this.#atLimit = new PrebuiltRefusals("This instance is at capacity.", random);
    this.#overShare = new PrebuiltRefusals("Your organization has reached its share of this instance.", random);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Null when the call may go on at once; otherwise it waits for its turn. Throws when it has none. */
  enter(owner: string, priority: CallPriority): null | Promise<void> {
    if (this.#inFlight >= ALWAYS_SERVED && this.#pressure.sheds(priority)) throw this.#refuse("pressure");
    const share = this.#shareOf(owner);
    const settings = this.#settings();
    const room = this.#roomFor(share, settings);
    if (this.#inFlight < room && this.#isFree(room)) return this.#take(share);
    return this.#enterFull(share, priority, room, settings);
  }

  /** A call that entered has ended. */
  leave(owner: string): void {
    const share = this.#shares.get(owner);
    if (share === undefined) throw new Error("a request left the gate without entering it");
    this.#inFlight -= 1;
    share.inFlight -= 1;
    if (share.inFlight === 0) this.#active -= 1;
    if (this.#waiting.length > 0) this.#admitNext();
  }

  /** Whether there is time for what is only looked at: that goes first. A few are served all the same. */
  refuseRead(): Failure | null {
    if (!this.#pressure.sheds("read")) return null;
    const nowMs = this.#now();
    if (nowMs - this.#reads.since >= READ_WINDOW_MS) this.#reads = { since: nowMs, served: 0 };
    this.#reads.served += 1;
    return this.#reads.served > ALWAYS_READ ? this.#refuse("pressure") : null;
  }

  /** The room is short, so it is given out by shares, and everybody's calls are watched. */
  #enterFull(share: Share, priority: CallPriority, room: number, settings: GateSettings): null | Promise<void> {
    const { record } = share;
    const nowMs = this.#now();
    record.roll(nowMs, settings.longestWaitMs);
    if (this.#record.roll(nowMs, settings.longestWaitMs)) this.#countCalm();
    record.asked += 1;
    const isFull = this.#inFlight >= (record.isPressing ? room * (1 - HEADROOM * this.#calmPart) : room);
    const most = this.#mostOf(share, room);
    if (isFull ? share.inFlight > most : share.inFlight >= most) {
      // What room there is, now or soon, is kept for others.
      record.refused += 1;
      throw this.#refuse("share");
    }
    if (record.isPressing && isFull) {
      // Whether others may wait is not for a flood to decide.
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

  /** A process that is late takes less, but who has nothing under way is the last to be given up for that. */
  #roomFor(share: Share, { maxInFlight }: GateSettings): number {
    const { room } = this.#pressure;
    return share.inFlight === 0 || room > maxInFlight ? maxInFlight : room;
  }

  /** Whether there is so much room that nobody need look whose it is. */
  #isFree(room: number): boolean {
    if (this.#inFlight >= room * FREE_PART) return false;
    // A process that is late has no room to give away, but for what it always has.
    return this.#inFlight < ALWAYS_SERVED || !this.#pressure.sheds("background");
  }

  /** How many calls this one may have at once when the room is short. */
  #mostOf(share: Share, room: number): number {
    const equal = room / this.#ownersWith(share);
    if (share.record.isPressing) return equal;
    return Math.max(A_FEW, Math.min(equal * SHARES, Math.max(equal, room * FREE_PART)));
  }

  /** Among how many the room is divided when this one is there too; others that were here may come again. */
  #ownersWith(share: Share): number {
    const owners = share.inFlight === 0 ? this.#active + 1 : this.#active;
    return owners === 1 && this.#shares.size > 1 ? 2 : owners;
  }

  #take(share: Share): null {
    this.#inFlight += 1;
    if (share.inFlight === 0) this.#active += 1;
    share.inFlight += 1;
    this.#entered += 1;
    if (this.#entered % FORGET_EVERY === 0) this.#forgetIdle();
    return null;
  }

  /** A short line evens out chance; where many are refused, whoever waits is refused too in the end, only later. */
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

  /** The newest first: who has waited longest is the likeliest to have gone, and dead work is worse than a refusal. */
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

  /** Organizations that rest are forgotten now and then, so that their number does not grow without end. */
  #forgetIdle(): void {
    for (const [owner, share] of this.#shares) {
      if (share.inFlight === 0 && share.waiting === 0) this.#shares.delete(owner);
    }
  }
}
