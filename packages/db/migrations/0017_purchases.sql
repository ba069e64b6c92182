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
  invoice_url, paid_at, updated_at) on purchases to tollgate_platform, tollgate_worker;
grant update (asked_at) on purchases to tollgate_worker;
grant insert (organization_id, type, data) on outbox to tollgate_worker;

-- A payment provider acts for nobody and names no organization that it could be held to. This is all its word may do by
-- itself: leave an event, once, and learn whose purchase it is about. Whoever calls it goes on inside that organization
-- alone. Outcomes: noted (the purchase is locked), waiting (nobody knows the purchase yet), known (it came before).
create function note_payment_event(
  from_provider text, new_event text, event_kind text, of_purchase text, of_payment text, event_facts jsonb
) returns table (outcome text, purchase_id text, organization_id text)
  language plpgsql security definer set search_path from current
as $$
#variable_conflict use_column
declare
  bought purchases;
  payer  text; -- the purchase this payment is known to be for
begin
  insert into webhook_events (provider, event_id, kind, payment_id, facts)
  values (from_provider, new_event, event_kind, of_payment, event_facts)
  on conflict do nothing;
  if not found then
    return query select 'known', null::text, null::text;
    return;
  end if;
  if of_payment is not null then
    -- What is said of a payment while its purchase becomes known must not miss that.
    perform pg_advisory_xact_lock(hashtextextended('tollgate:payment:' || from_provider || ':' || of_payment, 0));
    select id into payer from purchases where provider = from_provider and provider_payment_id = of_payment;
  end if;
  select * into bought from purchases where id = coalesce(of_purchase, payer) for update;
  if not found then
    return query select 'waiting', null::text, null::text;
    return;
  end if;
  update webhook_events
     set purchase_id = bought.id, organization_id = bought.organization_id,
         is_foreign = provider <> bought.provider or coalesce(payer <> bought.id, false)
   where provider = from_provider and purchase_id is null
     and (event_id = new_event or payment_id = of_payment and coalesce(payer, bought.id) = bought.id);
  return query select 'noted', bought.id, bought.organization_id;
end
$$;
revoke execute on function note_payment_event from public;
grant execute on function note_payment_event to tollgate_platform, tollgate_worker;

-- What one administrator has moved by hand in a day is summed up before each time.
create index ledger_transactions_by_hand on ledger_transactions (actor, created_at)
  where kind in ('grant', 'adjustment');
