-- Registers a process that starts. Its epoch is higher than any in the database or in the node's journal.
create or replace function register_node(node text, known_epoch integer, on_host text, out new_epoch integer, out live_nodes integer)
  language plpgsql security definer set search_path from current
as $$
begin
  insert into gateway_nodes as stored (node_id, epoch, alive_until, host)
  values (node, known_epoch + 1, now() + interval '30 seconds', on_host)
  on conflict (node_id) do update
    set epoch = greatest(stored.epoch, known_epoch) + 1, beat = 0, started_at = now(),
        alive_until = excluded.alive_until, oldest_unconfirmed_at = null, host = excluded.host
  returning epoch into new_epoch;
  live_nodes := count_live_nodes();
end
$$;

revoke execute on function register_node from public;
grant execute on function register_node to tollgate_gateway;
