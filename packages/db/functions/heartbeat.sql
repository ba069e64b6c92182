-- Extends the life of a process and reactivates its lapsed leases. Returns no row if the database doesn't know this
-- epoch.
create or replace function heartbeat(node text, node_epoch integer, new_beat bigint, oldest_unconfirmed timestamptz, uses jsonb)
  returns table (live_nodes integer, previous_beat bigint)
  language plpgsql security definer set search_path from current
as $$
declare
  known gateway_nodes;
  silent text[];
begin
  select * into known from gateway_nodes where node_id = node and epoch = node_epoch for no key update;
  if not found then
    return;
  end if;
  silent := array(select organization_id from credit_leases where node_id = node and epoch = node_epoch and state = 'lapsed');
  if silent <> '{}' then
    perform from organization_quota where organization_id = any (silent) order by organization_id for no key update;
    update credit_leases set state = 'active', lapsed_at = null
     where organization_id = any (silent) and node_id = node and epoch = node_epoch and state = 'lapsed';
  end if;
  insert into lease_use as stored (organization_id, node_id, epoch, in_use, calls)
  select use ->> 'organizationId', node, node_epoch, (use ->> 'inUse')::bigint, (use ->> 'calls')::integer
    from jsonb_array_elements(uses) as use
  on conflict (organization_id, node_id, epoch) do update
    set in_use = excluded.in_use, calls = excluded.calls, at = excluded.at;
  update gateway_nodes
     -- A late heartbeat must not lower the count, or the node would conclude that the database was restored. It also
     -- must not replace what a later heartbeat reported.
     set alive_until = now() + interval '30 seconds', beat = greatest(beat, new_beat),
         oldest_unconfirmed_at = case when new_beat >= beat then oldest_unconfirmed else oldest_unconfirmed_at end
   where node_id = node;
  return query select count_live_nodes(), known.beat;
end
$$;

revoke execute on function heartbeat from public;
grant execute on function heartbeat to tollgate_gateway;
