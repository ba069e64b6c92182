import type { PendingBatch } from "./pending-batch.ts";

const FIRST_QUESTION_MS = 500;
const FIRST_QUESTION_PAUSE_MS = 250;
const MAX_QUESTION_PAUSE_MS = 5_000;
const QUESTION_LIMIT = 5_000;
const FIRST_REDELIVERY_MS = 5_000;
const MAX_REDELIVERY_MS = 60_000;

/** Batches accepted by a log, until the ledger confirms them or they must be sent again. */
export class UnconfirmedBatches {
  #batches: PendingBatch[] = [];
  #earliestQuestionMs = Number.POSITIVE_INFINITY;

  /** Adds a batch that the log has accepted. */
  add(batch: PendingBatch, nowMs: number): void {
    batch.deliveredAtMs = nowMs;
    batch.denials = 0;
    this.#wait(batch, nowMs + FIRST_QUESTION_MS);
  }

  /** Time of the next ledger query; Infinity if there is nothing to query. */
  get dueMs(): number {
    return this.#earliestQuestionMs;
  }

  /** Removes and returns the batches to query now. `putBack` or `deny` adds them again. */
  take(nowMs: number): PendingBatch[] {
    const asked: PendingBatch[] = [];
    const waiting = this.#batches;
    let events = 0;
    this.#batches = [];
    this.#earliestQuestionMs = Number.POSITIVE_INFINITY;
    for (const batch of waiting) {
      if (batch.askAtMs > nowMs || events + batch.count > QUESTION_LIMIT) this.#wait(batch, batch.askAtMs);
      else {
        asked.push(batch);
        events += batch.count;
      }
    }
    return asked;
  }

  /**
   * Restores batches after a failed query. The batches keep waiting, because only the ledger's response triggers a
   * resend.
   */
  putBack(batches: readonly PendingBatch[], askAtMs: number): void {
    for (const batch of batches) this.#wait(batch, askAtMs);
  }

  /** Handles a batch that the ledger doesn't have. Returns true if it must be sent again; otherwise, it keeps waiting. */
  deny(batch: PendingBatch, nowMs: number): boolean {
    const redeliverAtMs = batch.deliveredAtMs + redeliveryPauseMs(batch.deliveries);
    if (redeliverAtMs <= nowMs) return true;
    const pauseMs = Math.min(FIRST_QUESTION_PAUSE_MS * 2 ** batch.denials, MAX_QUESTION_PAUSE_MS);
    batch.denials += 1;
    this.#wait(batch, Math.min(nowMs + pauseMs, redeliverAtMs));
    return false;
  }

  #wait(batch: PendingBatch, askAtMs: number): void {
    batch.askAtMs = askAtMs;
    this.#batches.push(batch);
    if (askAtMs < this.#earliestQuestionMs) this.#earliestQuestionMs = askAtMs;
  }
}

function redeliveryPauseMs(deliveries: number): number {
  return Math.min(FIRST_REDELIVERY_MS * 2 ** (deliveries - 1), MAX_REDELIVERY_MS);
}
