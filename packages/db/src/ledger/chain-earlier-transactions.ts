import { sql } from "kysely";
import type { Database } from "../connect.ts";

// Settlement waits for the lock of a quota row while the requests of this many transactions are hashed. Each transaction
// takes some milliseconds.
const BATCH = 50;
// A run that appends a long history ends early, so that checkpoints are written meanwhile and a worker can stop.
const RUN_LIMIT_MS = 20_000;

/** Reports whether transactions are in no chain yet, or an upgrade may still write some. */
export async function hasUnchainedTransactions(db: Database): Promise<boolean> {
  const { rows } = await sql<{ hasWork: boolean }>`
    select now() < chained_since() + interval '1 day' or exists (select from unchained_transactions) as "hasWork"`.execute(
    db,
  );
  return rows[0]?.hasWork === true;
}

/**
 * Appends transactions that are in no chain yet to the chains: those from before the chains, those that the previous
 * release wrote during an upgrade, and losses. Returns their number. After the time limit, the next call continues.
 */
export async function chainEarlierTransactions(db: Database, limitMs = RUN_LIMIT_MS): Promise<number> {
  const endAtMs = performance.now() + limitMs;
  let total = 0;
  for (;;) {
    const { rows } = await sql<{ chained: number }>`select chain_earlier_transactions(${BATCH}) as chained`.execute(db);
    const chained = rows[0]?.chained ?? 0;
    total += chained;
    if (chained < BATCH || performance.now() > endAtMs) return total;
  }
}
