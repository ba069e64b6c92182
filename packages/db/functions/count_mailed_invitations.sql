-- Counts the invitations to a mailbox since a time, from all organizations, up to the limit. `name+tag@domain` is the
-- mailbox of `name@domain`. Holds a lock until the transaction ends, so that concurrent invitations cannot exceed the
-- limit together. The caller may not read the invitations of other organizations itself.
create or replace function count_mailed_invitations(mailbox text, since timestamptz, most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  -- An address whose name starts with a plus sign is a mailbox of its own.
  untagged constant text := regexp_replace(mailbox, '^([^+@]+)\+[^@]*@', '\1@');
begin
  perform pg_advisory_xact_lock(hashtextextended('tollgate mailbox ' || untagged, 0));
  return (select count(*) from (
    select from invitations i
     where regexp_replace(i.email, '^([^+@]+)\+[^@]*@', '\1@') = untagged and i.created_at > since
     limit most) as counted);
end
$$;

revoke execute on function count_mailed_invitations from public;
grant execute on function count_mailed_invitations to tollgate_platform;
