-- The operator's loss, and a bounded overdraft. It replaces migrations 35 and 36: a database that has those does not run it.

-- The operator's loss: work that a provider bills and no caller pays for (decision 42). It has a ledger account of its
-- own and never changes an organization's balance, budgets or sums.
insert into ledger_accounts (id, may_be_negative) values ('sys:loss', true);
-- Tables are changed in the order in which settlement uses them, so that the two do not wait for each other.
alter table usage_day_seals add column loss bigint not null default 0; -- the part of billed calls' price that the operator paid
alter table usage_events
  add column loss bigint not null default 0, -- nano-USD; cost and loss together are the price of the units
  add column loss_transaction_id text; -- the loss transaction whose amount contains this loss
alter table usage_events add constraint usage_events_loss_check check (loss >= 0) not valid;

-- A loss transaction belongs to no organization. Constraints are not validated here, because that reads whole tables.
alter table ledger_transactions alter column organization_id drop not null;
alter table ledger_transactions drop constraint ledger_transactions_kind_check;
alter table ledger_transactions
  add constraint ledger_transactions_kind_check check (kind in
    ('purchase', 'grant', 'usage', 'usage_reversal', 'refund', 'dispute', 'dispute_won', 'expiry', 'adjustment', 'loss'))
    not valid,
  add constraint ledger_transactions_loss_check check (
    (organization_id is null) = (kind = 'loss') and (kind = 'loss' or idempotency_key not like 'loss:%')) not valid;

-- Attempts that the operator pays for. There are few, so they are kept when the usage rows of their day are dropped.
create table lost_attempts (
  day                 date        not null check (day = day_of_event(event_id)),
  event_id            uuid        not null, -- the call
  seq                 smallint    not null check (seq > 0),
  organization_id     text, -- null: a call of the operator's own key
  reason              text        not null check (reason in ('retry', 'fallback', 'timeout', 'malformed', 'upstream')),
  deployment_id       text        not null,
  provider            text        not null,
  input_tokens        bigint      not null check (input_tokens >= 0),
  cache_read_tokens   bigint      not null check (cache_read_tokens >= 0),
  cache_write_tokens  bigint      not null check (cache_write_tokens >= 0),
  output_tokens       bigint      not null check (output_tokens >= 0),
  reasoning_tokens    bigint      not null check (reasoning_tokens between 0 and output_tokens),
  audio_input_tokens  bigint      not null check (audio_input_tokens >= 0),
  audio_output_tokens bigint      not null check (audio_output_tokens >= 0),
  characters          bigint      not null check (characters >= 0),
  audio_ms            bigint      not null check (audio_ms >= 0),
  images              bigint      not null check (images >= 0),
  searches            bigint      not null check (searches >= 0),
  usage_source        text        not null check (usage_source in ('reported', 'estimated')),
  price_version_id    text        not null references price_versions (id),
  cost                bigint      not null check (cost > 0), -- nano-USD
  transaction_id      text        references ledger_transactions (id), -- null: the call was not billed, so nothing was posted
  created_at          timestamptz not null default now(),
  primary key (day, event_id, seq)
);
create index lost_attempts_time on lost_attempts (created_at desc);

alter table lost_attempts enable row level security;
alter table lost_attempts force row level security;
create policy worker_reaches_all on lost_attempts to tollgate_worker using (true) with check (true);

-- Rows name the organization for the operator's reports. Customers see no losses, not even those of their own calls.
create policy administrator_sees_all on lost_attempts for select to tollgate_platform using (tollgate_may_see(null));
grant select on lost_attempts to tollgate_platform, tollgate_worker;
create trigger lost_attempts_are_final before update or delete or truncate on lost_attempts
  for each statement execute function tollgate_refuse_change();

-- `ledger verify` judges balances from before this migration by the rule that held then: since it, no hold exceeds what is
-- free by more than the overdraft.
grant select on schema_migrations to tollgate_worker;
