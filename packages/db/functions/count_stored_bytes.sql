-- Records how a statement changed the stored bytes of keys and organizations. Rows are only inserted, so concurrent
-- writers of an organization don't wait for each other, and no lock is taken that could deadlock.
create or replace function count_stored_bytes() returns trigger
  language plpgsql security definer set search_path from current
as $$
begin
  if tg_op = 'INSERT' then
    insert into stored_byte_changes (tenant, key_id, bytes)
      select coalesce(organization_id, 'none'), coalesce(key_id, ''), sum(record_bytes(record)) from added
       where organization_id is not null or key_id is not null group by 1, 2;
  elsif tg_op = 'DELETE' then
    insert into stored_byte_changes (tenant, key_id, bytes)
      select coalesce(organization_id, 'none'), coalesce(key_id, ''), -sum(record_bytes(record)) from removed
       where organization_id is not null or key_id is not null group by 1, 2;
  else
    insert into stored_byte_changes (tenant, key_id, bytes)
      select coalesce(organization_id, 'none'), coalesce(key_id, ''), sum(bytes)
        from (values (old.organization_id, old.key_id, -record_bytes(old.record)),
                     (new.organization_id, new.key_id, record_bytes(new.record))) as record (organization_id, key_id, bytes)
       where organization_id is not null or key_id is not null group by 1, 2 having sum(bytes) <> 0;
  end if;
  return null;
end
$$;

revoke execute on function count_stored_bytes from public;
