-- Stored bytes of assistants, threads, messages, runs, steps, and responses, per key and organization (decision 92). A
-- record counts against the key that wrote it last, which is null for records from before this migration. Those count
-- against their organization only. Messages and steps from before have no organization, either, and count from their next
-- change: filling the column would lock the tables for as long as it takes.
alter table assistants add column key_id text;
alter table threads add column key_id text;
alter table thread_messages add column key_id text, add column organization_id text;
alter table run_steps add column key_id text, add column organization_id text;
alter table responses add column key_id text;

-- Totals without the changes that are not added yet.
create table stored_bytes (
  tenant text   not null, -- the organization, or `none`
  key_id text   not null, -- empty for the total of the organization
  bytes  bigint not null,
  primary key (tenant, key_id)
);

-- Changes are only inserted, so writers never wait for each other. Workers add them to the totals.
create table stored_byte_changes (
  tenant text   not null,
  key_id text   not null, -- empty if no key wrote the record
  bytes  bigint not null
) with (autovacuum_vacuum_scale_factor = 0.05);
create index stored_byte_changes_owner on stored_byte_changes (tenant, key_id) include (bytes);

-- The functions reach the tables as their owner, which is a member of the worker's role. A worker may only look whether
-- there are changes.
do $$
declare
  name text;
begin
  foreach name in array array['stored_bytes', 'stored_byte_changes'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy worker_reaches_all on %I to tollgate_worker using (true) with check (true)', name);
  end loop;
end
$$;
grant select on stored_byte_changes to tollgate_worker;

-- functions: record_bytes, set_record_organization, count_stored_bytes
create trigger organization_is_of_thread before insert or update on thread_messages
  for each row when (new.organization_id is null) execute function set_record_organization();
create trigger organization_is_of_thread before insert or update on run_steps
  for each row when (new.organization_id is null) execute function set_record_organization();

insert into stored_bytes (tenant, key_id, bytes)
  select coalesce(organization_id, 'none'), case when grouping(key_id) = 1 then '' else key_id end, sum(record_bytes(record))
    from (
      select organization_id, key_id, record from assistants
      union all select organization_id, key_id, record from threads
      union all select organization_id, key_id, record from thread_runs
      union all select organization_id, key_id, record from responses
    ) as records
   where organization_id is not null or key_id is not null
   group by grouping sets ((1), (1, key_id))
  having grouping(key_id) = 1 or key_id is not null;

do $$
declare
  name text;
begin
  foreach name in array array['assistants', 'threads', 'thread_messages', 'thread_runs', 'run_steps', 'responses'] loop
    execute format('create trigger added_bytes_count after insert on %I referencing new table as added
      for each statement execute function count_stored_bytes()', name);
    execute format('create trigger removed_bytes_count after delete on %I referencing old table as removed
      for each statement execute function count_stored_bytes()', name);
    execute format('create trigger changed_bytes_count after update on %I for each row
      when (octet_length(old.record) <> octet_length(new.record) or old.key_id is distinct from new.key_id
        or old.organization_id is distinct from new.organization_id) execute function count_stored_bytes()', name);
  end loop;
end
$$;

-- Open streams of run events, as gateway processes report them at least every 30 seconds. Unlogged, because a process
-- reports again soon.
create unlogged table open_run_streams (
  process     text        not null,
  tenant      text        not null, -- the organization, or `none`
  key_id      text        not null,
  streams     integer     not null,
  reported_at timestamptz not null default now(),
  primary key (process, key_id)
);
create index open_run_streams_tenant on open_run_streams (tenant);
alter table open_run_streams enable row level security;
alter table open_run_streams force row level security;
create policy worker_reaches_all on open_run_streams to tollgate_worker using (true) with check (true);

-- What a model call was charged, in nano-USD, and the sum of a run. Null if it is not known, as for earlier runs.
alter table run_turns add column cost bigint;
alter table thread_runs add column cost bigint;
