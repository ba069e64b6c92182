/** Maximum number of sessions per generation. There are at most two generations. */
const MAX_SESSIONS = 50_000;
/**
 * Maximum number of sessions of one owner per generation. Otherwise, one owner with many sessions would remove the pins of
 * all others.
 */
const MAX_OWNER_SESSIONS = 10_000;
/** A session's number consists of bits that its owner determines, and of bits that the session determines. */
const OWNER_BITS = 10;
const SESSION_BITS = 20;

/**
 * Returns the number of a session from two hashes of 32 bits. It is above 0 and small enough for a fast key of a map.
 * Owners can have the same bits by chance, and then share their limit.
 */
export function sessionNumber(ownerHash: number, sessionHash: number): number {
  return (((ownerHash >>> (32 - OWNER_BITS)) << SESSION_BITS) | (sessionHash >>> (32 - SESSION_BITS))) + 1;
}

function ownerOf(session: number): number {
  return (session - 1) >>> SESSION_BITS;
}

/** Maximum number of pins that wait to be sent to other replicas. Later ones are not shared. */
const MAX_UNSENT = 2_000;

/** A session and the target that serves it. */
export interface SessionPin {
  readonly session: number;
  readonly targetId: string;
}

/**
 * Remembers which target serves a session, because the provider's cache of its prompt is there. A pin is only advice: if
 * it is lost, the session continues on another target, with one more cache write.
 *
 * Pins are stored in two generations. A pin that is used moves to the younger one, and the older one is dropped after
 * half the lifetime, so that a pin ends between half and all of the lifetime after its last use, and no pin needs a
 * timestamp.
 */
export class SessionPins {
  #young = new Map<number, string>();
  #old = new Map<number, string>();
  /** Number of sessions of the younger generation by owner. */
  #counts = new Uint16Array(2 ** OWNER_BITS);
  #rotatedAtMs = 0;
  #halfLifeMs: number;
  readonly #isShared: boolean;
  #unsent: SessionPin[] = [];

  constructor(lifetimeMs: number, isShared: boolean) {
    this.#halfLifeMs = lifetimeMs / 2;
    this.#isShared = isShared;
  }

  /** Sets the lifetime of pins. A lifetime of 0 turns pins off. */
  set lifetimeMs(lifetimeMs: number) {
    this.#halfLifeMs = lifetimeMs / 2;
    if (lifetimeMs === 0) this.#clear();
  }

  get isOn(): boolean {
    return this.#halfLifeMs > 0;
  }

  /** Returns the target of a session, and extends the pin; null if the session has no pin. */
  find(session: number, nowMs: number): string | null {
    this.#rotate(nowMs);
    const young = this.#young.get(session);
    if (young !== undefined) return young;
    const old = this.#old.get(session);
    if (old === undefined) return null;
    // Replicas that don't serve the session would otherwise drop the pin.
    this.#set(session, old);
    return old;
  }

  /** Pins a session to a target. */
  pin(session: number, targetId: string, nowMs: number): void {
    this.#rotate(nowMs);
    if (this.#young.get(session) !== targetId) this.#set(session, targetId);
  }

  /** Removes the pin of a session whose target failed. Leaves a newer pin to another target. */
  release(session: number, targetId: string): void {
    if (this.#young.get(session) === targetId) {
      this.#young.delete(session);
      this.#addToOwner(session, -1);
    }
    if (this.#old.get(session) === targetId) this.#old.delete(session);
  }

  /** Adds pins of other replicas. */
  learn(pins: Iterable<SessionPin>, nowMs: number): void {
    if (!this.isOn) return;
    for (const { session, targetId } of pins) {
      // A replica that starts receives all recent pins of a busy fleet at once.
      this.#rotate(nowMs);
      if (this.#hasCapacity(session)) this.#store(session, targetId);
    }
  }

  /** Returns and resets the pins that other replicas don't know yet. */
  takeUnsent(): readonly SessionPin[] {
    if (this.#unsent.length === 0) return this.#unsent;
    const taken = this.#unsent;
    this.#unsent = [];
    return taken;
  }

  /** Number of sessions with a pin. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  #set(session: number, targetId: string): void {
    if (!this.isOn || !this.#hasCapacity(session)) return;
    this.#store(session, targetId);
    if (this.#isShared && this.#unsent.length < MAX_UNSENT) this.#unsent.push({ session, targetId });
  }

  /** Reports whether the owner of a session can have one more pin, or already has this one. */
  #hasCapacity(session: number): boolean {
    return (this.#counts[ownerOf(session)] ?? 0) < MAX_OWNER_SESSIONS || this.#young.has(session);
  }

  #store(session: number, targetId: string): void {
    if (!this.#young.has(session)) this.#addToOwner(session, 1);
    this.#young.set(session, targetId);
  }

  #addToOwner(session: number, change: number): void {
    const owner = ownerOf(session);
    this.#counts[owner] = (this.#counts[owner] ?? 0) + change;
  }

  /** Drops the older generation when it is due, or earlier if there are too many sessions. */
  #rotate(nowMs: number): void {
    if (nowMs - this.#rotatedAtMs < this.#halfLifeMs && this.#young.size < MAX_SESSIONS) return;
    // After a long pause, the younger generation is too old, too.
    const isStale = nowMs - this.#rotatedAtMs >= this.#halfLifeMs * 2;
    this.#old = isStale ? new Map() : this.#young;
    this.#young = new Map();
    this.#counts.fill(0);
    this.#rotatedAtMs = nowMs;
  }

  #clear(): void {
    this.#young.clear();
    this.#counts.fill(0);
    this.#old.clear();
    this.#unsent = [];
  }
}
