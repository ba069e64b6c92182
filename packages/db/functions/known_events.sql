-- Returns the events that are already in the ledger: settled, or parked and not redriven since. The day in an ID
-- selects the partition.
create or replace function known_events(ids uuid[]) returns setof uuid
  language plpgsql stable security definer set search_path from current
  -- If the planner knows the day, it opens one partition instead of all.
  set plan_cache_mode = force_custom_plan
as $$
declare
  one_day date;
begin
  for one_day in select distinct day_of_event(wanted) from unnest(ids) as wanted loop
    -- The offset forces a lookup for each ID. With a join, the planner may read the whole day.
    return query
      select wanted from unnest(ids) as wanted
       where exists (select from usage_events as e where e.day = one_day and e.id = wanted offset 0);
  end loop;
  return query select p.id from parked_events as p where p.id = any (ids) and p.redriven_at is null;
end
$$;

revoke execute on function known_events from public;
grant execute on function known_events to tollgate_gateway, tollgate_worker;
