import { sql } from "kysely";
import { type Invariant, within } from "./invariant.ts";

const eventsAreConfirmedInTime: Invariant = {
  id: "R4",
  title: "no gateway has waited more than 10 minutes for the ledger to confirm an event",
  checked: "nodes",
  isGlobal: true,
  differences: (scope) => [
    sql`
      select null as organization_id, node_id as subject, 'confirmed within 10 minutes' as expected,
        'oldest unconfirmed event from ' || oldest_unconfirmed_at as found, null::bigint as amount
      from gateway_nodes
      where not ${scope.isAtRest}::boolean and oldest_unconfirmed_at < now() - interval '10 minutes'`,
  ],
};

const leasedEqualsLeases: Invariant = {
  id: "R5",
  title: "held credit equals what leases still hold, and each lease was used only by its own requests, in time",
  checked: "leases",
  differences: (scope) => [
    sql`
      select quota.organization_id, 'leased' as subject, coalesce(sum(lease.outstanding), 0)::text as expected,
        quota.leased::text as found, quota.leased - coalesce(sum(lease.outstanding), 0) as amount
      from organization_quota quota
      left join credit_leases lease on lease.organization_id = quota.organization_id and lease.state <> 'reclaimed'
      where ${within(scope, "quota.organization_id")}
      group by quota.organization_id
      having quota.leased <> coalesce(sum(lease.outstanding), 0)`,
    sql`
      select budget.organization_id, concat_ws(' ', budget.scope, budget.scope_id, 'from', budget.starts_at) as subject,
        coalesce(sum(lease.outstanding), 0)::text as expected, budget.leased::text as found,
        budget.leased - coalesce(sum(lease.outstanding), 0) as amount
      from budget_windows budget left join budget_leases lease using (organization_id, scope, scope_id, starts_at)
      where ${within(scope, "budget.organization_id")}
      group by budget.organization_id, budget.scope, budget.scope_id, budget.starts_at
      having budget.leased <> coalesce(sum(lease.outstanding), 0)`,
    // If a lease started before the oldest stored day, some of its calls may have been dropped, so only an excess is
    // detected.
    sql`
      with applied as (
        select organization_id, node_id, epoch, sum(from_lease) as settled
        from usage_events
        where from_lease > 0 and ${within(scope, "organization_id")}
        group by organization_id, node_id, epoch
      )
      select organization_id, concat_ws(' ', 'lease of', node_id, 'run', epoch) as subject,
        coalesce(applied.settled, 0)::text as expected, coalesce(lease.settled::text, 'no such lease') as found,
        coalesce(lease.settled, 0) - coalesce(applied.settled, 0) as amount
      from (select * from credit_leases where ${within(scope, "organization_id")}) lease
      full join applied using (organization_id, node_id, epoch)
      where coalesce(applied.settled, 0) > coalesce(lease.settled, 0)
        or (coalesce(applied.settled, 0) < lease.settled
          and lease.created_at > (${scope.keptSince}::date + 1)::timestamp at time zone 'UTC')`,
    sql`
      select lease.organization_id, concat_ws(' ', lease.scope, lease.scope_id, 'lease of', lease.node_id, 'run', lease.epoch)
          as subject,
        '0, because its run was reclaimed' as expected, lease.outstanding::text as found, lease.outstanding as amount
      from budget_leases lease
      join credit_leases credit using (organization_id, node_id, epoch)
      where credit.state = 'reclaimed' and lease.outstanding <> 0 and ${within(scope, "lease.organization_id")}`,
    // A node's leases expire after three missed heartbeats. Another 30 seconds later, the node has not responded for a
    // full minute.
    sql`
      select lease.organization_id, concat_ws(' ', 'lease of', lease.node_id, 'run', lease.epoch) as subject,
        'expired, because its node is not responding' as expected, 'active' as found, lease.outstanding as amount
      from credit_leases lease left join gateway_nodes node on node.node_id = lease.node_id
      where not ${scope.isAtRest}::boolean and lease.state = 'active' and ${within(scope, "lease.organization_id")}
        and (node.node_id is null or node.alive_until < now() - interval '30 seconds'
          or (node.epoch > lease.epoch and node.started_at < now() - interval '60 seconds'))`,
    sql`
      select organization_id, concat_ws(' ', 'lease of', node_id, 'run', epoch) as subject, 'reclaimed' as expected,
        'expired since ' || lapsed_at as found, outstanding as amount
      from credit_leases
      where not ${scope.isAtRest}::boolean and state = 'lapsed' and ${within(scope, "organization_id")}
        and lapsed_at < now() - make_interval(secs => ${scope.reclaimAfterSeconds}) - interval '5 minutes'`,
  ],
};

export const leaseInvariants: readonly Invariant[] = [eventsAreConfirmedInTime, leasedEqualsLeases];
