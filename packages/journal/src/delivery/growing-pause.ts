const FIRST_MS = 100;
const MAX_MS = 5_000;

/** How long to leave something alone that keeps failing. */
export class GrowingPause {
  #lengthMs = 0;
  untilMs = 0;

  /** It failed, again. Failures within one pause are one: they are of calls that were under way together. */
  grow(nowMs: number): void {
    if (nowMs < this.untilMs) return;
    this.#lengthMs = this.#lengthMs === 0 ? FIRST_MS : Math.min(this.#lengthMs * 2, MAX_MS);
    this.untilMs = nowMs + this.#lengthMs;
  }

  /** It works. */
  end(): void {
    this.#lengthMs = 0;
    this.untilMs = 0;
  }
}
