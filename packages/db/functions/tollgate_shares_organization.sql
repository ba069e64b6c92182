-- Reports whether a user belongs to the organization that this connection acts in.
create or replace function tollgate_shares_organization(of_user integer) returns boolean
  language sql stable security definer set search_path from current
  return exists (
    select from organization_members
    where user_id = of_user and organization_id = current_setting('tollgate.organization_id', true)
  );

revoke execute on function tollgate_shares_organization from public;
grant execute on function tollgate_shares_organization to tollgate_platform;
