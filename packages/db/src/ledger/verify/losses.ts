import { type RawBuilder, sql } from "kysely";
import { counterColumns } from "../unit-columns.ts";
import { type Invariant, type Scope, within } from "./invariant.ts";

const lossAccountEqualsLosses: Invariant = {
  id: "R13",
  title:
    "the loss account equals the cost that the operator absorbed for billed requests, and each loss entry matches its requests",
  checked: "losses",
  isGlobal: true,
  differences: (scope) => [
    sql`
      with recorded as (
        select (select coalesce(sum(cost), 0) from lost_attempts where transaction_id is not null)
          + (select coalesce(sum(loss), 0) from usage_events where is_billed)
          + (select coalesce(sum(loss), 0) from usage_day_seals where day < ${scope.keptSince}::date) as amount
      ), booked as (
        select coalesce(sum(case when source = 'sys:loss' then amount else -amount end), 0) as amount
        from ledger_postings
        where source = 'sys:loss' or destination = 'sys:loss'
      )
      select null as organization_id, 'sys:loss' as subject, (-recorded.amount)::text as expected,
        (-booked.amount)::text as found, recorded.amount - booked.amount as amount
      from recorded, booked
      where recorded.amount <> booked.amount`,
    sql`
      with ${lossesByTransaction}, moved as (
        select entry.id, coalesce(sum(posting.amount), 0) as amount,
          case when entry.idempotency_key ~ '^loss:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            then day_of_event(substr(entry.idempotency_key, 6)::uuid) < ${scope.keptSince}::date else false end as may_lack_rows
        from ledger_transactions entry left join ledger_postings posting on posting.transaction_id = entry.id
        where entry.kind = 'loss'
        group by entry.id
      )
      select null as organization_id, coalesce(moved.id, lost.transaction_id, 'no entry') as subject,
        coalesce(lost.amount, 0)::text as expected, coalesce(moved.amount::text, 'no loss entry') as found,
        coalesce(moved.amount, 0) - coalesce(lost.amount, 0) as amount
      from moved full join lost on lost.transaction_id = moved.id
      where coalesce(lost.amount, 0) > coalesce(moved.amount, 0)
        or (coalesce(lost.amount, 0) < moved.amount and not moved.may_lack_rows)`,
  ],
};

/** Losses from billed calls, by the ledger entry that they reference. */
const lossesByTransaction: RawBuilder<unknown> = sql`
  lost as (
    select transaction_id, sum(amount) as amount
    from (
      select transaction_id, cost as amount from lost_attempts where transaction_id is not null
      union all
      select loss_transaction_id, loss from usage_events where is_billed and loss > 0
    ) losses
    group by transaction_id
  )`;

const lostAttemptsHold: Invariant = {
  id: "R14",
  title: "each lost attempt costs its units at its price version, and is posted if and only if its request is billed",
  checked: "losses",
  differences: (scope) => [unpricedAttempts(scope), strayAttempts(scope), unbilledLosses(scope)],
};

export const lossInvariants: readonly Invariant[] = [lossAccountEqualsLosses, lostAttemptsHold];

function unpricedAttempts(scope: Scope): RawBuilder<unknown> {
  return sql`
    with priced as (
      select attempt.organization_id, attempt.event_id, attempt.seq, attempt.cost, attempt.price_version_id,
        case when price.id is not null then price_of_call(price, ${counterColumns("attempt")}) end as expected
      from lost_attempts attempt left join price_versions price on price.id = attempt.price_version_id
      where ${within(scope, "attempt.organization_id")}
    )
    select organization_id, event_id || ' lost attempt ' || seq as subject,
      coalesce(expected::text, 'price version ' || price_version_id) as expected,
      case when expected is null then 'no such price version' else cost::text end as found,
      cost - coalesce(expected, 0) as amount
    from priced
    where expected is null or cost <> expected`;
}

/**
 * Selects attempts whose call is missing (if the call's day still has rows), and attempts with a ledger entry whose
 * call has none.
 */
function strayAttempts(scope: Scope): RawBuilder<unknown> {
  return sql`
    select attempt.organization_id, attempt.event_id || ' lost attempt ' || attempt.seq as subject,
      case when event.is_billed then 'posted' when event.id is null then 'a call' else 'not posted' end as expected,
      case when event.id is null then 'none' when attempt.transaction_id is null then 'not posted' else 'posted' end as found,
      attempt.cost as amount
    from lost_attempts attempt left join usage_events event on event.day = attempt.day and event.id = attempt.event_id
    where (event.id is null and attempt.day >= ${scope.keptSince}::date
        or event.is_billed <> (attempt.transaction_id is not null)
        or event.organization_id is distinct from attempt.organization_id and event.id is not null)
      and ${within(scope, "attempt.organization_id")}`;
}

function unbilledLosses(scope: Scope): RawBuilder<unknown> {
  return sql`
    select organization_id, id::text as subject,
      case when is_billed and loss > 0 then 'a loss entry' else 'no loss entry' end as expected,
      coalesce(loss_transaction_id, 'none') as found, loss as amount
    from usage_events
    where (is_billed and loss > 0) <> (loss_transaction_id is not null) and ${within(scope, "organization_id")}`;
}
