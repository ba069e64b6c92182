-- Leases and their states. No role may write these tables: everything goes through the functions below, which lock in one
-- order: the row of a node, then quota rows in the order of organizations, then leases and budget windows of those.

create function count_live_nodes() returns integer
  language sql stable
  return (select count(*)::integer from gateway_nodes where alive_until > now());

-- A process starts: its epoch is higher than any that the database or the node's own journal knows of.
create function register_node(node text, known_epoch integer, on_host text, out new_epoch integer, out live_nodes integer)
  language plpgsql security definer set search_path from current
as $$
begin
  insert into gateway_nodes as stored (node_id, epoch, alive_until, host)
  values (node, known_epoch + 1, now() + interval '30 seconds', on_host)
  on conflict (node_id) do update
    set epoch = greatest(stored.epoch, known_epoch) + 1, beat = 0, started_at = now(),
        alive_until = excluded.alive_until, oldest_unconfirmed_at = null, host = excluded.host
  returning epoch into new_epoch;
  live_nodes := count_live_nodes();
end
$$;

-- A process lives on, and with it the leases it was thought to have died with. No row: the database does not know this epoch.
create function heartbeat(node text, node_epoch integer, new_beat bigint, oldest_unconfirmed timestamptz, uses jsonb)
  returns table (live_nodes integer, previous_beat bigint)
  language plpgsql security definer set search_path from current
as $$
declare
  known gateway_nodes;
  silent text[];
begin
  select * into known from gateway_nodes where node_id = node and epoch = node_epoch for no key update;
  if not found then
    return;
  end if;
  silent := array(select organization_id from credit_leases where node_id = node and epoch = node_epoch and state = 'lapsed');
  if silent <> '{}' then
    perform from organization_quota where organization_id = any (silent) order by organization_id for no key update;
    update credit_leases set state = 'active', lapsed_at = null
     where organization_id = any (silent) and node_id = node and epoch = node_epoch and state = 'lapsed';
  end if;
  insert into lease_use as stored (organization_id, node_id, epoch, in_use, calls)
  select use ->> 'organizationId', node, node_epoch, (use ->> 'inUse')::bigint, (use ->> 'calls')::integer
    from jsonb_array_elements(uses) as use
  on conflict (organization_id, node_id, epoch) do update
    set in_use = excluded.in_use, calls = excluded.calls, at = excluded.at;
  update gateway_nodes
     -- One that was overtaken on its way does not turn the count back: its node would believe in a restored database.
     set alive_until = now() + interval '30 seconds', beat = greatest(beat, new_beat), oldest_unconfirmed_at = oldest_unconfirmed
   where node_id = node;
  return query select count_live_nodes(), known.beat;
end
$$;

-- A purse as a request sees it, with this node's lease of it. No scope: the organization's credit.
create type leased_purse as (
  organization_id text,
  scope           text,
  scope_id        text,
  starts_at       timestamptz,
  seq             bigint, -- these four are the lease's
  granted         bigint,
  returned        bigint,
  recall_seen     bigint,
  outstanding     bigint, -- as it was before the request
  balance         bigint, -- and these the purse's: the balance, or the limit less what is spent
  leased          bigint,
  mode            text,
  largest_hold    bigint,
  largest_hold_at timestamptz,
  recall          bigint
);

