-- No hold exceeds what is free by more than the overdraft, so one nano-USD no longer buys a call of any price.

-- Whether a purse with so much free covers a hold. Under `strict` the overdraft is a credit line of the organization, and a
-- budget stays an exact cap. Null, as gateways of an earlier release ask, bounds nothing.
create function is_admitted(policy text, overdraft bigint, is_budget boolean, free bigint, amount bigint) returns boolean
  language sql immutable
  return case policy
    when 'strict' then amount <= free + case when is_budget then 0 else coalesce(overdraft, 0) end::numeric
    when 'positive' then free > 0 and (overdraft is null or amount <= free + overdraft::numeric)
    when 'nonnegative' then free >= 0 and (overdraft is null or amount <= free + overdraft::numeric)
  end;

-- As before, with the overdraft.
create function serve_request(request jsonb, purses leased_purse[], node text, policy text, overdraft bigint, live_nodes integer) returns served_request
  language plpgsql
as $$
declare
  wishes jsonb := request -> 'purses';
  holds jsonb := request -> 'holds';
  served served_request;
  purse leased_purse;
  wish jsonb;
  free bigint[]; -- of each purse, all along
  largest bigint[];
  taken bigint[];
  places integer[];
  place integer;
  amount bigint;
  failed integer := 0; -- the purse that the first hold not granted does not fit in
  needed bigint;
begin
  for i in 1 .. cardinality(purses) loop
    wish := wishes -> (i - 1);
    purse := purses[i];
    amount := greatest(0, least((wish ->> 'returned')::bigint, purse.outstanding));
    purse.returned := purse.returned + amount;
    purse.leased := purse.leased - amount;
    purses[i] := purse;
    free[i] := purse.balance - purse.leased;
    largest[i] := (wish ->> 'largestHold')::bigint;
    taken[i] := 0;
  end loop;

  <<run>>
  for h in 0 .. jsonb_array_length(holds) - 1 loop
    amount := (holds -> h ->> 'amount')::bigint;
    continue when amount <= 0;
    places := translate(holds -> h ->> 'purses', '[]', '{}')::integer[];
    foreach place in array places loop
      largest[place + 1] := greatest(largest[place + 1], amount);
      if is_admitted(policy, overdraft, (purses[place + 1]).scope is not null, free[place + 1], amount) is not true then
        failed := place + 1;
        exit run;
      end if;
    end loop;
    foreach place in array places loop
      free[place + 1] := free[place + 1] - amount;
      taken[place + 1] := taken[place + 1] + amount;
    end loop;
  end loop;

  for i in 1 .. cardinality(purses) loop
    wish := wishes -> (i - 1);
    purse := purses[i];
    -- The largest hold is remembered for ten minutes after it was last seen.
    if largest[i] >= purse.largest_hold or purse.largest_hold_at < now() - interval '10 minutes' then
      purse.largest_hold := largest[i];
      purse.largest_hold_at := now();
    end if;
    purse.recall_seen := greatest(purse.recall_seen, (wish ->> 'recallSeen')::bigint);
    purse.mode := choose_mode(purse.mode, free[i], purse.largest_hold);
    if i = failed then
      -- Recalls are numbered by time, across all purses: one that was asked for on behalf of another purse is older than any
      -- later one of this purse, and numbers go on growing in a database that was restored.
      needed := nullif((request ->> 'afterRecall')::bigint, 0);
      if needed > purse.recall then
        needed := null;
      end if;
      if not is_idle_elsewhere(purse, node, needed) then
        served.denial := jsonb_build_object('kind', 'refused', 'purse', i - 1, 'recall', purse.recall);
      else
        if needed is null then
          purse.mode := 'exact';
          purse.recall := greatest(purse.recall + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint);
          needed := purse.recall;
          perform send_recall(purse);
        end if;
        served.denial := jsonb_build_object('kind', 'wait', 'purse', i - 1, 'recall', needed);
      end if;
    end if;
    if purse.mode = 'slices' then
      amount := greatest(0, least((wish ->> 'slice')::bigint, free[i] / 20, purse.balance / (2 * live_nodes)));
      taken[i] := taken[i] + amount;
      purse.mode := choose_mode(purse.mode, free[i] - amount, purse.largest_hold);
    end if;
    purse.seq := (request ->> 'seq')::bigint;
    purse.granted := purse.granted + taken[i];
    purse.leased := purse.leased + taken[i];
    purses[i] := purse;
  end loop;
  served.purses := purses;
  return served;
