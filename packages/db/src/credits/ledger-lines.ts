import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** A ledger entry, or consecutive usage entries from one day. */
interface LedgerLine {
  /** ID of the newest entry in the line. */
  readonly id: string;
  readonly kind: string;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly entries: number;
  readonly amount: NanoUsd;
  readonly balanceAfter: NanoUsd;
  readonly reference: string | null;
  readonly description: string | null;
}

interface LedgerFilter {
  readonly kinds: readonly string[];
  /** Only entries older than the entry with this ID. */
  readonly before: string | null;
  readonly limit: number;
}

/** Maximum number of entries read per request. A day with more entries takes more than one line. */
const MAX_ENTRIES = 20_000;

/**
 * Lists the organization's ledger as lines, newest first, with days in its time zone. Without a filter, each line's
 * balance is the balance of the line below plus the line's own amount. `next` is the `before` value for older lines, or
 * null at the beginning of the ledger.
 */
export async function listLedgerLines(
  transaction: TenantTransaction,
  organizationId: string,
  { kinds, before, limit }: LedgerFilter,
): Promise<{ readonly lines: readonly LedgerLine[]; readonly next: string | null }> {
  const account = `org:${organizationId}:credits`;
  const { rows } = await sql<LedgerLine & { oldest: string }>`
    with newest as materialized (
      select id, kind, balance_after, reference, description, created_at,
          (select sum(case when posting.destination = ${account} then posting.amount else -posting.amount end)
             from ledger_postings as posting where posting.transaction_id = entry.id) as amount
        from ledger_transactions as entry
       where organization_id = ${organizationId}
         and (${kinds.length === 0} or kind = any (${kinds}::text[]))
         and (${before === null} or (created_at, id) <
           (select created_at, id from ledger_transactions where id = ${before} and organization_id = ${organizationId}))
       order by created_at desc, id desc limit ${MAX_ENTRIES}
    ), placed as (
      select newest.*, count(*) filter (where kind <> 'usage') over (order by newest.created_at desc, newest.id desc) as run,
          (newest.created_at at time zone organization.timezone)::date as day
        from newest join organizations as organization on organization.id = ${organizationId}
    )
    select (array_agg(id order by created_at desc, id desc))[1] as id,
        (array_agg(id order by created_at, id))[1] as oldest,
        kind, min(created_at) as "firstAt", max(created_at) as "lastAt", count(*)::integer as entries,
        sum(amount)::bigint as amount,
        (array_agg(balance_after order by created_at desc, id desc))[1] as "balanceAfter",
        min(reference) filter (where kind <> 'usage') as reference,
        min(description) filter (where kind <> 'usage') as description
      from placed group by kind, run, day, case when kind <> 'usage' then id end
     order by "lastAt" desc, id desc limit ${limit + 1}`.execute(transaction);
  const isMore = rows.length > limit || rows.reduce((sum, { entries }) => sum + entries, 0) >= MAX_ENTRIES;
  const shown = rows.slice(0, limit);
  return { lines: shown.map(({ oldest: _, ...line }) => line), next: isMore ? (shown.at(-1)?.oldest ?? null) : null };
}
