-- Returns the changes that were committed since an earlier read, and where the next read continues. The earlier read is
-- named by its server and its snapshot, both null for the first. A change is new if its transaction was not visible in
-- the earlier snapshot, so a transaction that commits late is never skipped. If `is_complete` is false, anything may have
-- changed: the database was restarted, recovered, promoted, or restored, a change since the earlier read was deleted, or
-- there are too many. Fails on a standby.
create or replace function read_change_feed(since_server text, since_snapshot pg_snapshot, at_most integer)
  returns table (server text, snapshot text, is_complete boolean, changes text[])
  language plpgsql security definer set search_path from current
as $$
#variable_conflict use_column
declare
  -- An open transaction keeps all changes since its start in reach, also those that were read.
  max_scanned constant integer := 10000;
begin
  if not exists (select from change_feed_state) then
    insert into change_feed_state default values on conflict do nothing;
  end if;
  return query
    -- One statement, so that the snapshot, the changes, and the state belong together.
    with latest as (
      select concat_ws(' ', pg_postmaster_start_time(), own.oid, 'change_feed'::regclass::oid, state.server) as server,
             pg_current_snapshot() as snapshot, state.pruned_until
        from change_feed_state as state join pg_database as own on own.datname = current_database()
    ), scanned as (
      select feed.transaction_id, feed.change from change_feed as feed
       where feed.transaction_id >= pg_snapshot_xmin(since_snapshot) limit max_scanned + 1
    ), fresh as (
      select distinct scanned.change from scanned
       where not pg_visible_in_snapshot(scanned.transaction_id, since_snapshot)
    ), collected as (
      select coalesce(array_agg(fresh.change), '{}') as changes, (select count(*) from scanned) as scanned from fresh
    ), assessed as (
      select coalesce(latest.server = since_server
               and pg_snapshot_xmax(latest.snapshot) >= pg_snapshot_xmax(since_snapshot)
               and latest.pruned_until < pg_snapshot_xmin(since_snapshot)
               and collected.scanned <= max_scanned and cardinality(collected.changes) <= at_most, false) as is_complete
        from latest, collected
    )
    select latest.server, latest.snapshot::text, assessed.is_complete,
           case when assessed.is_complete then collected.changes else '{}' end
      from latest, collected, assessed;
end
$$;

revoke execute on function read_change_feed from public;
grant execute on function read_change_feed to tollgate_gateway;
