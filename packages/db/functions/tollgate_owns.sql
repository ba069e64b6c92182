-- Reports whether a gateway connection acts for the owner of a record (`team:…`, `user:…`, or `key:…`). It sees no
-- others.
create or replace function tollgate_owns(owner text) returns boolean
  language sql stable parallel safe
  return owner = current_setting('tollgate.owner', true)
      or current_setting('tollgate.administrator', true) = 'on';
