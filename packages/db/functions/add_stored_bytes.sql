-- Adds up to so many changes to the totals of stored bytes, and returns their number. The statement removes a change and
-- adds it to the total together, so that every reader counts it once. Only one worker does this at a time. Totals of zero
-- are deleted, so that the table doesn't grow with every key that ever stored something.
create or replace function add_stored_bytes(most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  changes integer;
  empty_tenants text[];
  empty_keys text[];
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
    returning tenant, key_id, bytes
  )
  select (select count(*) from taken), array_agg(tenant), array_agg(key_id)
    into changes, empty_tenants, empty_keys
    from counted where bytes = 0;
  delete from stored_bytes total using unnest(empty_tenants, empty_keys) as emptied (tenant, key_id)
   where total.tenant = emptied.tenant and total.key_id = emptied.key_id;
  return changes;
end
$$;

revoke execute on function add_stored_bytes from public;
grant execute on function add_stored_bytes to tollgate_worker;
