-- Returns the IDs of these organizations' calls that were added since then, in one statement for all live logs. Each
-- viewer then reads the calls with the rights of their own organization. A call that is settled days late is left out.
-- The days are literals, because the planner then skips the other partitions. The organization is an expression,
-- because the planner would otherwise use its index and read all calls of these days.
create or replace function list_new_calls(of_organizations text[], settled_after timestamptz, refused_after uuid, at_most integer)
  returns table (organization_id text, id uuid)
  language plpgsql stable security definer set search_path from current set enable_seqscan = off
as $$
begin
  return query execute format(
    'select e.organization_id, e.id from usage_events as e
      where e.day = any (%L) and e.settled_at > $1 and e.organization_id || %L = any ($2)
      order by e.settled_at desc limit $3',
    array[current_date - 1, current_date, current_date + 1], '') using settled_after, of_organizations, at_most;
  return query
    select r.organization_id, r.id from refused_calls as r
     where r.organization_id = any (of_organizations) and r.id > refused_after limit at_most;
end
$$;

revoke execute on function list_new_calls from public;
grant execute on function list_new_calls to tollgate_platform;
