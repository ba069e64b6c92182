-- The only ways in which money moves. No role may write the tables of the books; these functions do it for them, each in
-- one transaction. Whoever touches an organization's money locks its quota row first, organizations in the order of ids.

-- The 26 characters of `uuidToCrockford`: two zero bits, then the 128 of the id, five at a time.
create function crockford_of(id uuid) returns text
  language plpgsql immutable strict parallel safe
as $$
declare
  bits  bit varying := b'00' || ('x' || replace(id::text, '-', ''))::bit(128);
  spelt text := '';
begin
  for place in 0..25 loop
    spelt := spelt || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + substring(bits from 5 * place + 1 for 5)::integer, 1);
  end loop;
  return spelt;
end
$$;

create function make_uuid_v7() returns uuid
  language sql volatile parallel safe
  return (
    lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
      || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14)
  )::uuid;

-- Adds a row to an organization's chain (null: the operator's own). A row's hash covers the one before it.
create function append_audit(
  of_organization text, actor jsonb, action text, target jsonb, request_id text, before jsonb, after jsonb
) returns text
  language plpgsql security definer set search_path from current
as $$
declare
  last     audit_log;
  new_id   text := 'aud_' || crockford_of(make_uuid_v7());
  made_at  timestamptz := now();
  new_seq  bigint;
begin
  -- The role is the session's own: inside this function everyone is the owner.
  if current_setting('role') = 'tollgate_platform' and not coalesce(tollgate_may_see(of_organization), false) then
    raise exception 'organization % is not the one this connection acts for', of_organization
      using errcode = 'insufficient_privilege';
  end if;
  if of_organization is null then
    perform pg_advisory_xact_lock(7655436);
  else
    perform from organization_quota where organization_id = of_organization for update;
  end if;
  select * into last from audit_log where organization_id is not distinct from of_organization order by seq desc limit 1;
  new_seq := coalesce(last.seq, 0) + 1;
  insert into audit_log (id, organization_id, seq, at, actor, action, target, request_id, before, after, previous_hash, hash)
  values (new_id, of_organization, new_seq, made_at, actor, action, target, request_id, before, after, last.hash,
    audit_hash(last.hash, new_id, of_organization, new_seq, made_at, actor, action, target, request_id, before, after));
  return new_id;
end
$$;

-- What a row's hash is of: the hash before it, and the row as text that no session setting changes.
create function audit_hash(
  previous bytea, id text, organization_id text, seq bigint, at timestamptz,
  actor jsonb, action text, target jsonb, request_id text, before jsonb, after jsonb
) returns bytea
  language sql immutable parallel safe
  return sha256(coalesce(previous, ''::bytea) || convert_to(
    jsonb_build_array(id, organization_id, seq, (extract(epoch from at) * 1000000)::bigint, actor, action, target,
      request_id, before, after)::text,
    'UTF8'
  ));

-- Every organization has its quota row and its account from its first moment.
create function open_organization_books() returns trigger
  language plpgsql security definer set search_path from current
as $$
begin
  insert into organization_quota (organization_id) values (new.id);
  insert into ledger_accounts (id, organization_id, may_be_negative) values ('org:' || new.id || ':credits', new.id, true);
  return null;
end
$$;
create trigger organization_opens_books after insert on organizations
  for each row execute function open_organization_books();

insert into organization_quota (organization_id) select id from organizations;
insert into ledger_accounts (id, organization_id, may_be_negative)
select 'org:' || id || ':credits', id, true from organizations;

-- The books may change the state of a team. No other work of that role may: it has no right to update.
create policy books_block_and_unblock on teams for update to tollgate_worker using (true) with check (true);

-- A team that begins to be active in an organization with debts is blocked instead. The lock keeps this from racing with
-- the entry that makes the debt.
create function block_team_of_debtor() returns trigger
  language plpgsql security definer set search_path from current
as $$
declare
  owed boolean;
begin
  if tg_op = 'UPDATE' and old.status = 'active' and old.organization_id = new.organization_id then
    return new;
  end if;
  select balance < 0 into owed from organization_quota where organization_id = new.organization_id for update;
  if owed then
    new.status := 'blocked';
    new.blocked_reason := 'negative_balance';
    new.blocked_at := now();
  end if;
  return new;
end
$$;
create trigger team_of_debtor_is_blocked before insert or update of organization_id, status on teams
  for each row when (new.status = 'active') execute function block_team_of_debtor();

-- Blocks all teams of an organization that went below zero, unblocks those that only debts had blocked once it is at zero
-- or above, and tells others of it. Called with the quota row locked, after every change of a balance.
-- Returns the teams that are active again.
create function apply_balance_rules(of_organization text, balance_before bigint, balance_after bigint) returns text[]
  language plpgsql security definer set search_path from current
as $$
declare
  changed   text[];
  team      text;
  threshold bigint;
  is_block  boolean := balance_after < 0;
