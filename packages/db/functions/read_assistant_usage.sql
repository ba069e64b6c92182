-- Returns how much of the limits of runs and storage an organization and one of its keys use, or no row if the connection
-- may not see the organization.
create or replace function read_assistant_usage(organization text, acting_key text)
returns table (queued_of_key integer, queued integer, streams_of_key integer, streams integer,
  bytes_of_key bigint, bytes bigint, has_credit boolean)
  language sql stable security definer set search_path from current
begin atomic
  select runs.of_key, runs.total, streams.of_key, streams.total, stored.of_key, stored.of_organization,
    exists (select from organization_quota q where q.organization_id = organization and q.balance > 0)
  from
    (select count(*) filter (where key_id = acting_key)::integer as of_key, count(*)::integer as total
       from run_queue where tenant = organization and worker_id is null) as runs,
    (select coalesce(sum(s.streams) filter (where s.key_id = acting_key), 0)::integer as of_key,
            coalesce(sum(s.streams), 0)::integer as total
       from open_run_streams s
      where s.tenant = organization and s.reported_at > now() - interval '90 seconds') as streams,
    read_stored_bytes(organization, acting_key) as stored
  where tollgate_may_see(organization);
end;

revoke execute on function read_assistant_usage from public;
grant execute on function read_assistant_usage to tollgate_platform;
