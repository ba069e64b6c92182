-- The operator's loss: work that a provider bills and no caller pays for (decision 42). It has a ledger account of its
-- own and never changes an organization's balance, budgets or sums.
insert into ledger_accounts (id, may_be_negative) values ('sys:loss', true);

-- A loss transaction belongs to no organization. Constraints are not validated here, because that reads whole tables.
alter table ledger_transactions alter column organization_id drop not null;
alter table ledger_transactions drop constraint ledger_transactions_kind_check;
alter table ledger_transactions
  add constraint ledger_transactions_kind_check check (kind in
    ('purchase', 'grant', 'usage', 'usage_reversal', 'refund', 'dispute', 'dispute_won', 'expiry', 'adjustment', 'loss'))
    not valid,
  add constraint ledger_transactions_loss_check check (
    (organization_id is null) = (kind = 'loss') and (kind = 'loss' or idempotency_key not like 'loss:%')) not valid;

alter table usage_events
  add column loss bigint not null default 0, -- nano-USD; cost and loss together are the price of the units
  add column loss_transaction_id text; -- the loss transaction whose amount contains this loss
alter table usage_events add constraint usage_events_loss_check check (loss >= 0) not valid;
alter table usage_day_seals add column loss bigint not null default 0; -- the part of billed calls' price that the operator paid

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

-- Lost attempts as the JSON of an event lists them, each with its place. Units that are not plain tokens may be missing.
create function read_lost_attempts(attempts json) returns table (
  seq bigint, reason text, deployment_id text, provider text, units event_units, price_version_id text, cost bigint
)
  language sql immutable
as $$
  select ordinality, reason, "deploymentId", provider, usage, "priceVersionId", cost
    from rows from (json_to_recordset(attempts) as (
           reason text, "deploymentId" text, provider text, usage event_units, "priceVersionId" text, cost bigint
         )) with ordinality as a;
$$;

-- Why the lost attempts of an event cannot be posted; null when they can.
create function fault_of_lost_attempts(attempts json) returns text
  language sql stable
as $$
  select min(case
           when a.seq > 16 then 'too many lost attempts'
           when a.reason is null or a.reason not in ('retry', 'fallback', 'timeout', 'malformed', 'upstream')
             then 'unknown reason of a lost attempt'
           when a.cost is null or a.cost <= 0 or a.cost > 1e15
             or least((units)."inputTokens", (units)."cacheReadTokens", (units)."cacheWriteTokens", (units)."outputTokens",
                  (units)."reasoningTokens", (units)."audioInputTokens", (units)."audioOutputTokens", (units)."characters",
                  (units)."audioMs", (units)."images", (units).searches) < 0
             or (units)."reasoningTokens" + coalesce((units)."audioOutputTokens", 0) > (units)."outputTokens"
             or (units)."audioInputTokens" > (units)."inputTokens"
             or greatest((units)."inputTokens", (units)."cacheReadTokens", (units)."cacheWriteTokens",
                  (units)."outputTokens", (units)."characters", (units)."audioMs", (units)."images",
                  (units).searches) > 1e12
             then 'a number of a lost attempt is out of bounds'
           when price.id is null then 'unknown price version of a lost attempt'
           when a.cost is distinct from price_of_call(price, (units)."inputTokens", (units)."cacheReadTokens",
             (units)."cacheWriteTokens", (units)."outputTokens", (units)."reasoningTokens",
             coalesce((units)."audioInputTokens", 0), coalesce((units)."audioOutputTokens", 0),
             coalesce((units)."characters", 0), coalesce((units)."audioMs", 0), coalesce((units)."images", 0),
             coalesce((units).searches, 0))
             then 'cost of a lost attempt is not what its price version gives'
         end)
    from read_lost_attempts(attempts) as a left join price_versions as price on price.id = a.price_version_id;
$$;

-- Posts what the operator pays for in a batch, as one transaction that is named after the earliest call with a loss.
-- Calls that no credit pays for are recorded and not posted: without billing there is no revenue that a loss reduces.
-- Returns the transaction; null when there is nothing to post.
create function post_loss(fresh usage_events[], losers uuid[], losses json[]) returns text
  language plpgsql security definer set search_path from current
as $$
#variable_conflict use_column
declare
  first_id text;
  total    numeric;
  new_id   text;
begin
  select min(id), sum(amount) into first_id, total
    from (
      select e.id::text as id, e.loss as amount from unnest(fresh) as e where e.is_billed and e.loss > 0
      union all
      select e.id::text, attempt.cost
        from unnest(losers, losses) as lost (id, attempts)
        join unnest(fresh) as e on e.id = lost.id and e.is_billed
       cross join lateral read_lost_attempts(lost.attempts) as attempt
    ) as amounts;
  if total is null then
    return null;
  end if;
  new_id := 'txn_' || crockford_of(make_uuid_v7());
  -- The balance after an entry is an organization's; this entry has none.
  insert into ledger_transactions (id, kind, organization_id, idempotency_key, actor, balance_after)
  values (new_id, 'loss', null, 'loss:' || first_id, 'system', 0);
  insert into ledger_postings (transaction_id, seq, source, destination, amount)
  values (new_id, 1, 'sys:loss', 'sys:revenue', total::bigint);
  return new_id;
