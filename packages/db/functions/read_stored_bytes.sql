-- Returns the stored bytes of an organization, and of one of its keys. One statement, so that a change that a worker adds
-- to a total meanwhile counts once. A key without an organization, such as the master key, can write to the threads of
-- all organizations, so its bytes are summed over all of them.
create or replace function read_stored_bytes(organization text, acting_key text, out of_key bigint, out of_organization bigint)
  language sql stable security definer set search_path from current
begin atomic
  select sum(bytes) filter (where key_id = acting_key), sum(bytes) filter (where is_of_organization)
    from (
      select bytes, key_id, key_id = '' as is_of_organization from stored_bytes
        where tenant = coalesce(organization, 'none') and key_id in ('', acting_key)
      union all
      select bytes, key_id, true from stored_byte_changes where tenant = coalesce(organization, 'none')
      union all
      select bytes, key_id, false from stored_bytes
        where organization is null and key_id = acting_key and tenant <> 'none'
      union all
      select bytes, key_id, false from stored_byte_changes
        where organization is null and key_id = acting_key and tenant <> 'none'
      union all
      select 0, key_id, true from (values (''), (acting_key)) as present (key_id)
    ) as counted;
end;

revoke execute on function read_stored_bytes from public;
