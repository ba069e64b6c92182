-- Closes a past day: records the totals of its events, including the operator's part of the price. A closed day accepts
-- no more events, and its rows are dropped later.
-- Outcomes: sealed, known (it was closed before), unequal (its rollups differ, and nothing was written).
create or replace function seal_day(sealed_day date) returns text
  language plpgsql security definer set search_path from current
  set plan_cache_mode = force_custom_plan
as $$
begin
  if sealed_day >= (now() at time zone 'UTC')::date then
    raise exception '% is not over', sealed_day using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(7655437, lock_key_of_day(sealed_day));
  if exists (select from usage_day_seals where day = sealed_day) then
    return 'known';
  end if;
  if exists (
    select from (
      select organization_id, count(*) as events, sum(cost) as cost from usage_events
       where day = sealed_day and organization_id is not null group by organization_id
    ) as stored full join (
      select organization_id, sum(requests) as events, sum(cost) as cost from usage_rollups
       where bucket_at >= sealed_day::timestamp at time zone 'UTC'
         and bucket_at < (sealed_day + 1)::timestamp at time zone 'UTC'
       group by organization_id
    ) as summed using (organization_id)
    where (stored.events, stored.cost) is distinct from (summed.events, summed.cost)
  ) then
    return 'unequal';
  end if;
  -- The row without an organization always exists: it contains the calls with the operator's key, and marks the day as
  -- closed.
  insert into usage_day_seals (day, organization_id, events, cost, billed, digest, loss)
  select sealed_day, coalesce(organization_id, ''), count(*), sum(cost), coalesce(sum(cost) filter (where is_billed), 0),
         sha256(convert_to(string_agg(id::text || cost, '' order by id), 'UTF8')),
         coalesce(sum(loss) filter (where is_billed), 0)
    from usage_events where day = sealed_day group by organization_id;
  insert into usage_day_seals (day, organization_id, events, cost, billed, digest)
  values (sealed_day, '', 0, 0, 0, sha256(''))
  on conflict do nothing;
  return 'sealed';
end
$$;

revoke execute on function seal_day from public;
grant execute on function seal_day to tollgate_worker;
