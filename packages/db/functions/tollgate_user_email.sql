-- Returns the email address of the user that this connection acts for.
create or replace function tollgate_user_email() returns text
  language sql stable security definer set search_path from current
  return (select email from users where id = tollgate_user());

revoke execute on function tollgate_user_email from public;
grant execute on function tollgate_user_email to tollgate_platform;
