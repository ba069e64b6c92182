import type { PendingEvent } from "./pending-event.ts";

/** Events to deliver, in order. A batch never mixes origins, because its header names only one origin. */
export class EventQueue {
  #events: PendingEvent[] = [];
  #head = 0;

  push(event: PendingEvent): void {
    this.#events.push(event);
  }

  /**
   * Returns when to send the next batch: now if the batch can't grow, or once its first event has waited long enough.
   */
  gatheredAtMs(limit: number, gatherMs: number): number {
    const first = this.#events[this.#head];
    if (first === undefined) return Number.POSITIVE_INFINITY;
    const length = this.#runLength(limit);
    const canGrow = length < limit && this.#head + length === this.#events.length;
    return canGrow ? first.readAtMs + gatherMs : Number.NEGATIVE_INFINITY;
  }

  /** Takes the longest prefix with a single origin, up to the limit. */
  take(limit: number): PendingEvent[] {
    const end = this.#head + this.#runLength(limit);
    const taken = this.#events.slice(this.#head, end);
    this.#head = end;
    if (this.#head > this.#events.length / 2) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
    return taken;
  }

  #runLength(limit: number): number {
    const origin = this.#events[this.#head]?.origin;
    let end = this.#head;
    while (end < this.#events.length && end - this.#head < limit) {
      const next = this.#events[end]?.origin;
      if (next?.nodeId !== origin?.nodeId || next?.epoch !== origin?.epoch) break;
      end += 1;
    }
    return end - this.#head;
  }
}
