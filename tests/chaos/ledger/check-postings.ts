import type { Database } from "@tollgate/db/connect.ts";
import { sql } from "kysely";

export interface PostingDifferences {
  /** Ledger entries that charged more than their calls cost, or that belong to no call. */
  readonly doubled: number;
  /** Ledger entries that charged less than their calls cost. */
  readonly lost: number;
}

/** Compares each usage entry after this time with the calls that refer to it. */
export async function checkPostings(ledger: Database, sinceMs: number): Promise<PostingDifferences> {
  const { rows } = await sql<{ doubled: bigint; lost: bigint }>`
    with posted as (
      select entry.id, sum(posting.amount) as amount
      from ledger_transactions entry join ledger_postings posting on posting.transaction_id = entry.id
      where entry.kind = 'usage' and entry.created_at >= to_timestamp(${sinceMs}::float8 / 1000)
      group by entry.id
    ), charged as (
      select transaction_id as id, sum(cost) as amount
      from usage_events where transaction_id in (select id from posted)
      group by transaction_id
    )
    select count(*) filter (where posted.amount > coalesce(charged.amount, 0)) as doubled,
      count(*) filter (where posted.amount < charged.amount) as lost
    from posted left join charged using (id)`.execute(ledger);
  return { doubled: Number(rows[0]?.doubled ?? 0n), lost: Number(rows[0]?.lost ?? 0n) };
}
