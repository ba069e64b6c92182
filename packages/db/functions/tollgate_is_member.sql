-- Reports whether this connection acts for a member of the organization. The function runs as the table's owner,
-- because the policies that call it would otherwise call each other without end.
create or replace function tollgate_is_member(of_organization text) returns boolean
  language sql stable security definer set search_path from current
  return exists (select from organization_members where organization_id = of_organization and user_id = tollgate_user());

revoke execute on function tollgate_is_member from public;
grant execute on function tollgate_is_member to tollgate_platform;