begin
  if is_block then
    with blocked as (
      update teams set status = 'blocked', blocked_reason = 'negative_balance', blocked_at = now(), updated_at = now()
       where organization_id = of_organization and status = 'active'
      returning id
    )
    select array_agg(id order by id) into changed from blocked;
    if balance_before >= 0 then
      insert into outbox (organization_id, type, data)
      values (of_organization, 'balance.negative', jsonb_build_object('balance', balance_after::text));
    end if;
  elsif balance_after > balance_before then
    with unblocked as (
      update teams set status = 'active', blocked_reason = null, blocked_at = null, updated_at = now()
       where organization_id = of_organization and status = 'blocked' and blocked_reason = 'negative_balance'
      returning id
    )
    select array_agg(id order by id) into changed from unblocked;
  end if;

  select low_balance_threshold into threshold from organization_quota where organization_id = of_organization;
  if balance_before >= threshold and balance_after < threshold then
    insert into outbox (organization_id, type, data)
    values (of_organization, 'balance.low',
      jsonb_build_object('balance', balance_after::text, 'threshold', threshold::text));
  end if;

  foreach team in array coalesce(changed, '{}') loop
    insert into outbox (organization_id, type, data)
    values (of_organization, case when is_block then 'team.blocked' else 'team.unblocked' end,
      jsonb_build_object('teamId', team, 'reason', 'negative_balance'));
    perform append_audit(
      of_organization, '{"type": "system"}', case when is_block then 'team.blocked' else 'team.unblocked' end,
      jsonb_build_object('type', 'team', 'id', team), null,
      jsonb_build_object('status', case when is_block then 'active' else 'blocked' end),
      jsonb_build_object('status', case when is_block then 'blocked' else 'active' end, 'reason', 'negative_balance'));
  end loop;
  return case when is_block then '{}' else coalesce(changed, '{}') end;
end
$$;

-- Posts one entry that is not usage, once per key. `counterparty` is the account of the payment provider for purchases,
-- refunds and disputes; the other kinds have one of their own. Amounts are positive, but for an adjustment.
-- Outcomes: posted, replayed (the same was posted before), key_reused (something else was posted under this key).
create function post_entry(
  entry_kind text, entry_organization text, entry_amount bigint, entry_key text, counterparty text, entry_reference text,
  entry_description text, entry_actor text, entry_metadata jsonb, entry_expires_at timestamptz
) returns table (outcome text, transaction_id text, balance bigint, shortfall bigint, unblocked text[])
  language plpgsql security definer set search_path from current
as $$
#variable_conflict use_column
declare
  quota      organization_quota;
  former     ledger_transactions;
  digest     bytea;
  new_id     text := 'txn_' || crockford_of(make_uuid_v7());
  account    text := 'org:' || entry_organization || ':credits';
  change     bigint; -- of the balance
  new_number bigint; -- of the recall
  freed      text[];
begin
  if current_setting('role') <> 'tollgate_worker' and not coalesce(tollgate_may_see(entry_organization), false) then
    raise exception 'organization % is not the one this connection acts for', entry_organization
      using errcode = 'insufficient_privilege';
  end if;
  if entry_kind <> 'adjustment' and entry_amount <= 0 or entry_amount = 0 then
    raise exception 'an entry of kind % cannot have the amount %', entry_kind, entry_amount
      using errcode = 'invalid_parameter_value';
  end if;
  if entry_key like 'usage:%' then
    raise exception 'keys that begin with usage: belong to settlement' using errcode = 'invalid_parameter_value';
  end if;
  counterparty := case entry_kind
    when 'grant' then 'ext:promo'
    when 'expiry' then 'ext:promo'
    when 'adjustment' then 'ext:adjust'
    when 'usage_reversal' then 'sys:revenue'
    else counterparty
  end;
  if counterparty is null or entry_kind in ('purchase', 'refund', 'dispute', 'dispute_won')
    and counterparty not in ('ext:stripe', 'ext:fake', 'ext:manual') then
    raise exception 'an entry of kind % cannot be with %', entry_kind, counterparty
      using errcode = 'invalid_parameter_value';
  end if;
  change := case
    when entry_kind in ('purchase', 'grant', 'usage_reversal', 'dispute_won', 'adjustment') then entry_amount
    when entry_kind in ('refund', 'dispute', 'expiry') then -entry_amount
  end;
  if change is null then
    raise exception 'there is no entry of kind %', entry_kind using errcode = 'invalid_parameter_value';
  end if;
  digest := sha256(convert_to(jsonb_build_array(entry_kind, entry_organization, entry_amount, counterparty, entry_reference,
    extract(epoch from entry_expires_at))::text, 'UTF8'));

  select * into quota from organization_quota where organization_id = entry_organization for update;
  if not found then
    raise exception 'there is no organization %', entry_organization using errcode = 'foreign_key_violation';
  end if;
  if entry_kind = 'usage_reversal' and entry_amount > quota.total_used then
    raise exception 'more would be given back than was used' using errcode = 'invalid_parameter_value';
  end if;

  insert into ledger_transactions
    (id, kind, organization_id, idempotency_key, body_digest, reference, description, actor, metadata, balance_after)
  values (new_id, entry_kind, entry_organization, entry_key, digest, entry_reference, entry_description, entry_actor,
    coalesce(entry_metadata, '{}'), quota.balance + change)
  on conflict (idempotency_key) do nothing;
  if not found then
    select * into former from ledger_transactions where idempotency_key = entry_key;
    if former.body_digest is distinct from digest then
      return query select 'key_reused', null::text, quota.balance, greatest(-quota.balance, 0), '{}'::text[];
    else
      return query select 'replayed', former.id, quota.balance, greatest(-quota.balance, 0), '{}'::text[];
    end if;
    return;
  end if;

  insert into ledger_postings (transaction_id, seq, source, destination, amount)
  values (new_id, 1, case when change > 0 then counterparty else account end,
    case when change > 0 then account else counterparty end, abs(change));
  update organization_quota as q
     set balance = q.balance + change,
         total_purchased = total_purchased + case when entry_kind = 'purchase' then entry_amount else 0 end,
         total_granted = total_granted + case when entry_kind = 'grant' then entry_amount else 0 end,
         total_used = total_used - case when entry_kind = 'usage_reversal' then entry_amount else 0 end,
         total_refunded = total_refunded
           - case when entry_kind in ('refund', 'dispute', 'dispute_won') then change else 0 end,
         total_expired = total_expired + case when entry_kind = 'expiry' then entry_amount else 0 end,
         total_adjusted = total_adjusted + case when entry_kind = 'adjustment' then entry_amount else 0 end,
         -- A debit must not be outrun by idle credit that was leased before it.
         mode = case when change < 0 then 'exact' else mode end,
         recall = recall + case when change < 0 then 1 else 0 end,
         version = version + 1, updated_at = now()
   where organization_id = entry_organization
  returning recall into new_number;
  if entry_kind = 'grant' and entry_expires_at is not null then
    -- What a debt swallows at once is spent.
    insert into grant_lots (id, organization_id, amount, remaining, expires_at)
    values (new_id, entry_organization, entry_amount, least(entry_amount, greatest(quota.balance + change, 0)),
      entry_expires_at);
  end if;

  freed := apply_balance_rules(entry_organization, quota.balance, quota.balance + change);
  if change < 0 then
    perform pg_notify('tollgate_notice', json_build_object(
      'kind', 'recall', 'organizationId', entry_organization, 'recall', new_number,
      'purse', json_build_object('kind', 'credit'))::text);
  else
    perform pg_notify('tollgate_notice', json_build_object('kind', 'credit', 'organizationId', entry_organization)::text);
  end if;
  return query select 'posted', new_id, quota.balance + change, greatest(-(quota.balance + change), 0), freed;
