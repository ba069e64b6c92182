import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";

/** Progress of a migration, for display. */
export type Progress =
  | { readonly kind: "lock held"; readonly holder: string }
  | { readonly kind: "applying"; readonly migration: string }
  | { readonly kind: "applying functions"; readonly names: readonly string[] }
  | { readonly kind: "waiting"; readonly change: string; readonly tries: number; readonly triesLeft: number }
  | { readonly kind: "building"; readonly index: string; readonly table: string };

export type Report = (progress: Progress) => void;

// A schema change that waits for a lock blocks all later queries behind it, so it gives up early and retries.
const LOCK_LIMIT = "1s";
const TRY_LIMIT = 60;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 3_000;
/** Error codes for lock timeouts and deadlocks, which are transient. */
const PASSING = new Set(["55P03", "40P01"]);

/** Makes a change that needs a table lock, and retries while the lock is held. Gives up after a few minutes. */
export async function retryLocks(
  client: Client,
  change: string,
  report: Report,
  work: () => Promise<unknown>,
): Promise<void> {
  await client.query(`set lock_timeout = '${LOCK_LIMIT}'`);
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      await client.query("rollback").catch(() => {});
      if (tries === TRY_LIMIT || !PASSING.has((error as { code?: string }).code ?? "")) throw error;
      report({ kind: "waiting", change, tries, triesLeft: TRY_LIMIT - tries });
      await pause(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1)) * (0.5 + Math.random() / 2));
    }
  }
}
