/** Remaining lifetime at which a credential is renewed while it is still valid. */
const RENEW_BEFORE_MS = 5 * 60_000;
/**
 * Remaining lifetime at which a credential is no longer sent, because it must still be valid when the provider receives
 * it.
 */
const LAST_USE_MS = 10_000;
/** Delay before the next attempt after a failed renewal, while the credential is still valid. */
const RETRY_MS = 10_000;

/** A credential as its source returned it. */
export interface Obtained<Value> {
  readonly value: Value;
  readonly lifetimeMs: number;
}

/**
 * A credential that expires. It is renewed before it expires, and all waiting calls share one renewal. Reading the
 * current value does no other work.
 */
export class RenewedCredential<Value> {
  readonly #obtain: () => Promise<Obtained<Value>>;
  readonly #now: () => number;
  #value: Value | null = null;
  #endsAtMs = 0;
  #renewAtMs = 0;
  #renewal: Promise<Value> | null = null;

  /** `obtain` gets a new credential from its source. It throws a `Failure` if the source has none. */
  constructor(obtain: () => Promise<Obtained<Value>>, now: () => number = Date.now) {
    this.#obtain = obtain;
    this.#now = now;
  }

  /** Returns the current credential, or null if the caller must wait for a new one. */
  current(): Value | null {
    const nowMs = this.#now();
    if (nowMs >= this.#endsAtMs - LAST_USE_MS) return null;
    // A failed background renewal is ignored. Only calls that arrive after the credential has expired receive the error.
    if (nowMs >= this.#renewAtMs) this.next().catch(() => {});
    return this.#value;
  }

  /** Returns a new credential. Throws a `Failure` if none can be obtained. */
  next(): Promise<Value> {
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  /** Discards a credential that the provider rejected before it expired. */
  forget(value: Value): void {
    if (this.#value === value) this.#endsAtMs = 0;
  }

  async #renew(): Promise<Value> {
    this.#renewAtMs = this.#now() + RETRY_MS;
    const { value, lifetimeMs } = await this.#obtain();
    this.#value = value;
    this.#endsAtMs = this.#now() + lifetimeMs;
    this.#renewAtMs = this.#endsAtMs - Math.min(RENEW_BEFORE_MS, lifetimeMs / 2);
    return value;
  }
}
