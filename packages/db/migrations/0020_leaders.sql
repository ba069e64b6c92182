-- Whether a key was made by somebody who leads where it belongs: an administrator of the platform, or an owner or admin
-- of its organization or of one of the organization's teams. Leading elsewhere does not count, for everybody owns the
-- organization they signed up with.
create function is_key_of_leader(of_key text) returns boolean
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
-- The function runs as the owner, who sees what workers see.
create policy worker_reads_all on team_members for select to tollgate_worker using (true);
