-- Runs that wait for a worker, and runs that a worker has (decision 87). A small table, because choosing the next run must
-- not depend on the number and the size of the runs that have ended. Workers of earlier releases claim runs without it,
-- and the trigger follows them.
create table run_queue (
  run_id    text        primary key references thread_runs (id) on delete cascade,
  tenant    text        not null, -- the organization, or `none`
  key_id    text        not null,
  queued_at timestamptz not null,
  worker_id text, -- null while the run waits
  chosen_at timestamptz -- null unless a worker has chosen the run and not started it
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index run_queue_waiting on run_queue (tenant, queued_at, run_id) where worker_id is null;
create index run_queue_keys on run_queue (tenant, key_id) where worker_id is null;
create index run_queue_workers on run_queue (worker_id, tenant) where worker_id is not null;
create index run_queue_chosen on run_queue (chosen_at) where chosen_at is not null;
-- The functions reach the queue as its owner, which is a member of the worker's role. No role can read it directly.
alter table run_queue enable row level security;
alter table run_queue force row level security;
create policy worker_reaches_all on run_queue to tollgate_worker using (true) with check (true);

-- functions: follow_run
create trigger run_queue_follows after insert or update of status on thread_runs
  for each row execute function follow_run();

insert into run_queue (run_id, tenant, key_id, queued_at, worker_id)
  select id, coalesce(organization_id, 'none'), key_id, queued_at, case status when 'queued' then null else 'unknown' end
    from thread_runs where status in ('queued', 'in_progress', 'cancelling')
  on conflict (run_id) do nothing;
