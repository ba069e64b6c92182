-- Returns the amount that was spent before a window's row existed. If the window starts and ends with rollups, they are
-- used, because a budget without an end can have millions of events. Rollups don't contain users.
create or replace function sum_spent(organization text, of_scope text, of_scope_id text, since timestamptz, until timestamptz) returns bigint
  language plpgsql stable
as $$
declare
  first_at timestamptz := greatest(since, 'epoch');
  last_at timestamptz := least(until, '9999-12-31Z');
begin
  if of_scope <> 'user' and date_bin('15 minutes', first_at, 'epoch') = first_at
     and date_bin('15 minutes', last_at, 'epoch') = last_at then
    return (
      select coalesce(sum(cost), 0) from usage_rollups
       where organization_id = organization and bucket_at >= first_at and bucket_at < last_at
         and case of_scope when 'key' then key_id = of_scope_id when 'team' then team_id = of_scope_id else true end
    );
  end if;
  return (
    select coalesce(sum(cost), 0) from usage_events
     where organization_id = organization
       and day between (first_at at time zone 'UTC')::date and (last_at at time zone 'UTC')::date
       and id >= first_event_id(first_at) and id < first_event_id(last_at)
       and case of_scope when 'key' then key_id = of_scope_id when 'team' then team_id = of_scope_id
                         when 'user' then user_id = of_scope_id else true end
  );
end
$$;
