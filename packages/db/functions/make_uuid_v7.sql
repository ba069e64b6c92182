-- Returns a new UUID that starts with the current time.
create or replace function make_uuid_v7() returns uuid
  language sql volatile parallel safe
  return (
    lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
      || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14)
  )::uuid;
