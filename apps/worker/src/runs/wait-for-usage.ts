import { setTimeout as pause } from "node:timers/promises";
import { findTurnUsage, settleTurns } from "@tollgate/db/assistants/turns.ts";
import type { Database } from "@tollgate/db/connect.ts";
import type { ChargedUsage } from "@tollgate/domain/assistants/records.ts";
import type { StopReason } from "./run-lease-renewer.ts";

const LOOK_EVERY_MS = 200;
/**
 * Maximum time that a canceled run waits for the cost of its interrupted call. Some providers finish the response, so the
 * cost can take minutes. It is added to the run then.
 */
const CANCELED_LIMIT_MS = 1_000;

/** How long to wait for the ledger. */
interface Patience {
  readonly limitMs: number;
  /** Aborts with a `StopReason`. If the run is canceled, also while it waits, the limit is a second from then on. */
  readonly signal: AbortSignal;
}

/** Waits a limited time until the ledger contains the usage of a run's lost calls, and adds that usage to the run. */
export async function waitForLostTurns(db: Database, runId: string, patience: Patience): Promise<void> {
  await lookUntil(patience, async () => ((await settleTurns(db, runId)) === 0 ? true : null));
}

/**
 * Reads the usage of a call whose response did not report its usage or cost. Returns null if it isn't in the ledger in
 * time.
 */
export function waitForUsage(db: Database, label: string, patience: Patience): Promise<ChargedUsage | null> {
  return lookUntil(patience, () => findTurnUsage(db, label));
}

async function lookUntil<Found>(
  { limitMs, signal }: Patience,
  look: () => Promise<Found | null>,
): Promise<Found | null> {
  let deadline = performance.now() + limitMs;
  let isCanceled = false;
  for (;;) {
    const found = await look();
    if (!isCanceled && signal.reason === ("cancelled" satisfies StopReason)) {
      isCanceled = true;
      deadline = Math.min(deadline, performance.now() + CANCELED_LIMIT_MS);
    }
    if (found !== null || performance.now() >= deadline) return found;
    await pause(LOOK_EVERY_MS);
  }
}
