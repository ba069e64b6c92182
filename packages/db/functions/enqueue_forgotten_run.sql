-- Enqueues a waiting run that has no job. Only workers of earlier releases need it, because they start runs from jobs.
create or replace function enqueue_forgotten_run(run text) returns boolean
  language plpgsql security definer set search_path from current
as $$
begin
  if exists (select from graphile_worker.jobs j where j.key = 'run:' || run and j.attempts < j.max_attempts
      and (j.locked_at is null or j.locked_at > now() - interval '1 minute')) then
    return false;
  end if;
  perform enqueue_run(run);
  return true;
end
$$;

revoke execute on function enqueue_forgotten_run from public;
grant execute on function enqueue_forgotten_run to tollgate_worker;
