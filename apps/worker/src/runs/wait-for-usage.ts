import { setTimeout as pause } from "node:timers/promises";
import { findTurnUsage, settleTurns } from "@tollgate/db/assistants/turns.ts";
import type { Database } from "@tollgate/db/connect.ts";
import type { ChargedUsage } from "@tollgate/domain/assistants/records.ts";

const LOOK_EVERY_MS = 200;

/** Waits a limited time until the ledger contains the usage of a run's lost calls, and adds that usage to the run. */
export async function waitForLostTurns(db: Database, runId: string, limitMs: number): Promise<void> {
  await lookUntil(limitMs, async () => ((await settleTurns(db, runId)) === 0 ? true : null));
}

/**
 * Reads the usage of a call whose response did not report its usage or cost. Returns null if it isn't in the ledger in
 * time.
 */
export function waitForUsage(db: Database, label: string, limitMs: number): Promise<ChargedUsage | null> {
  return lookUntil(limitMs, () => findTurnUsage(db, label));
}

async function lookUntil<Found>(limitMs: number, look: () => Promise<Found | null>): Promise<Found | null> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== null || performance.now() >= deadline) return found;
    await pause(LOOK_EVERY_MS);
  }
}
