-- Notifies every listening process of a change and adds it to the change feed. Both happen when the change commits.
create or replace function record_change(change json) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  perform pg_notify('tollgate_notice', change::text);
  insert into change_feed (change) values (change::text);
end
$$;

revoke execute on function record_change from public;
grant execute on function record_change to tollgate_platform, tollgate_worker;
