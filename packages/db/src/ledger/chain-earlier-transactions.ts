import { sql } from "kysely";
import type { Database } from "../connect.ts";

// One transaction holds the lock of a quota row for this many hashes, some milliseconds.
const BATCH = 200;

/** Reports whether transactions are in no chain yet, or an upgrade may still write some. */
export async function hasUnchainedTransactions(db: Database): Promise<boolean> {
  const { rows } = await sql<{ hasWork: boolean }>`
    select now() < chained_since() + interval '1 day' or exists (select from unchained_transactions) as "hasWork"`.execute(
    db,
  );
  return rows[0]?.hasWork === true;
}

/**
 * Appends all transactions that are in no chain yet to the chains: those from before the chains, those that the previous
 * release wrote during an upgrade, and losses. Returns their number.
 */
export async function chainEarlierTransactions(db: Database): Promise<number> {
  let total = 0;
  for (;;) {
    const { rows } = await sql<{ chained: number }>`select chain_earlier_transactions(${BATCH}) as chained`.execute(db);
    const chained = rows[0]?.chained ?? 0;
    total += chained;
    if (chained < BATCH) return total;
  }
}
