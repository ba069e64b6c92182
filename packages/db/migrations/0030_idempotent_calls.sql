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
