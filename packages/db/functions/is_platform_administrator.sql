-- Reports whether a user is an active administrator of the platform. Only that user may receive the secrets of their
-- keys, because a key has the role of the user who created it.
create or replace function is_platform_administrator(of_user integer) returns boolean
  language sql stable security definer set search_path from current
  return exists (select from users maker where maker.id = of_user and maker.role = 'admin' and maker.status = 'active');

revoke execute on function is_platform_administrator from public;
grant execute on function is_platform_administrator to tollgate_platform;
