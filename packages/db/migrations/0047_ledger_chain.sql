-- Ledger entries chained by hash, one chain per organization (decision 89). Each settlement and each other entry appends
-- one row. The operator's losses, which have no organization, have the chain `instance`. There are no foreign keys,
-- because verification reports missing rows, and a lookup for each settlement would cost more than it adds.
create table ledger_chain (
  organization_id text        not null,
  seq             bigint      not null check (seq > 0),
  transaction_id  text, -- null: a settlement that charged nothing
  usage_count     integer     not null default 0 check (usage_count >= 0),
  usage_since     date, -- earliest day of the usage rows; null if there are none
  usage_digest    bytea       check (octet_length(usage_digest) = 32),
  salt            bytea       not null check (octet_length(salt) = 16),
  created_at      timestamptz not null default now(),
  previous_hash   bytea       check (octet_length(previous_hash) = 32),
  hash            bytea       not null check (octet_length(hash) = 32),
  primary key (organization_id, seq)
);
create unique index ledger_chain_transaction on ledger_chain (transaction_id) where transaction_id is not null;

-- Transactions that the worker appends to a chain: those from before the chain, and losses.
create table unchained_transactions (
  transaction_id  text        primary key,
  organization_id text,
  created_at      timestamptz not null
);
insert into unchained_transactions (transaction_id, organization_id, created_at)
  select id, organization_id, created_at from ledger_transactions
  on conflict do nothing;
create index unchained_transactions_order on unchained_transactions (organization_id, created_at, transaction_id);

-- The time from which every ledger transaction and every usage row of an organization is in a chain as soon as it is
-- committed: always in a new database. In a database with history, some minutes after the migration, because a
-- transaction that is in progress meanwhile may still run the functions of the previous release. It is stored, because a
-- restored backup has another time of migration.
create table ledger_chain_start (
  is_only boolean     primary key default true check (is_only),
  since   timestamptz not null
);
insert into ledger_chain_start (since)
  select case when exists (select from organizations) then clock_timestamp() + interval '10 minutes' else '-infinity' end
  on conflict do nothing;

-- Digests of personal values that were erased from a usage row. Verification uses the digest in place of the value.
create table ledger_erasures (
  usage_id  uuid        primary key,
  digest    bytea       not null check (octet_length(digest) = 32),
  erased_at timestamptz not null default now()
);

-- Signed records of the ends of all chains, as they are written to files and posted.
create table ledger_checkpoints (
  number     bigint      primary key check (number > 0),
  content    text        not null,
  created_at timestamptz not null default now()
);

-- The end of each chain in its latest checkpoint.
create table checkpointed_chains (
  chain           text   not null check (chain in ('ledger', 'audit')),
  organization_id text   not null, -- `instance` for the chains without an organization
  seq             bigint not null,
  primary key (chain, organization_id)
);

-- Where checkpoints go, and how far they have come.
create table checkpoint_sinks (
  sink              text        primary key check (sink in ('folder', 'webhook')),
  target            text        not null, -- the folder or URL; a new one gets every checkpoint again
  first_number      bigint      not null, -- the first checkpoint that it gets
  delivered_through bigint      not null, -- the last checkpoint that it has
  failures          bigint      not null default 0,
  failed_at         timestamptz -- null: the last attempt succeeded
);

do $$
declare
  name text;
begin
  foreach name in array array['ledger_chain', 'ledger_chain_start', 'unchained_transactions', 'ledger_erasures',
      'ledger_checkpoints', 'checkpointed_chains', 'checkpoint_sinks'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy worker_reaches_all on %I to tollgate_worker using (true) with check (true)', name);
    execute format('grant select on %I to tollgate_worker', name);
  end loop;
  foreach name in array array['ledger_chain', 'ledger_chain_start', 'ledger_erasures'] loop
    execute format('create trigger %I before update or delete or truncate on %I
      for each statement execute function tollgate_refuse_change()', name || '_are_final', name);
  end loop;
end
$$;
grant insert, update, delete on ledger_checkpoints, checkpointed_chains, checkpoint_sinks to tollgate_worker;

-- The metrics report the age of the last checkpoint and failed attempts.
create policy platform_reads_all on ledger_checkpoints for select to tollgate_platform using (tollgate_is_administrator());
create policy platform_reads_all on checkpoint_sinks for select to tollgate_platform using (tollgate_is_administrator());
grant select on ledger_checkpoints, checkpoint_sinks to tollgate_platform;

-- Last, because these locks stop settlement until the end of the migration, and the copy above may take minutes. The
-- worker also appends the transactions that are committed meanwhile.
-- The end of the chain, in the row that every writer of ledger entries locks.
alter table organization_quota
  add column chain_seq bigint not null default 0,
  add column chain_hash bytea;

-- The chain entry that contains the row; null for rows from before the chain, which have only a transaction.
alter table usage_events add column chain_seq bigint;
