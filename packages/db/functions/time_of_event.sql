-- Returns the time in an event ID.
create or replace function time_of_event(id uuid) returns timestamptz
  language sql immutable strict parallel safe
  return to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000::float8);
