import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@tollgate/db/connect.ts";
import { type CallLog, tokensSeen } from "../load/call-log.ts";
import { readUsageRows, type UsageRow } from "./usage-rows.ts";

export interface Settled {
  readonly rows: ReadonlyMap<string, readonly UsageRow[]>;
  /**
   * Time from the end of the load until every complete response was in the ledger; null if some responses were never
   * recorded.
   */
  readonly settledMs: number | null;
}

const POLL_MS = 300;
/** Maximum time to wait for interrupted calls, which may not be in any record. */
const CUT_LIMIT_MS = 6_000;

/** Waits until the ledger has every call that it must contain, or until the time limit has passed. */
export async function awaitSettled(
  ledger: Database,
  logs: readonly CallLog[],
  prefix: string,
  limitMs: number,
): Promise<Settled> {
  const whole = logs.filter(({ isComplete }) => isComplete);
  const cut = logs.filter((log) => !log.isComplete && tokensSeen(log) > 0);
  const sinceMs = Math.min(Date.now(), ...logs.slice(0, 1_000).map(({ sentAtMs }) => sentAtMs));
  const startedAtMs = performance.now();
  let settledMs: number | null = null;
  let rows = new Map<string, UsageRow[]>();
  for (;;) {
    // The database may still be starting.
    rows = await readUsageRows(ledger, prefix, sinceMs).catch(() => rows);
    const elapsedMs = performance.now() - startedAtMs;
    const isThere = ({ plan }: CallLog) => rows.has(plan.nonce);
    if (settledMs === null && whole.every(isThere)) settledMs = elapsedMs;
    if (settledMs !== null && (cut.every(isThere) || elapsedMs > settledMs + CUT_LIMIT_MS)) return { rows, settledMs };
    if (elapsedMs > limitMs) return { rows, settledMs };
    await pause(POLL_MS);
  }
}
