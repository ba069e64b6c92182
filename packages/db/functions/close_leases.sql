-- Returns the unused credit that earlier runs of this node leased in these organizations, except the amounts for events
-- that the ledger doesn't have yet. Those events are settled against the lease, or their amount stays visible in it.
create or replace function close_leases(node text, before_epoch integer, organizations text[], pending jsonb) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  missing jsonb;
  closed integer;
begin
  perform from organization_quota where organization_id = any (organizations) order by organization_id for no key update;
  missing := (
    select coalesce(jsonb_agg(event), '[]') from jsonb_array_elements(pending) as event
     where event ->> 'organizationId' = any (organizations) and not is_in_ledger((event ->> 'id')::uuid)
  );

  with kept as (
    select event ->> 'organizationId' as organization_id, (event ->> 'epoch')::integer as epoch,
           sum((event ->> 'fromLease')::bigint)::bigint as amount
      from jsonb_array_elements(missing) as event group by 1, 2
  ), open as (
    select lease.organization_id, lease.epoch, greatest(0, lease.outstanding - coalesce(kept.amount, 0)) as freed
      from credit_leases lease left join kept using (organization_id, epoch)
     where lease.node_id = node and lease.epoch < before_epoch and lease.organization_id = any (organizations)
       and lease.state in ('active', 'lapsed', 'closing')
  ), changed as (
    update credit_leases lease
       set returned = lease.returned + freed, lapsed_at = null,
           state = case when lease.outstanding = freed then 'closed' else 'closing' end
      from open
     where lease.organization_id = open.organization_id and lease.node_id = node and lease.epoch = open.epoch
    returning lease.organization_id, freed
  ), quota as (
    update organization_quota quota set leased = quota.leased - total.freed
      from (select organization_id, sum(freed)::bigint as freed from changed group by 1) as total
     where quota.organization_id = total.organization_id and total.freed > 0
  )
  select count(*) into closed from changed;

  with kept as (
    select event ->> 'organizationId' as organization_id, (event ->> 'epoch')::integer as epoch,
           share #>> '{window,scope}' as scope, share #>> '{window,scopeId}' as scope_id,
           to_timestamp((share #>> '{window,startsAtMs}')::numeric / 1000) as starts_at,
           sum((share ->> 'fromLease')::bigint)::bigint as amount
      from jsonb_array_elements(missing) as event, jsonb_array_elements(event -> 'budgets') as share
     group by 1, 2, 3, 4, 5
  ), open as (
    select lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, lease.epoch,
           lease.outstanding - coalesce(kept.amount, 0) as freed
      from budget_leases lease left join kept using (organization_id, epoch, scope, scope_id, starts_at)
     where lease.node_id = node and lease.epoch < before_epoch and lease.organization_id = any (organizations)
       and lease.outstanding > coalesce(kept.amount, 0)
  ), changed as (
    update budget_leases lease set returned = lease.returned + freed
      from open
     where lease.organization_id = open.organization_id and lease.scope = open.scope and lease.scope_id = open.scope_id
       and lease.starts_at = open.starts_at and lease.node_id = node and lease.epoch = open.epoch
    returning lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, freed
  )
  update budget_windows w set leased = w.leased - total.freed
    from (select organization_id, scope, scope_id, starts_at, sum(freed)::bigint as freed from changed group by 1, 2, 3, 4) as total
   where w.organization_id = total.organization_id and w.scope = total.scope and w.scope_id = total.scope_id
     and w.starts_at = total.starts_at;

  delete from lease_use where node_id = node and epoch < before_epoch and organization_id = any (organizations);
  return closed;
end
$$;

revoke execute on function close_leases from public;
grant execute on function close_leases to tollgate_gateway, tollgate_worker;
