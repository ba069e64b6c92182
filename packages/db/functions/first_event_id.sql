-- Returns the lowest ID that an event at this time or later can have.
create or replace function first_event_id(at timestamptz) returns uuid
  language sql immutable strict parallel safe
  return (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
