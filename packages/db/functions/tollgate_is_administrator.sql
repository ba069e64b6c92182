-- Reports whether a platform connection acts as an administrator (`tollgate.administrator`).
create or replace function tollgate_is_administrator() returns boolean
  language sql stable parallel safe
  return coalesce(current_setting('tollgate.administrator', true) = 'on', false);
