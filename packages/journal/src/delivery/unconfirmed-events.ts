import type { PendingEvent } from "./pending-event.ts";

const FIRST_QUESTION_MS = 500;
const FIRST_QUESTION_PAUSE_MS = 250;
const MAX_QUESTION_PAUSE_MS = 5_000;
const QUESTION_LIMIT = 5_000;
const FIRST_REDELIVERY_MS = 5_000;
const MAX_REDELIVERY_MS = 60_000;

/** Events accepted by a log, until the ledger confirms them or they must be sent again. */
export class UnconfirmedEvents {
  #events: PendingEvent[] = [];
  #earliestQuestionMs = Number.POSITIVE_INFINITY;

  /** Adds events that the log has accepted. */
  add(events: readonly PendingEvent[], nowMs: number): void {
    for (const event of events) {
      event.deliveredAtMs = nowMs;
      event.denials = 0;
      this.#wait(event, nowMs + FIRST_QUESTION_MS);
    }
  }

  /** Time of the next ledger query; Infinity if there is nothing to query. */
  get dueMs(): number {
    return this.#earliestQuestionMs;
  }

  /** Removes and returns the events to query now. `putBack` or `deny` adds them again. */
  take(nowMs: number): PendingEvent[] {
    const asked: PendingEvent[] = [];
    const waiting = this.#events;
    this.#events = [];
    this.#earliestQuestionMs = Number.POSITIVE_INFINITY;
    for (const event of waiting) {
      if (event.askAtMs <= nowMs && asked.length < QUESTION_LIMIT) asked.push(event);
      else this.#wait(event, event.askAtMs);
    }
    return asked;
  }

  /**
   * Restores events after a failed query. The events keep waiting, because only the ledger's response triggers a
   * resend.
   */
  putBack(events: readonly PendingEvent[], askAtMs: number): void {
    for (const event of events) this.#wait(event, askAtMs);
  }

  /** Handles events that the ledger doesn't have. Returns the events to resend; the other events are queried later. */
  deny(events: readonly PendingEvent[], nowMs: number): PendingEvent[] {
    const overdue: PendingEvent[] = [];
    for (const event of events) {
      const redeliverAtMs = event.deliveredAtMs + redeliveryPauseMs(event.deliveries);
      if (redeliverAtMs <= nowMs) {
        overdue.push(event);
        continue;
      }
      const pauseMs = Math.min(FIRST_QUESTION_PAUSE_MS * 2 ** event.denials, MAX_QUESTION_PAUSE_MS);
      event.denials += 1;
      this.#wait(event, Math.min(nowMs + pauseMs, redeliverAtMs));
    }
    return overdue;
  }

  #wait(event: PendingEvent, askAtMs: number): void {
    event.askAtMs = askAtMs;
    this.#events.push(event);
    if (askAtMs < this.#earliestQuestionMs) this.#earliestQuestionMs = askAtMs;
  }
}

function redeliveryPauseMs(deliveries: number): number {
  return Math.min(FIRST_REDELIVERY_MS * 2 ** (deliveries - 1), MAX_REDELIVERY_MS);
}
