-- The time from which a user is a platform administrator; null for others. A key's secret that is older may be held by
-- others, because organization owners create and rotate keys of their members. Administrators from before this migration
-- rotate their keys to give them the role again.
alter table users add column administrator_since timestamptz;

-- functions: note_administrator
create trigger user_becomes_administrator before insert or update of role on users
  for each row execute function note_administrator();

update users set administrator_since = now() where role = 'admin';
