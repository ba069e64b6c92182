import type { PendingEvent } from "./pending-event.ts";

const FIRST_QUESTION_MS = 500;
const FIRST_QUESTION_PAUSE_MS = 250;
const MAX_QUESTION_PAUSE_MS = 5_000;
const QUESTION_LIMIT = 5_000;
const FIRST_REDELIVERY_MS = 5_000;
const MAX_REDELIVERY_MS = 60_000;

/** Events that a log has taken over, until the ledger is known to have them or they must be sent again. */
export class UnconfirmedEvents {
  #events: PendingEvent[] = [];
  #earliestQuestionMs = Number.POSITIVE_INFINITY;

  /** The log has them from now on. */
  add(events: readonly PendingEvent[], nowMs: number): void {
    for (const event of events) {
      event.deliveredAtMs = nowMs;
      event.denials = 0;
      this.#wait(event, nowMs + FIRST_QUESTION_MS);
    }
  }

  /** When the ledger should next be asked; Infinity while there is nothing to ask for. */
  get dueMs(): number {
    return this.#earliestQuestionMs;
  }

  /** What to ask the ledger for now; they are out of here until the answer is told. */
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

  /** The ledger could not be asked. Only its word sends an event again, so they go on waiting. */
  putBack(events: readonly PendingEvent[], askAtMs: number): void {
    for (const event of events) this.#wait(event, askAtMs);
  }

  /** The ledger does not have these. Answers the ones that are to be sent again; the others are asked for later. */
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