end
$$;

create function keep_lost_attempts(fresh usage_events[], losers uuid[], losses json[], loss_id text) returns void
  language sql security definer set search_path from current
as $$
  insert into lost_attempts (day, event_id, seq, organization_id, reason, deployment_id, provider, input_tokens,
      cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, audio_input_tokens, audio_output_tokens,
      characters, audio_ms, images, searches, usage_source, price_version_id, cost, transaction_id)
  select e.day, e.id, attempt.seq, e.organization_id, attempt.reason, attempt.deployment_id, attempt.provider,
         (units)."inputTokens", (units)."cacheReadTokens", (units)."cacheWriteTokens", (units)."outputTokens",
         (units)."reasoningTokens", coalesce((units)."audioInputTokens", 0), coalesce((units)."audioOutputTokens", 0),
         coalesce((units)."characters", 0), coalesce((units)."audioMs", 0), coalesce((units)."images", 0),
         coalesce((units).searches, 0), (units).source, attempt.price_version_id, attempt.cost,
         case when e.is_billed then loss_id end
    from unnest(losers, losses) as lost (id, attempts)
    join unnest(fresh) as e on e.id = lost.id
   cross join lateral read_lost_attempts(lost.attempts) as attempt;
$$;

-- As `judge_events`, which stays for one release, and losses: an event whose losses do not follow from its prices is not
-- settled.
create function classify_events(batch json) returns table (
  id uuid, day date, organization_id text, team_id text, key_id text, user_id text, request_id text, endpoint text,
  model_group text, deployment_id text, provider text, is_stream boolean, status text, http_status smallint, error_code text,
  units event_units, price_version_id text, cost bigint, is_billed boolean, hold bigint, from_lease bigint,
  node_id text, epoch integer, latency_ms integer, first_token_ms integer, ended_at_ms numeric, budgets json,
  has_shares boolean, attempts integer, fallback_from text, end_user text, gateway_before_us integer, queue_us integer,
  failed_us integer, gateway_after_us integer, loss bigint, lost_attempts json, reason text
)
  language sql stable
as $$
  select distinct on (e.id) e.id, day_of_event(e.id), "organizationId", "teamId", "keyId", "userId", "requestId", e.endpoint,
         "modelGroup", "deploymentId", e.provider, "isStream", e.status, "httpStatus", "errorCode",
         usage, "priceVersionId", e.cost, "isBilled", e.hold, "fromLease",
         "nodeId", e.epoch, "latencyMs", "firstTokenMs", "endedAtMs", e.budgets,
         -- The text of most is that of an empty list, which is cheaper to see than to take apart.
         e.budgets::text <> '[]' and json_typeof(e.budgets) = 'array',
         coalesce(e.attempts, 1), "fallbackFrom", left("endUser", 200), "gatewayBeforeUs", "queueUs", "failedUs",
         "gatewayAfterUs", coalesce(e.loss, 0), "lostAttempts",
         case
           when substr(e.id::text, 15, 1) <> '7' then 'id is not a version 7 UUID'
           when "organizationId" is null and "isBilled" then 'billed to no organization'
           when "organizationId" is not null and quota.organization_id is null then 'unknown organization'
           when least(e.cost, e.hold, "fromLease", "latencyMs", e.epoch, (usage)."inputTokens", (usage)."cacheReadTokens",
                  (usage)."cacheWriteTokens", (usage)."outputTokens", (usage)."reasoningTokens",
                  (usage)."audioInputTokens", (usage)."audioOutputTokens", (usage)."characters", (usage)."audioMs",
                  (usage)."images", (usage).searches, e.attempts, e.loss) < 0
             or (usage)."reasoningTokens" + coalesce((usage)."audioOutputTokens", 0) > (usage)."outputTokens"
             or (usage)."audioInputTokens" > (usage)."inputTokens"
             or greatest((usage)."inputTokens", (usage)."cacheReadTokens", (usage)."cacheWriteTokens",
                  (usage)."outputTokens", (usage)."characters", (usage)."audioMs", (usage)."images",
                  (usage).searches) > 1e12
             or greatest(e.cost, e.hold, e.loss) > 1e15
             then 'a number is out of bounds'
           when (e.cost > 0 or e.loss > 0) and price.id is null then 'unknown price version'
           when price.id is not null and e.cost + coalesce(e.loss, 0)
             <> price_of_call(price, (usage)."inputTokens", (usage)."cacheReadTokens",
             (usage)."cacheWriteTokens", (usage)."outputTokens", (usage)."reasoningTokens", (usage)."audioInputTokens",
             (usage)."audioOutputTokens", (usage)."characters", (usage)."audioMs", (usage)."images",
             (usage).searches)
             then 'cost is not what its price version gives'
           when "lostAttempts" is not null then fault_of_lost_attempts("lostAttempts")
         end
    from rows from (json_to_recordset(batch) as (
           id uuid, "organizationId" text, "teamId" text, "keyId" text, "userId" text, "requestId" text, endpoint text,
           "modelGroup" text, "deploymentId" text, provider text, "isStream" boolean, status text, "httpStatus" smallint,
           "errorCode" text, usage event_units, "priceVersionId" text, cost bigint, "isBilled" boolean, hold bigint,
           "fromLease" bigint, "nodeId" text, epoch integer, "endedAtMs" numeric, "latencyMs" integer, "firstTokenMs" integer,
           budgets json, attempts integer, "fallbackFrom" text, "endUser" text, "gatewayBeforeUs" integer, "queueUs" integer,
           "failedUs" integer, "gatewayAfterUs" integer, loss bigint, "lostAttempts" json
         )) with ordinality as e
    left join organization_quota as quota on quota.organization_id = "organizationId"
    left join price_versions as price on price.id = "priceVersionId"
   order by e.id, ordinality;
