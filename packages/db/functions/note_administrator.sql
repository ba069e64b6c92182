-- Notes since when a user is a platform administrator. No one else could hold a key of a user who was created as one, so
-- such a user is one from the beginning. The time of the change is that of the server that also dates the user's keys.
create or replace function note_administrator() returns trigger
  language plpgsql set search_path from current
as $$
begin
  if new.role <> 'admin' then
    new.administrator_since := null;
  elsif tg_op = 'INSERT' then
    new.administrator_since := coalesce(new.administrator_since, to_timestamp(0));
  elsif old.role <> 'admin' then
    new.administrator_since := case when new.updated_at = old.updated_at then now() else new.updated_at end;
  end if;
  return new;
end
$$;

revoke execute on function note_administrator from public;
