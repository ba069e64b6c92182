-- Reports whether the creator of a key is a member of a team of the key's organization, or an owner or admin of that
-- organization. Roles in other organizations don't count, because others in this organization may use the key.
create or replace function is_key_of_team_member(of_key text, of_team text) returns boolean
  language sql stable security definer set search_path from current
  return exists (
    select from api_keys key
    join users maker on maker.id = key.user_id and maker.status = 'active'
    join teams team on team.id = of_team and team.deleted_at is null and team.organization_id = key.organization_id
    where key.id = of_key and (
      exists (select from team_members mate where mate.team_id = team.id and mate.user_id = maker.id)
      or exists (
        select from organization_members member
        where member.organization_id = team.organization_id and member.user_id = maker.id
          and member.role in ('owner', 'admin')
      )
    )
  );

revoke execute on function is_key_of_team_member from public;
grant execute on function is_key_of_team_member to tollgate_gateway;
