import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@tollgate/db/connect.ts";
import { type CallLog, tokensSeen } from "../load/call-log.ts";
import { readUsageRows, type UsageRow } from "./usage-rows.ts";

export interface Settled {
  readonly rows: ReadonlyMap<string, readonly UsageRow[]>;
  /** How long it took from the end of the load until every whole answer was in the books; null: it never was. */
  readonly settledMs: number | null;
}

const POLL_MS = 300;
/** Calls that were cut may have left no trace; they are waited for no longer than this. */
const CUT_LIMIT_MS = 6_000;

/** Waits until the books have every call that they must have, or until the time is over. */
export async function awaitSettled(
  books: Database,
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
    // The database may still be coming up.
    rows = await readUsageRows(books, prefix, sinceMs).catch(() => rows);
    const elapsedMs = performance.now() - startedAtMs;
    const isThere = ({ plan }: CallLog) => rows.has(plan.nonce);
    if (settledMs === null && whole.every(isThere)) settledMs = elapsedMs;
    if (settledMs !== null && (cut.every(isThere) || elapsedMs > settledMs + CUT_LIMIT_MS)) return { rows, settledMs };
    if (elapsedMs > limitMs) return { rows, settledMs };
    await pause(POLL_MS);
  }
}
