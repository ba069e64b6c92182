-- What reports read: how calls are spread over latencies, the sums of whole days, and calls that were refused.

-- Into which of twenty steps a latency falls. Steps grow by about half, so that a percentile read from their counts is
-- that close; `latencySteps` in packages/db/src/usage has the same bounds.
create function latency_step(ms integer) returns integer
  language sql immutable strict parallel safe
  return width_bucket(ms, array[50, 100, 200, 300, 450, 700, 1000, 1500, 2200, 3300, 5000, 7500, 11000, 17000, 25000,
    40000, 60000, 120000, 300000]);

-- `latency_n` counts the calls of step n. The largest values tell where a list by cost, time or tokens has to look.
alter table usage_rollups
  add column max_cost bigint not null default 0, add column max_latency_ms integer not null default 0,
  add column max_tokens bigint not null default 0,
  add column latency_0 integer not null default 0, add column latency_1 integer not null default 0,
  add column latency_2 integer not null default 0, add column latency_3 integer not null default 0,
  add column latency_4 integer not null default 0, add column latency_5 integer not null default 0,
  add column latency_6 integer not null default 0, add column latency_7 integer not null default 0,
  add column latency_8 integer not null default 0, add column latency_9 integer not null default 0,
  add column latency_10 integer not null default 0, add column latency_11 integer not null default 0,
  add column latency_12 integer not null default 0, add column latency_13 integer not null default 0,
  add column latency_14 integer not null default 0, add column latency_15 integer not null default 0,
  add column latency_16 integer not null default 0, add column latency_17 integer not null default 0,
  add column latency_18 integer not null default 0, add column latency_19 integer not null default 0;

-- With bounds written out, because finding the step of each call costs settlement several times as much.
create or replace function add_to_rollups(fresh usage_events[]) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  insert into usage_rollups as r (organization_id, bucket_at, team_id, key_id, model_group, provider,
      requests, errors, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost,
      latency_ms_sum, max_cost, max_latency_ms, max_tokens, latency_0, latency_1, latency_2, latency_3, latency_4,
      latency_5, latency_6, latency_7, latency_8, latency_9, latency_10, latency_11, latency_12, latency_13, latency_14,
      latency_15, latency_16, latency_17, latency_18, latency_19)
  select organization_id, bucket_of_event(e.id), coalesce(team_id, ''), key_id, model_group, coalesce(provider, ''),
         count(*), count(*) filter (where status = 'failure'),
         sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens), sum(output_tokens), sum(reasoning_tokens),
         sum(cost), sum(latency_ms),
         max(cost), max(latency_ms), max(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens),
         count(*) filter (where latency_ms < 50), count(*) filter (where latency_ms >= 50 and latency_ms < 100),
         count(*) filter (where latency_ms >= 100 and latency_ms < 200),
         count(*) filter (where latency_ms >= 200 and latency_ms < 300),
         count(*) filter (where latency_ms >= 300 and latency_ms < 450),
         count(*) filter (where latency_ms >= 450 and latency_ms < 700),
         count(*) filter (where latency_ms >= 700 and latency_ms < 1000),
         count(*) filter (where latency_ms >= 1000 and latency_ms < 1500),
         count(*) filter (where latency_ms >= 1500 and latency_ms < 2200),
         count(*) filter (where latency_ms >= 2200 and latency_ms < 3300),
         count(*) filter (where latency_ms >= 3300 and latency_ms < 5000),
         count(*) filter (where latency_ms >= 5000 and latency_ms < 7500),
         count(*) filter (where latency_ms >= 7500 and latency_ms < 11000),
         count(*) filter (where latency_ms >= 11000 and latency_ms < 17000),
         count(*) filter (where latency_ms >= 17000 and latency_ms < 25000),
         count(*) filter (where latency_ms >= 25000 and latency_ms < 40000),
         count(*) filter (where latency_ms >= 40000 and latency_ms < 60000),
         count(*) filter (where latency_ms >= 60000 and latency_ms < 120000),
         count(*) filter (where latency_ms >= 120000 and latency_ms < 300000),
         count(*) filter (where latency_ms >= 300000)
    from unnest(fresh) as e
   where organization_id is not null
   group by 1, 2, 3, 4, 5, 6
  on conflict (organization_id, bucket_at, team_id, key_id, model_group, provider) do update
     set max_cost = greatest(r.max_cost, excluded.max_cost),
         max_latency_ms = greatest(r.max_latency_ms, excluded.max_latency_ms),
         max_tokens = greatest(r.max_tokens, excluded.max_tokens),
         requests = r.requests + excluded.requests, errors = r.errors + excluded.errors,
         input_tokens = r.input_tokens + excluded.input_tokens,
         cache_read_tokens = r.cache_read_tokens + excluded.cache_read_tokens,
         cache_write_tokens = r.cache_write_tokens + excluded.cache_write_tokens,
         output_tokens = r.output_tokens + excluded.output_tokens,
         reasoning_tokens = r.reasoning_tokens + excluded.reasoning_tokens, cost = r.cost + excluded.cost,
         latency_ms_sum = r.latency_ms_sum + excluded.latency_ms_sum, latency_0 = r.latency_0 + excluded.latency_0,
         latency_1 = r.latency_1 + excluded.latency_1, latency_2 = r.latency_2 + excluded.latency_2,
         latency_3 = r.latency_3 + excluded.latency_3, latency_4 = r.latency_4 + excluded.latency_4,
         latency_5 = r.latency_5 + excluded.latency_5, latency_6 = r.latency_6 + excluded.latency_6,
         latency_7 = r.latency_7 + excluded.latency_7, latency_8 = r.latency_8 + excluded.latency_8,
         latency_9 = r.latency_9 + excluded.latency_9, latency_10 = r.latency_10 + excluded.latency_10,
         latency_11 = r.latency_11 + excluded.latency_11, latency_12 = r.latency_12 + excluded.latency_12,
         latency_13 = r.latency_13 + excluded.latency_13, latency_14 = r.latency_14 + excluded.latency_14,
         latency_15 = r.latency_15 + excluded.latency_15, latency_16 = r.latency_16 + excluded.latency_16,
         latency_17 = r.latency_17 + excluded.latency_17, latency_18 = r.latency_18 + excluded.latency_18,
         latency_19 = r.latency_19 + excluded.latency_19;