end
$$;

-- Takes back what is left of grants whose time was over a quarter of an hour ago: by then the calls made before are
-- settled. At most a hundred lots at a time; returns how many.
create function expire_grants(as_of timestamptz) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  due   record;
  taken integer := 0;
  rest  bigint;
begin
  for due in
    select id, organization_id from (
      select id, organization_id from grant_lots
       where remaining > 0 and expires_at < as_of - interval '15 minutes' order by expires_at limit 100
    ) as oldest order by organization_id, id
  loop
    perform from organization_quota where organization_id = due.organization_id for update;
    select remaining into rest from grant_lots where id = due.id and remaining > 0;
    continue when not found;
    perform post_entry('expiry', due.organization_id, rest, 'expiry:' || due.id, null, due.id, 'Granted credit expired',
      'system', '{}', null);
    update grant_lots set remaining = 0, expired_at = now() where id = due.id;
    taken := taken + 1;
  end loop;
  return taken;
end
$$;

-- Which of these calls the books have: settled, or parked and not sent again since. The day inside an id tells where to
-- look.
create function known_events(ids uuid[]) returns setof uuid
  language plpgsql stable security definer set search_path from current
  -- With the day known at planning, one partition is opened instead of all.
  set plan_cache_mode = force_custom_plan
as $$
declare
  one_day date;
begin
  for one_day in select distinct day_of_event(wanted) from unnest(ids) as wanted loop
    -- The offset keeps this a lookup for each id. As a join the planner, who knows one day only, may read all of it.
    return query
      select wanted from unnest(ids) as wanted
       where exists (select from usage_events as e where e.day = one_day and e.id = wanted offset 0);
  end loop;
  return query select p.id from parked_events as p where p.id = any (ids) and p.redriven_at is null;
end
$$;

-- The first day that has a partition of its own. What is older was dropped, so a repeated event could not be told from a
-- new one.
create function oldest_usage_day() returns date
  language sql stable
  return (
    select min(to_date(right(c.relname, 8), 'YYYYMMDD'))
      from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
     where i.inhparent = 'usage_events'::regclass and c.relname ~ '^usage_events_\d{8}$'
  );

-- Whether rows of that day were dropped. A day that has a partition needs no look at all the others.
create function is_dropped_day(day date) returns boolean
  language sql stable
  return case when to_regclass('usage_events_' || to_char(day, 'YYYYMMDD')) is null then day < oldest_usage_day() else false end;

create function lock_key_of_day(day date) returns integer
  language sql immutable
  return day - date '2000-01-01';

-- Gives what a parked event had set aside back to its leases, as far as it can be read and is still there.
create function return_to_leases(event jsonb) returns void
  language plpgsql security definer set search_path from current
as $$
#variable_conflict use_column
declare
  organization text := event ->> 'organizationId';
  node         text := event ->> 'nodeId';
  run          integer := (event ->> 'epoch')::integer;
  claimed      bigint := greatest((event ->> 'fromLease')::bigint, 0);
  share        record;
  freed        bigint;
