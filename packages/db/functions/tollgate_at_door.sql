-- Reports whether a platform connection is authenticating a user (sign-up, login, email link) and acts for no user yet
-- (`tollgate.door`).
create or replace function tollgate_at_door() returns boolean
  language sql stable parallel safe
  return coalesce(current_setting('tollgate.door', true) = 'on', false);
