-- Everything that a database of 0.1.0 has besides functions. It replaces migrations 1 to 28: a database that has those does
-- not run it.

-- One database role per kind of process. Each has only the rights its work needs, so a hole in one is not a hole in all.
-- A process logs in as whoever it is configured to be and then takes its role with `set role`.
-- Roles belong to the whole server: they may exist already, or be made at this moment by a migration of another database.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['tollgate_gateway', 'tollgate_platform', 'tollgate_worker'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      begin
        execute format('create role %I nologin', role_name);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end if;
    if not pg_has_role(current_user, role_name, 'member') then
      begin
        execute format('grant %I to %I', role_name, current_user);
      exception when unique_violation then
        null;
      end;
    end if;
    execute format('grant usage on schema %I to %I', current_schema(), role_name);
  end loop;
end
$$;

-- functions: tollgate_may_see, tollgate_is_administrator, tollgate_user, tollgate_at_door, tollgate_owns
-- functions: tollgate_send_notice, tollgate_send_key_notice, tollgate_send_budget_notice, tollgate_send_catalogue_notice
-- functions: tollgate_refuse_change, open_organization_books, block_team_of_debtor, sum_up_sealed_day, deliver_later
-- functions: day_of_event, ensure_usage_partitions, crockford_of, make_uuid_v7, tell_of_run

create domain string_list as text[] check (array_position(value, null) is null);
create domain string_map as jsonb
  check (jsonb_typeof(value) = 'object' and not jsonb_path_exists(value, 'strict $.* ? (@.type() != "string")'));
create domain limit_map as jsonb
  check (jsonb_typeof(value) = 'object' and not jsonb_path_exists(value, 'strict $.* ? (@.type() != "number" || @ < 0)'));

create table organizations (
  id         text        primary key check (id ~ '^org_[0-9A-HJKMNP-TV-Z]{26}$'),
  name       text        not null check (char_length(name) between 1 and 100),
  status     text        not null default 'active' check (status in ('active', 'closed')),
  models     string_list not null default '{}', -- empty: every model
  rpm_limit  integer     check (rpm_limit >= 0),
  tpm_limit  integer     check (tpm_limit >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

alter table organizations enable row level security;
alter table organizations force row level security;

-- A gateway finds the organization through the hash of a key, before it knows whose key it is.
create policy gateway_reads_all on organizations for select to tollgate_gateway using (true);
create policy worker_reads_all on organizations for select to tollgate_worker using (true);
create policy platform_stays_inside on organizations to tollgate_platform
  using (tollgate_may_see(id)) with check (tollgate_may_see(id));

grant select on organizations to tollgate_gateway, tollgate_worker;
grant select, insert, update on organizations to tollgate_platform;

create trigger organization_notice after insert or update or delete on organizations
  for each row execute function tollgate_send_notice('organization');

create table teams (
  id                    text        primary key check (id ~ '^team_[0-9A-HJKMNP-TV-Z]{26}$'),
  organization_id       text        not null references organizations (id),
  name                  text        not null check (char_length(name) between 1 and 100),
  status                text        not null default 'active' check (status in ('active', 'blocked')),
  blocked_reason        text,
  blocked_at            timestamptz,
  models                string_list not null default '{}', -- empty: every model
  model_aliases         string_map  not null default '{}',
  tags                  string_list not null default '{}',
  guardrails            string_list not null default '{}',
  rpm_limit             integer     check (rpm_limit >= 0),
  tpm_limit             integer     check (tpm_limit >= 0),
  max_parallel_requests integer     check (max_parallel_requests >= 0),
  model_rpm_limits      limit_map   not null default '{}',
  model_tpm_limits      limit_map   not null default '{}',
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  deleted_at            timestamptz, -- a deleted team keeps its row: usage and ledger name it for ever
  -- A block always says why and since when, and nothing of it is left behind when it ends.
  check ((status = 'blocked') = (blocked_at is not null) and (status = 'blocked') = (blocked_reason is not null)),
  unique (organization_id, id) -- for keys, which must belong to the organization of their team
);
create unique index teams_name on teams (organization_id, lower(name)) where deleted_at is null;

alter table teams enable row level security;
alter table teams force row level security;

create policy gateway_reads_all on teams for select to tollgate_gateway using (true);
create policy worker_reads_all on teams for select to tollgate_worker using (true);
create policy platform_stays_inside on teams to tollgate_platform
  using (tollgate_may_see(organization_id)) with check (tollgate_may_see(organization_id));

grant select on teams to tollgate_gateway, tollgate_worker;
grant select, insert, update on teams to tollgate_platform;

create trigger team_notice after insert or update or delete on teams
  for each row execute function tollgate_send_notice('team');

-- A key itself is never stored, only its SHA-256. Its state is derived from facts: revoked_at, disabled_at, expires_at.
create table api_keys (
  id                    text        primary key check (id ~ '^key_[0-9A-HJKMNP-TV-Z]{26}$'),
  organization_id       text        not null,
  team_id               text        not null,
  user_id               integer     check (user_id > 0), -- who made it; null for keys that nobody made by hand
  name                  text        not null check (char_length(name) between 1 and 100),
  token_hash            bytea       not null unique check (octet_length(token_hash) = 32),
  prefix                text        not null check (prefix like 'sk-%' and char_length(prefix) <= 8),
  last_four             text        not null check (char_length(last_four) <= 4),
  disabled_at           timestamptz,
  revoked_at            timestamptz,
  expires_at            timestamptz,
  previous_token_hash   bytea       check (octet_length(previous_token_hash) = 32),
  previous_valid_until  timestamptz,
  models                string_list not null default '{}', -- empty: the team's
  allowed_routes        string_list, -- null: inference and information
  aliases               string_map  not null default '{}',
  tags                  string_list not null default '{}',
  guardrails            string_list not null default '{}',
  rpm_limit             integer     check (rpm_limit >= 0),
  tpm_limit             integer     check (tpm_limit >= 0),
  max_parallel_requests integer     check (max_parallel_requests >= 0),
  model_rpm_limits      limit_map   not null default '{}',
  model_tpm_limits      limit_map   not null default '{}',
  metadata              jsonb       not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),
  rotated_at            timestamptz,
  last_used_at          timestamptz,
  foreign key (organization_id, team_id) references teams (organization_id, id),
  -- After a rotation the old secret either has an end or is not kept at all.
  check ((previous_token_hash is null) = (previous_valid_until is null))
);
create index api_keys_team on api_keys (organization_id, team_id);
create unique index api_keys_previous_token_hash on api_keys (previous_token_hash) where previous_token_hash is not null;

alter table api_keys enable row level security;
alter table api_keys force row level security;

create policy gateway_reads_all on api_keys for select to tollgate_gateway using (true);
create policy worker_reads_all on api_keys for select to tollgate_worker using (true);
create policy platform_stays_inside on api_keys to tollgate_platform
  using (tollgate_may_see(organization_id)) with check (tollgate_may_see(organization_id));

grant select on api_keys to tollgate_gateway, tollgate_worker;
grant select, insert, update on api_keys to tollgate_platform;

create trigger api_key_made_notice after insert or delete on api_keys
  for each row execute function tollgate_send_key_notice();

-- The time of last use changes all the time and decides nothing, so it tells nobody.
create trigger api_key_changed_notice after update on api_keys
  for each row
  when ((to_jsonb(old) - 'last_used_at' - 'updated_at') is distinct from (to_jsonb(new) - 'last_used_at' - 'updated_at'))
  execute function tollgate_send_key_notice();

-- What a unit costs, as it was when calls were admitted under it. A row is never changed: a new price is a new row, and
-- its id is derived from what it says, so every process that knows the same price names it alike.
create table price_versions (
  id                     text        primary key check (id ~ '^price_[0-9a-f]{32}$'),
  model                  text        not null check (char_length(model) between 1 and 300), -- `<provider>/<model>`
  input_pico             bigint      not null check (input_pico >= 0), -- pico-USD per token
  output_pico            bigint      not null check (output_pico >= 0),
  cache_read_pico        bigint      check (cache_read_pico >= 0), -- null: charged as input
  cache_write_pico       bigint      check (cache_write_pico >= 0),
  reasoning_pico         bigint      check (reasoning_pico >= 0), -- null: charged as output
  first_seen_at          timestamptz not null default now(),
  audio_input_pico       bigint      check (audio_input_pico >= 0), -- null: charged as input
  audio_output_pico      bigint      check (audio_output_pico >= 0), -- null: charged as output
  per_character_pico     bigint      check (per_character_pico >= 0), -- null: not charged by it, as the next two
  per_second_pico        bigint      check (per_second_pico >= 0),
  per_image_pico         bigint      check (per_image_pico >= 0),
  -- For the whole of a call whose prompt has more tokens than this; null: there is no such tier.
  tier_above             bigint      check (tier_above >= 0),
  tier_input_pico        bigint      check (tier_input_pico >= 0), -- null: as for any other, as the next three
  tier_output_pico       bigint      check (tier_output_pico >= 0),
  tier_cache_read_pico   bigint      check (tier_cache_read_pico >= 0),
  tier_cache_write_pico  bigint      check (tier_cache_write_pico >= 0)
);

create trigger price_versions_are_final before update or delete or truncate on price_versions
  for each statement execute function tollgate_refuse_change();

-- Prices belong to the operator, not to a tenant: everyone may read them.
grant select on price_versions to tollgate_gateway, tollgate_platform, tollgate_worker;

-- The books. A posting moves a positive amount from one account to another, so an unbalanced entry cannot exist; nothing
-- is ever changed or removed, so a correction is a new entry.
create table ledger_accounts (
  id              text        primary key check (id ~ '^(org:org_[0-9A-HJKMNP-TV-Z]{26}:credits|sys:[a-z]+|ext:[a-z]+)$'),
  organization_id text        references organizations (id),
  may_be_negative boolean     not null,
  created_at      timestamptz not null default now(),
  check ((organization_id is not null) = (id like 'org:%'))
);
insert into ledger_accounts (id, may_be_negative)
values ('ext:stripe', true), ('ext:fake', true), ('ext:manual', true), ('ext:promo', true), ('ext:adjust', true), ('sys:revenue', false);

create table ledger_transactions (
  id              text        primary key check (id ~ '^txn_[0-9A-HJKMNP-TV-Z]{26}$'),
  kind            text        not null check (kind in
    ('purchase', 'grant', 'usage', 'usage_reversal', 'refund', 'dispute', 'dispute_won', 'expiry', 'adjustment')),
  organization_id text        not null references organizations (id),
  idempotency_key text        not null unique check (char_length(idempotency_key) between 1 and 300),
  body_digest     bytea       check (octet_length(body_digest) = 32), -- of what was asked, so that a reused key is noticed
  reference       text,
  description     text,
  actor           text        not null,
  metadata        jsonb       not null default '{}',
  balance_after   bigint      not null, -- nano-USD, the organization's balance once this entry was in
  created_at      timestamptz not null default now()
);
create index ledger_transactions_organization on ledger_transactions (organization_id, created_at desc, id);
-- What one administrator has moved by hand in a day is summed up before each time.
create index ledger_transactions_by_hand on ledger_transactions (actor, created_at)
  where kind in ('grant', 'adjustment');

create table ledger_postings (
  transaction_id text     not null references ledger_transactions (id),
  seq            smallint not null,
  source         text     not null references ledger_accounts (id),
  destination    text     not null references ledger_accounts (id),
  amount         bigint   not null check (amount > 0), -- nano-USD
  primary key (transaction_id, seq),
  check (source <> destination)
);
create index ledger_postings_source on ledger_postings (source);
create index ledger_postings_destination on ledger_postings (destination);

-- One row per organization: what its postings sum up to, kept current by the transactions that write them.
-- Whoever touches an organization's money locks this row first, organizations in the order of their ids.
create table organization_quota (
  organization_id       text        primary key references organizations (id),
  balance               bigint      not null default 0, -- nano-USD, as are all amounts here
  leased                bigint      not null default 0 check (leased >= 0),
  mode                  text        not null default 'slices' check (mode in ('slices', 'exact')),
  largest_hold          bigint      not null default 0, -- of about the last ten minutes
  largest_hold_at       timestamptz not null default now(),
  recall                bigint      not null default 0, -- number of the last recall of idle credit
  total_purchased       bigint      not null default 0,
  total_granted         bigint      not null default 0,
  total_used            bigint      not null default 0,
  total_refunded        bigint      not null default 0,
  total_expired         bigint      not null default 0,
  total_adjusted        bigint      not null default 0,
  low_balance_threshold bigint      check (low_balance_threshold >= 0),
  version               bigint      not null default 0,
  updated_at            timestamptz not null default now(),
  check (balance = total_purchased + total_granted + total_adjusted - total_used - total_refunded - total_expired)
);

-- Credit that was given with an end date is used before credit that was bought.
create table grant_lots (
  id              text        primary key, -- the id of the grant's ledger transaction
  organization_id text        not null references organizations (id),
  amount          bigint      not null check (amount > 0),
  remaining       bigint      not null check (remaining >= 0),
  expires_at      timestamptz not null,
  expired_at      timestamptz,
  check (remaining <= amount)
);
create index grant_lots_open on grant_lots (organization_id, expires_at) where remaining > 0;

-- What others must hear of, written with the change itself and delivered at least once.
create table outbox (
  id              bigint      generated always as identity primary key,
  organization_id text        references organizations (id),
  type            text        not null,
  data            jsonb       not null default '{}',
  created_at      timestamptz not null default now(),
  delivered_at    timestamptz,
  -- What a listener knows an event by, however often it comes. The number above would tell how busy others are.
  event_id        text        not null default 'evt_' || crockford_of(make_uuid_v7())
);
create index outbox_waiting on outbox (id) where delivered_at is null;

-- Who changed what. Each organization's rows are chained by hash, so that a removed row is visible.
create table audit_log (
  id              text        primary key,
  organization_id text        references organizations (id),
  seq             bigint      not null,
  at              timestamptz not null default now(),
  actor           jsonb       not null,
  action          text        not null,
  target          jsonb       not null,
  request_id      text,
  before          jsonb,
  after           jsonb,
  previous_hash   bytea,
  hash            bytea       not null,
  unique nulls not distinct (organization_id, seq)
);
create index audit_log_time on audit_log (at desc, id desc);

do $$
declare
  name text;
begin
  foreach name in array array['ledger_accounts', 'ledger_transactions', 'organization_quota', 'grant_lots', 'outbox', 'audit_log'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy worker_reaches_all on %I to tollgate_worker using (true) with check (true)', name);
    execute format('create policy platform_stays_inside on %I to tollgate_platform
      using (tollgate_may_see(organization_id)) with check (tollgate_may_see(organization_id))', name);
  end loop;
  foreach name in array array['ledger_transactions', 'ledger_postings', 'audit_log'] loop
    execute format('create trigger %I before update or delete or truncate on %I
      for each statement execute function tollgate_refuse_change()', name || '_are_final', name);
  end loop;
end
$$;

-- A posting has no tenant column of its own: it is seen by whoever sees its transaction.
alter table ledger_postings enable row level security;
alter table ledger_postings force row level security;
create policy worker_reaches_all on ledger_postings to tollgate_worker using (true) with check (true);
create policy platform_stays_inside on ledger_postings to tollgate_platform
  using (exists (select from ledger_transactions where ledger_transactions.id = transaction_id))
  with check (exists (select from ledger_transactions where ledger_transactions.id = transaction_id));

-- The accounts of the system itself are no tenant's, yet every posting names one.
create policy platform_sees_system_accounts on ledger_accounts for select to tollgate_platform using (organization_id is null);

grant select on ledger_accounts, ledger_transactions, ledger_postings, organization_quota, grant_lots, outbox, audit_log
  to tollgate_platform, tollgate_worker;

create table usage_events (
  id                  uuid        not null,
  day                 date        not null check (day = day_of_event(id)),
  organization_id     text, -- null: a call of the operator's own key
  team_id             text,
  key_id              text        not null,
  user_id             text,
  request_id          text        not null, -- the client's own label, or the id again
  endpoint            text        not null,
  model_group         text        not null,
  deployment_id       text,
  provider            text,
  is_stream           boolean     not null,
  status              text        not null check (status in ('success', 'failure', 'client_disconnect')),
  http_status         smallint    not null,
  error_code          text,
  input_tokens        bigint      not null check (input_tokens >= 0),
  cache_read_tokens   bigint      not null check (cache_read_tokens >= 0),
  cache_write_tokens  bigint      not null check (cache_write_tokens >= 0),
  output_tokens       bigint      not null check (output_tokens >= 0),
  reasoning_tokens    bigint      not null check (reasoning_tokens between 0 and output_tokens),
  usage_source        text        not null check (usage_source in ('reported', 'estimated')),
  price_version_id    text,
  cost                bigint      not null check (cost >= 0), -- nano-USD
  is_billed           boolean     not null, -- false: no credit pays for it (billing off, or the operator's own key)
  hold                bigint      not null check (hold >= 0),
  from_lease          bigint      not null check (from_lease >= 0), -- what really ended the lease's share
  node_id             text        not null,
  epoch               integer     not null,
  latency_ms          integer     not null,
  first_token_ms      integer,
  transaction_id      text, -- the usage transaction whose amount contains this cost
  state               text        not null default 'settled' check (state in ('settled', 'void')),
  ended_at            timestamptz not null,
  settled_at          timestamptz not null default now(),
  audio_input_tokens  bigint      not null default 0, -- a part of input_tokens
  audio_output_tokens bigint      not null default 0, -- a part of output_tokens, none of it reasoning
  characters          bigint      not null default 0, -- of a text that was spoken
  audio_ms            bigint      not null default 0, -- of audio that was transcribed or spoken
  images              bigint      not null default 0, -- that were generated
  attempts            integer     not null default 1, -- calls to upstreams
  fallback_from       text, -- the group that was asked for when another one answered
  end_user            text, -- whom the client called for, in its own words
  -- Where the time of a call went, in microseconds; all null for calls that nobody measured. No sum depends on them.
  gateway_before_us   integer,
  queue_us            integer,
  failed_us           integer,
  gateway_after_us    integer,
  primary key (day, id)
) partition by range (day);

-- For ids of clocks that are far off.
create table usage_events_other partition of usage_events default;
create index usage_events_organization on usage_events (organization_id, id desc);
create index usage_events_transaction on usage_events (transaction_id) where transaction_id is not null;
-- A partition for each of the coming days. Workers add the later ones.
select ensure_usage_partitions((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + 7);
-- A call without a label of its client is found by its id, so only those with one pay for these. As patterns, because
-- people type how a label begins.
create index usage_events_label on usage_events (organization_id, request_id text_pattern_ops) where request_id <> id::text;
-- Few calls fail, and those are looked for.
create index usage_events_code on usage_events (organization_id, error_code, id desc) where error_code is not null;
-- Rows are appended in this order, and all of a batch have the same time, so it costs little to keep.
create index usage_events_settled on usage_events (day, settled_at);
-- The latest failures, of an organization and of all: few rows among many.
create index usage_events_failures on usage_events (organization_id, id desc) where status = 'failure';
create index usage_events_all_failures on usage_events (id desc) where status = 'failure';

-- Not validated, because databases that adopt this baseline have not validated it either.
alter table usage_events add constraint usage_events_units check (
  least(audio_input_tokens, audio_output_tokens, characters, audio_ms, images, attempts) >= 0
  and audio_input_tokens <= input_tokens and audio_output_tokens + reasoning_tokens <= output_tokens
) not valid;

-- The units of a call as its event lists them.
create type event_units as (
  "inputTokens" bigint, "cacheReadTokens" bigint, "cacheWriteTokens" bigint,
  "outputTokens" bigint, "reasoningTokens" bigint, source text,
  "audioInputTokens" bigint, "audioOutputTokens" bigint, "characters" bigint, "audioMs" bigint, "images" bigint
);

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
  -- The largest values tell where a list by cost, time or tokens has to look. `latency_n` counts the calls of step n.
  max_cost bigint not null default 0, max_latency_ms integer not null default 0,
  max_tokens bigint not null default 0,
  latency_0 integer not null default 0, latency_1 integer not null default 0,
  latency_2 integer not null default 0, latency_3 integer not null default 0,
  latency_4 integer not null default 0, latency_5 integer not null default 0,
  latency_6 integer not null default 0, latency_7 integer not null default 0,
  latency_8 integer not null default 0, latency_9 integer not null default 0,
  latency_10 integer not null default 0, latency_11 integer not null default 0,
  latency_12 integer not null default 0, latency_13 integer not null default 0,
  latency_14 integer not null default 0, latency_15 integer not null default 0,
  latency_16 integer not null default 0, latency_17 integer not null default 0,
  latency_18 integer not null default 0, latency_19 integer not null default 0,
  primary key (organization_id, bucket_at, team_id, key_id, model_group, provider)
);
-- What a key has used, and when it was used last.
create index usage_rollups_key on usage_rollups (organization_id, key_id, bucket_at);
-- For sums over all organizations. Rows come in the order of time, so that ranges of pages suffice; an index of every row
-- would be taken for the sums of one organization too, which have a better one.
create index usage_rollups_time on usage_rollups using brin (bucket_at) with (pages_per_range = 16);

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
  end loop;
  -- The same rule as `tollgate_may_see`, asked once for a statement and not once for each of a hundred thousand rows.
  foreach name in array array['usage_events', 'usage_rollups'] loop
    execute format('create policy platform_stays_inside on %I for select to tollgate_platform
      using (organization_id = (select current_setting(''tollgate.organization_id'', true))
        or (select current_setting(''tollgate.administrator'', true)) = ''on'')', name);
  end loop;
  foreach name in array array['parked_events', 'usage_day_seals'] loop
    execute format('create policy platform_stays_inside on %I for select to tollgate_platform
      using (tollgate_may_see(organization_id))', name);
  end loop;
end
$$;
grant select on usage_events, parked_events, usage_rollups, usage_day_seals to tollgate_platform, tollgate_worker;

-- A gateway process: its journal directory (node) and how often it has started (epoch).
create table gateway_nodes (
  node_id           text        primary key check (node_id ~ '^node_[0-9A-HJKMNP-TV-Z]{26}$'),
  epoch             integer     not null,
  beat              bigint      not null default 0, -- number of the last heartbeat; a node that knows a higher one meets a restored database
  started_at        timestamptz not null default now(),
  alive_until       timestamptz not null,
  oldest_unconfirmed_at timestamptz, -- of its journal, as last reported
  host              text        not null default ''
);

-- Credit set aside for one run of one gateway process. The amounts only grow, so the row explains itself.
create table credit_leases (
  organization_id text        not null references organizations (id),
  node_id         text        not null,
  epoch           integer     not null,
  granted         bigint      not null default 0,
  returned        bigint      not null default 0,
  settled         bigint      not null default 0,
  reclaimed       bigint      not null default 0,
  outstanding     bigint      generated always as (granted - returned - settled - reclaimed) stored check (outstanding >= 0),
  seq             bigint      not null default 0, -- of the node's last request for this organization, whatever purse it was for
  recall_seen     bigint      not null default 0,
  state           text        not null default 'active' check (state in ('active', 'lapsed', 'closing', 'closed', 'reclaimed')),
  lapsed_at       timestamptz,
  created_at      timestamptz not null default now(),
  primary key (organization_id, node_id, epoch)
) with (fillfactor = 50);

-- By state, which seldom changes: an index on an amount would have to be written with every grant.
create index credit_leases_of_node on credit_leases (node_id, epoch) where state in ('active', 'lapsed', 'closing');
create index credit_leases_of_organization on credit_leases (organization_id) where state in ('active', 'lapsed', 'closing');
create index credit_leases_lapsed on credit_leases (lapsed_at) where state = 'lapsed';

-- What nodes say of their leases, for people to look at. Never used for a decision.
create unlogged table lease_use (
  organization_id text        not null,
  node_id         text        not null,
  epoch           integer     not null,
  in_use          bigint      not null,
  calls           integer     not null,
  at              timestamptz not null default now(),
  primary key (organization_id, node_id, epoch)
);

-- A limit on what a key, team, user or organization may spend, for ever or in each period.
create table budgets (
  organization_id text        not null references organizations (id),
  scope           text        not null check (scope in ('key', 'team', 'user', 'organization')),
  scope_id        text        not null,
  amount          bigint      not null check (amount >= 0), -- nano-USD
  period          text        not null default 'none' check (period ~ '^(none|daily|weekly|monthly|[1-9][0-9]{0,5}(s|m|h|d|mo))$'),
  updated_at      timestamptz not null default now(),
  primary key (organization_id, scope, scope_id)
);

create table budget_windows (
  organization_id text        not null references organizations (id),
  scope           text        not null check (scope in ('key', 'team', 'user', 'organization')),
  scope_id        text        not null,
  starts_at       timestamptz not null,
  ends_at         timestamptz not null, -- infinity for a budget without a period
  amount          bigint      not null check (amount >= 0),
  spent           bigint      not null default 0 check (spent >= 0),
  leased          bigint      not null default 0 check (leased >= 0),
  mode            text        not null default 'slices' check (mode in ('slices', 'exact')),
  largest_hold    bigint      not null default 0,
  largest_hold_at timestamptz not null default now(),
  recall          bigint      not null default 0,
  primary key (organization_id, scope, scope_id, starts_at)
) with (fillfactor = 50);

create table budget_leases (
  organization_id text        not null,
  scope           text        not null,
  scope_id        text        not null,
  starts_at       timestamptz not null,
  node_id         text        not null,
  epoch           integer     not null,
  granted         bigint      not null default 0,
  returned        bigint      not null default 0,
  settled         bigint      not null default 0,
  reclaimed       bigint      not null default 0,
  outstanding     bigint      generated always as (granted - returned - settled - reclaimed) stored check (outstanding >= 0),
  recall_seen     bigint      not null default 0,
  primary key (organization_id, scope, scope_id, starts_at, node_id, epoch),
  foreign key (organization_id, scope, scope_id, starts_at) references budget_windows
) with (fillfactor = 50);
create index budget_leases_of_node on budget_leases (node_id, organization_id, epoch);

do $$
declare
  name text;
begin
  foreach name in array array['credit_leases', 'lease_use', 'budgets', 'budget_windows', 'budget_leases'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy worker_reaches_all on %I to tollgate_worker using (true) with check (true)', name);
    execute format('create policy gateway_reads_all on %I for select to tollgate_gateway using (true)', name);
    execute format('create policy platform_stays_inside on %I to tollgate_platform
      using (tollgate_may_see(organization_id)) with check (tollgate_may_see(organization_id))', name);
  end loop;
end
$$;
grant select on gateway_nodes, credit_leases, lease_use, budgets, budget_windows, budget_leases
  to tollgate_gateway, tollgate_platform, tollgate_worker;
grant insert, update, delete on budgets to tollgate_platform;
create trigger budget_notice after insert or update or delete on budgets
  for each row execute function tollgate_send_budget_notice();

create trigger organization_opens_books after insert on organizations
  for each row execute function open_organization_books();

-- The books may change the state of a team. No other work of that role may: it has no right to update.
create policy books_block_and_unblock on teams for update to tollgate_worker using (true) with check (true);
create trigger team_of_debtor_is_blocked before insert or update of organization_id, status on teams
  for each row when (new.status = 'active') execute function block_team_of_debtor();

-- A purse as a request sees it, with this node's lease of it. No scope: the organization's credit.
create type leased_purse as (
  organization_id text,
  scope           text,
  scope_id        text,
  starts_at       timestamptz,
  seq             bigint, -- these four are the lease's
  granted         bigint,
  returned        bigint,
  recall_seen     bigint,
  outstanding     bigint, -- as it was before the request
  balance         bigint, -- and these the purse's: the balance, or the limit less what is spent
  leased          bigint,
  mode            text,
  largest_hold    bigint,
  largest_hold_at timestamptz,
  recall          bigint
);

create type served_request as (purses leased_purse[], denial jsonb);

-- People, their sessions, and where they belong.

create table users (
  id                   integer     generated by default as identity primary key,
  email                text        not null check (char_length(email) <= 254 and email = lower(email)),
  name                 text        not null check (char_length(name) between 1 and 100),
  role                 text        not null default 'user' check (role in ('user', 'admin')),
  status               text        not null default 'active' check (status in ('active', 'disabled', 'deleted')),
  email_verified_at    timestamptz,
  last_organization_id text        references organizations (id),
  last_login_at        timestamptz,
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now()
);
create unique index users_email on users (email);

-- Apart from the person, so that no ordinary query can carry a hash away: only the door sees these rows.
create table user_credentials (
  user_id             integer     primary key references users (id) on delete cascade,
  password_hash       text        not null, -- Argon2id, PHC string
  password_changed_at timestamptz not null default now(),
  totp_secret         text, -- sealed
  totp_confirmed_at   timestamptz,
  totp_last_step      bigint -- a code works once
);

create table sessions (
  id                     text        primary key check (id ~ '^ses_[0-9A-HJKMNP-TV-Z]{26}$'),
  user_id                integer     not null references users (id),
  current_jti            text        not null,
  previous_jti           text,
  rotated_at             timestamptz not null default now(),
  authenticated_at       timestamptz not null default now(), -- when a password (and code) was last shown
  active_organization_id text        references organizations (id),
  created_at             timestamptz not null default now(),
  last_seen_at           timestamptz not null default now(),
  expires_at             timestamptz not null, -- whatever happens
  revoked_at             timestamptz,
  user_agent             text,
  ip                     text
);
create index sessions_user on sessions (user_id) where revoked_at is null;

-- Tokens are signed with the newest key that is not retired, and verified with every one that is not forgotten.
create table signing_keys (
  kid         text        primary key,
  public_key  jsonb       not null,
  private_key text        not null, -- sealed
  created_at  timestamptz not null default now(),
  retired_at  timestamptz, -- signs no more
  forgotten_at timestamptz -- verifies no more
);

-- Links that mails carry. What is stored is a digest: whoever reads this table can follow none of them.
create table user_tokens (
  digest     bytea       primary key check (octet_length(digest) = 32),
  user_id    integer     not null references users (id),
  purpose    text        not null check (purpose in ('reset_password', 'verify_email')),
  expires_at timestamptz not null,
  used_at    timestamptz,
  created_at timestamptz not null default now()
);
create index user_tokens_user on user_tokens (user_id);

-- Where addresses are verified first, a sign-up is only this until its link is followed. There is a row for an address
-- that has an account as well, with a link that nobody was sent: both cost the same, and neither is told apart.
create table sign_ups (
  digest             bytea       primary key check (octet_length(digest) = 32),
  email              text        not null check (char_length(email) <= 254 and email = lower(email)),
  name               text        not null check (char_length(name) between 1 and 100),
  password_hash      text        not null,
  organization_name  text        check (char_length(organization_name) between 1 and 100),
  invitation_digest  bytea,
  expires_at         timestamptz not null,
  created_at         timestamptz not null default now()
);
create index sign_ups_email on sign_ups (email, created_at);

-- Counted by digest of the address, known or not, so that counting tells nobody which it is.
create table login_failures (
  email_digest      bytea       primary key,
  failures          integer     not null,
  window_started_at timestamptz not null,
  locked_until      timestamptz
);

-- Columns that name people, who in turn name organizations.
alter table organizations
  add column owner_id           integer     references users (id),
  add column billing_email      text        check (char_length(billing_email) <= 254),
  add column is_personal        boolean     not null default false,
  add column log_prompts        boolean     not null default false,
  add column log_retention_days integer     not null default 90 check (log_retention_days between 1 and 3650),
  add column closed_at          timestamptz,
  add column timezone           text        not null default 'UTC' check (char_length(timezone) between 1 and 64);
create unique index organizations_name on organizations (owner_id, lower(name)) where owner_id is not null and status = 'active';

create table organization_members (
  organization_id text        not null references organizations (id),
  user_id         integer     not null references users (id),
  role            text        not null check (role in ('owner', 'admin', 'member')),
  joined_at       timestamptz not null default now(),
  primary key (organization_id, user_id)
);
create index organization_members_user on organization_members (user_id);

create table team_members (
  organization_id text        not null,
  team_id         text        not null,
  user_id         integer     not null,
  role            text        not null check (role in ('admin', 'member')),
  joined_at       timestamptz not null default now(),
  primary key (team_id, user_id),
  foreign key (organization_id, team_id) references teams (organization_id, id),
  -- Whoever leaves the organization leaves its teams.
  foreign key (organization_id, user_id) references organization_members (organization_id, user_id) on delete cascade
);
create index team_members_user on team_members (user_id, organization_id);

create table invitations (
  id              text        primary key check (id ~ '^inv_[0-9A-HJKMNP-TV-Z]{26}$'),
  organization_id text        not null references organizations (id),
  team_id         text,
  email           text        not null check (char_length(email) <= 254 and email = lower(email)),
  role            text        not null check (role in ('admin', 'member')),
  token_digest    bytea       not null unique check (octet_length(token_digest) = 32),
  invited_by      integer     not null references users (id),
  status          text        not null default 'pending' check (status in ('pending', 'accepted', 'declined', 'revoked')),
  expires_at      timestamptz not null,
  created_at      timestamptz not null default now(),
  decided_at      timestamptz,
  foreign key (organization_id, team_id) references teams (organization_id, id)
);
create unique index invitations_pending on invitations (organization_id, coalesce(team_id, ''), email) where status = 'pending';
create index invitations_email on invitations (email) where status = 'pending';

-- functions: tollgate_is_member, tollgate_shares_organization, tollgate_user_email
do $$
declare
  name text;
begin
  foreach name in array array['users', 'user_credentials', 'sessions', 'signing_keys', 'user_tokens', 'sign_ups', 'login_failures',
      'organization_members', 'team_members', 'invitations'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
  end loop;
end
$$;

-- What is the same for every row is asked once, in a query of its own: asked for each, it costs more than the row.
create policy platform_sees on users for select to tollgate_platform
  using ((select tollgate_at_door() or tollgate_is_administrator()) or id = (select tollgate_user())
    or tollgate_shares_organization(id));
create policy platform_adds on users for insert to tollgate_platform
  with check (tollgate_at_door() or tollgate_is_administrator());
create policy platform_changes on users for update to tollgate_platform
  using (tollgate_at_door() or tollgate_is_administrator() or id = tollgate_user());
create policy platform_at_door on user_credentials to tollgate_platform using (tollgate_at_door()) with check (tollgate_at_door());
create policy platform_own on sessions to tollgate_platform
  using (tollgate_at_door() or tollgate_is_administrator() or user_id = tollgate_user());
create policy platform_at_door on user_tokens to tollgate_platform
  using (tollgate_at_door() or tollgate_is_administrator()) with check (tollgate_at_door());
create policy platform_at_door on sign_ups to tollgate_platform using (tollgate_at_door()) with check (tollgate_at_door());
create policy platform_at_door on login_failures to tollgate_platform
  using (tollgate_at_door() or tollgate_is_administrator()) with check (tollgate_at_door());
create policy platform_signs on signing_keys to tollgate_platform using (true) with check (true);
create policy gateway_verifies on signing_keys for select to tollgate_gateway using (true);
create policy worker_forgets on signing_keys to tollgate_worker using (true);
create policy platform_stays_inside on organization_members to tollgate_platform
  using (tollgate_may_see(organization_id) or tollgate_at_door() or user_id = tollgate_user())
  with check (tollgate_may_see(organization_id));
create policy platform_stays_inside on team_members to tollgate_platform
  using (tollgate_may_see(organization_id) or user_id = tollgate_user())
  with check (tollgate_may_see(organization_id));
create policy platform_stays_inside on invitations to tollgate_platform
  using (tollgate_may_see(organization_id) or tollgate_at_door() or email = tollgate_user_email())
  with check (tollgate_may_see(organization_id) or tollgate_at_door() or email = tollgate_user_email());
create policy platform_sees_own on organizations for select to tollgate_platform
  using ((select tollgate_at_door()) or (not (select tollgate_is_administrator()) and tollgate_is_member(id)));

-- A member moves between organizations, and a link names the team it leads to, before any of them is the active one.
create policy platform_sees_own on teams for select to tollgate_platform
  using ((select tollgate_at_door()) or (not (select tollgate_is_administrator()) and tollgate_is_member(organization_id)));

grant select, insert, update on users, sessions, user_tokens, invitations to tollgate_platform;
grant select, insert, delete on sign_ups to tollgate_platform;
grant select, insert, update, delete on user_credentials, login_failures, organization_members, team_members, signing_keys
  to tollgate_platform;
grant delete on user_tokens, sessions, invitations to tollgate_platform;
grant select (kid, public_key, created_at, retired_at, forgotten_at) on signing_keys to tollgate_gateway;
grant select (kid, created_at, retired_at, forgotten_at), update (retired_at, forgotten_at) on signing_keys to tollgate_worker;

-- Workers tidy what has ended.
create policy worker_tidies on sessions to tollgate_worker using (true);
create policy worker_tidies on user_tokens to tollgate_worker using (true);
create policy worker_tidies on sign_ups to tollgate_worker using (true);
create policy worker_tidies on login_failures to tollgate_worker using (true);
create policy worker_tidies on invitations to tollgate_worker using (true);
create policy worker_reads_all on users for select to tollgate_worker using (true);
create policy worker_reads_all on organization_members for select to tollgate_worker using (true);
create policy worker_reads_all on team_members for select to tollgate_worker using (true); -- for `is_key_of_leader`
grant select, delete on sessions, user_tokens, sign_ups, login_failures to tollgate_worker;
grant select, update, delete on invitations to tollgate_worker;
grant select on users, organization_members to tollgate_worker;

-- What every change through the management interface leaves behind, and what makes it happen once.

-- The answer to a request that carried an idempotency key, written in the transaction that did what was asked.
create table idempotency_keys (
  user_id     integer     not null references users (id),
  method      text        not null,
  path        text        not null,
  key         text        not null check (char_length(key) between 1 and 255),
  body_digest bytea       not null check (octet_length(body_digest) = 32),
  status      smallint    not null,
  body        text        not null, -- as sent, but for secrets
  created_at  timestamptz not null default now(),
  primary key (user_id, method, path, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy platform_own on idempotency_keys to tollgate_platform
  using (user_id = tollgate_user() or tollgate_is_administrator()) with check (user_id = tollgate_user());
create policy worker_tidies on idempotency_keys to tollgate_worker using (true);
grant select, insert, delete on idempotency_keys to tollgate_platform;
grant select, delete on idempotency_keys to tollgate_worker;

-- What an audit row says of people. The row itself keeps a salted digest of it, so that this can be erased and the
-- chain still proves that nothing else was touched.
create table audit_personal (
  audit_id text      primary key references audit_log (id),
  subjects integer[] not null, -- whom it is about
  salt     bytea     not null,
  personal jsonb     -- null: erased
);
create index audit_personal_subjects on audit_personal using gin (subjects);

-- Who was named before they had an account is found by their address, as a whole value at whatever depth.
create index audit_personal_values on audit_personal using gin (personal);
alter table audit_personal enable row level security;
alter table audit_personal force row level security;
create policy platform_with_row on audit_personal to tollgate_platform
  using (tollgate_is_administrator() or exists (select from audit_log where audit_log.id = audit_id));
create policy worker_reaches_all on audit_personal to tollgate_worker using (true) with check (true);
grant select on audit_personal to tollgate_platform, tollgate_worker; -- erased by erase_person alone

-- A change tells others of itself, and an organization says below which balance it wants to be warned. Amounts stay out of
-- reach: this is the one column of the quota row that people set.
grant insert (organization_id, type, data) on outbox to tollgate_platform;
grant update (low_balance_threshold) on organization_quota to tollgate_platform;

-- Models that an administrator offers, and the providers behind them. They belong to the operator, not to a tenant:
-- everyone may read of them, administrators change them, and gateways serve them besides those of their settings.

create table providers (
  id         text        primary key check (id ~ '^prov_[0-9A-HJKMNP-TV-Z]{26}$'),
  slug       text        not null check (slug ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  name       text        not null check (char_length(name) between 1 and 100),
  kind       text        not null check (char_length(kind) between 1 and 60), -- the dialect, by the gateway's name for it
  base_url   text        check (char_length(base_url) <= 2000), -- null: the usual address of its kind
  website    text        check (char_length(website) <= 2000),
  status     text        not null default 'available' check (status in ('available', 'degraded', 'unavailable')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz -- models that were served by it keep naming it
);
create unique index providers_slug on providers (slug) where deleted_at is null;

-- Apart from the provider, so that no query for the public can carry a credential away.
create table provider_credentials (
  provider_id text        primary key references providers (id) on delete cascade,
  api_key     text        not null, -- sealed
  updated_at  timestamptz not null default now()
);

create table catalogue_models (
  id                  text        primary key check (char_length(id) between 1 and 200), -- what callers name
  name                text        not null check (char_length(name) between 1 and 100),
  provider_id         text        not null references providers (id),
  inference_model_id  text        not null check (char_length(inference_model_id) between 1 and 200), -- what its provider calls it
  type                text        not null check (type in ('chat', 'completion', 'embedding', 'image', 'moderation', 'speech',
                                                           'transcription', 'rerank')),
  description         text        not null default '' check (char_length(description) <= 2000),
  context_window      integer     check (context_window > 0),
  max_output_tokens   integer     check (max_output_tokens > 0),
  capabilities        text[]      not null default '{}',
  input_modalities    text[]      not null default '{text}',
  output_modalities   text[]      not null default '{text}',
  params              jsonb       not null default '{}',
  price_version_id    text        references price_versions (id), -- what tokens cost now; null: nobody said
  per_image           bigint      check (per_image >= 0), -- nano-USD
  per_audio_second    bigint      check (per_audio_second >= 0),
  per_million_characters bigint   check (per_million_characters >= 0),
  status              text        not null default 'active' check (status in ('active', 'deprecated', 'disabled')),
  deprecated_at       timestamptz,
  created_at          timestamptz not null default now(),
  updated_at          timestamptz not null default now()
);
create index catalogue_models_provider on catalogue_models (provider_id);

do $$
declare
  name text;
begin
  foreach name in array array['providers', 'provider_credentials', 'catalogue_models'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy gateway_reads_all on %I for select to tollgate_gateway using (true)', name);
    execute format('create policy administrator_changes on %I to tollgate_platform
      using (tollgate_is_administrator()) with check (tollgate_is_administrator())', name);
    execute format('grant select on %I to tollgate_gateway', name);
    execute format('grant select, insert, update on %I to tollgate_platform', name);
  end loop;
end
$$;
create policy everyone_reads on providers for select to tollgate_platform using (true);
create policy everyone_reads on catalogue_models for select to tollgate_platform using (true);
grant delete on provider_credentials to tollgate_platform;
create trigger notice after insert or update or delete on providers
  for each statement execute function tollgate_send_catalogue_notice();
create trigger notice after insert or update or delete on provider_credentials
  for each statement execute function tollgate_send_catalogue_notice();
create trigger notice after insert or update or delete on catalogue_models
  for each statement execute function tollgate_send_catalogue_notice();

-- Credit that is bought. A purchase is written before anybody is asked for money, so a payment always finds it.
create table purchases (
  id                  text        primary key check (id ~ '^pur_[0-9A-HJKMNP-TV-Z]{26}$'),
  organization_id     text        not null references organizations (id),
  created_by          integer     not null references users (id),
  -- Kept for ever: a request that comes again, however late, is the same purchase.
  idempotency_key     text        not null check (char_length(idempotency_key) between 1 and 255),
  body_digest         bytea       not null check (octet_length(body_digest) = 32),
  provider            text        not null check (provider in ('stripe', 'fake', 'manual')),
  amount              bigint      not null check (amount > 0 and amount % 10000000 = 0), -- nano-USD, whole cents
  fee                 bigint      not null default 0 check (fee >= 0),
  tax                 bigint      not null default 0 check (tax >= 0),
  refunded            bigint      not null default 0 check (refunded between 0 and amount),
  shortfall           bigint      not null default 0 check (shortfall >= 0), -- what was missing to a balance of zero after it
  currency            text        not null default 'USD' check (currency = 'USD'),
  status              text        not null default 'pending' check (status in
    ('pending', 'processing', 'paid', 'failed', 'expired', 'refunded', 'disputed', 'review')),
  provider_session_id text,
  checkout_url        text,
  provider_payment_id text,
  receipt_url         text,
  invoice_url         text,
  paid_at             timestamptz, -- when its credit was posted
  asked_at            timestamptz, -- when the provider was last asked what became of it
  created_at          timestamptz not null default now(),
  updated_at          timestamptz not null default now(),
  checkout_at         timestamptz, -- when the page on which it can be paid was opened
  transaction_id      text        references ledger_transactions (id), -- the entry that credited it
  unblocked_teams     integer     not null default 0 check (unblocked_teams >= 0),
  unique (created_by, idempotency_key),
  unique (provider, provider_session_id),
  -- One payment pays for one purchase.
  unique (provider, provider_payment_id),
  check ((provider_session_id is null) = (checkout_url is null)),
  check (refunded = 0 or paid_at is not null)
);
create index purchases_organization on purchases (organization_id, created_at desc, id);
create index purchases_unresolved on purchases (created_at) where status in ('pending', 'processing');

-- What payment providers said, each event once. A purchase's state follows from the set of its events, so neither their
-- order nor how often they come matters; one whose purchase nobody knows yet waits here for it.
create table webhook_events (
  provider        text        not null check (provider in ('stripe', 'fake')),
  event_id        text        not null check (char_length(event_id) between 1 and 255),
  kind            text        not null,
  payment_id      text,
  purchase_id     text        references purchases (id),
  organization_id text        references organizations (id),
  is_foreign      boolean     not null default false, -- its payment is another purchase's
  facts           jsonb       not null,
  received_at     timestamptz not null default now(),
  primary key (provider, event_id),
  check ((purchase_id is null) = (organization_id is null))
);
create index webhook_events_purchase on webhook_events (purchase_id);
create index webhook_events_waiting on webhook_events (provider, payment_id) where purchase_id is null;

do $$
declare
  name text;
begin
  foreach name in array array['purchases', 'webhook_events'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy worker_reaches_all on %I to tollgate_worker using (true) with check (true)', name);
    execute format('create policy platform_stays_inside on %I to tollgate_platform
      using (tollgate_may_see(organization_id)) with check (tollgate_may_see(organization_id))', name);
  end loop;
end
$$;
grant select on purchases, webhook_events to tollgate_platform, tollgate_worker;
grant insert on purchases to tollgate_platform;

-- Whose it is, who pays and how much never changes.
grant update (status, tax, refunded, shortfall, provider_session_id, checkout_url, provider_payment_id, receipt_url,
  invoice_url, paid_at, updated_at, checkout_at, transaction_id, unblocked_teams)
  on purchases to tollgate_platform, tollgate_worker;
-- People may ask the payment provider before its turn comes, and then it need not be asked again at once.
grant update (asked_at) on purchases to tollgate_worker, tollgate_platform;
grant insert (organization_id, type, data) on outbox to tollgate_worker;

-- What reports read: how calls are spread over latencies, the sums of whole days, and calls that were refused.

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
create trigger sealed_day_is_summed_up after insert on usage_day_seals
  for each row when (new.organization_id = '') execute function sum_up_sealed_day();

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
create index refused_calls_label on refused_calls (organization_id, request_id text_pattern_ops) where request_id <> id::text;
create index refused_calls_code on refused_calls (organization_id, error_code, id desc) where error_code is not null;

create table refused_rollups (
  organization_id text        not null,
  bucket_at       timestamptz not null,
  team_id         text        not null,
  key_id          text        not null,
  model_group     text        not null,
  requests        bigint      not null,
  primary key (organization_id, bucket_at, team_id, key_id, model_group)
);

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

do $$
declare
  name text;
begin
  foreach name in array array['usage_days', 'usage_hours', 'refused_calls', 'refused_rollups', 'call_contents'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy worker_reaches_all on %I to tollgate_worker using (true) with check (true)', name);
    execute format('grant select on %I to tollgate_platform, tollgate_worker', name);
  end loop;
  -- As of usage events: asked once for a statement.
  foreach name in array array['usage_days', 'usage_hours', 'refused_calls', 'refused_rollups'] loop
    execute format('create policy platform_stays_inside on %I for select to tollgate_platform
      using (organization_id = (select current_setting(''tollgate.organization_id'', true))
        or (select current_setting(''tollgate.administrator'', true)) = ''on'')', name);
  end loop;
end
$$;

create policy platform_stays_inside on call_contents for select to tollgate_platform
  using (tollgate_may_see(organization_id));
-- The secret key is rotated by the operator's own command, which seals anew what was sealed under the one before.
create policy administrator_reseals on call_contents for update to tollgate_platform using (tollgate_is_administrator());
grant update (request, answer) on call_contents to tollgate_platform;

-- Who wants to hear of what outside, how far each message got, and what the nightly proof of the books found.

create table webhooks (
  id                text        primary key check (id ~ '^whk_[0-9A-HJKMNP-TV-Z]{26}$'),
  organization_id   text        not null references organizations (id),
  url               text        not null check (char_length(url) <= 2000),
  events            text[]      not null check (cardinality(events) between 1 and 50),
  secret            text        not null, -- sealed
  status            text        not null default 'active' check (status in ('active', 'disabled')),
  disabled_at       timestamptz,
  last_delivered_at timestamptz,
  created_by        integer     not null references users (id),
  created_at        timestamptz not null default now()
);
create index webhooks_organization on webhooks (organization_id, created_at);

-- One message for one listener. Of its answers nothing is kept but the status.
create table webhook_deliveries (
  webhook_id      text        not null references webhooks (id) on delete cascade,
  outbox_id       bigint      not null references outbox (id) on delete cascade,
  organization_id text        not null references organizations (id),
  attempts        smallint    not null default 0,
  last_outcome    text, -- a status such as 500, or timeout, unreachable, refused_address
  next_at         timestamptz not null,
  delivered_at    timestamptz,
  given_up_at     timestamptz,
  primary key (webhook_id, outbox_id)
);
create index webhook_deliveries_event on webhook_deliveries (outbox_id);
create index webhook_deliveries_waiting on webhook_deliveries (next_at) where delivered_at is null and given_up_at is null;
create trigger outbox_is_delivered after insert on outbox referencing new table as added
  for each statement execute function deliver_later();

-- Budgets of keys that their owners were told of, so that they are told once.
create table spent_budget_notices (
  organization_id text        not null,
  scope           text        not null,
  scope_id        text        not null,
  starts_at       timestamptz not null,
  primary key (organization_id, scope, scope_id, starts_at),
  foreign key (organization_id, scope, scope_id, starts_at) references budget_windows on delete cascade
);

-- What each proof of the books found. The operator's alone.
create table reconciliation_reports (
  id           bigint      generated always as identity primary key,
  started_at   timestamptz not null,
  finished_at  timestamptz not null,
  is_ok        boolean     not null,
  report       jsonb       not null -- {"checks": […]}
);
create index reconciliation_reports_age on reconciliation_reports (started_at);

do $$
declare
  name text;
begin
  foreach name in array array['webhooks', 'webhook_deliveries', 'spent_budget_notices', 'reconciliation_reports'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy worker_reaches_all on %I to tollgate_worker using (true) with check (true)', name);
  end loop;
  foreach name in array array['webhooks', 'webhook_deliveries'] loop
    execute format('create policy platform_stays_inside on %I to tollgate_platform
      using (tollgate_may_see(organization_id)) with check (tollgate_may_see(organization_id))', name);
  end loop;
end
$$;
create policy administrators_read on reconciliation_reports for select to tollgate_platform
  using (tollgate_is_administrator());

grant select, insert, delete on webhooks to tollgate_platform;

-- For re-sealing under a new key of the installation.
grant update (secret) on webhooks to tollgate_platform;
grant select on reconciliation_reports to tollgate_platform;
grant select, update (status, disabled_at, last_delivered_at) on webhooks to tollgate_worker;
grant select, insert, update, delete on webhook_deliveries to tollgate_worker;
grant select, insert, delete on reconciliation_reports to tollgate_worker;
grant update (delivered_at), insert (organization_id, type, data) on outbox to tollgate_worker;

-- Assistants, threads, messages and runs. What people wrote, and what models answered, is sealed under the installation's
-- key in `record`; the columns beside it are what has to be found, ordered or decided here.

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
create trigger run_events_are_told after insert on run_events for each row execute function tell_of_run();

-- What the console remembers of people and organizations, and how a browser lets a terminal in.

create table user_preferences (
  user_id     integer     primary key references users (id),
  preferences jsonb       not null check (jsonb_typeof(preferences) = 'object' and octet_length(preferences::text) <= 131072),
  updated_at  timestamptz not null default now()
);

-- Which steps of the setup checklist were skipped; which are done is asked of what they are about.
create table organization_onboarding (
  organization_id text        primary key references organizations (id),
  skipped         string_list not null default '{}',
  is_dismissed    boolean     not null default false,
  updated_at      timestamptz not null default now()
);

-- A terminal that asks to be let in. It knows the secret; whoever is signed in knows the code that it shows. Both are kept
-- as digests. What the browser allowed is a session of that person, which ends when the browser's own would have.
create table pairings (
  id              text        primary key check (id ~ '^pair_[0-9A-HJKMNP-TV-Z]{26}$'),
  code_digest     bytea       not null unique check (octet_length(code_digest) = 32),
  secret_digest   bytea       not null check (octet_length(secret_digest) = 32),
  client_name     text        not null check (char_length(client_name) between 1 and 100),
  ip              text        not null,
  status          text        not null default 'pending' check (status in ('pending', 'approved', 'denied', 'claimed')),
  user_id         integer     references users (id), -- who decided
  organization_id text        references organizations (id),
  session_ends_at timestamptz,
  wrong_secrets   smallint    not null default 0,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  decided_at      timestamptz,
  check ((status = 'pending') = (decided_at is null)),
  check (status not in ('approved', 'claimed') or (user_id is not null and session_ends_at is not null))
);
create index pairings_age on pairings (expires_at);

do $$
declare
  name text;
begin
  foreach name in array array['user_preferences', 'organization_onboarding', 'pairings'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
  end loop;
end
$$;
create policy platform_own on user_preferences to tollgate_platform
  using (tollgate_is_administrator() or user_id = tollgate_user())
  with check (tollgate_is_administrator() or user_id = tollgate_user());
create policy platform_stays_inside on organization_onboarding to tollgate_platform
  using (tollgate_may_see(organization_id)) with check (tollgate_may_see(organization_id));
create policy platform_at_door on pairings to tollgate_platform
  using (tollgate_at_door() or tollgate_is_administrator()) with check (tollgate_at_door());
create policy worker_tidies on pairings to tollgate_worker using (true);

grant select, insert, update, delete on user_preferences to tollgate_platform;
grant select, insert, update on organization_onboarding to tollgate_platform;
grant select, insert, update, delete on pairings to tollgate_platform;
grant select, delete on pairings to tollgate_worker;