begin
  select least(outstanding, claimed) into freed from credit_leases
   where organization_id = organization and node_id = node and epoch = run and state <> 'reclaimed';
  if freed > 0 then
    update credit_leases set returned = returned + freed,
        state = case when state = 'closing' and outstanding = freed then 'closed' else state end
     where organization_id = organization and node_id = node and epoch = run;
    update organization_quota set leased = leased - freed, version = version + 1, updated_at = now()
     where organization_id = organization;
  end if;
  for share in
    select scope, "scopeId" as scope_id, to_timestamp("startsAtMs" / 1000.0) as starts_at,
           greatest("fromLease", 0) as claimed
      from jsonb_to_recordset(event -> 'budgets')
        as s (scope text, "scopeId" text, "startsAtMs" numeric, "fromLease" bigint)
  loop
    select least(outstanding, share.claimed) into freed from budget_leases
     where organization_id = organization and scope = share.scope and scope_id = share.scope_id
       and starts_at = share.starts_at and node_id = node and epoch = run;
    continue when not coalesce(freed > 0, false);
    update budget_leases set returned = returned + freed
     where organization_id = organization and scope = share.scope and scope_id = share.scope_id
       and starts_at = share.starts_at and node_id = node and epoch = run;
    update budget_windows set leased = leased - freed
     where organization_id = organization and scope = share.scope and scope_id = share.scope_id
       and starts_at = share.starts_at;
  end loop;
end
$$;

-- Keeps an event that cannot be settled, with the reason. False when the books had it already.
create function park_event(event jsonb, why text) returns boolean
  language plpgsql security definer set search_path from current
as $$
#variable_conflict use_column
declare
  event_id     uuid;
  organization text := event ->> 'organizationId';
begin
  begin
    event_id := (event ->> 'id')::uuid;
  exception when data_exception then
    null;
  end;
  event_id := coalesce(event_id, md5(event::text)::uuid);
  perform from organization_quota where organization_id = organization for update;
  if exists (select from known_events(array[event_id])) then
    return false;
  end if;
  insert into parked_events (id, organization_id, reason, event) values (event_id, organization, why, event)
  on conflict (id) do update set reason = excluded.reason, parked_at = now(), redriven_at = null;
  begin
    perform return_to_leases(event);
  exception when data_exception then
    null; -- What cannot be read stays set aside until its lease is closed or reclaimed.
  end;
  return true;
end
$$;

-- Settles a parked event again, as the command of an operator. What it had set aside was given back when it was parked.
create function redrive_event(event_id uuid) returns text
  language plpgsql security definer set search_path from current
as $$
declare
  stored jsonb;
  result text;
begin
  perform from organization_quota
    where organization_id = (select organization_id from parked_events where id = event_id) for update;
  update parked_events set redriven_at = now() where id = event_id and redriven_at is null returning event into stored;
  if not found then
    return null;
  end if;
  select outcome into result from settle_usage(json_build_array(stored || '{"fromLease": "0", "budgets": []}'));
  return result;
end
$$;

create type event_units as (
  "inputTokens" bigint, "cacheReadTokens" bigint, "cacheWriteTokens" bigint,
  "outputTokens" bigint, "reasoningTokens" bigint, source text
);

-- Settles a batch of usage events, each once for ever by its id, all in the caller's transaction. An event is the JSON of
-- `UsageEvent`; amounts may be numbers or strings. It is read once, for which `json` takes half the time of `jsonb`.
-- Outcomes: settled, known (settled or parked before), parked.
create function settle_usage(batch json) returns table (id uuid, outcome text)
  language plpgsql security definer set search_path from current
as $$
#variable_conflict use_column
declare
  good          usage_events[]; -- that can be settled
  good_ids      uuid[];
  days          date[]; -- of the good
  sharers       uuid[]; -- events that name budget leases, with what they say of them
  shares        json[];
  bad_ids       uuid[];
  bad_reasons   text[];
  organizations text[];
  closed        date[];
  known         uuid[];
  fresh         usage_events[]; -- good, and not yet in the books
  payers        text[]; -- organizations that pay for some of it, with what they pay, and under which transaction
  costs         bigint[];
  lowest        uuid[];
  transactions  text[];
  lessors       text[]; -- organizations whose leases end in part, with how much
  ended         bigint[];
  parted        record;