$$;

-- As before, and what the operator pays for with it, in the same transaction.
create or replace function settle_usage(batch json) returns table (id uuid, outcome text)
  language plpgsql security definer set search_path from current
as $$
#variable_conflict use_column
declare
  good          usage_events[]; -- that can be settled
  good_ids      uuid[];
  days          date[]; -- of the good
  sharers       uuid[]; -- events that name budget leases, with what they say of them
  shares        json[];
  losers        uuid[]; -- events with attempts that the operator pays for, with what they say of them
  losses        json[];
  has_losses    boolean;
  loss_id       text; -- the transaction of what the operator pays for
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
             to_timestamp(ended_at_ms / 1000.0), now(), coalesce((units)."audioInputTokens", 0),
             coalesce((units)."audioOutputTokens", 0), coalesce((units)."characters", 0), coalesce((units)."audioMs", 0),
             coalesce((units)."images", 0), attempts, fallback_from, end_user, gateway_before_us, queue_us, failed_us,
             gateway_after_us, coalesce((units).searches, 0), loss, null)::usage_events
         ) filter (where reason is null),
         array_agg(id) filter (where reason is null), array_agg(distinct day) filter (where reason is null),
         array_agg(id) filter (where has_shares), array_agg(budgets) filter (where has_shares),
         array_agg(id) filter (where lost_attempts is not null),
         array_agg(lost_attempts) filter (where lost_attempts is not null),
         array_agg(id) filter (where reason is not null), array_agg(reason) filter (where reason is not null),
         array_agg(distinct organization_id) filter (where organization_id is not null),
         bool_or(loss > 0 or lost_attempts is not null)
    into good, good_ids, days, sharers, shares, losers, losses, bad_ids, bad_reasons, organizations, has_losses
    from classify_events(batch);

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

  if has_losses then
    loss_id := post_loss(fresh, losers, losses);
  end if;
  begin
    with claimed as (
      select e.*, case when e.is_billed and e.cost > 0 then paid.id end as paid_by,
             case when e.is_billed and e.loss > 0 then loss_id end as lost_by,
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
          from_lease, node_id, epoch, latency_ms, first_token_ms, transaction_id, ended_at, audio_input_tokens,
          audio_output_tokens, characters, audio_ms, images, attempts, fallback_from, end_user, gateway_before_us,
          queue_us, failed_us, gateway_after_us, searches, loss, loss_transaction_id)
      select id, day, organization_id, team_id, key_id, user_id, request_id, endpoint, model_group,
          deployment_id, provider, is_stream, status, http_status, error_code, input_tokens, cache_read_tokens,
          cache_write_tokens, output_tokens, reasoning_tokens, usage_source, price_version_id, cost, is_billed, hold,
          applied, node_id, epoch, latency_ms, first_token_ms, paid_by, ended_at, audio_input_tokens,
          audio_output_tokens, characters, audio_ms, images, attempts, fallback_from, end_user, gateway_before_us,
          queue_us, failed_us, gateway_after_us, searches, loss, lost_by
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

  if has_losses then
    perform keep_lost_attempts(fresh, losers, losses, loss_id);
  end if;
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

-- As before, and the operator's part of the price with it: rows of sealed days are dropped later.
create or replace function seal_day(sealed_day date) returns text
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
  insert into usage_day_seals (day, organization_id, events, cost, billed, digest, loss)
  select sealed_day, coalesce(organization_id, ''), count(*), sum(cost), coalesce(sum(cost) filter (where is_billed), 0),
         sha256(convert_to(string_agg(id::text || cost, '' order by id), 'UTF8')),
         coalesce(sum(loss) filter (where is_billed), 0)
    from usage_events where day = sealed_day group by organization_id;
  insert into usage_day_seals (day, organization_id, events, cost, billed, digest)
  values (sealed_day, '', 0, 0, 0, sha256(''))
  on conflict do nothing;
  return 'sealed';
end
$$;

revoke execute on function read_lost_attempts, fault_of_lost_attempts, post_loss, keep_lost_attempts, classify_events
  from public;