end
$$;

create function lease_credit(node text, node_epoch integer, policy text, overdraft bigint, requests jsonb) returns jsonb
  language plpgsql security definer set search_path from current
  -- A connection keeps its plans, even those made while the tables were empty. So rows are found by their keys one by one,
  -- which costs little more than all in one statement does, and never a thousand times as much.
  set enable_seqscan = off set jit = off
as $$
declare
  live_nodes integer := greatest(1, count_live_nodes());
  wanted text[] := array(select distinct value ->> 'organizationId' from jsonb_array_elements(requests));
  locked text[];
  asked record;
  wishes jsonb;
  purses leased_purse[];
  served served_request;
  rendered jsonb;
  answers jsonb[] := '{}';
begin
  -- Shared, so that the node cannot start anew while its former run is still being given credit that nobody would close.
  perform from gateway_nodes where node_id = node and epoch = node_epoch for share;
  if not found then
    return (select coalesce(jsonb_agg(render_answer(value, 'fenced')), '[]') from jsonb_array_elements(requests));
  end if;
  if cardinality(wanted) <> jsonb_array_length(requests) then
    raise exception 'an organization was asked for twice in one statement' using errcode = 'invalid_parameter_value';
  end if;
  locked := array(
    select organization_id from organization_quota where organization_id = any (wanted)
     order by organization_id for no key update skip locked
  );
  insert into credit_leases (organization_id, node_id, epoch)
  select organization, node, node_epoch from unnest(locked) as organization
  on conflict (organization_id, node_id, epoch) do nothing;

  for asked in
    select request, lease.state, (request ->> 'seq')::bigint as seq,
           row(quota.organization_id, null, null, null, lease.seq, granted, returned, recall_seen, outstanding,
               balance, leased, mode, largest_hold, largest_hold_at, recall)::leased_purse as credit
      from jsonb_array_elements(requests) as request
      left join lateral (
        select * from organization_quota where organization_id = request ->> 'organizationId' and organization_id = any (locked) offset 0
      ) as quota on true
      left join lateral (
        select * from credit_leases
         where organization_id = quota.organization_id and node_id = node and epoch = node_epoch offset 0
      ) as lease on true
  loop
    if asked.state is distinct from 'active' then
      answers := answers || render_answer(asked.request, case when asked.state is null then 'busy' else 'fenced' end);
      continue;
    end if;
    wishes := asked.request -> 'purses';
    purses := '{}';
    for i in 1 .. jsonb_array_length(wishes) loop
      purses[i] := case wishes -> (i - 1) #>> '{purse,kind}' when 'credit' then asked.credit
        else open_budget((asked.credit).organization_id, node, node_epoch, wishes -> (i - 1) -> 'purse') end;
    end loop;
    served.denial := null;
    if asked.seq > (asked.credit).seq then
      served := serve_request(asked.request, purses, node, policy, overdraft, live_nodes);
      purses := served.purses;
      for i in 1 .. cardinality(purses) loop
        perform store_purse(purses[i], node, node_epoch);
      end loop;
      -- The lease of the organization's credit counts the requests, whatever purses they are for.
      if not wishes @> '[{"purse": {"kind": "credit"}}]' then
        update credit_leases set seq = asked.seq
         where organization_id = (asked.credit).organization_id and node_id = node and epoch = node_epoch;
      end if;
    end if;
    rendered := '[]';
    for i in 1 .. cardinality(purses) loop
      rendered := rendered || render_purse(purses[i]);
    end loop;
    answers := answers || render_answer(asked.request, 'answered', rendered, served.denial);
  end loop;
  return to_jsonb(answers);
end
$$;

-- Gateways of the release before this one ask without an overdraft while they are being replaced.
create or replace function lease_credit(node text, node_epoch integer, policy text, requests jsonb) returns jsonb
  language sql security definer set search_path from current
  return lease_credit(node, node_epoch, policy, null::bigint, requests);
-- serve_request without an overdraft is not called any more. It stays until a later release contracts the schema.

revoke execute on function lease_credit(text, integer, text, bigint, jsonb) from public;
grant execute on function lease_credit(text, integer, text, bigint, jsonb) to tollgate_gateway;

-- `ledger verify` judges balances from before this migration by the rule that held then.
grant select on schema_migrations to tollgate_worker;