begin
  select array_agg(
           row(id, day, organization_id, team_id, key_id, user_id, request_id, endpoint, model_group, deployment_id,
             provider, is_stream, status, http_status, error_code, (units)."inputTokens", (units)."cacheReadTokens",
             (units)."cacheWriteTokens", (units)."outputTokens", (units)."reasoningTokens", (units).source, price_version_id,
             cost, is_billed, hold, from_lease, node_id, epoch, latency_ms, first_token_ms, null, 'settled',
             to_timestamp(ended_at_ms / 1000.0), now())::usage_events
         ) filter (where reason is null),
         array_agg(id) filter (where reason is null), array_agg(distinct day) filter (where reason is null),
         array_agg(id) filter (where has_shares), array_agg(budgets) filter (where has_shares),
         array_agg(id) filter (where reason is not null), array_agg(reason) filter (where reason is not null),
         array_agg(distinct organization_id) filter (where organization_id is not null)
    into good, good_ids, days, sharers, shares, bad_ids, bad_reasons, organizations
    from judge_events(batch);

  -- A day cannot be sealed, nor its partition dropped, while events of it are on their way in.
  perform pg_advisory_xact_lock_shared(7655437, lock_key_of_day(one_day)) from unnest(days) as one_day;
  closed := array(
    select one_day from unnest(days) as one_day
     where is_dropped_day(one_day)
        or exists (select from usage_day_seals as s where s.day = one_day and s.organization_id = '')
  );
  if cardinality(closed) > 0 then
    bad_ids := bad_ids || array(select e.id from unnest(good) as e where e.day = any (closed) order by e.id);
    bad_reasons := bad_reasons || array(select 'its day is closed' from unnest(good) as e where e.day = any (closed));
    good := array(select e from unnest(good) as e where e.day <> all (closed));
    good_ids := array(select e.id from unnest(good) as e);
  end if;

  -- From here on nobody else settles, leases or posts for these organizations.
  perform from organization_quota where organization_id = any (organizations) order by organization_id for update;
  known := array(select known_events(good_ids));
  fresh := case when cardinality(known) = 0 then good
    else array(select e from unnest(good) as e left join unnest(known) as k on k = e.id where k is null) end;

  select array_agg(organization_id), array_agg(cost), array_agg(first_id), array_agg('txn_' || crockford_of(first_id))
    into payers, costs, lowest, transactions
    from (
      select organization_id, sum(cost)::bigint as cost, min(e.id::text)::uuid as first_id
        from unnest(fresh) as e where is_billed and cost > 0 group by organization_id
    ) as sums;

  begin
    with claimed as (
      select e.*, case when e.is_billed and e.cost > 0 then paid.id end as paid_by,
             -- What the events before it leave of the lease.
             greatest(0, least(e.from_lease,
               coalesce(lease.outstanding, 0) - (sum(e.from_lease) over same_lease - e.from_lease)))::bigint as applied
        from unnest(fresh) as e
        left join unnest(payers, transactions) as paid (organization_id, id) on paid.organization_id = e.organization_id
        left join credit_leases as lease
          on (lease.organization_id, lease.node_id, lease.epoch) = (e.organization_id, e.node_id, e.epoch)
         and lease.state <> 'reclaimed'
      window same_lease as (partition by e.organization_id, e.node_id, e.epoch order by e.id rows unbounded preceding)
    ), added as (
      insert into usage_events (id, day, organization_id, team_id, key_id, user_id, request_id, endpoint, model_group,
          deployment_id, provider, is_stream, status, http_status, error_code, input_tokens, cache_read_tokens,
          cache_write_tokens, output_tokens, reasoning_tokens, usage_source, price_version_id, cost, is_billed, hold,
          from_lease, node_id, epoch, latency_ms, first_token_ms, transaction_id, ended_at)
      select id, day, organization_id, team_id, key_id, user_id, request_id, endpoint, model_group,
          deployment_id, provider, is_stream, status, http_status, error_code, input_tokens, cache_read_tokens,
          cache_write_tokens, output_tokens, reasoning_tokens, usage_source, price_version_id, cost, is_billed, hold,
          applied, node_id, epoch, latency_ms, first_token_ms, paid_by, ended_at
        from claimed
      returning organization_id, node_id, epoch, from_lease
    ), shares as (
      select organization_id, node_id, epoch, sum(from_lease)::bigint as amount
        from added where from_lease > 0 group by organization_id, node_id, epoch
    ), leases as (
      update credit_leases as lease
         set settled = lease.settled + amount,
             state = case when lease.state = 'closing' and lease.outstanding = amount then 'closed' else lease.state end
        from shares
       where (lease.organization_id, lease.node_id, lease.epoch) = (shares.organization_id, shares.node_id, shares.epoch)
    )
    select array_agg(organization_id), array_agg(amount) into lessors, ended
      from (select organization_id, sum(amount)::bigint as amount from shares group by organization_id) as sums;
  exception when unique_violation then
    -- Possible only for events that no organization's lock covers. Nothing was kept; the next try knows them.
    raise exception 'events were settled by someone else meanwhile' using errcode = 'serialization_failure';
  end;

  insert into ledger_transactions (id, kind, organization_id, idempotency_key, actor, balance_after)
  select paid.id, 'usage', paid.organization_id, 'usage:' || paid.first_id, 'system', quota.balance - paid.cost
    from unnest(payers, costs, lowest, transactions) as paid (organization_id, cost, first_id, id)
    join organization_quota as quota using (organization_id);
  insert into ledger_postings (transaction_id, seq, source, destination, amount)
  select paid.id, 1, 'org:' || paid.organization_id || ':credits', 'sys:revenue', paid.cost
    from unnest(payers, costs, transactions) as paid (organization_id, cost, id);
  perform spend_lots(payers, costs);
  perform settle_budgets(sharers, shares, fresh, organizations);
  perform add_to_rollups(fresh);

  for parted in
    update organization_quota as quota
       set balance = quota.balance - cost, total_used = total_used + cost, leased = quota.leased - amount,
           version = quota.version + 1, updated_at = now()
      from (
        select organization_id, sum(cost)::bigint as cost, sum(amount)::bigint as amount from (
          select * from unnest(payers, costs) as paid (organization_id, cost), (values (0::bigint)) as none (amount)
          union all
          select lent.organization_id, 0, lent.amount from unnest(lessors, ended) as lent (organization_id, amount)
        ) as moves group by organization_id
      ) as moved
     where quota.organization_id = moved.organization_id
    returning quota.organization_id, balance + cost as before, balance as after, low_balance_threshold as threshold
  loop
    if parted.after < 0 or parted.before >= parted.threshold and parted.after < parted.threshold then
      perform apply_balance_rules(parted.organization_id, parted.before, parted.after);
    end if;
  end loop;

  return query select e.id, 'settled' from unnest(fresh) as e;
  return query select k, 'known' from unnest(known) as k;
  if cardinality(bad_ids) > 0 then
    return query
      select bad.id, case when park_event(arrived.event, bad.reason) then 'parked' else 'known' end
        from unnest(bad_ids, bad_reasons) as bad (id, reason)
        cross join lateral (
          select event::jsonb from json_array_elements(batch) as event where (event ->> 'id')::uuid = bad.id limit 1
        ) as arrived;
  end if;
