-- Deletes leases of earlier runs that were created more than `created_before` ago, if no stored call was settled
-- against them: either none ever was, or the node's next run began before the oldest stored day. The others stay,
-- because the ledger check compares them with their calls. Of their budget leases, those without an outstanding amount
-- are deleted.
create or replace function prune_leases(created_before interval, at_most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  shares integer;
  leases integer;
begin
  with over as (
    select organization_id, scope, scope_id, starts_at, node_id, epoch
      from budget_leases join credit_leases using (organization_id, node_id, epoch)
     where state in ('closed', 'reclaimed') and created_at < now() - created_before and budget_leases.outstanding = 0
       and not is_current_run(node_id, epoch)
     limit at_most
  )
  delete from budget_leases as lease using over
   where (lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, lease.node_id, lease.epoch)
       = (over.organization_id, over.scope, over.scope_id, over.starts_at, over.node_id, over.epoch);
  get diagnostics shares = row_count;

  with over as (
    select organization_id, node_id, epoch from credit_leases as lease
     where state in ('closed', 'reclaimed') and created_at < now() - created_before and not is_current_run(node_id, epoch)
       and (settled = 0 or exists (
         select from credit_leases as later
          where later.organization_id = lease.organization_id and later.node_id = lease.node_id
            and later.epoch > lease.epoch
            and later.created_at < oldest_usage_day()::timestamp at time zone 'UTC'))
       and not exists (
         select from budget_leases as share
          where share.organization_id = lease.organization_id and share.node_id = lease.node_id
            and share.epoch = lease.epoch)
     limit at_most
  )
  delete from credit_leases as lease using over
   where (lease.organization_id, lease.node_id, lease.epoch) = (over.organization_id, over.node_id, over.epoch);
  get diagnostics leases = row_count;
  return shares + leases;
end
$$;

revoke execute on function prune_leases from public;
grant execute on function prune_leases to tollgate_worker;
