-- Settles a batch of usage events, including the costs that the operator pays, in the caller's transaction. Each event
-- ID is settled only once. An event is the JSON of `UsageEvent`. Amounts may be numbers or strings. Units other than
-- plain tokens and other rare fields may be missing. The batch is parsed once; `json` takes half the time of `jsonb`.
-- Outcomes: settled, known (settled or parked before), parked.
create or replace function settle_usage(batch json) returns table (id uuid, outcome text)
  language plpgsql security definer set search_path from current
as $$
#variable_conflict use_column
declare
  good          usage_events[]; -- events that can be settled
  good_ids      uuid[];
  days          date[]; -- days of these events
  sharers       uuid[]; -- events with budget leases, and their claims in `shares`
  shares        json[];
  losers        uuid[]; -- events with attempts that the operator pays for, and these attempts in `losses`
  losses        json[];
  has_losses    boolean;
  loss_id       text; -- transaction of the costs that the operator pays
  bad_ids       uuid[];
  bad_reasons   text[];
  organizations text[];
  closed        date[];
  known         uuid[];
  fresh         usage_events[]; -- events that can be settled and are not in the ledger yet
  payers        text[]; -- organizations that pay, with their costs, first events, and transactions below
  costs         bigint[];
  lowest        uuid[];
  transactions  text[];
  lessors       text[]; -- organizations with settled leases, and the amounts in `ended`
  ended         bigint[];
  chained       text[]; -- organizations whose chains grow, with the numbers, previous hashes, and salts of the entries
  links         bigint[];
  heads         bytea[];
  salts         bytea[];
  settlers      text[]; -- organizations with new rows, and the number, first day, and digest of these rows
  counts        integer[];
  earliest      date[];
  digests       bytea[];
  new_heads     bytea[]; -- new hashes of `chained`
  parted        record;
