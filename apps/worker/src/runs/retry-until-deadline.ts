import { setTimeout as pause } from "node:timers/promises";
import { isDatabaseUnavailable } from "@tollgate/db/database-errors.ts";

// The deadline is shorter than a lease, because another worker may own the run after the lease expires.
const LIMIT_MS = 25_000;
const PAUSE_MS = 250;

/** Retries while the database is unavailable, so that a paid response isn't lost to a short outage. */
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
