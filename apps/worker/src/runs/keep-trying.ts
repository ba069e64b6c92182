import { setTimeout as pause } from "node:timers/promises";
import { isDatabaseUnavailable } from "@tollgate/db/database-away.ts";

// Shorter than a lease: after it somebody else may be at it.
const LIMIT_MS = 25_000;
const PAUSE_MS = 250;

/** Does something again while the database is away: an answer that was paid for is not thrown away for a moment's silence. */
export async function retryUntilDeadline<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > deadline) throw error;
    }
    await pause(PAUSE_MS);
  }
}
