-- Returns the first day that has its own partition. Older days were dropped, so a replayed event of such a day would
-- look like a new one.
create or replace function oldest_usage_day() returns date
  language sql stable
  return (
    select min(to_date(right(c.relname, 8), 'YYYYMMDD'))
      from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
     where i.inhparent = 'usage_events'::regclass and c.relname ~ '^usage_events_\d{8}$'
  );