end
$$;

-- The events of a batch, each once, and for those that cannot be settled why. What cannot even be read is an error.
create function judge_events(batch json) returns table (
  id uuid, day date, organization_id text, team_id text, key_id text, user_id text, request_id text, endpoint text,
  model_group text, deployment_id text, provider text, is_stream boolean, status text, http_status smallint, error_code text,
  units event_units, price_version_id text, cost bigint, is_billed boolean, hold bigint, from_lease bigint,
  node_id text, epoch integer, latency_ms integer, first_token_ms integer, ended_at_ms numeric, budgets json,
  has_shares boolean, reason text
)
  language sql stable
as $$
  select distinct on (e.id) e.id, day_of_event(e.id), "organizationId", "teamId", "keyId", "userId", "requestId", e.endpoint,
         "modelGroup", "deploymentId", e.provider, "isStream", e.status, "httpStatus", "errorCode",
         usage, "priceVersionId", e.cost, "isBilled", e.hold, "fromLease",
         "nodeId", e.epoch, "latencyMs", "firstTokenMs", "endedAtMs", e.budgets,
         -- The text of most is that of an empty list, which is cheaper to see than to take apart.
         e.budgets::text <> '[]' and json_typeof(e.budgets) = 'array',
         case
           when substr(e.id::text, 15, 1) <> '7' then 'id is not a version 7 UUID'
           when "organizationId" is null and "isBilled" then 'billed to no organization'
           when "organizationId" is not null and quota.organization_id is null then 'unknown organization'
           when least(e.cost, e.hold, "fromLease", "latencyMs", e.epoch, (usage)."inputTokens", (usage)."cacheReadTokens",
                  (usage)."cacheWriteTokens", (usage)."outputTokens", (usage)."reasoningTokens") < 0
             or (usage)."reasoningTokens" > (usage)."outputTokens"
             or greatest((usage)."inputTokens", (usage)."cacheReadTokens", (usage)."cacheWriteTokens",
                  (usage)."outputTokens") > 1e12
             or greatest(e.cost, e.hold) > 1e15
             then 'a number is out of bounds'
           when e.cost > 0 and price.id is null then 'unknown price version'
           when price.id is not null and e.cost <> price_of_call(price, (usage)."inputTokens", (usage)."cacheReadTokens",
             (usage)."cacheWriteTokens", (usage)."outputTokens", (usage)."reasoningTokens")
             then 'cost is not what its price version gives'
         end
    from rows from (json_to_recordset(batch) as (
           id uuid, "organizationId" text, "teamId" text, "keyId" text, "userId" text, "requestId" text, endpoint text,
           "modelGroup" text, "deploymentId" text, provider text, "isStream" boolean, status text, "httpStatus" smallint,
           "errorCode" text, usage event_units, "priceVersionId" text, cost bigint, "isBilled" boolean, hold bigint,
           "fromLease" bigint, "nodeId" text, epoch integer, "endedAtMs" numeric, "latencyMs" integer, "firstTokenMs" integer,
           budgets json
         )) with ordinality as e
    left join organization_quota as quota on quota.organization_id = "organizationId"
    left join price_versions as price on price.id = "priceVersionId"
   order by e.id, ordinality;
$$;

-- Credit with an end date pays first, the one that ends soonest before the others.
-- In PL/pgSQL, as is what follows, because a function in SQL is planned anew by every statement that calls it.
create function spend_lots(payers text[], costs bigint[]) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  update grant_lots as lot set remaining = remaining - spent
    from (
      select id, least(remaining, paid.cost - (sum(remaining) over soonest - remaining))::bigint as spent
        from grant_lots join unnest(payers, costs) as paid (organization_id, cost) using (organization_id)
       where remaining > 0
      window soonest as (partition by organization_id order by expires_at, id rows unbounded preceding)
    ) as spending
   where lot.id = spending.id and spent > 0;
end
$$;

