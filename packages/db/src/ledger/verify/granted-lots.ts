import { type RawBuilder, sql } from "kysely";
import { type Scope, within } from "./invariant.ts";

/**
 * Selects grants whose lot is missing or expires at another time than they were posted with. A grant's digest covers
 * its amount and expiry date, and its chain entry covers the digest.
 */
export function changedTerms(scope: Scope): RawBuilder<unknown> {
  return sql`
    with granted as (
      select entry.id, entry.organization_id, entry.reference, entry.body_digest, coalesce(sum(posting.amount), 0)::bigint as amount
      from ledger_transactions entry left join ledger_postings posting on posting.transaction_id = entry.id
      where entry.kind = 'grant' and entry.body_digest is not null and ${within(scope, "entry.organization_id")}
      group by entry.id
    )
    select granted.organization_id, 'grant ' || granted.id as subject,
      'the amount and the expiry date that it was posted with' as expected,
      granted.amount || coalesce(', expires at ' || lot.expires_at, ', no lot that expires') as found, granted.amount as amount
    from granted left join grant_lots lot on lot.id = granted.id and lot.organization_id = granted.organization_id
    where granted.body_digest <> sha256(convert_to(jsonb_build_array('grant', granted.organization_id, granted.amount, 'ext:promo',
      granted.reference, extract(epoch from lot.expires_at))::text, 'UTF8'))`;
}

/**
 * Selects lots with another remainder than usage and expiry left. Usage spends lots in the order of their expiry, so it
 * takes from the first `rank` lots together until nothing is left of them: their sum is the sum of all changes so far,
 * minus its lowest value below zero. Only the sum of usage between two grants or expiries matters. The chain has the order
 * of changes, except for those from before it, so organizations with earlier lots are left out.
 */
export function unequalRemainders(scope: Scope): RawBuilder<unknown> {
  return sql`
    with known as (
      select lot.*, chained.seq, paid.balance_after, coalesce(bool_and(chained.created_at = paid.created_at)
          over (partition by lot.organization_id), false) as is_ordered
      from grant_lots lot
      left join ledger_transactions paid on paid.id = lot.id
      left join ledger_chain chained on chained.organization_id = lot.organization_id and chained.transaction_id = lot.id
      where ${within(scope, "lot.organization_id")}
    ), lots as (
      -- The part that paid off a debt was spent at once.
      select organization_id, id, seq, remaining, least(amount, greatest(balance_after, 0)) as amount,
        row_number() over (partition by organization_id order by expires_at, id) as rank
      from known where is_ordered
    ), started as (
      select organization_id, min(seq) as seq from lots group by organization_id
    ), changes as (
      select organization_id, seq, rank, amount from lots
      union all
      select chained.organization_id, chained.seq, lots.rank, -posting.amount
      from lots
      join ledger_transactions paid
        on paid.organization_id = lots.organization_id and paid.reference = lots.id and paid.kind = 'expiry'
      join ledger_chain chained on chained.transaction_id = paid.id
      join ledger_postings posting on posting.transaction_id = paid.id
      union all
      select chained.organization_id, chained.seq, null, -posting.amount
      from started
      join ledger_chain chained on chained.organization_id = started.organization_id and chained.seq > started.seq
      join ledger_transactions paid
        on paid.id = chained.transaction_id and paid.kind = 'usage' and paid.created_at = chained.created_at
      join ledger_postings posting on posting.transaction_id = paid.id
    ), numbered as (
      select *, 2 * count(rank) over (partition by organization_id order by seq) + (rank is null)::integer as step from changes
    ), steps as (
      select organization_id, step, rank, sum(amount) as amount from numbered group by organization_id, step, rank
    ), running as (
      select lots.organization_id, lots.rank, step,
        sum(steps.amount) over (partition by lots.organization_id, lots.rank order by step) as total
      from lots
      join steps on steps.organization_id = lots.organization_id and (steps.rank is null or steps.rank <= lots.rank)
    ), held as (
      select organization_id, rank, (array_agg(total order by step desc))[1] - least(min(total), 0) as amount
      from running group by organization_id, rank
    ), left_over as (
      select organization_id, rank, amount - lag(amount, 1, 0::numeric) over (partition by organization_id order by rank) as amount
      from held
    )
    select lots.organization_id, lots.id as subject, 'remaining ' || left_over.amount as expected,
      'remaining ' || lots.remaining as found, lots.remaining - left_over.amount as amount
    from lots join left_over on left_over.organization_id = lots.organization_id and left_over.rank = lots.rank
    where lots.remaining <> left_over.amount`;
}
