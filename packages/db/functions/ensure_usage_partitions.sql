-- Creates a partition for each day of the range and returns the days that got one. A day whose events are already in
-- the default partition stays there, because events are never moved.
create or replace function ensure_usage_partitions(first_day date, last_day date) returns setof date
  language plpgsql security definer set search_path from current
  set lock_timeout = 0 -- Makes the change below end with the function.
as $$
declare
  new_day date;
  name    text;
begin
  -- Only other callers of this function wait behind this lock.
  perform pg_advisory_xact_lock(7655438);
  -- If this waited for a lock on the table, every settlement would wait behind it.
  perform set_config('lock_timeout', '1s', true);
  for new_day in select generate_series(first_day, last_day, interval '1 day')::date loop
    name := 'usage_events_' || to_char(new_day, 'YYYYMMDD');
    continue when to_regclass(name) is not null or exists (select from usage_events_other where day = new_day);
    begin
      -- A partition that is created in place blocks settlement into the others; one that is attached later doesn't.
      execute format('create table %I (like usage_events including all)', name);
      execute format('alter table usage_events attach partition %I for values from (%L) to (%L)',
        name, new_day, new_day + 1);
      return next new_day;
    exception when check_violation then
      null; -- An event of this day was just added to the default partition.
    end;
  end loop;
end
$$;

revoke execute on function ensure_usage_partitions from public;
grant execute on function ensure_usage_partitions to tollgate_gateway, tollgate_worker;