end
$$;

-- Calls that were settled before there was this.
with steps as (
  select organization_id, bucket_of_event(id) as bucket_at, coalesce(team_id, '') as team_id, key_id, model_group,
         coalesce(provider, '') as provider, max(cost) as max_cost, max(latency_ms) as max_latency_ms,
         max(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens) as max_tokens,
         count(*) filter (where latency_step(latency_ms) = 0) as latency_0,
         count(*) filter (where latency_step(latency_ms) = 1) as latency_1,
         count(*) filter (where latency_step(latency_ms) = 2) as latency_2,
         count(*) filter (where latency_step(latency_ms) = 3) as latency_3,
         count(*) filter (where latency_step(latency_ms) = 4) as latency_4,
         count(*) filter (where latency_step(latency_ms) = 5) as latency_5,
         count(*) filter (where latency_step(latency_ms) = 6) as latency_6,
         count(*) filter (where latency_step(latency_ms) = 7) as latency_7,
         count(*) filter (where latency_step(latency_ms) = 8) as latency_8,
         count(*) filter (where latency_step(latency_ms) = 9) as latency_9,
         count(*) filter (where latency_step(latency_ms) = 10) as latency_10,
         count(*) filter (where latency_step(latency_ms) = 11) as latency_11,
         count(*) filter (where latency_step(latency_ms) = 12) as latency_12,
         count(*) filter (where latency_step(latency_ms) = 13) as latency_13,
         count(*) filter (where latency_step(latency_ms) = 14) as latency_14,
         count(*) filter (where latency_step(latency_ms) = 15) as latency_15,
         count(*) filter (where latency_step(latency_ms) = 16) as latency_16,
         count(*) filter (where latency_step(latency_ms) = 17) as latency_17,
         count(*) filter (where latency_step(latency_ms) = 18) as latency_18,
         count(*) filter (where latency_step(latency_ms) = 19) as latency_19
    from usage_events where organization_id is not null group by 1, 2, 3, 4, 5, 6
)
update usage_rollups as r
   set max_cost = steps.max_cost, max_latency_ms = steps.max_latency_ms, max_tokens = steps.max_tokens,
       latency_0 = steps.latency_0, latency_1 = steps.latency_1, latency_2 = steps.latency_2,
       latency_3 = steps.latency_3, latency_4 = steps.latency_4, latency_5 = steps.latency_5,
       latency_6 = steps.latency_6, latency_7 = steps.latency_7, latency_8 = steps.latency_8,
       latency_9 = steps.latency_9, latency_10 = steps.latency_10, latency_11 = steps.latency_11,
       latency_12 = steps.latency_12, latency_13 = steps.latency_13, latency_14 = steps.latency_14,
       latency_15 = steps.latency_15, latency_16 = steps.latency_16, latency_17 = steps.latency_17,
       latency_18 = steps.latency_18, latency_19 = steps.latency_19
  from steps
 where (r.organization_id, r.bucket_at, r.team_id, r.key_id, r.model_group, r.provider)
     = (steps.organization_id, steps.bucket_at, steps.team_id, steps.key_id, steps.model_group, steps.provider);

