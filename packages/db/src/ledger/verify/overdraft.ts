import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import { type RawBuilder, sql } from "kysely";
import { type Invariant, type Scope, within } from "./invariant.ts";

/**
 * Admission never lets a balance fall below its bound: the overdraft, or one hold if the last call may overshoot and
 * its hold is smaller. Three causes can reduce the balance further, and together they must explain the full difference.
 * A debt from before overdrafts were bounded may remain, and is checked by the rule in effect at that time.
 */
export const overdraftsAreExplained: Invariant = {
  id: "R12",
  title: "every nano-USD below the admission bound is accounted for",
  checked: "organizations",
  differences: (scope) => [
    sql`
      with below as (${organizationsBelowZero(scope)}),
      holds as (
        select below.organization_id, coalesce(max(event.hold), 0) as largest
        from below left join usage_events event on event.organization_id = below.organization_id
        group by below.organization_id
      ),
      owed as (
        select below.organization_id, greatest(0, -coalesce(latest.balance_after, 0)) as amount
        from below left join lateral (
          select balance_after from ledger_transactions entry
          where entry.organization_id = below.organization_id and entry.created_at < ${scope.boundedSince}
          order by entry.created_at desc, entry.id desc limit 1
        ) latest on true
      ),
      explained as (
        select organization_id, sum(amount) as amount from (${explanations(scope)}) explanation group by organization_id
      ),
      judged as (
        select organization_id, below.depth_before as depth, holds.largest as bound from below join holds using (organization_id)
        union all
        select organization_id, below.depth, greatest(owed.amount, ${boundOf(scope.admission)})
        from below join holds using (organization_id) join owed using (organization_id)
      )
      select organization_id, 'lowest balance' as subject, (-bound - coalesce(explained.amount, 0))::text || ' or more' as expected,
        (-depth)::text as found, depth - bound - coalesce(explained.amount, 0) as amount
      from judged left join explained using (organization_id)
      where depth > bound + coalesce(explained.amount, 0)`,
  ],
};

/** Returns how far admission itself can take a balance below zero. */
function boundOf({ policy, overdraft }: AdmissionRule): RawBuilder<bigint> {
  const bound = sql<bigint>`${overdraft.toString()}::bigint`;
  return policy === "strict" ? bound : sql<bigint>`least(holds.largest, ${bound})`;
}

/** Selects the causes of negative balances, as (organization_id, kind, subject, amount). */
export function explanations(scope: Scope): RawBuilder<unknown> {
  return sql`
    with below as (${organizationsBelowZero(scope)})
    select event.organization_id, 'cost above its hold' as kind, event.id::text as subject, event.cost - event.hold as amount
    from below join usage_events event on event.organization_id = below.organization_id
    where event.is_billed and event.cost > event.hold
    union all
    select event.organization_id, 'its lease had expired', event.id::text, least(event.cost, event.hold) - event.from_lease
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
    select organization_id,
      -min(balance_after) filter (where created_at < ${scope.boundedSince}) as depth_before,
      -min(balance_after) filter (where created_at >= ${scope.boundedSince}) as depth
    from ledger_transactions
    where ${within(scope, "organization_id")}
    group by organization_id
    having min(balance_after) < 0`;
}
