import { type RawBuilder, sql } from "kysely";
import { type Invariant, type Scope, within } from "./invariant.ts";

/**
 * Admission never lets a balance fall below its bound: zero, or one hold below it where the last call may overshoot.
 * Three things can take it further, and all of them together must account for how far it went.
 */
export const overdraftsAreExplained: Invariant = {
  id: "R12",
  title: "every nano-USD below the admission bound is explained",
  checked: "organizations",
  differences: (scope) => [
    sql`
      with below as (${organizationsBelowZero(scope)}),
      holds as (
        select below.organization_id, max(event.hold) as largest
        from below join usage_events event on event.organization_id = below.organization_id
        group by below.organization_id
      ),
      explained as (
        select organization_id, sum(amount) as amount from (${explanations(scope)}) explanation group by organization_id
      ),
      judged as (
        select below.organization_id, below.depth,
          case when ${scope.mayLastCallOvershoot}::boolean then coalesce(holds.largest, 0) else 0 end as bound,
          coalesce(explained.amount, 0) as explained
        from below left join holds using (organization_id) left join explained using (organization_id)
      )
      select organization_id, 'lowest balance' as subject, (-bound - explained)::text || ' or more' as expected,
        (-depth)::text as found, depth - bound - explained as amount
      from judged
      where depth > bound + explained`,
  ],
};

/** What took organizations below zero, as (organization_id, kind, subject, amount). */
export function explanations(scope: Scope): RawBuilder<unknown> {
  return sql`
    with below as (${organizationsBelowZero(scope)})
    select event.organization_id, 'cost above its hold' as kind, event.id::text as subject, event.cost - event.hold as amount
    from below join usage_events event on event.organization_id = below.organization_id
    where event.is_billed and event.cost > event.hold
    union all
    select event.organization_id, 'its lease was gone', event.id::text, least(event.cost, event.hold) - event.from_lease
    from below join usage_events event on event.organization_id = below.organization_id
    where event.is_billed and event.from_lease < least(event.cost, event.hold)
    union all
    select entry.organization_id, 'debit other than usage', entry.kind || ' ' || entry.id, posting.amount
    from below
    join ledger_transactions entry on entry.organization_id = below.organization_id and entry.kind <> 'usage'
    join ledger_postings posting on posting.transaction_id = entry.id
      and posting.source = 'org:' || entry.organization_id || ':credits'`;
}

function organizationsBelowZero(scope: Scope): RawBuilder<unknown> {
  return sql`
    select organization_id, -min(balance_after) as depth
    from ledger_transactions
    where ${within(scope, "organization_id")}
    group by organization_id
    having min(balance_after) < 0`;
}