-- Counts events in the windows of every budget they belong to, by the time inside their ids, and ends their shares of
-- budget leases, of which `shares` says what each of `sharers` claims.
create function settle_budgets(sharers uuid[], shares json[], fresh usage_events[], organizations text[]) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  if not exists (select from budget_windows where organization_id = any (organizations)) then
    return;
  end if;
  update budget_windows as w set spent = spent + cost
    from (
      select w.organization_id, w.scope, w.scope_id, w.starts_at, sum(e.cost)::bigint as cost
        from unnest(fresh) as e
       cross join lateral (
         values ('key', e.key_id), ('team', e.team_id), ('user', e.user_id), ('organization', e.organization_id)
       ) as payer (scope, scope_id)
        join budget_windows as w
          on w.organization_id = e.organization_id and w.scope = payer.scope and w.scope_id = payer.scope_id
         and w.starts_at <= time_of_event(e.id) and time_of_event(e.id) < w.ends_at
       group by w.organization_id, w.scope, w.scope_id, w.starts_at
    ) as sums
   where (w.organization_id, w.scope, w.scope_id, w.starts_at)
       = (sums.organization_id, sums.scope, sums.scope_id, sums.starts_at);

  with claimed as (
    select lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, lease.node_id, lease.epoch,
           greatest(0, least(share.claim,
             lease.outstanding - (sum(share.claim) over same_lease - share.claim)))::bigint as applied
      from unnest(sharers, shares) as sharing (id, budgets)
      join unnest(fresh) as e on e.id = sharing.id
     cross join lateral (
       select scope, "scopeId" as scope_id, to_timestamp("startsAtMs" / 1000.0) as starts_at,
              greatest("fromLease", 0) as claim
         from json_to_recordset(sharing.budgets) as s (scope text, "scopeId" text, "startsAtMs" numeric, "fromLease" bigint)
     ) as share
      join budget_leases as lease
        on (lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, lease.node_id, lease.epoch)
         = (e.organization_id, share.scope, share.scope_id, share.starts_at, e.node_id, e.epoch)
    window same_lease as (
      partition by lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, lease.node_id, lease.epoch
      order by e.id rows unbounded preceding
    )
  ), ended as (
    update budget_leases as lease set settled = settled + sums.amount
      from (
        select organization_id, scope, scope_id, starts_at, node_id, epoch, sum(applied)::bigint as amount
          from claimed group by organization_id, scope, scope_id, starts_at, node_id, epoch
      ) as sums
     where (lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, lease.node_id, lease.epoch)
         = (sums.organization_id, sums.scope, sums.scope_id, sums.starts_at, sums.node_id, sums.epoch)
    returning lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, sums.amount
  )
  update budget_windows as w set leased = leased - sums.amount
    from (
      select organization_id, scope, scope_id, starts_at, sum(amount)::bigint as amount
        from ended group by organization_id, scope, scope_id, starts_at
    ) as sums
   where (w.organization_id, w.scope, w.scope_id, w.starts_at)
       = (sums.organization_id, sums.scope, sums.scope_id, sums.starts_at);
end
$$;

-- A call that failed is an error; one whose client went away is not.
create function add_to_rollups(fresh usage_events[]) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  insert into usage_rollups as r (organization_id, bucket_at, team_id, key_id, model_group, provider, requests, errors,
      input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, latency_ms_sum)
  select organization_id, bucket_of_event(e.id), coalesce(team_id, ''), key_id, model_group, coalesce(provider, ''),
         count(*), count(*) filter (where status = 'failure'),
         sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens), sum(output_tokens), sum(reasoning_tokens),
         sum(cost), sum(latency_ms)
    from unnest(fresh) as e
   where organization_id is not null
   group by 1, 2, 3, 4, 5, 6
  on conflict (organization_id, bucket_at, team_id, key_id, model_group, provider) do update
     set requests = r.requests + excluded.requests, errors = r.errors + excluded.errors,
         input_tokens = r.input_tokens + excluded.input_tokens,
         cache_read_tokens = r.cache_read_tokens + excluded.cache_read_tokens,
         cache_write_tokens = r.cache_write_tokens + excluded.cache_write_tokens,
         output_tokens = r.output_tokens + excluded.output_tokens,
         reasoning_tokens = r.reasoning_tokens + excluded.reasoning_tokens,
         cost = r.cost + excluded.cost, latency_ms_sum = r.latency_ms_sum + excluded.latency_ms_sum;
end
$$;

-- Gives each day of the range a partition of its own and returns the days that got one. A day whose events are already in
-- the default partition stays there, because nothing is ever moved.
create function ensure_usage_partitions(first_day date, last_day date) returns setof date
  language plpgsql security definer set search_path from current
  -- Who waits for a lock on the table makes every settlement wait behind it.
  set lock_timeout = '1s'
as $$
declare
  new_day date;
  name    text;
begin
  perform pg_advisory_xact_lock(7655438);
  for new_day in select generate_series(first_day, last_day, interval '1 day')::date loop
    name := 'usage_events_' || to_char(new_day, 'YYYYMMDD');
    continue when to_regclass(name) is not null or exists (select from usage_events_other where day = new_day);
    begin
      -- Made apart and attached, which lets settlement into the other partitions go on; made in place it would not.
      execute format('create table %I (like usage_events including all)', name);
      execute format('alter table usage_events attach partition %I for values from (%L) to (%L)',
        name, new_day, new_day + 1);
      return next new_day;
    exception when check_violation then
      null; -- An event of this day came into the default partition just now.
    end;
  end loop;
end
$$;

-- Writes down what a past day's events sum up to, after which it takes no more of them.
-- Outcomes: sealed, known (it was before), unequal (its rollups say something else: nothing was written).
create function seal_day(sealed_day date) returns text
  language plpgsql security definer set search_path from current
  set plan_cache_mode = force_custom_plan
