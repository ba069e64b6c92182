-- Deletes budget windows that ended more than `ended_before` ago and have no leased amount. A late event is then
-- counted in no window.
create or replace function prune_budget_windows(ended_before interval, at_most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  organizations text[];
  removed       integer;
begin
  organizations := array(
    select distinct organization_id from (
      select organization_id from budget_windows where ends_at < now() - ended_before and leased = 0 limit at_most
    ) as ended
  );
  perform from organization_quota where organization_id = any (organizations) order by organization_id for update;
  with ended as (
    select organization_id, scope, scope_id, starts_at from budget_windows
     where organization_id = any (organizations) and ends_at < now() - ended_before and leased = 0 limit at_most
  ), leases as (
    delete from budget_leases as lease using ended
     where (lease.organization_id, lease.scope, lease.scope_id, lease.starts_at)
         = (ended.organization_id, ended.scope, ended.scope_id, ended.starts_at)
  )
  delete from budget_windows as w using ended
   where (w.organization_id, w.scope, w.scope_id, w.starts_at)
       = (ended.organization_id, ended.scope, ended.scope_id, ended.starts_at);
  get diagnostics removed = row_count;
  return removed;
end
$$;

revoke execute on function prune_budget_windows from public;
grant execute on function prune_budget_windows to tollgate_worker;
