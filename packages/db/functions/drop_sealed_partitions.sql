-- Drops the oldest days that are closed and older than the retention, and returns them. Stops at the first day that
-- must stay, because a gap would look like a day that never had a partition.
create or replace function drop_sealed_partitions(retention_days integer) returns setof date
  language plpgsql security definer set search_path from current
  set lock_timeout = 0 -- Makes the change below end with the function.
as $$
declare
  oldest date;
  name   text;
begin
  perform pg_advisory_xact_lock(7655438);
  -- If this waited for a lock on the table, every settlement would wait behind it.
  perform set_config('lock_timeout', '1s', true);
  loop
    oldest := oldest_usage_day();
    exit when oldest is null or oldest >= (now() at time zone 'UTC')::date - retention_days;
    perform pg_advisory_xact_lock(7655437, lock_key_of_day(oldest));
    exit when not exists (select from usage_day_seals where day = oldest and organization_id = '');
    name := 'usage_events_' || to_char(oldest, 'YYYYMMDD');
    execute format('alter table usage_events detach partition %I', name);
    execute format('drop table %I', name);
    return next oldest;
  end loop;
end
$$;

revoke execute on function drop_sealed_partitions from public;
grant execute on function drop_sealed_partitions to tollgate_worker;
