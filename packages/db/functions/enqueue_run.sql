-- Enqueues an assistant run for workers of earlier releases, which start runs from jobs. Other workers choose from the
-- queue. This is the only kind of job that a gateway may enqueue.
create or replace function enqueue_run(run text) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  perform enqueue_job('run_assistant', jsonb_build_object('runId', run), null, 'run:' || run);
end
$$;

revoke execute on function enqueue_run from public;
grant execute on function enqueue_run to tollgate_gateway, tollgate_worker;
