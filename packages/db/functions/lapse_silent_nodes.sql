-- Marks the leases of processes that don't respond as lapsed, for at most `at_most` organizations. No new hold can be
-- made from them, and their credit stays leased. Returns the number of leases.
create or replace function lapse_silent_nodes(at_most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  nodes text[];
  organizations text[];
  lapsed integer;
begin
  nodes := array(
    select node_id from gateway_nodes node
     where exists (select from credit_leases lease
                    where lease.node_id = node.node_id and is_forsaken(lease, node))
     order by node_id
       for no key update skip locked
  );
  organizations := array(
    select distinct lease.organization_id from gateway_nodes node join credit_leases lease using (node_id)
     where node.node_id = any (nodes) and is_forsaken(lease, node) limit at_most
  );
  perform from organization_quota where organization_id = any (organizations) order by organization_id for no key update;
  update credit_leases lease set state = 'lapsed', lapsed_at = now()
    from gateway_nodes node
   where node.node_id = any (nodes) and lease.node_id = node.node_id and lease.organization_id = any (organizations)
     and is_forsaken(lease, node);
  get diagnostics lapsed = row_count;
  return lapsed;
end
$$;

revoke execute on function lapse_silent_nodes from public;
grant execute on function lapse_silent_nodes to tollgate_worker;