-- The lowest id that an event of this moment or later can have.
create function first_event_id(at timestamptz) returns uuid
  language sql immutable strict parallel safe
  return (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

-- What was spent before a window's row existed. Sums of fifteen minutes give it where the window's ends are theirs too, for
-- there may be millions of events in a budget without an end; they do not know users.
create function sum_spent(organization text, of_scope text, of_scope_id text, since timestamptz, until timestamptz) returns bigint
  language plpgsql stable
as $$
declare
  first_at timestamptz := greatest(since, 'epoch');
  last_at timestamptz := least(until, '9999-12-31Z');
begin
  if of_scope <> 'user' and date_bin('15 minutes', first_at, 'epoch') = first_at
     and date_bin('15 minutes', last_at, 'epoch') = last_at then
    return (
      select coalesce(sum(cost), 0) from usage_rollups
       where organization_id = organization and bucket_at >= first_at and bucket_at < last_at
         and case of_scope when 'key' then key_id = of_scope_id when 'team' then team_id = of_scope_id else true end
    );
  end if;
  return (
    select coalesce(sum(cost), 0) from usage_events
     where organization_id = organization
       and day between (first_at at time zone 'UTC')::date and (last_at at time zone 'UTC')::date
       and id >= first_event_id(first_at) and id < first_event_id(last_at)
       and case of_scope when 'key' then key_id = of_scope_id when 'team' then team_id = of_scope_id
                         when 'user' then user_id = of_scope_id else true end
  );
end
$$;

-- A window and this node's lease of it, made on first use.
create function open_budget(organization text, node text, node_epoch integer, purse jsonb) returns leased_purse
  language plpgsql
as $$
declare
  of_scope text := purse #>> '{window,scope}';
  of_scope_id text := purse #>> '{window,scopeId}';
  since timestamptz := to_timestamp((purse #>> '{window,startsAtMs}')::numeric / 1000);
  until timestamptz;
  opened leased_purse;
begin
  for attempt in 1 .. 2 loop
    select w.organization_id, w.scope, w.scope_id, w.starts_at, null, l.granted, l.returned, l.recall_seen, l.outstanding,
           (purse ->> 'limit')::bigint - w.spent, w.leased, w.mode, w.largest_hold, w.largest_hold_at, w.recall
      into opened
      from budget_windows w
      join budget_leases l using (organization_id, scope, scope_id, starts_at)
     where w.organization_id = organization and w.scope = of_scope and w.scope_id = of_scope_id and w.starts_at = since
       and l.node_id = node and l.epoch = node_epoch;
    exit when found;
    until := coalesce(to_timestamp((purse #>> '{window,endsAtMs}')::numeric / 1000), 'infinity');
    if not exists (select from budget_windows where organization_id = organization and scope = of_scope
                      and scope_id = of_scope_id and starts_at = since) then
      insert into budget_windows (organization_id, scope, scope_id, starts_at, ends_at, amount, spent)
      values (organization, of_scope, of_scope_id, since, until, (purse ->> 'limit')::bigint,
              sum_spent(organization, of_scope, of_scope_id, since, until));
    end if;
    insert into budget_leases (organization_id, scope, scope_id, starts_at, node_id, epoch)
    values (organization, of_scope, of_scope_id, since, node, node_epoch);
  end loop;
  return opened;
end
$$;

create function store_purse(purse leased_purse, node text, node_epoch integer) returns void
  language plpgsql
as $$
begin
  if purse.scope is null then
    update organization_quota
       set leased = purse.leased, mode = purse.mode, largest_hold = purse.largest_hold,
           largest_hold_at = purse.largest_hold_at, recall = purse.recall
     where organization_id = purse.organization_id;
    update credit_leases
       set seq = purse.seq, granted = purse.granted, returned = purse.returned, recall_seen = purse.recall_seen
     where organization_id = purse.organization_id and node_id = node and epoch = node_epoch;
    return;
  end if;
  update budget_windows
     set amount = purse.balance + spent, leased = purse.leased, mode = purse.mode, largest_hold = purse.largest_hold,
         largest_hold_at = purse.largest_hold_at, recall = purse.recall
   where organization_id = purse.organization_id and scope = purse.scope and scope_id = purse.scope_id
     and starts_at = purse.starts_at;
  update budget_leases
     set granted = purse.granted, returned = purse.returned, recall_seen = purse.recall_seen
   where organization_id = purse.organization_id and scope = purse.scope and scope_id = purse.scope_id
     and starts_at = purse.starts_at and node_id = node and epoch = node_epoch;
end
$$;

-- Near its limit a purse is decided hold by hold; between the two bounds it stays as it was, so that it does not flutter.
create function choose_mode(mode text, free bigint, largest_hold bigint) returns text
  language sql immutable
  return case when free < 20::numeric * largest_hold then 'exact' when free > 40::numeric * largest_hold then 'slices' else mode end;

-- Whether a live process other than this one may have idle credit of the purse: it has some of it and has not said, since
-- that recall (null: at all), that it gave back what it did not need.
create function is_idle_elsewhere(purse leased_purse, node text, since_recall bigint) returns boolean
  language plpgsql stable
as $$
begin
  if purse.scope is null then
    return exists (
      select from credit_leases lease join gateway_nodes using (node_id, epoch)
       where lease.organization_id = purse.organization_id and lease.state = 'active' and lease.outstanding > 0
         and node_id <> node and alive_until > now() and (since_recall is null or lease.recall_seen < since_recall)
    );
  end if;
  return exists (
    select from budget_leases budget
      join credit_leases lease using (organization_id, node_id, epoch)
      join gateway_nodes using (node_id, epoch)
     where budget.organization_id = purse.organization_id and budget.scope = purse.scope
       and budget.scope_id = purse.scope_id and budget.starts_at = purse.starts_at and lease.state = 'active'
       and budget.outstanding > 0 and node_id <> node and alive_until > now()
       and (since_recall is null or budget.recall_seen < since_recall)
  );
end
$$;

create function send_recall(purse leased_purse) returns void
  language plpgsql
as $$
begin
  perform pg_notify('tollgate_notice', json_build_object(
    'kind', 'recall', 'organizationId', purse.organization_id, 'recall', purse.recall,
    'purse', case when purse.scope is null then json_build_object('kind', 'credit')
      else json_build_object('kind', 'budget', 'scope', purse.scope, 'scopeId', purse.scope_id,
                             'startsAtMs', (extract(epoch from purse.starts_at) * 1000)::bigint) end
  )::text);
end
$$;

create type served_request as (purses leased_purse[], denial jsonb);

-- What becomes of an organization's purses by a request, in memory: what comes back, then the longest run of holds that
-- fits, then slices. Why the first hold after that run was not granted is the denial.
create function serve_request(request jsonb, purses leased_purse[], node text, policy text, live_nodes integer) returns served_request
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
      if (case policy when 'strict' then amount <= free[place + 1]
                      when 'positive' then free[place + 1] > 0
                      when 'nonnegative' then free[place + 1] >= 0 end) is not true then
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

create function render_purse(purse leased_purse) returns jsonb
  language sql stable
  return jsonb_build_object('granted', (purse).granted::text, 'returned', (purse).returned::text, 'mode', (purse).mode,
    'free', ((purse).balance - (purse).leased)::text, 'balance', (purse).balance::text, 'recall', (purse).recall);

create function render_answer(request jsonb, outcome text, purses jsonb default '[]', denial jsonb default null) returns jsonb
  language sql stable
  return jsonb_build_object('organizationId', request -> 'organizationId', 'seq', request -> 'seq', 'outcome', outcome,
    'purses', purses, 'denial', denial);

-- Gives and takes back credit for all organizations that a node asks for, each once. An organization whose row is in use
-- elsewhere is answered `busy` and holds up no other.
create function lease_credit(node text, node_epoch integer, policy text, requests jsonb) returns jsonb
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
      served := serve_request(asked.request, purses, node, policy, live_nodes);
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

-- Settled or parked. The day inside the id leads to the one partition that can have it, whatever the planner thinks.
create function is_in_ledger(event_id uuid) returns boolean
  language plpgsql stable
as $$
begin
  return exists (select from usage_events where day = day_of_event(event_id) and id = event_id)
      or exists (select from parked_events where id = event_id);
end
$$;

-- Gives back what a former run of this node had set aside in these organizations, all but what is needed for events that
-- the ledger does not have yet. Those are settled against the lease, or stay visible in it.
create function close_leases(node text, before_epoch integer, organizations text[], pending jsonb) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  missing jsonb;
  closed integer;
begin
  perform from organization_quota where organization_id = any (organizations) order by organization_id for no key update;
  missing := (
    select coalesce(jsonb_agg(event), '[]') from jsonb_array_elements(pending) as event
     where event ->> 'organizationId' = any (organizations) and not is_in_ledger((event ->> 'id')::uuid)
  );

  with kept as (
    select event ->> 'organizationId' as organization_id, (event ->> 'epoch')::integer as epoch,
           sum((event ->> 'fromLease')::bigint)::bigint as amount
      from jsonb_array_elements(missing) as event group by 1, 2
  ), open as (
    select lease.organization_id, lease.epoch, greatest(0, lease.outstanding - coalesce(kept.amount, 0)) as freed
      from credit_leases lease left join kept using (organization_id, epoch)
     where lease.node_id = node and lease.epoch < before_epoch and lease.organization_id = any (organizations)
       and lease.state in ('active', 'lapsed', 'closing')
  ), changed as (
    update credit_leases lease
       set returned = lease.returned + freed, lapsed_at = null,
           state = case when lease.outstanding = freed then 'closed' else 'closing' end
      from open
     where lease.organization_id = open.organization_id and lease.node_id = node and lease.epoch = open.epoch
    returning lease.organization_id, freed
  ), quota as (
    update organization_quota quota set leased = quota.leased - total.freed
      from (select organization_id, sum(freed)::bigint as freed from changed group by 1) as total
     where quota.organization_id = total.organization_id and total.freed > 0
  )
  select count(*) into closed from changed;

  with kept as (
    select event ->> 'organizationId' as organization_id, (event ->> 'epoch')::integer as epoch,
           share #>> '{window,scope}' as scope, share #>> '{window,scopeId}' as scope_id,
           to_timestamp((share #>> '{window,startsAtMs}')::numeric / 1000) as starts_at,
           sum((share ->> 'fromLease')::bigint)::bigint as amount
      from jsonb_array_elements(missing) as event, jsonb_array_elements(event -> 'budgets') as share
     group by 1, 2, 3, 4, 5
  ), open as (
    select lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, lease.epoch,
           lease.outstanding - coalesce(kept.amount, 0) as freed
      from budget_leases lease left join kept using (organization_id, epoch, scope, scope_id, starts_at)
     where lease.node_id = node and lease.epoch < before_epoch and lease.organization_id = any (organizations)
       and lease.outstanding > coalesce(kept.amount, 0)
  ), changed as (
    update budget_leases lease set returned = lease.returned + freed
      from open
     where lease.organization_id = open.organization_id and lease.scope = open.scope and lease.scope_id = open.scope_id
       and lease.starts_at = open.starts_at and lease.node_id = node and lease.epoch = open.epoch
    returning lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, freed
  )
  update budget_windows w set leased = w.leased - total.freed
    from (select organization_id, scope, scope_id, starts_at, sum(freed)::bigint as freed from changed group by 1, 2, 3, 4) as total
   where w.organization_id = total.organization_id and w.scope = total.scope and w.scope_id = total.scope_id
     and w.starts_at = total.starts_at;

  delete from lease_use where node_id = node and epoch < before_epoch and organization_id = any (organizations);
  return closed;
end
$$;

-- Whether whoever would use this lease, or deliver what it waits for, was last heard of too long ago. When the node has
-- started anew, that is when the former run was heard of last; what that has closed waits for events of its journal.
create function is_forsaken(lease credit_leases, node gateway_nodes) returns boolean
  language sql stable
  return case (lease).state
    when 'active' then (node).alive_until + interval '5 seconds' < now()
      or ((lease).epoch < (node).epoch and (node).started_at + interval '35 seconds' < now())
    when 'closing' then (node).alive_until + interval '5 seconds' < now()
    else false
  end;

-- Marks the leases of silent runs, of so many organizations: no new hold may be made from them, and the money stays set
-- aside. Returns how many leases.
create function lapse_silent_nodes(at_most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  nodes text[];
  organizations text[];
  lapsed integer;
begin
  nodes := array(
    select node_id from gateway_nodes node
     where exists (select from credit_leases lease
                    where lease.node_id = node.node_id and is_forsaken(lease, node))
     order by node_id
       for no key update skip locked
  );
  organizations := array(
    select distinct lease.organization_id from gateway_nodes node join credit_leases lease using (node_id)
     where node.node_id = any (nodes) and is_forsaken(lease, node) limit at_most
  );
  perform from organization_quota where organization_id = any (organizations) order by organization_id for no key update;
  update credit_leases lease set state = 'lapsed', lapsed_at = now()
    from gateway_nodes node
   where node.node_id = any (nodes) and lease.node_id = node.node_id and lease.organization_id = any (organizations)
     and is_forsaken(lease, node);
  get diagnostics lapsed = row_count;
  return lapsed;
end
$$;

-- Gives back what runs that lapsed that long ago had set aside, and reports it. Their events, should they still come, are
-- charged from free credit.
create function reclaim_leases(after interval, at_most integer)
  returns table (organization_id text, node_id text, epoch integer, amount bigint, budget_amount bigint)
  language plpgsql security definer set search_path from current
as $$
#variable_conflict use_column
declare
  organizations text[];
begin
  organizations := array(
    select distinct organization_id from credit_leases where state = 'lapsed' and lapsed_at < now() - after limit at_most
  );
  perform from organization_quota where organization_id = any (organizations) order by organization_id for no key update;
  return query
  with open as (
    select organization_id, node_id, epoch, outstanding from credit_leases
     where organization_id = any (organizations) and state = 'lapsed' and lapsed_at < now() - after
  ), credit as (
    update credit_leases lease set reclaimed = lease.reclaimed + open.outstanding, state = 'reclaimed'
      from open
     where lease.organization_id = open.organization_id and lease.node_id = open.node_id and lease.epoch = open.epoch
    returning lease.organization_id, lease.node_id, lease.epoch, open.outstanding as amount
  ), quota as (
    update organization_quota quota set leased = quota.leased - total.amount
      from (select organization_id, sum(amount)::bigint as amount from credit group by 1) as total
     where quota.organization_id = total.organization_id
  ), budget as (
    update budget_leases lease set reclaimed = lease.reclaimed + budget.outstanding
      from budget_leases budget join open using (organization_id, node_id, epoch)
     where budget.outstanding > 0 and lease.organization_id = budget.organization_id and lease.scope = budget.scope
       and lease.scope_id = budget.scope_id and lease.starts_at = budget.starts_at and lease.node_id = budget.node_id
       and lease.epoch = budget.epoch
    returning lease.organization_id, lease.node_id, lease.epoch, lease.scope, lease.scope_id, lease.starts_at,
              budget.outstanding as amount
  ), windows as (
    update budget_windows w set leased = w.leased - total.amount
      from (select organization_id, scope, scope_id, starts_at, sum(amount)::bigint as amount from budget group by 1, 2, 3, 4) as total
     where w.organization_id = total.organization_id and w.scope = total.scope and w.scope_id = total.scope_id
       and w.starts_at = total.starts_at
  ), used as (
    delete from lease_use use using open
     where use.organization_id = open.organization_id and use.node_id = open.node_id and use.epoch = open.epoch
  ), reclaimed as (
    select credit.organization_id, credit.node_id, credit.epoch, credit.amount,
           coalesce((select sum(budget.amount) from budget where budget.organization_id = credit.organization_id
                        and budget.node_id = credit.node_id and budget.epoch = credit.epoch), 0)::bigint as budget_amount
      from credit
  ), report as (
    insert into outbox (organization_id, type, data)
    select organization_id, 'lease.reclaimed', jsonb_build_object('nodeId', node_id, 'epoch', epoch,
             'amount', amount::text, 'budgetAmount', budget_amount::text)
      from reclaimed where amount > 0 or budget_amount > 0 order by organization_id, node_id, epoch
  )
  select * from reclaimed;
end
$$;

-- The parts run with the rights of whoever calls them, so only the whole is given to anyone.
revoke execute on function register_node, heartbeat, lease_credit, close_leases, lapse_silent_nodes, reclaim_leases from public;
grant execute on function register_node, heartbeat, lease_credit, close_leases to tollgate_gateway;
grant execute on function close_leases, lapse_silent_nodes, reclaim_leases to tollgate_worker;
