-- Searches of documents, as providers of such count them: a query against so many documents is one.

alter table price_versions
  add column per_search_pico bigint check (per_search_pico >= 0); -- null: not charged by it
alter table usage_events
  add column searches bigint not null default 0 check (searches >= 0);
alter type event_units add attribute searches bigint;

-- The same sum as before, and searches. The one without them stays for releases that do not know them.
create function price_of_call(
  price price_versions,
  input_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint, output_tokens bigint, reasoning_tokens bigint,
  audio_input_tokens bigint, audio_output_tokens bigint, characters bigint, audio_ms bigint, images bigint, searches bigint
) returns bigint
  language sql immutable parallel safe
  return div(
    1000 * (
      case when input_tokens + cache_read_tokens + cache_write_tokens > (price).tier_above
        then pico_of_tokens(coalesce((price).tier_input_pico, (price).input_pico),
          coalesce((price).tier_output_pico, (price).output_pico),
          coalesce((price).tier_cache_read_pico, (price).cache_read_pico),
          coalesce((price).tier_cache_write_pico, (price).cache_write_pico),
          (price).reasoning_pico, (price).audio_input_pico, (price).audio_output_pico,
          input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
          audio_input_tokens, audio_output_tokens)
        else pico_of_tokens((price).input_pico, (price).output_pico, (price).cache_read_pico, (price).cache_write_pico,
          (price).reasoning_pico, (price).audio_input_pico, (price).audio_output_pico,
          input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
          audio_input_tokens, audio_output_tokens)
      end
      + case when characters > 0 then characters::numeric * coalesce((price).per_character_pico, 0) else 0 end
      + case when images > 0 then images::numeric * coalesce((price).per_image_pico, 0) else 0 end
      + case when searches > 0 then searches::numeric * coalesce((price).per_search_pico, 0) else 0 end
    )
    + case when audio_ms > 0 then audio_ms::numeric * coalesce((price).per_second_pico, 0) else 0 end
    + 500000,
    1000000
  )::bigint;

create or replace function price_version_id(price price_versions) returns text
  language sql immutable parallel safe
  return 'price_' || left(encode(sha256(convert_to(concat_ws(E'\n', (price).model, (price).input_pico, (price).output_pico,
    coalesce((price).cache_read_pico::text, '-'), coalesce((price).cache_write_pico::text, '-'),
    coalesce((price).reasoning_pico::text, '-'),
    'audioInput=' || (price).audio_input_pico, 'audioOutput=' || (price).audio_output_pico,
    'perCharacter=' || (price).per_character_pico, 'perSecond=' || (price).per_second_pico,
    'perImage=' || (price).per_image_pico,
    'tierAbove=' || (price).tier_above, 'tierInput=' || (price).tier_input_pico,
    'tierOutput=' || (price).tier_output_pico, 'tierCacheRead=' || (price).tier_cache_read_pico,
    'tierCacheWrite=' || (price).tier_cache_write_pico, 'perSearch=' || (price).per_search_pico),
    'UTF8')), 'hex'), 32);

create or replace function ensure_price_versions(versions jsonb) returns void
  language plpgsql security definer set search_path from current
as $$
declare
  version price_versions;
begin
  for version in
    select id, model, input, output, "cacheRead", "cacheWrite", reasoning, now(), "audioInput", "audioOutput",
           "perCharacter", "perSecond", "perImage", "tierAbove", "tierInput", "tierOutput", "tierCacheRead",
           "tierCacheWrite", "perSearch"
      from jsonb_to_recordset(versions) as v (
        id text, model text, input bigint, output bigint, "cacheRead" bigint, "cacheWrite" bigint, reasoning bigint,
        "audioInput" bigint, "audioOutput" bigint, "perCharacter" bigint, "perSecond" bigint, "perImage" bigint,
        "tierAbove" bigint, "tierInput" bigint, "tierOutput" bigint, "tierCacheRead" bigint, "tierCacheWrite" bigint, "perSearch" bigint)
     order by id
  loop
    if version.id is distinct from price_version_id(version) then
      raise exception 'price version % of % has an id that does not follow from it', version.id, version.model
        using errcode = 'invalid_parameter_value';
    end if;
    insert into price_versions select version.* on conflict (id) do nothing;
  end loop;
end
$$;

