-- One row per call, by the day inside its id: a day taken from the time of arrival would let a replay in twice.
create function day_of_event(id uuid) returns date
  language sql immutable strict parallel safe
  return date '1970-01-01' + (('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 86400000)::integer;

create function time_of_event(id uuid) returns timestamptz
  language sql immutable strict parallel safe
  return to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000::float8);

-- The quarter of an hour that a call is summed up in.
create function bucket_of_event(id uuid) returns timestamptz
  language sql immutable strict parallel safe
  return date_bin(interval '15 minutes', time_of_event(id), timestamptz '1970-01-01 00:00:00+00');

create table usage_events (
  id                 uuid        not null,
  day                date        not null check (day = day_of_event(id)),
  organization_id    text, -- null: a call of the operator's own key
  team_id            text,
  key_id             text        not null,
  user_id            text,
  request_id         text        not null, -- the client's own label, or the id again
  endpoint           text        not null,
  model_group        text        not null,
  deployment_id      text,
  provider           text,
  is_stream          boolean     not null,
  status             text        not null check (status in ('success', 'failure', 'client_disconnect')),
  http_status        smallint    not null,
  error_code         text,
  input_tokens       bigint      not null check (input_tokens >= 0),
  cache_read_tokens  bigint      not null check (cache_read_tokens >= 0),
  cache_write_tokens bigint      not null check (cache_write_tokens >= 0),
  output_tokens      bigint      not null check (output_tokens >= 0),
  reasoning_tokens   bigint      not null check (reasoning_tokens between 0 and output_tokens),
  usage_source       text        not null check (usage_source in ('reported', 'estimated')),
  price_version_id   text,
  cost               bigint      not null check (cost >= 0), -- nano-USD
  is_billed          boolean     not null, -- false: no credit pays for it (billing off, or the operator's own key)
  hold               bigint      not null check (hold >= 0),
  from_lease         bigint      not null check (from_lease >= 0), -- what really ended the lease's share
  node_id            text        not null,
  epoch              integer     not null,
  latency_ms         integer     not null,
  first_token_ms     integer,
  transaction_id     text, -- the usage transaction whose amount contains this cost
  state              text        not null default 'settled' check (state in ('settled', 'void')),
  ended_at           timestamptz not null,
  settled_at         timestamptz not null default now(),
  primary key (day, id)
) partition by range (day);
-- For ids of clocks that are far off.
create table usage_events_other partition of usage_events default;
create index usage_events_organization on usage_events (organization_id, id desc);
create index usage_events_transaction on usage_events (transaction_id) where transaction_id is not null;

-- What could not be settled, kept with the reason until someone looks at it and sends it again.
create table parked_events (
  id              uuid        primary key,
  organization_id text,
  reason          text        not null,
  event           jsonb       not null,
  parked_at       timestamptz not null default now(),
  redriven_at     timestamptz
);

-- Sums of fifteen minutes, by the time inside the ids. Pages and invoices read these; `verify` proves them.
create table usage_rollups (
  organization_id    text        not null,
  bucket_at          timestamptz not null,
  team_id            text        not null,
  key_id             text        not null,
  model_group        text        not null,
  provider           text        not null,
  requests           bigint      not null,
  errors             bigint      not null,
  input_tokens       bigint      not null,
  cache_read_tokens  bigint      not null,
  cache_write_tokens bigint      not null,
  output_tokens      bigint      not null,
  reasoning_tokens   bigint      not null,
  cost               bigint      not null,
  latency_ms_sum     bigint      not null,
  primary key (organization_id, bucket_at, team_id, key_id, model_group, provider)
);

-- A day that was verified and may be dropped: what its rows summed up to.
create table usage_day_seals (
  day             date        not null,
  organization_id text        not null,
  events          bigint      not null,
  cost            bigint      not null,
  billed          bigint      not null, -- the part of the cost that credit paid for
  digest          bytea       not null, -- sha256 of each id and its cost, one after the other, by id
  sealed_at       timestamptz not null default now(),
  primary key (day, organization_id)
);

do $$
declare
  name text;
begin
  foreach name in array array['usage_events', 'parked_events', 'usage_rollups', 'usage_day_seals'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy worker_reaches_all on %I to tollgate_worker using (true) with check (true)', name);
    execute format('create policy platform_stays_inside on %I for select to tollgate_platform
      using (tollgate_may_see(organization_id))', name);
  end loop;
end
$$;
grant select on usage_events, parked_events, usage_rollups, usage_day_seals to tollgate_platform, tollgate_worker;
