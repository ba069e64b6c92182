import { type RawBuilder, sql } from "kysely";
import { type Invariant, type Scope, within } from "./invariant.ts";

/**
 * The audit entry of a grant or an adjustment names the transaction and the amount, so credit that is posted, raised, or
 * deleted behind the back of the API differs from it.
 */
export const creditIsAudited: Invariant = {
  id: "I9",
  title:
    "each grant, adjustment, reversal, and purchase has its audit entry with the same amount and status, and the reverse",
  checked: "transactions",
  differences: (scope) => [unauditedCredit(scope), unauditedPurchases(scope), emptyLogs(scope)],
};

function unauditedCredit(scope: Scope): RawBuilder<unknown> {
  return sql`
    with audited as (
      select id, organization_id,
        coalesce(after ->> 'transactionId', case when target ->> 'type' = 'transaction' then target ->> 'id' end)
          as transaction_id,
        case action when 'ledger.re_rated' then after ->> 'difference' else after ->> 'amount' end as amount,
        case action when 'ledger.re_rated' then -1 else 1 end as sign
      from audit_log
      where action in ('credits.granted', 'credits.adjusted', 'credits.reversed', 'ledger.re_rated')
        and ${within(scope, "organization_id")}
    ), posted as (
      select entry.id, entry.organization_id, entry.kind, entry.created_at,
        coalesce(sum(case when posting.destination like 'org:%' then posting.amount else -posting.amount end), 0) as amount
      from ledger_transactions entry left join ledger_postings posting on posting.transaction_id = entry.id
      where entry.kind in ('grant', 'adjustment', 'usage_reversal') and ${within(scope, "entry.organization_id")}
      group by entry.id
    )
    select coalesce(posted.organization_id, audited.organization_id) as organization_id,
      coalesce(posted.kind || ' ' || posted.id, 'audit entry ' || audited.id) as subject,
      case when audited.id is null then 'an audit entry' else 'amount ' || coalesce(audited.amount, 'unknown') end as expected,
      case when posted.id is null then 'no transaction ' || audited.transaction_id
        when audited.id is null then 'none' else 'amount ' || (audited.sign * posted.amount) end as found,
      coalesce(posted.amount, 0) as amount
    from posted full join audited
      on audited.transaction_id = posted.id and audited.organization_id = posted.organization_id
    where (audited.id is null and posted.created_at >= ${scope.auditedSince})
      or (posted.id is null and audited.transaction_id is not null)
      or (audited.amount <> (audited.sign * posted.amount)::text)`;
}

/** Selects purchases that differ from the last audit entry about their status, or about their refunds. */
function unauditedPurchases(scope: Scope): RawBuilder<unknown> {
  return sql`
    with entries as (
      select organization_id, target ->> 'id' as id, action, after, seq, at
      from audit_log
      where action like 'purchase.%' and target ->> 'type' = 'purchase' and ${within(scope, "organization_id")}
    ), audited as (
      select organization_id, id, (array_agg(coalesce(after ->> 'status', 'pending') order by seq desc))[1] as status,
        (array_agg(after ->> 'refunded' order by seq desc) filter (where after ? 'refunded'))[1] as refunded,
        max(at) filter (where after ? 'refunded') as refunded_at,
        (array_agg(after ->> 'amount' order by seq) filter (where action = 'purchase.created'))[1] as amount
      from entries
      group by organization_id, id
    ), bought as (
      select id, organization_id, created_at, amount, refunded, status from purchases
      where ${within(scope, "organization_id")}
    ), unaudited as (
      -- An earlier release wrote no entry about a partial refund, also if it followed one of this release.
      select entry.organization_id, entry.reference as id, sum(posting.amount) as refunded
      from ledger_transactions entry
      join ledger_postings posting on posting.transaction_id = entry.id
      left join audited on audited.organization_id = entry.organization_id and audited.id = entry.reference
      where entry.kind = 'refund' and entry.created_at < ${scope.auditedSince}
        and entry.created_at > coalesce(audited.refunded_at, '-infinity') and ${within(scope, "entry.organization_id")}
      group by entry.organization_id, entry.reference
    )
    select coalesce(bought.organization_id, audited.organization_id) as organization_id,
      'purchase ' || coalesce(bought.id, audited.id) as subject,
      case when audited.id is null then 'an audit entry'
        else concat_ws(', ', audited.status, 'amount ' || audited.amount, 'refunded ' || audited.refunded) end as expected,
      case when bought.id is null then 'no purchase' when audited.id is null then 'none'
        else concat_ws(', ', bought.status, 'amount ' || bought.amount, 'refunded ' || bought.refunded) end as found,
      bought.amount::numeric as amount
    from bought full join audited on audited.id = bought.id and audited.organization_id = bought.organization_id
    left join unaudited on unaudited.id = bought.id and unaudited.organization_id = bought.organization_id
    where bought.id is null
      or (audited.id is null and bought.created_at >= ${scope.auditedSince})
      -- A retry of a failed checkout opens the purchase again.
      or (audited.status <> bought.status and not (audited.status = 'failed' and bought.status = 'pending'))
      or audited.amount <> bought.amount::text
      or coalesce(audited.refunded, '0') <> (bought.refunded - coalesce(unaudited.refunded, 0))::text`;
}

/** Selects organizations without any audit entry that have entries which cannot be made without one. */
function emptyLogs(scope: Scope): RawBuilder<unknown> {
  return sql`
    select entry.organization_id, 'audit log' as subject, count(*) || ' entries of credit and purchases' as expected,
      'an empty log' as found, null::bigint as amount
    from ledger_transactions entry
    where entry.kind in ('grant', 'adjustment', 'usage_reversal', 'purchase', 'refund', 'dispute', 'dispute_won')
      and entry.created_at >= ${scope.auditedSince} and ${within(scope, "entry.organization_id")}
      and not exists (select from audit_log where audit_log.organization_id = entry.organization_id)
    group by entry.organization_id`;
}