-- As before, and searches with it.
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
             gateway_after_us, coalesce((units).searches, 0))::usage_events
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
          from_lease, node_id, epoch, latency_ms, first_token_ms, transaction_id, ended_at, audio_input_tokens,
          audio_output_tokens, characters, audio_ms, images, attempts, fallback_from, end_user, gateway_before_us,
          queue_us, failed_us, gateway_after_us, searches)
      select id, day, organization_id, team_id, key_id, user_id, request_id, endpoint, model_group,
          deployment_id, provider, is_stream, status, http_status, error_code, input_tokens, cache_read_tokens,
          cache_write_tokens, output_tokens, reasoning_tokens, usage_source, price_version_id, cost, is_billed, hold,
          applied, node_id, epoch, latency_ms, first_token_ms, paid_by, ended_at, audio_input_tokens,
          audio_output_tokens, characters, audio_ms, images, attempts, fallback_from, end_user, gateway_before_us,
          queue_us, failed_us, gateway_after_us, searches
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

create or replace function judge_events(batch json) returns table (
  id uuid, day date, organization_id text, team_id text, key_id text, user_id text, request_id text, endpoint text,
  model_group text, deployment_id text, provider text, is_stream boolean, status text, http_status smallint, error_code text,
  units event_units, price_version_id text, cost bigint, is_billed boolean, hold bigint, from_lease bigint,
  node_id text, epoch integer, latency_ms integer, first_token_ms integer, ended_at_ms numeric, budgets json,
  has_shares boolean, attempts integer, fallback_from text, end_user text, gateway_before_us integer, queue_us integer,
  failed_us integer, gateway_after_us integer, reason text
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
         "gatewayAfterUs",
         case
           when substr(e.id::text, 15, 1) <> '7' then 'id is not a version 7 UUID'
           when "organizationId" is null and "isBilled" then 'billed to no organization'
           when "organizationId" is not null and quota.organization_id is null then 'unknown organization'
           when least(e.cost, e.hold, "fromLease", "latencyMs", e.epoch, (usage)."inputTokens", (usage)."cacheReadTokens",
                  (usage)."cacheWriteTokens", (usage)."outputTokens", (usage)."reasoningTokens",
                  (usage)."audioInputTokens", (usage)."audioOutputTokens", (usage)."characters", (usage)."audioMs",
                  (usage)."images", (usage).searches, e.attempts) < 0
             or (usage)."reasoningTokens" + coalesce((usage)."audioOutputTokens", 0) > (usage)."outputTokens"
             or (usage)."audioInputTokens" > (usage)."inputTokens"
             or greatest((usage)."inputTokens", (usage)."cacheReadTokens", (usage)."cacheWriteTokens",
                  (usage)."outputTokens", (usage)."characters", (usage)."audioMs", (usage)."images",
                  (usage).searches) > 1e12
             or greatest(e.cost, e.hold) > 1e15
             then 'a number is out of bounds'
           when e.cost > 0 and price.id is null then 'unknown price version'
           when price.id is not null and e.cost <> price_of_call(price, (usage)."inputTokens", (usage)."cacheReadTokens",
             (usage)."cacheWriteTokens", (usage)."outputTokens", (usage)."reasoningTokens", (usage)."audioInputTokens",
             (usage)."audioOutputTokens", (usage)."characters", (usage)."audioMs", (usage)."images",
             (usage).searches)
             then 'cost is not what its price version gives'
         end
    from rows from (json_to_recordset(batch) as (
           id uuid, "organizationId" text, "teamId" text, "keyId" text, "userId" text, "requestId" text, endpoint text,
           "modelGroup" text, "deploymentId" text, provider text, "isStream" boolean, status text, "httpStatus" smallint,
           "errorCode" text, usage event_units, "priceVersionId" text, cost bigint, "isBilled" boolean, hold bigint,
           "fromLease" bigint, "nodeId" text, epoch integer, "endedAtMs" numeric, "latencyMs" integer, "firstTokenMs" integer,
           budgets json, attempts integer, "fallbackFrom" text, "endUser" text, "gatewayBeforeUs" integer, "queueUs" integer,
           "failedUs" integer, "gatewayAfterUs" integer
         )) with ordinality as e
    left join organization_quota as quota on quota.organization_id = "organizationId"
    left join price_versions as price on price.id = "priceVersionId"
   order by e.id, ordinality;
$$;

revoke execute on function judge_events from public;
