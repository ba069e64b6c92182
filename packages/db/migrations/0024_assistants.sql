-- Assistants, threads, messages and runs. What people wrote, and what models answered, is sealed under the installation's
-- key in `record`; the columns beside it are what has to be found, ordered or decided here.

-- Who a record belongs to: `team:…`, `user:…` or `key:…`. A connection of a gateway says for whom it acts and sees nothing else.
create function tollgate_owns(owner text) returns boolean
  language sql stable parallel safe
  return owner = current_setting('tollgate.owner', true)
      or current_setting('tollgate.administrator', true) = 'on';

create table assistants (
  id              text        primary key check (id ~ '^asst_[0-9A-Za-z]{24}$'),
  owner           text        not null,
  organization_id text,
  created_at      timestamptz not null default clock_timestamp(),
  record          text        not null -- sealed
);
create index assistants_owner on assistants (owner, created_at, id);

create table threads (
  id              text        primary key check (id ~ '^thread_[0-9A-Za-z]{24}$'),
  owner           text        not null,
  organization_id text,
  created_at      timestamptz not null default clock_timestamp(),
  -- When something last happened in it: retention counts from here.
  touched_at      timestamptz not null default now(),
  message_count   integer     not null default 0, -- a thread is full at some time, and counting a full one takes long
  record          text        not null -- sealed
);
create index threads_touched on threads (touched_at);
create index threads_owner on threads (owner);
create index threads_organization on threads (organization_id) where organization_id is not null;
create index assistants_organization on assistants (organization_id) where organization_id is not null;

create table thread_messages (
  id         text        primary key check (id ~ '^msg_[0-9A-Za-z]{24}$'),
  thread_id  text        not null references threads (id) on delete cascade,
  owner      text        not null,
  run_id     text, -- the run that wrote it, or brought it along
  created_at timestamptz not null default clock_timestamp(),
  record     text        not null -- sealed
);
create index thread_messages_thread on thread_messages (thread_id, created_at, id);
create index thread_messages_run on thread_messages (run_id) where run_id is not null;

create table thread_runs (
  id                text        primary key check (id ~ '^run_[0-9A-Za-z]{24}$'),
  thread_id         text        not null references threads (id) on delete cascade,
  owner             text        not null,
  organization_id   text,
  key_id            text        not null, -- whom its calls are charged to
  assistant_id      text        not null, -- kept when the assistant is deleted
  status            text        not null check (status in ('queued', 'in_progress', 'requires_action', 'cancelling',
                                  'cancelled', 'failed', 'completed', 'incomplete', 'expired')),
  created_at        timestamptz not null default clock_timestamp(),
  queued_at         timestamptz not null default now(),
  started_at        timestamptz,
  expires_at        timestamptz, -- null once it is over
  ended_at          timestamptz,
  -- Asks whoever works on it to stop; the status says `cancelling` meanwhile.
  cancel_by         timestamptz,
  prompt_tokens     bigint,
  completion_tokens bigint,
  is_streamed       boolean     not null default false, -- somebody listens, or did: what happens is told as it happens
  -- Who works on it and until when that is believed without a sign of life. A number that only grows: a worker that comes
  -- back from the dead holds an old one and can write nothing.
  lease_number      integer     not null default 0,
  leased_until      timestamptz,
  takeovers         smallint    not null default 0,
  record            text        not null -- sealed: the effective settings, required_action, last_error
);
create index thread_runs_thread on thread_runs (thread_id, created_at, id);
-- One run at a time in a thread, whatever anyone does at once.
create unique index thread_runs_active on thread_runs (thread_id)
  where status in ('queued', 'in_progress', 'requires_action', 'cancelling');
-- What the sweep looks at: runs whose worker is silent, or whose time is over.
create index thread_runs_unfinished on thread_runs (expires_at)
  where status in ('queued', 'in_progress', 'requires_action', 'cancelling');

create table run_steps (
  id         text        primary key check (id ~ '^step_[0-9A-Za-z]{24}$'),
  run_id     text        not null references thread_runs (id) on delete cascade,
  thread_id  text        not null,
  owner      text        not null,
  created_at timestamptz not null default clock_timestamp(),
  record     text        not null -- sealed
);
create index run_steps_run on run_steps (run_id, created_at, id);

-- One call to a model. It is written down before it is made; what it used is known from its answer, or, when whoever asked
-- died before the answer was stored, from the books, by its label.
create table run_turns (
  run_id            text     not null references thread_runs (id) on delete cascade,
  number            smallint not null,
  attempt           smallint not null,
  call_label        text     not null unique, -- the request id of the call in the usage events
  state             text     not null default 'started' check (state in ('started', 'stored', 'failed', 'lost')),
  prompt_tokens     bigint,
  completion_tokens bigint,
  started_at        timestamptz not null default now(),
  primary key (run_id, number, attempt)
);

-- What happened in a streamed run, for whoever listens on any gateway. Kept for minutes, and not worth a journal: a listener
-- that misses something reads how the run is instead.
create unlogged table run_events (
  run_id     text        not null,
  number     integer     not null,
  owner      text        not null,
  events     text        not null, -- sealed: [{event, data}]
  created_at timestamptz not null default now(),
  primary key (run_id, number)
);
create index run_events_age on run_events (created_at);

do $$
declare
  name text;
begin
  foreach name in array array['assistants', 'threads', 'thread_messages', 'thread_runs', 'run_steps', 'run_events'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy gateway_stays_with_its_caller on %I to tollgate_gateway
      using (tollgate_owns(owner)) with check (tollgate_owns(owner))', name);
    execute format('create policy worker_reaches_all on %I to tollgate_worker using (true) with check (true)', name);
    execute format('create policy platform_erases on %I to tollgate_platform using (tollgate_is_administrator())', name);
    execute format('grant select, insert, update, delete on %I to tollgate_gateway, tollgate_worker', name);
    execute format('grant select, update, delete on %I to tollgate_platform', name);
  end loop;
end
$$;
alter table run_turns enable row level security;
alter table run_turns force row level security;
create policy worker_reaches_all on run_turns to tollgate_worker using (true) with check (true);
grant select, insert, update, delete on run_turns to tollgate_worker;
-- A gateway that ends a run says what it used.
create policy gateway_stays_with_its_caller on run_turns for select to tollgate_gateway
  using (exists (select from thread_runs r where r.id = run_id));
grant select on run_turns to tollgate_gateway;
-- Whose usage the books have still to tell.
create index run_turns_lost on run_turns (started_at) where state = 'lost' and prompt_tokens is null;

-- A gateway may leave this one kind of work, and no other.
create function enqueue_run(run text) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  perform enqueue_job('run_assistant', jsonb_build_object('runId', run), null, 'run:' || run);
end
$$;
revoke execute on function enqueue_run from public;
grant execute on function enqueue_run to tollgate_gateway, tollgate_worker;

-- A run that waits although no job of it does: the job was lost, or whoever held it died before the run was taken.
create function enqueue_forgotten_run(run text) returns boolean
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

-- A worker, and whoever listens, hears of a run that changed.
create function tell_of_run() returns trigger
  language plpgsql
as $$
begin
  perform pg_notify('tollgate_run', new.run_id || ' ' || new.number);
  return null;
end
$$;
create trigger run_events_are_told after insert on run_events for each row execute function tell_of_run();
