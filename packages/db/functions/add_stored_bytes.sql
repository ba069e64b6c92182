-- Adds up to so many changes to the totals of stored bytes, and returns their number. The statement removes a change and
-- adds it to the total together, so that every reader counts it once. Only one worker does this at a time.
create or replace function add_stored_bytes(most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  changes integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('tollgate stored bytes', 0));
  with taken as (
    delete from stored_byte_changes where ctid = any (array(select ctid from stored_byte_changes limit most))
    returning tenant, key_id, bytes
  ), counted as (
    insert into stored_bytes as total (tenant, key_id, bytes)
      select tenant, '', sum(bytes) from taken group by tenant
      union all
      select tenant, key_id, sum(bytes) from taken where key_id <> '' group by tenant, key_id
    on conflict (tenant, key_id) do update set bytes = total.bytes + excluded.bytes
  )
  select count(*) into changes from taken;
  return changes;
end
$$;

revoke execute on function add_stored_bytes from public;
grant execute on function add_stored_bytes to tollgate_worker;
