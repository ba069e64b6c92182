-- Counts the waiting runs of a key and of its organization, up to the limits. Holds a lock until the transaction ends, so
-- that concurrent requests cannot exceed a limit together. The caller may not read the queue itself, because it contains
-- the runs of other teams.
create or replace function count_waiting_runs(organization text, acting_key text, most integer,
  out of_key integer, out of_organization integer)
  language plpgsql security definer set search_path from current
as $$
declare
  queue text := coalesce(organization, 'none');
begin
  perform pg_advisory_xact_lock(hashtextextended('tollgate run queue ' || queue, 0));
  of_key := (select count(*) from (
    select from run_queue q where q.tenant = queue and q.key_id = acting_key and q.worker_id is null limit most) as counted);
  of_organization := (select count(*) from (
    select from run_queue q where q.tenant = queue and q.worker_id is null limit most) as counted);
end
$$;

revoke execute on function count_waiting_runs from public;
grant execute on function count_waiting_runs to tollgate_gateway;
