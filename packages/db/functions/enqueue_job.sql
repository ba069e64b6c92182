-- Enqueues a job that a worker runs after this transaction has committed. The queue is graphile-worker's.
create or replace function enqueue_job(task text, payload jsonb, run_at timestamptz default null, job_key text default null)
returns void
  language plpgsql security definer set search_path from current
as $$
begin
  perform graphile_worker.add_job(identifier => task, payload => payload::json, run_at => enqueue_job.run_at,
    job_key => enqueue_job.job_key);
end
$$;

revoke execute on function enqueue_job from public;
grant execute on function enqueue_job to tollgate_platform, tollgate_worker;
