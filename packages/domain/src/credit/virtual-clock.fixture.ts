import type { Clock } from "./ports.ts";

interface Timer {
  readonly atMs: number;
  readonly work: () => void;
}

/** A clock that a test advances and that lets promises settle between timers. */
export class VirtualClock implements Clock {
  #nowMs = 1_000;
  #wallAheadMs = Date.UTC(2026, 0, 15);
  #timers: Timer[] = [];

  monotonicMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#nowMs + this.#wallAheadMs;
  }

  after(ms: number, work: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Sets the wall clock forward or back. */
  jumpWall(ms: number): void {
    this.#wallAheadMs += ms;
  }

  /** Simulates a suspended process: time passes, but no timer runs. */
  freeze(ms: number): void {
    this.#nowMs += ms;
  }

  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settlePromises();
    for (;;) {
      const next = this.#nextTimer(untilMs);
      if (next === null) break;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      this.#timers = this.#timers.filter((other) => other !== next);
      next.work();
      await settlePromises();
    }
    this.#nowMs = untilMs;
  }

  #nextTimer(untilMs: number): Timer | null {
    let next: Timer | null = null;
    for (const timer of this.#timers) {
      if (timer.atMs <= untilMs && (next === null || timer.atMs < next.atMs)) next = timer;
    }
    return next;
  }
}

async function settlePromises(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
}
