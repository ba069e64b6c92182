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
  #earliestRedeliveryMs = Number.POSITIVE_INFINITY;

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

  /** Earliest time at which a batch must be sent again if the ledger still doesn't have it; Infinity without batches. */
  get redeliveryDueMs(): number {
    return this.#earliestRedeliveryMs;
  }

  /** Removes and returns the batches to query now. `putBack` or `deny` adds them again. */
  take(nowMs: number): PendingBatch[] {
    const asked: PendingBatch[] = [];
    const waiting = this.#batches;
    let events = 0;
    this.#batches = [];
    this.#earliestQuestionMs = Number.POSITIVE_INFINITY;
    this.#earliestRedeliveryMs = Number.POSITIVE_INFINITY;
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
    const redeliverAtMs = redeliveryTimeOf(batch);
    if (redeliverAtMs <= nowMs) return true;
    const pauseMs = Math.min(FIRST_QUESTION_PAUSE_MS * 2 ** batch.denials, MAX_QUESTION_PAUSE_MS);
    batch.denials += 1;
    this.#wait(batch, Math.min(nowMs + pauseMs, redeliverAtMs));
    return false;
  }

  #wait(batch: PendingBatch, askAtMs: number): void {
    batch.askAtMs = askAtMs;
    this.#batches.push(batch);
    this.#earliestQuestionMs = Math.min(this.#earliestQuestionMs, askAtMs);
    this.#earliestRedeliveryMs = Math.min(this.#earliestRedeliveryMs, redeliveryTimeOf(batch));
  }
}

/** Returns when the batch is sent again if the ledger doesn't have it by then. */
function redeliveryTimeOf({ deliveredAtMs, deliveries }: PendingBatch): number {
  return deliveredAtMs + Math.min(FIRST_REDELIVERY_MS * 2 ** (deliveries - 1), MAX_REDELIVERY_MS);
}
