-- Counts events in the windows of all their budgets, by the time in their IDs, and settles their shares of budget
-- leases. `shares` contains the claims of each event in `sharers`.
create or replace function settle_budgets(sharers uuid[], shares json[], fresh usage_events[], organizations text[]) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  if not exists (select from budget_windows where organization_id = any (organizations)) then
    return;
  end if;
  update budget_windows as w set spent = spent + cost
    from (
      select w.organization_id, w.scope, w.scope_id, w.starts_at, sum(e.cost)::bigint as cost
        from unnest(fresh) as e
       cross join lateral (
         values ('key', e.key_id), ('team', e.team_id), ('user', e.user_id), ('organization', e.organization_id)
       ) as payer (scope, scope_id)
        join budget_windows as w
          on w.organization_id = e.organization_id and w.scope = payer.scope and w.scope_id = payer.scope_id
         and w.starts_at <= time_of_event(e.id) and time_of_event(e.id) < w.ends_at
       group by w.organization_id, w.scope, w.scope_id, w.starts_at
    ) as sums
   where (w.organization_id, w.scope, w.scope_id, w.starts_at)
       = (sums.organization_id, sums.scope, sums.scope_id, sums.starts_at);

  with claimed as (
    select lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, lease.node_id, lease.epoch,
           greatest(0, least(share.claim,
             lease.outstanding - (sum(share.claim) over same_lease - share.claim)))::bigint as applied
      from unnest(sharers, shares) as sharing (id, budgets)
      join unnest(fresh) as e on e.id = sharing.id
     cross join lateral (
       select scope, "scopeId" as scope_id, to_timestamp("startsAtMs" / 1000.0) as starts_at,
              greatest("fromLease", 0) as claim
         from json_to_recordset(sharing.budgets) as s (scope text, "scopeId" text, "startsAtMs" numeric, "fromLease" bigint)
     ) as share
      join budget_leases as lease
        on (lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, lease.node_id, lease.epoch)
         = (e.organization_id, share.scope, share.scope_id, share.starts_at, e.node_id, e.epoch)
    window same_lease as (
      partition by lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, lease.node_id, lease.epoch
      order by e.id rows unbounded preceding
    )
  ), ended as (
    update budget_leases as lease set settled = settled + sums.amount
      from (
        select organization_id, scope, scope_id, starts_at, node_id, epoch, sum(applied)::bigint as amount
          from claimed group by organization_id, scope, scope_id, starts_at, node_id, epoch
      ) as sums
     where (lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, lease.node_id, lease.epoch)
         = (sums.organization_id, sums.scope, sums.scope_id, sums.starts_at, sums.node_id, sums.epoch)
    returning lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, sums.amount
  )
  update budget_windows as w set leased = leased - sums.amount
    from (
      select organization_id, scope, scope_id, starts_at, sum(amount)::bigint as amount
        from ended group by organization_id, scope, scope_id, starts_at
    ) as sums
   where (w.organization_id, w.scope, w.scope_id, w.starts_at)
       = (sums.organization_id, sums.scope, sums.scope_id, sums.starts_at);
end
$$;

revoke execute on function settle_budgets from public;
