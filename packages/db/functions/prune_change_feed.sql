-- Deletes changes that are older than an hour and whose transactions every later snapshot sees, and remembers the newest of
-- them for `read_change_feed`. Returns their number.
create or replace function prune_change_feed() returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  removed integer;
  newest  xid8;
begin
  with old as (
    delete from change_feed
     where created_at < now() - interval '1 hour' and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    returning transaction_id
  )
  select count(*), max(transaction_id) into removed, newest from old;
  if removed > 0 then
    insert into change_feed_state as state (pruned_until) values (newest)
    on conflict (is_only) do update set pruned_until = greatest(state.pruned_until, excluded.pruned_until);
  end if;
  return removed;
end
$$;

revoke execute on function prune_change_feed from public;
grant execute on function prune_change_feed to tollgate_worker;
