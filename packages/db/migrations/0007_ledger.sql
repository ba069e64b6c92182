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
  delivered_at    timestamptz
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
