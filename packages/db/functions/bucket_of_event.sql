-- Returns the 15-minute rollup that a call belongs to.
create or replace function bucket_of_event(id uuid) returns timestamptz
  language sql immutable strict parallel safe
  return date_bin(interval '15 minutes', time_of_event(id), timestamptz '1970-01-01 00:00:00+00');
