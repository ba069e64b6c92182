-- Counts the invitations to an email address since a time, from all organizations, up to the limit. Holds a lock until
-- the transaction ends, so that concurrent invitations cannot exceed the limit together. The caller may not read the
-- invitations of other organizations itself.
create or replace function count_mailed_invitations(mailbox text, since timestamptz, most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tollgate mailbox ' || mailbox, 0));
  return (select count(*) from (
    select from invitations i where i.email = mailbox and i.created_at > since limit most) as counted);
end
$$;

revoke execute on function count_mailed_invitations from public;
grant execute on function count_mailed_invitations to tollgate_platform;