-- The sums of days that take no more calls, so that a report over months reads a row where it would read a hundred.
create table usage_days (
  organization_id    text    not null,
  day                date    not null,
  team_id            text    not null,
  key_id             text    not null,
  model_group        text    not null,
  provider           text    not null,
  requests           bigint  not null,
  errors             bigint  not null,
  input_tokens       bigint  not null,
  cache_read_tokens  bigint  not null,
  cache_write_tokens bigint  not null,
  output_tokens      bigint  not null,
  reasoning_tokens   bigint  not null,
  cost               bigint  not null,
  latency_ms_sum     bigint  not null,
  max_cost           bigint  not null,
  max_latency_ms     integer not null,
  max_tokens         bigint  not null,
  latency_0 integer not null, latency_1 integer not null, latency_2 integer not null, latency_3 integer not null,
  latency_4 integer not null, latency_5 integer not null, latency_6 integer not null, latency_7 integer not null,
  latency_8 integer not null, latency_9 integer not null, latency_10 integer not null, latency_11 integer not null,
  latency_12 integer not null, latency_13 integer not null, latency_14 integer not null, latency_15 integer not null,
  latency_16 integer not null, latency_17 integer not null, latency_18 integer not null, latency_19 integer not null,
  primary key (organization_id, day, team_id, key_id, model_group, provider)
);

-- The same by hours, for reports that show them.
create table usage_hours (like usage_days including all);
alter table usage_hours rename column day to hour_at;
alter table usage_hours alter column hour_at type timestamptz;

create function sum_up_day(summed_day date) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  insert into usage_hours (organization_id, hour_at, team_id, key_id, model_group, provider,
      requests, errors, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost,
      latency_ms_sum, max_cost, max_latency_ms, max_tokens, latency_0, latency_1, latency_2, latency_3, latency_4,
      latency_5, latency_6, latency_7, latency_8, latency_9, latency_10, latency_11, latency_12, latency_13, latency_14,
      latency_15, latency_16, latency_17, latency_18, latency_19)
  select organization_id, date_trunc('hour', bucket_at, 'UTC'), team_id, key_id, model_group, provider,
         sum(requests), sum(errors), sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens),
         sum(output_tokens), sum(reasoning_tokens), sum(cost), sum(latency_ms_sum), max(max_cost), max(max_latency_ms),
         max(max_tokens), sum(latency_0), sum(latency_1), sum(latency_2), sum(latency_3), sum(latency_4),
         sum(latency_5), sum(latency_6), sum(latency_7), sum(latency_8), sum(latency_9), sum(latency_10),
         sum(latency_11), sum(latency_12), sum(latency_13), sum(latency_14), sum(latency_15), sum(latency_16),
         sum(latency_17), sum(latency_18), sum(latency_19)
    from usage_rollups
   where bucket_at >= summed_day::timestamp at time zone 'UTC'
     and bucket_at < (summed_day + 1)::timestamp at time zone 'UTC'
   group by 1, 2, 3, 4, 5, 6
  on conflict do nothing;
  insert into usage_days (organization_id, day, team_id, key_id, model_group, provider,
      requests, errors, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost,
      latency_ms_sum, max_cost, max_latency_ms, max_tokens, latency_0, latency_1, latency_2, latency_3, latency_4,
      latency_5, latency_6, latency_7, latency_8, latency_9, latency_10, latency_11, latency_12, latency_13, latency_14,
      latency_15, latency_16, latency_17, latency_18, latency_19)
  select organization_id, summed_day, team_id, key_id, model_group, provider,
         sum(requests), sum(errors), sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens),
         sum(output_tokens), sum(reasoning_tokens), sum(cost), sum(latency_ms_sum), max(max_cost), max(max_latency_ms),
         max(max_tokens), sum(latency_0), sum(latency_1), sum(latency_2), sum(latency_3), sum(latency_4),
         sum(latency_5), sum(latency_6), sum(latency_7), sum(latency_8), sum(latency_9), sum(latency_10),
         sum(latency_11), sum(latency_12), sum(latency_13), sum(latency_14), sum(latency_15), sum(latency_16),
         sum(latency_17), sum(latency_18), sum(latency_19)
    from usage_hours
   where hour_at >= summed_day::timestamp at time zone 'UTC'
     and hour_at < (summed_day + 1)::timestamp at time zone 'UTC'
   group by organization_id, team_id, key_id, model_group, provider
  on conflict do nothing;
end
$$;
revoke execute on function sum_up_day from public;

-- The seal is the moment from which on nothing changes.
create function sum_up_sealed_day() returns trigger
  language plpgsql security definer set search_path from current
as $$
begin
  perform sum_up_day(new.day);
  return null;
end
$$;
create trigger sealed_day_is_summed_up after insert on usage_day_seals
  for each row when (new.organization_id = '') execute function sum_up_sealed_day();
select sum_up_day(day) from usage_day_seals where organization_id = '';

