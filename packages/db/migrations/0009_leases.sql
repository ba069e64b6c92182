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

-- A changed budget is a changed key, team or organization to whoever caches those.
create function tollgate_send_budget_notice() returns trigger
  language plpgsql
as $$
declare
  changed record := coalesce(new, old);
begin
  perform pg_notify('tollgate_notice', json_build_object('kind', 'organization', 'id', changed.organization_id)::text);
  return null;
end
$$;
create trigger budget_notice after insert or update or delete on budgets
  for each row execute function tollgate_send_budget_notice();
