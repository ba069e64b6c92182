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

-- What a listener knows an event by, however often it comes. The number beside it would tell how busy others are.
alter table outbox add column event_id text not null default 'evt_' || crockford_of(make_uuid_v7());

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

-- Every change that adds events leaves work for a worker, once per transaction. The key is the transaction's own: a common
-- one would make those who settle wait for each other.
create function deliver_later() returns trigger
  language plpgsql security definer set search_path from current
as $$
declare
  this text := pg_current_xact_id()::text;
begin
  if current_setting('tollgate.delivered_by', true) is distinct from this and exists (select from added) then
    perform enqueue_job('deliver_outbox', '{}', null, 'deliver_outbox:' || this);
    perform set_config('tollgate.delivered_by', this, true);
  end if;
  return null;
end
$$;
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

-- Tells of budgets of keys that have nothing left, or less than the largest call of late would hold. Settlement itself does
-- not look: it would have to for every call. Returns how many it told of.
create function report_spent_budgets() returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  told integer;
begin
  delete from spent_budget_notices as n using budget_windows as w
   where (w.organization_id, w.scope, w.scope_id, w.starts_at) = (n.organization_id, n.scope, n.scope_id, n.starts_at)
     and not is_spent(w);
  with spent as (
    insert into spent_budget_notices (organization_id, scope, scope_id, starts_at)
    select organization_id, scope, scope_id, starts_at from budget_windows as w
     where scope = 'key' and ends_at > now() and is_spent(w)
    on conflict do nothing
    returning organization_id, scope, scope_id, starts_at
  ), told_of as (
    insert into outbox (organization_id, type, data)
    select w.organization_id, 'key.budget_exhausted', jsonb_build_object('keyId', w.scope_id, 'limit', w.amount::text,
             'spent', w.spent::text, 'resetsAt', case when isfinite(w.ends_at) then w.ends_at end)
      from spent join budget_windows as w using (organization_id, scope, scope_id, starts_at)
    returning id
  )
  select count(*) into told from told_of;
  return told;
end
$$;

create function is_spent(budget budget_windows) returns boolean
  language sql stable
  return budget.spent >= budget.amount
    or (budget.amount - budget.spent < budget.largest_hold and budget.largest_hold_at > now() - interval '10 minutes');

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
revoke execute on function report_spent_budgets from public;
grant execute on function report_spent_budgets to tollgate_worker;
