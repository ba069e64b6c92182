-- Reports whether a key's current secret has the role of a platform administrator: the key's creator is one, was one when
-- the secret was issued, and was a member of the key's organization when they created the key. Organization owners create
-- and rotate keys of their members, and must not get the role with such a secret when the member becomes an administrator.
-- An administrator who creates a key for another organization gives it to that organization's members, who must not get
-- the administrator's role with it, also if the administrator joins later. The clocks of servers can differ by a minute.
create or replace function is_key_of_administrator(of_key text) returns boolean
  language sql stable security definer set search_path from current
  return exists (
    select from api_keys key
    join users maker on maker.id = key.user_id and maker.role = 'admin' and maker.status = 'active'
      and maker.administrator_since <= coalesce(key.rotated_at, key.created_at)
    join organization_members member on member.organization_id = key.organization_id and member.user_id = maker.id
      and member.joined_at <= key.created_at + interval '1 minute'
    where key.id = of_key
  );

revoke execute on function is_key_of_administrator from public;
grant execute on function is_key_of_administrator to tollgate_gateway, tollgate_platform;
