-- What the pages of usage and logs ask for besides: the days of an organization's own time zone, a call by the id its
-- client gave it, and calls that were settled just now.

alter table organizations add column timezone text not null default 'UTC' check (char_length(timezone) between 1 and 64);

-- A call without a label of its client is found by its id, so only those with one pay for these. As patterns, because
-- people type how a label begins.
create index usage_events_label on usage_events (organization_id, request_id text_pattern_ops) where request_id <> id::text;
create index refused_calls_label on refused_calls (organization_id, request_id text_pattern_ops) where request_id <> id::text;
-- Few calls fail, and those are looked for.
create index usage_events_code on usage_events (organization_id, error_code, id desc) where error_code is not null;
create index refused_calls_code on refused_calls (organization_id, error_code, id desc) where error_code is not null;

-- Rows are appended in this order, and all of a batch have the same time, so it costs little to keep.
create index usage_events_settled on usage_events (day, settled_at);

-- The calls of these organizations that became known since, by their ids alone: one statement for everybody who watches.
-- Whoever is told of them reads them as the organization they act for. A call that is settled days late is no news.
-- The days are written out, because only then the planner leaves out the other partitions before it looks at them; and the
-- organization is no plain column, because its index would lead over all calls of these days.
create function list_new_calls(of_organizations text[], settled_after timestamptz, refused_after uuid, at_most integer)
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

-- Up to when every call that ended is in the sums: what a gateway has not delivered yet is not. One that is silent for a
-- day is gone for good.
create function usage_known_until() returns timestamptz
  language sql stable security definer set search_path from current
  return (
    select least(now(), min(oldest_unconfirmed_at)) from gateway_nodes where alive_until > now() - interval '1 day'
  );
revoke execute on function usage_known_until from public;
grant execute on function usage_known_until to tollgate_platform;
