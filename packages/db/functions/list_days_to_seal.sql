-- Returns the days that ended more than `over_for_days` days ago and can be closed, oldest first. A day stays open
-- while a known gateway may still deliver its calls: from the day before the gateway's oldest unconfirmed event to the
-- day of its last heartbeat. The day before is included, because a call belongs to the day on which it began.
create or replace function list_days_to_seal(over_for_days integer) returns setof date
  language sql stable
as $$
  select past.day
    from (
      select to_date(right(c.relname, 8), 'YYYYMMDD') as day from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
       where i.inhparent = 'usage_events'::regclass and c.relname ~ '^usage_events_\d{8}$'
    ) as past
   where past.day < (now() at time zone 'UTC')::date - over_for_days
     and not exists (select from usage_day_seals as seal where seal.day = past.day)
     and not exists (
       select from gateway_nodes
        where past.day between (least(oldest_unconfirmed_at, alive_until) at time zone 'UTC')::date - 1
                           and (alive_until at time zone 'UTC')::date)
   order by past.day;
$$;

revoke execute on function list_days_to_seal from public;
grant execute on function list_days_to_seal to tollgate_worker;