as $$
begin
  if sealed_day >= (now() at time zone 'UTC')::date then
    raise exception '% is not over', sealed_day using errcode = 'invalid_parameter_value';
  end if;
  perform pg_advisory_xact_lock(7655437, lock_key_of_day(sealed_day));
  if exists (select from usage_day_seals where day = sealed_day) then
    return 'known';
  end if;
  if exists (
    select from (
      select organization_id, count(*) as events, sum(cost) as cost from usage_events
       where day = sealed_day and organization_id is not null group by organization_id
    ) as stored full join (
      select organization_id, sum(requests) as events, sum(cost) as cost from usage_rollups
       where bucket_at >= sealed_day::timestamp at time zone 'UTC'
         and bucket_at < (sealed_day + 1)::timestamp at time zone 'UTC'
       group by organization_id
    ) as summed using (organization_id)
    where (stored.events, stored.cost) is distinct from (summed.events, summed.cost)
  ) then
    return 'unequal';
  end if;
  -- The row without an organization is always there: it holds the calls of the operator's own key, and it is the seal.
  insert into usage_day_seals (day, organization_id, events, cost, billed, digest)
  select sealed_day, coalesce(organization_id, ''), count(*), sum(cost), coalesce(sum(cost) filter (where is_billed), 0),
         sha256(convert_to(string_agg(id::text || cost, '' order by id), 'UTF8'))
    from usage_events where day = sealed_day group by organization_id;
  insert into usage_day_seals (day, organization_id, events, cost, billed, digest)
  values (sealed_day, '', 0, 0, 0, sha256(''))
  on conflict do nothing;
  return 'sealed';
end
$$;

-- Drops the oldest days, each only when it is sealed and older than that, and returns them. It stops at the first that is
-- not: a gap could not be told from a day that was never there.
create function drop_sealed_partitions(retention_days integer) returns setof date
  language plpgsql security definer set search_path from current
  set lock_timeout = '1s'
as $$
declare
  oldest date;
  name   text;
begin
  perform pg_advisory_xact_lock(7655438);
  loop
    oldest := oldest_usage_day();
    exit when oldest is null or oldest >= (now() at time zone 'UTC')::date - retention_days;
    perform pg_advisory_xact_lock(7655437, lock_key_of_day(oldest));
    exit when not exists (select from usage_day_seals where day = oldest and organization_id = '');
    name := 'usage_events_' || to_char(oldest, 'YYYYMMDD');
    execute format('alter table usage_events detach partition %I', name);
    execute format('drop table %I', name);
    return next oldest;
  end loop;
end
$$;

-- Makes price versions known. Each must have the id that follows from what it says, so that no id can say two things.
create function ensure_price_versions(versions jsonb) returns void
  language plpgsql security definer set search_path from current
as $$
declare
  version record;
begin
  for version in
    select * from jsonb_to_recordset(versions) as v (
      id text, model text, input bigint, output bigint, "cacheRead" bigint, "cacheWrite" bigint, reasoning bigint)
     order by id
  loop
    if version.id is distinct from price_version_id(version.model, version.input, version.output, version."cacheRead",
      version."cacheWrite", version.reasoning) then
      raise exception 'price version % of % has an id that does not follow from it', version.id, version.model
        using errcode = 'invalid_parameter_value';
    end if;
    insert into price_versions (id, model, input_pico, output_pico, cache_read_pico, cache_write_pico, reasoning_pico)
    values (version.id, version.model, version.input, version.output, version."cacheRead", version."cacheWrite",
      version.reasoning)
    on conflict (id) do nothing;
  end loop;
end
$$;

-- The same as `priceVersionId` in packages/domain.
create function price_version_id(
  model text, input bigint, output bigint, cache_read bigint, cache_write bigint, reasoning bigint
) returns text
  language sql immutable parallel safe
  return 'price_' || left(encode(sha256(convert_to(concat_ws(E'\n', model, input, output,
    coalesce(cache_read::text, '-'), coalesce(cache_write::text, '-'), coalesce(reasoning::text, '-')),
    'UTF8')), 'hex'), 32);

do $$
declare
  name text;
begin
  foreach name in array array[
    'append_audit', 'open_organization_books', 'block_team_of_debtor', 'apply_balance_rules', 'post_entry', 'expire_grants',
    'known_events', 'return_to_leases', 'park_event', 'redrive_event', 'settle_usage', 'spend_lots', 'settle_budgets',
    'add_to_rollups', 'judge_events', 'ensure_usage_partitions', 'seal_day', 'drop_sealed_partitions', 'ensure_price_versions'
  ] loop
    execute format('revoke execute on function %I from public', name);
  end loop;
end
$$;
-- A gateway settles by itself where no event log carries its events.
grant execute on function settle_usage, park_event, known_events, ensure_usage_partitions, ensure_price_versions
  to tollgate_gateway;
grant execute on function settle_usage, park_event, known_events, ensure_usage_partitions, ensure_price_versions,
  redrive_event, seal_day, drop_sealed_partitions, post_entry, expire_grants, append_audit to tollgate_worker;
grant execute on function post_entry, append_audit, ensure_price_versions to tollgate_platform;

select ensure_usage_partitions((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + 7);
