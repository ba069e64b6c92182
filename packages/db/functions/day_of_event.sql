-- Returns the day in an event ID. Usage events are stored by this day: with the day of arrival, a replayed event could
-- be stored twice.
create or replace function day_of_event(id uuid) returns date
  language sql immutable strict parallel safe
  return date '1970-01-01' + (('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 86400000)::integer;
