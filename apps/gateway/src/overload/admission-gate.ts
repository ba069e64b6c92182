import { Failure } from "@tollgate/contracts/failures.ts";
import type { Pressure } from "./pressure.ts";

/** What is given up first when not everything can be served; running calls are never given up for new ones. */
export type CallPriority = "background" | "usual";

export interface GateSettings {
  /** Calls under way in this process at once. */
  readonly maxInFlight: number;
  readonly maxWaiting: number;
  readonly longestWaitMs: number;
}

export const usualGate: GateSettings = { maxInFlight: 1_000, maxWaiting: 128, longestWaitMs: 250 };

/** Up to this part of the room everybody is let in; beyond it nobody gets more than a fair share. */
const FREE_PART = 0.75;
/** So many are served whatever the pressure: a process that refuses everything never finds out that it is over. */
const ALWAYS_SERVED = 32;
const RETRY_AFTER_MS = 1_000;
/** Clients that were all refused at once should not all come back at once. */
const JITTER = 0.2;
const FORGET_EVERY = 4_096;

/** The calls of one organization. */
interface Share {
  inFlight: number;
}

interface Waiting {
  readonly share: Share;
  readonly enter: () => void;
  readonly refuse: (failure: Failure) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Lets calls in while there is room, and keeps the room fair: one organization's flood must not take what others need.
 * A refusal costs next to nothing, so that whatever is offered, what can be served is served.
 */
export class AdmissionGate {
  readonly #settings: () => GateSettings;
  readonly #pressure: Pressure;
  readonly #random: () => number;
  readonly #shares = new Map<string, Share>();
  readonly #waiting: Waiting[] = [];
  #inFlight = 0;
  #active = 0;
  #entered = 0;
  /** How many were refused since the start, by reason. */
  readonly refused = { full: 0, share: 0, pressure: 0 };

  constructor(settings: () => GateSettings, pressure: Pressure, random: () => number) {
    this.#settings = settings;
    this.#pressure = pressure;
    this.#random = random;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Null when the call may go on at once; otherwise it waits for its turn. Throws when it has none. */
  enter(owner: string, priority: CallPriority): null | Promise<void> {
    if (this.#inFlight >= ALWAYS_SERVED && this.#pressure.sheds(priority)) {
      this.refused.pressure += 1;
      throw this.#overloaded("This instance is at its limit.");
    }
    const share = this.#shareOf(owner);
    const { maxInFlight, maxWaiting } = this.#settings();
    if (this.#hasRoom(share, maxInFlight)) {
      this.#take(share);
      return null;
    }
    if (this.#inFlight < maxInFlight) {
      // There is room, but it is kept for others.
      this.refused.share += 1;
      throw this.#overloaded("Your organization already uses its share of this instance.");
    }
    if (priority === "background" || this.#waiting.length >= maxWaiting) {
      this.refused.full += 1;
      throw this.#overloaded("This instance is at its limit.");
    }
    return this.#wait(share);
  }

  /** A call that entered has ended. */
  leave(owner: string): void {
    const share = this.#shares.get(owner);
    if (share === undefined) throw new Error("nobody leaves who did not enter");
    this.#inFlight -= 1;
    share.inFlight -= 1;
    if (share.inFlight === 0) this.#active -= 1;
    if (this.#waiting.length > 0) this.#admitNext();
  }

  #shareOf(owner: string): Share {
    const known = this.#shares.get(owner);
    if (known !== undefined) return known;
    const made = { inFlight: 0 };
    this.#shares.set(owner, made);
    return made;
  }

  #hasRoom(share: Share, maxInFlight: number): boolean {
    if (this.#inFlight >= maxInFlight) return false;
    if (this.#inFlight < maxInFlight * FREE_PART) return true;
    const owners = share.inFlight === 0 ? this.#active + 1 : this.#active;
    return share.inFlight < maxInFlight / owners;
  }

  #take(share: Share): void {
    this.#inFlight += 1;
    if (share.inFlight === 0) this.#active += 1;
    share.inFlight += 1;
    this.#entered += 1;
    if (this.#entered % FORGET_EVERY === 0) this.#forgetIdle();
  }

  #wait(share: Share): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = {
      share,
      enter: resolve,
      refuse: reject,
      timer: setTimeout(() => this.#giveUp(waiting), this.#settings().longestWaitMs),
    };
    this.#waiting.push(waiting);
    return promise;
  }

  /** The newest first: who has waited longest is the likeliest to have gone, and dead work is worse than a refusal. */
  #admitNext(): void {
    const { maxInFlight } = this.#settings();
    for (let index = this.#waiting.length - 1; index >= 0; index -= 1) {
      const waiting = this.#waiting[index] as Waiting;
      if (!this.#hasRoom(waiting.share, maxInFlight)) continue;
      this.#waiting.splice(index, 1);
      clearTimeout(waiting.timer);
      this.#take(waiting.share);
      waiting.enter();
      return;
    }
  }

  #giveUp(waiting: Waiting): void {
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    this.refused.full += 1;
    waiting.refuse(this.#overloaded("This instance is at its limit."));
  }

  /** Organizations that rest are forgotten now and then, so that their number does not grow without end. */
  #forgetIdle(): void {
    const waited = new Set(this.#waiting.map(({ share }) => share));
    for (const [owner, share] of this.#shares) {
      if (share.inFlight === 0 && !waited.has(share)) this.#shares.delete(owner);
    }
  }

  #overloaded(message: string): Failure {
    const retryAfterMs = RETRY_AFTER_MS * (1 + JITTER * (2 * this.#random() - 1));
    return new Failure("overloaded", `${message} Try again shortly.`, { retryAfterMs });
  }
}
