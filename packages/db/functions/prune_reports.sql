-- Deletes refused calls older than `keep_refused` and expired contents, at most `at_most` rows of each. Returns the
-- number of deleted rows.
create or replace function prune_reports(keep_refused interval, at_most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  cutoff  timestamptz := date_bin(interval '15 minutes', now() - keep_refused, timestamptz '1970-01-01 00:00:00+00');
  oldest  uuid := first_event_id(cutoff);
  counted integer;
  removed integer := 0;
begin
  -- The organization may have shortened the retention since.
  delete from call_contents where id in (
    select content.id from call_contents as content join organizations as organization
        on organization.id = content.organization_id
     where content.expires_at < now()
        or time_of_event(content.id) < now() - make_interval(days => organization.log_retention_days)
     limit at_most
  );
  get diagnostics counted = row_count;
  removed := removed + counted;
  delete from refused_calls where id in (select id from refused_calls where id < oldest order by id limit at_most);
  get diagnostics counted = row_count;
  removed := removed + counted;
  delete from refused_rollups where ctid in (select ctid from refused_rollups where bucket_at < cutoff limit at_most);
  get diagnostics counted = row_count;
  return removed + counted;
end
$$;

revoke execute on function prune_reports from public;
grant execute on function prune_reports to tollgate_worker;
