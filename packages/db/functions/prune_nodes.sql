-- Deletes gateway processes that haven't responded for `silent_for` and have no open lease. A process that returns
-- still knows its epoch.
create or replace function prune_nodes(silent_for interval) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  removed integer;
begin
  delete from gateway_nodes as node
   where alive_until < now() - silent_for
     and not exists (
       select from credit_leases as lease
        where lease.node_id = node.node_id and lease.state in ('active', 'lapsed', 'closing'));
  get diagnostics removed = row_count;
  return removed;
end
$$;

revoke execute on function prune_nodes from public;
grant execute on function prune_nodes to tollgate_worker;
