-- Returns the limit of stored bytes that a write would exceed. Otherwise, the reason is null, and the maximum is null
-- unless the write is near a limit. `added` counts for the organization, and
-- `added_to_key` for the key, which is more if the key takes a record over. With `unpaid_most`, an organization without
-- credit has that limit. Near a limit, writers of an organization take turns until their transactions end, so that they
-- cannot exceed it together. Further from it, they don't wait, because together they would have to add 64 MB first.
create or replace function find_full_storage(
  organization text, acting_key text, added bigint, added_to_key bigint,
  key_most bigint, organization_most bigint, unpaid_most bigint,
  out reason text, out current bigint, out maximum bigint)
  language plpgsql security definer set search_path from current
as $$
declare
  stored record;
  is_unpaid boolean;
  most bigint := organization_most;
begin
  is_unpaid := organization is not null and unpaid_most < organization_most
    and not exists (select from organization_quota q where q.organization_id = organization and q.balance > 0);
  if is_unpaid then
    most := unpaid_most;
  end if;
  for attempt in 1 .. 2 loop
    select * into stored from read_stored_bytes(organization, acting_key);
    if stored.of_key + added_to_key > key_most then
      reason := 'key';
      current := stored.of_key;
      maximum := key_most;
      return;
    elsif organization is not null and stored.of_organization + added > most then
      reason := case when is_unpaid then 'unpaid' else 'organization' end;
      current := stored.of_organization;
      maximum := most;
      return;
    end if;
    exit when attempt = 2 or least(key_most - stored.of_key - added_to_key,
      case when organization is not null then most - stored.of_organization - added end) > 64000000;
    maximum := most;
    perform pg_advisory_xact_lock(hashtextextended('tollgate stored bytes of ' || coalesce(organization, 'none'), 0));
  end loop;
end
$$;

revoke execute on function find_full_storage from public;
grant execute on function find_full_storage to tollgate_gateway, tollgate_worker;
