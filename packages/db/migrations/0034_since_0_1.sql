-- What 0.2.0 adds to 0.1.0. It replaces migrations 29 to 34: a database that has those does not run it.

-- Searches of documents, as providers of such count them: a query against so many documents is one.
alter table price_versions
  add column per_search_pico bigint check (per_search_pico >= 0); -- null: not charged by it
alter type event_units add attribute searches bigint;
alter table usage_events
  add column searches bigint not null default 0 check (searches >= 0);

-- A backup is read by whoever owns the tables, and must have every row. The owner reads most tables by being a worker too;
-- these are closed to workers.
create policy owner_backs_up on user_credentials for select to current_user using (true);
create policy owner_backs_up on user_preferences for select to current_user using (true);
create policy owner_backs_up on organization_onboarding for select to current_user using (true);

-- From PostgreSQL 16 on, whoever makes a role may give it away and is not in it. Processes log in as the owner and take
-- their roles, so the owner has to be in all of them.
do $$
declare
  role_name text;
begin
  if current_setting('server_version_num')::integer < 160000 then
    return;
  end if;
  foreach role_name in array array['tollgate_gateway', 'tollgate_platform', 'tollgate_worker'] loop
    if not (pg_has_role(current_user, role_name, 'SET') and pg_has_role(current_user, role_name, 'USAGE')) then
      execute format('grant %I to %I with inherit true, set true', role_name, current_user);
    end if;
  end loop;
end
$$;

-- What whoever manages a team wants to remember of it, as keys have it. Nothing here decides a call.
alter table teams add column metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object');

-- Calls to models that carry an Idempotency-Key: who makes each of them, and what it was answered, so that a retry gets
-- the answer and is no second call. The key itself is not stored, and the answer is sealed under the installation's key.
create table idempotent_calls (
  owner           text        not null, -- `team:…`, `user:…` or `key:…`
  operation       text        not null,
  key_digest      bytea       not null check (octet_length(key_digest) = 32),
  organization_id text,
  body_digest     bytea       not null check (octet_length(body_digest) = 32),
  -- The one call that may be made under this key: whoever holds another number writes nothing.
  claim           uuid        not null,
  state           text        not null default 'running' check (state in ('running', 'answered', 'too_long')),
  -- Until when a running call is believed to live without a sign of it. Past that nobody can tell what became of it.
  leased_until    timestamptz not null,
  expires_at      timestamptz not null,
  answer          text, -- sealed: status, content type and body
  primary key (owner, operation, key_digest),
  check ((state = 'answered') = (answer is not null))
);
create unique index idempotent_calls_claim on idempotent_calls (claim);
create index idempotent_calls_expired on idempotent_calls (expires_at);
create index idempotent_calls_organization on idempotent_calls (organization_id) where organization_id is not null;

alter table idempotent_calls enable row level security;
alter table idempotent_calls force row level security;
create policy gateway_stays_with_its_caller on idempotent_calls to tollgate_gateway
  using (tollgate_owns(owner)) with check (tollgate_owns(owner));
create policy worker_tidies on idempotent_calls to tollgate_worker using (true);
grant select, insert, update, delete on idempotent_calls to tollgate_gateway;
grant select, delete on idempotent_calls to tollgate_worker;

-- Responses that may be continued and read again. What was asked and what a model answered is sealed under the installation's
-- key in `record`; the columns beside it are what has to be found here.
create table responses (
  id              text        primary key check (id ~ '^resp_[0-9a-f]{32}$'),
  owner           text        not null, -- as of assistants: `team:…`, `user:…` or `key:…`
  organization_id text,
  -- What it continues. No reference: whoever deletes a response wants it gone, whatever continues it.
  previous_id     text        check (previous_id <> id),
  created_at      timestamptz not null default clock_timestamp(),
  -- A response that is continued lives as long as what continues it.
  expires_at      timestamptz not null default now() + interval '30 days',
  item_ids        text[]      not null default '{}', -- what it answered, for requests that only name it
  record          text        not null -- sealed: what was asked, and the response
);
create index responses_expiry on responses (expires_at);
create index responses_owner on responses (owner);
create index responses_items on responses using gin (item_ids);
create index responses_organization on responses (organization_id) where organization_id is not null;

alter table responses enable row level security;
alter table responses force row level security;
create policy gateway_stays_with_its_caller on responses to tollgate_gateway
  using (tollgate_owns(owner)) with check (tollgate_owns(owner));
create policy worker_reaches_all on responses to tollgate_worker using (true) with check (true);
create policy platform_erases on responses to tollgate_platform using (tollgate_is_administrator());
grant select, insert, update, delete on responses to tollgate_gateway;
grant select, delete on responses to tollgate_worker;
grant select, update, delete on responses to tollgate_platform;

-- The last migration that failed, until one ends well. A version that could not migrate does not start, so the one that
-- still runs has to tell. A failure before this migration has made the table itself.
create table if not exists schema_migration_failures (
  id        smallint    primary key default 1 check (id = 1),
  name      text        not null,
  release   text        not null,
  reason    text        not null,
  failed_at timestamptz not null default now()
);
grant select on schema_migration_failures to tollgate_platform, tollgate_worker;
