-- Reports whether the rows of this day were dropped. If the day has a partition, the others aren't read.
create or replace function is_dropped_day(day date) returns boolean
  language sql stable
  return case when to_regclass('usage_events_' || to_char(day, 'YYYYMMDD')) is null then day < oldest_usage_day() else false end;