-- A sample of the calls that were refused before they cost anything. Nothing is proved by them and nobody is charged, so
-- they are kept apart from the books and written when there is time.
create table refused_calls (
  id              uuid     primary key,
  organization_id text     not null,
  team_id         text,
  key_id          text     not null,
  user_id         text,
  request_id      text     not null,
  endpoint        text     not null,
  model_group     text     not null, -- empty: refused before the body was read
  is_stream       boolean  not null,
  http_status     smallint not null,
  error_code      text
);
create index refused_calls_organization on refused_calls (organization_id, id desc);

create table refused_rollups (
  organization_id text        not null,
  bucket_at       timestamptz not null,
  team_id         text        not null,
  key_id          text        not null,
  model_group     text        not null,
  requests        bigint      not null,
  primary key (organization_id, bucket_at, team_id, key_id, model_group)
);

create function log_refused_calls(batch json) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  with added as (
    insert into refused_calls (id, organization_id, team_id, key_id, user_id, request_id, endpoint, model_group,
        is_stream, http_status, error_code)
    select id, "organizationId", "teamId", "keyId", "userId", left("requestId", 200), endpoint, left("modelGroup", 200),
        "isStream", "httpStatus", "errorCode"
      from json_to_recordset(batch) as call (id uuid, "organizationId" text, "teamId" text, "keyId" text, "userId" text,
        "requestId" text, endpoint text, "modelGroup" text, "isStream" boolean, "httpStatus" smallint, "errorCode" text)
    on conflict do nothing
    returning *
  )
  insert into refused_rollups as r (organization_id, bucket_at, team_id, key_id, model_group, requests)
  select organization_id, bucket_of_event(id), coalesce(team_id, ''), key_id, model_group, count(*)
    from added group by 1, 2, 3, 4, 5
   order by 1, 2, 3, 4, 5
  on conflict (organization_id, bucket_at, team_id, key_id, model_group) do update
     set requests = r.requests + excluded.requests;
end
$$;

-- What was asked and answered, only for organizations that want it kept. Sealed by the gateway: this database cannot read it.
create table call_contents (
  id              uuid        primary key,
  organization_id text        not null,
  request         text        not null,
  answer          text        not null,
  is_cut          boolean     not null, -- one of them was too long to be kept whole
  expires_at      timestamptz not null
);
create index call_contents_age on call_contents (expires_at);

create function keep_contents(batch json) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  -- Asked again here: an organization may have changed its mind while the call ran.
  insert into call_contents (id, organization_id, request, answer, is_cut, expires_at)
  select content.id, organization.id, content.request, content.answer, content."isCut",
         now() + make_interval(days => least(organization.log_retention_days, 30))
    from json_to_recordset(batch) as content (id uuid, "organizationId" text, request text, answer text, "isCut" boolean)
    join organizations as organization on organization.id = content."organizationId" and organization.log_prompts
  on conflict do nothing;
end
$$;

-- Removes refused calls older than that, and contents whose time is over, so many rows at a time. Returns how many.
create function prune_reports(keep_refused interval, at_most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  cutoff  timestamptz := date_bin(interval '15 minutes', now() - keep_refused, timestamptz '1970-01-01 00:00:00+00');
  oldest  uuid := first_event_id(cutoff);
  counted integer;
  removed integer := 0;
begin
  -- An organization may have shortened the time since.
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

do $$
declare
  name text;
begin
  foreach name in array array['usage_days', 'usage_hours', 'refused_calls', 'refused_rollups', 'call_contents'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy worker_reaches_all on %I to tollgate_worker using (true) with check (true)', name);
    execute format('create policy platform_stays_inside on %I for select to tollgate_platform
      using (tollgate_may_see(organization_id))', name);
    execute format('grant select on %I to tollgate_platform, tollgate_worker', name);
  end loop;
end
$$;
revoke execute on function sum_up_sealed_day, log_refused_calls, keep_contents, prune_reports from public;
grant execute on function log_refused_calls, keep_contents to tollgate_gateway;
grant execute on function prune_reports to tollgate_worker;

-- The secret key is rotated by the operator's own command, which seals anew what was sealed under the one before.
create policy administrator_reseals on call_contents for update to tollgate_platform using (tollgate_is_administrator());
grant update (request, answer) on call_contents to tollgate_platform;

-- The same rule as `tollgate_may_see`, asked once for a statement and not once for each of a hundred thousand rows.
do $$
declare
  name text;
begin
  foreach name in array array['usage_events', 'usage_rollups', 'usage_days', 'usage_hours', 'refused_calls', 'refused_rollups'] loop
    execute format('alter policy platform_stays_inside on %I
      using (organization_id = (select current_setting(''tollgate.organization_id'', true))
        or (select current_setting(''tollgate.administrator'', true)) = ''on'')', name);
  end loop;
end
$$;