begin
  select array_agg(
           row(classified.id, day, organization_id, team_id, key_id, user_id, request_id, endpoint, model_group, deployment_id,
             provider, is_stream, status, http_status, error_code, (units)."inputTokens", (units)."cacheReadTokens",
             (units)."cacheWriteTokens", (units)."outputTokens", (units)."reasoningTokens", (units).source, classified.price_version_id,
             cost, is_billed, hold, from_lease, node_id, epoch, latency_ms, first_token_ms, null, 'settled',
             to_timestamp(ended_at_ms / 1000.0), now(), coalesce((units)."audioInputTokens", 0),
             coalesce((units)."audioOutputTokens", 0), coalesce((units)."characters", 0), coalesce((units)."audioMs", 0),
             coalesce((units)."images", 0), attempts, fallback_from, end_user, gateway_before_us, queue_us, failed_us,
             gateway_after_us, coalesce((units).searches, 0), loss, null, coalesce((units)."requestFees", 0),
             coalesce((units)."webSearches", 0), coalesce((units)."fileSearches", 0),
             coalesce((units)."codeSessions", 0), coalesce((units)."toolCalls", 0),
             coalesce((units)."longCacheWriteTokens", 0),
             case when bought.id is not null then price_of_call(bought, (units)."inputTokens",
               (units)."cacheReadTokens", (units)."cacheWriteTokens", (units)."outputTokens",
               (units)."reasoningTokens", (units)."audioInputTokens", (units)."audioOutputTokens",
               (units)."characters", (units)."audioMs", (units)."images", (units).searches, (units)."requestFees",
               (units)."webSearches", (units)."fileSearches", (units)."codeSessions", (units)."toolCalls",
               (units)."longCacheWriteTokens") end, (units)."reportedCost",
             null, session)::usage_events
         ) filter (where reason is null),
         array_agg(classified.id) filter (where reason is null), array_agg(distinct day) filter (where reason is null),
         array_agg(classified.id) filter (where has_shares), array_agg(budgets) filter (where has_shares),
         array_agg(classified.id) filter (where lost_attempts is not null),
         array_agg(lost_attempts) filter (where lost_attempts is not null),
         array_agg(classified.id) filter (where reason is not null), array_agg(reason) filter (where reason is not null),
         array_agg(distinct organization_id) filter (where organization_id is not null),
         bool_or(loss > 0 or lost_attempts is not null)
    into good, good_ids, days, sharers, shares, losers, losses, bad_ids, bad_reasons, organizations, has_losses
    from assess_events(batch) as classified
    -- Only prices with a margin name the version of their cost.
    left join price_versions as sold on sold.id = classified.price_version_id and sold.cost_version_id is not null
    left join price_versions as bought on bought.id = sold.cost_version_id;

  -- The lock keeps a day from being closed, and its partition from being dropped, while its events are settled.
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

  -- From here on, no other transaction settles, leases, or posts for these organizations.
  perform from organization_quota where organization_id = any (organizations) order by organization_id for update;
  known := array(select known_events(good_ids));
  fresh := case when cardinality(known) = 0 then good
    else array(select e from unnest(good) as e left join unnest(known) as k on k = e.id where k is null) end;

  select array_agg(organization_id) filter (where cost > 0), array_agg(cost) filter (where cost > 0),
         array_agg(first_id) filter (where cost > 0),
         array_agg('txn_' || crockford_of(first_id)) filter (where cost > 0),
         array_agg(organization_id), array_agg(quota.chain_seq + 1), array_agg(quota.chain_hash),
         array_agg(uuid_send(gen_random_uuid()))
    into payers, costs, lowest, transactions, chained, links, heads, salts
    from (
      select organization_id, (sum(cost) filter (where is_billed))::bigint as cost,
             min(e.id::text) filter (where is_billed and cost > 0)::uuid as first_id
        from unnest(fresh) as e where organization_id is not null group by organization_id
    ) as sums join organization_quota as quota using (organization_id);

  if has_losses then
    loss_id := post_loss(fresh, losers, losses);
  end if;
  begin
    with claimed as (
      select e.*, case when e.is_billed and e.cost > 0 then paid.id end as paid_by,
             case when e.is_billed and e.loss > 0 then loss_id end as lost_by, link.seq as chain_link,
             -- The part of the lease that earlier events leave.
             greatest(0, least(e.from_lease,
               coalesce(lease.outstanding, 0) - (sum(e.from_lease) over same_lease - e.from_lease)))::bigint as applied
        from unnest(fresh) as e
        left join unnest(payers, transactions) as paid (organization_id, id) on paid.organization_id = e.organization_id
        left join unnest(chained, links) as link (organization_id, seq) on link.organization_id = e.organization_id
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
          queue_us, failed_us, gateway_after_us, searches, request_fees, web_searches, file_searches, code_sessions,
          tool_calls, long_cache_write_tokens, loss, loss_transaction_id, provider_cost,
          reported_cost, chain_seq, session)
      select id, day, organization_id, team_id, key_id, user_id, request_id, endpoint, model_group,
          deployment_id, provider, is_stream, status, http_status, error_code, input_tokens, cache_read_tokens,
          cache_write_tokens, output_tokens, reasoning_tokens, usage_source, price_version_id, cost, is_billed, hold,
          applied, node_id, epoch, latency_ms, first_token_ms, paid_by, ended_at, audio_input_tokens,
          audio_output_tokens, characters, audio_ms, images, attempts, fallback_from, end_user, gateway_before_us,
          queue_us, failed_us, gateway_after_us, searches, request_fees, web_searches, file_searches, code_sessions,
          tool_calls, long_cache_write_tokens, loss, lost_by, provider_cost, reported_cost, chain_link, session
        from claimed
      returning organization_id, node_id, epoch, from_lease, id, day, request_id, end_user, session,
          usage_facts(usage_events) as facts
    ), shares as (
      select organization_id, node_id, epoch, sum(from_lease)::bigint as amount
        from added where from_lease > 0 group by organization_id, node_id, epoch
    ), leases as (
      update credit_leases as lease
         set settled = lease.settled + amount,
             state = case when lease.state = 'closing' and lease.outstanding = amount then 'closed' else lease.state end
        from shares
       where (lease.organization_id, lease.node_id, lease.epoch) = (shares.organization_id, shares.node_id, shares.epoch)
    ), digests as (
      select organization_id, count(*)::integer as number, min(day) as since,
             sha256(string_agg(facts || usage_texts_digest(salt, id, request_id, end_user, session),
               ''::bytea order by id)) as digest
        from added join unnest(chained, salts) as link (organization_id, salt) using (organization_id)
       group by organization_id
    )
    select lent.organizations, lent.amounts, stored.organizations, stored.numbers, stored.days, stored.digests
      into lessors, ended, settlers, counts, earliest, digests
      from (
        select array_agg(organization_id) as organizations, array_agg(amount) as amounts
          from (select organization_id, sum(amount)::bigint as amount from shares group by organization_id) as sums
      ) as lent, (
        select array_agg(organization_id) as organizations, array_agg(number) as numbers, array_agg(since) as days,
               array_agg(digest) as digests
          from digests
      ) as stored;
  exception when unique_violation then
    -- Only possible for events without an organization, which no lock covers. No event was stored, and a retry finds
    -- them known.
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
  with added as (
    insert into ledger_chain (organization_id, seq, transaction_id, usage_count, usage_since, usage_digest, salt,
        previous_hash, hash)
    select link.organization_id, link.seq, entry.id, used.number, used.since, used.digest, link.salt, link.previous,
           ledger_chain_hash(link.previous, link.organization_id, link.seq, now(), link.salt,
             case when entry.id is not null then entry_facts(entry, link.salt,
               posting_facts(1::smallint, 'org:' || entry.organization_id || ':credits', 'sys:revenue', paid.cost), null) end,
             used.number, used.since, used.digest)
      from unnest(chained, links, heads, salts) as link (organization_id, seq, previous, salt)
      join unnest(settlers, counts, earliest, digests) as used (organization_id, number, since, digest)
        using (organization_id)
      left join unnest(payers, transactions, costs) as paid (organization_id, id, cost) using (organization_id)
      left join ledger_transactions as entry on entry.id = paid.id
    returning organization_id, hash
  )
  select array_agg(organization_id), array_agg(hash) into chained, new_heads from added;
  perform spend_lots(payers, costs);
  perform settle_budgets(sharers, shares, fresh, organizations);
  perform add_to_rollups(fresh);

  for parted in
    update organization_quota as quota
       set balance = quota.balance - cost, total_used = total_used + cost, leased = quota.leased - amount,
           chain_seq = quota.chain_seq + 1, chain_hash = moved.head,
           version = quota.version + has_money::integer, updated_at = now()
      from (
        -- Every organization with new rows has a chain entry, even if no money moves.
        select linked.organization_id, linked.head, coalesce(paid.cost, 0) as cost, coalesce(lent.amount, 0) as amount,
               coalesce(paid.cost, lent.amount) is not null as has_money
          from unnest(chained, new_heads) as linked (organization_id, head)
          left join unnest(payers, costs) as paid (organization_id, cost) using (organization_id)
          left join unnest(lessors, ended) as lent (organization_id, amount) using (organization_id)
      ) as moved
     where quota.organization_id = moved.organization_id
    returning quota.organization_id, balance + cost as before, balance as after, low_balance_threshold as threshold,
              has_money
  loop
    continue when not parted.has_money;
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

revoke execute on function settle_usage from public;
grant execute on function settle_usage to tollgate_gateway, tollgate_worker;
