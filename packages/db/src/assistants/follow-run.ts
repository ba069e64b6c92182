import type { RunEvent } from "@tollgate/domain/assistants/records.ts";
import { isOpen } from "@tollgate/domain/assistants/run-machine.ts";
import type { Access } from "./access.ts";
import { type EventBatch, readEvents } from "./run-events.ts";
import type { RunNotices } from "./run-notifications.ts";

/** Poll interval for a run, in case a notification was lost. */
const LOOK_EVERY_MS = 1_000;

/** Runs one read in its own transaction. */
type Look = <T>(work: (access: Access) => Promise<T>) => Promise<T>;

/**
 * Yields batches of a run's events after the given event number, until the run ends, waits for tool outputs, is
 * deleted, or the signal fires. A slow consumer gets each batch only once.
 */
export async function* followRun(
  look: Look,
  notices: RunNotices,
  runId: string,
  afterNumber: number,
  signal: AbortSignal,
): AsyncGenerator<readonly RunEvent[]> {
  const bell = new Bell();
  const ring = () => bell.ring();
  const unwatch = notices.watch(runId, ring);
  signal.addEventListener("abort", ring, { once: true });
  try {
    let last = afterNumber;
    while (!signal.aborted) {
      bell.hush();
      const { isLive, batches } = await look((access) => lookAt(access, runId, last));
      for (const { number, events } of batches) {
        last = number;
        yield events;
        if (signal.aborted) return;
      }
      if (batches.length > 0) continue;
      if (!isLive) return;
      await bell.wait(LOOK_EVERY_MS);
    }
  } finally {
    unwatch();
    signal.removeEventListener("abort", ring);
  }
}

/**
 * Reads the status before the events, so that an event stored together with the final status is included in the same
 * read.
 */
async function lookAt(
  access: Access,
  runId: string,
  afterNumber: number,
): Promise<{ readonly isLive: boolean; readonly batches: readonly EventBatch[] }> {
  const row = await access.transaction
    .selectFrom("thread_runs")
    .select("status")
    .where("id", "=", runId)
    .executeTakeFirst();
  const isLive = row !== undefined && isOpen(row.status) && row.status !== "requires_action";
  return { isLive, batches: row === undefined ? [] : await readEvents(access, runId, afterNumber) };
}

/** A latch that stays set until the next wait. */
class Bell {
  #hasRung = false;
  #onRing = () => {};

  ring(): void {
    this.#hasRung = true;
    this.#onRing();
  }

  hush(): void {
    this.#hasRung = false;
  }

  wait(limitMs: number): Promise<void> {
    if (this.#hasRung) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limitMs);
    this.#onRing = resolve;
    return promise.finally(() => clearTimeout(timer));
  }
}
