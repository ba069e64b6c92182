-- Returns the user that a platform connection acts for (`tollgate.user_id`). The user's own rows are visible.
create or replace function tollgate_user() returns integer
  language sql stable parallel safe
  return nullif(current_setting('tollgate.user_id', true), '')::integer;
