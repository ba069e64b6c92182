-- Reports whether the creator of a key is a platform administrator, or an owner or admin of the key's organization or
-- of one of its teams. Roles in other organizations don't count, because every user owns the organization that they
-- signed up with.
create or replace function is_key_of_leader(of_key text) returns boolean
  language sql stable security definer set search_path from current
  return exists (
    select from api_keys key
    join users maker on maker.id = key.user_id and maker.status = 'active'
    where key.id = of_key and (
      maker.role = 'admin'
      or exists (
        select from organization_members member
        where member.organization_id = key.organization_id and member.user_id = maker.id and member.role in ('owner', 'admin')
      )
      or exists (
        select from team_members mate
        where mate.organization_id = key.organization_id and mate.user_id = maker.id and mate.role = 'admin'
      )
    )
  );

revoke execute on function is_key_of_leader from public;
grant execute on function is_key_of_leader to tollgate_gateway;
