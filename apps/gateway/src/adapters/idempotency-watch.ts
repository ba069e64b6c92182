import type { Database } from "@tollgate/db/connect.ts";
import { findRunning, type IdempotencyScope } from "@tollgate/db/idempotency/idempotent-calls.ts";

/** Interval between polls for calls that run in other processes, while calls in this process wait for them. */
const LOOK_MS = 100;

interface Wait {
  readonly place: IdempotencyScope;
  readonly changed: Promise<void>;
  readonly wake: () => void;
}

/** Waits for calls with an Idempotency-Key to finish. One statement polls for all waiting calls and keys. */
export class IdempotencyWatch {
  readonly #db: Database;
  readonly #waits = new Map<string, Wait>();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Resolves when the call with this name has finished, when a poll fails, or when the signal aborts the wait. */
  async change(name: string, place: IdempotencyScope, givingUp: AbortSignal): Promise<void> {
    const { changed } = this.#waits.get(name) ?? this.#add(name, place);
    const { promise: gaveUp, resolve } = Promise.withResolvers<void>();
    givingUp.addEventListener("abort", () => resolve(), { once: true });
    await Promise.race([changed, gaveUp]);
  }

  /** Resolves, without polling, the waits for a call that finished in this process. */
  wake(name: string): void {
    const wait = this.#waits.get(name);
    this.#waits.delete(name);
    wait?.wake();
  }

  /** Resolves all waits, so that each waiting call makes one last query. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const name of [...this.#waits.keys()]) this.wake(name);
  }

  #add(name: string, place: IdempotencyScope): Wait {
    const { promise: changed, resolve: wake } = Promise.withResolvers<void>();
    const wait = { place, changed, wake };
    this.#waits.set(name, wait);
    if (this.#timer === null && !this.#isClosed) this.#lookLater();
    return wait;
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => void this.#look(), LOOK_MS);
  }

  async #look(): Promise<void> {
    const names = [...this.#waits.keys()];
    const places = [...this.#waits.values()].map(({ place }) => place);
    // A failed poll ends all waits. Each waiting call then queries the database itself and reports the error.
    const running = await findRunning(this.#db, places).catch(() => new Set<number>());
    names.forEach((name, index) => {
      if (!running.has(index)) this.wake(name);
    });
    this.#timer = null;
    if (this.#waits.size > 0 && !this.#isClosed) this.#lookLater();
  }
}
