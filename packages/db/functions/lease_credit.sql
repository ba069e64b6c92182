-- Grants and takes back credit for all organizations in a node's requests; each organization may occur once. If another
-- transaction has locked an organization's row, its answer is `busy`, and the others don't wait for it.
create or replace function lease_credit(node text, node_epoch integer, policy text, overdraft bigint, requests jsonb) returns jsonb
  language plpgsql security definer set search_path from current
  -- A connection keeps its plans, even those from when the tables were empty. Rows are therefore looked up by key, one
  -- by one, which costs slightly more than one statement but never a thousand times as much.
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
  -- The shared lock keeps the node from restarting while its earlier run still gets credit that no run would close.
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
      -- The lease of the organization's credit counts all requests, whichever allowances they are for.
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

revoke execute on function lease_credit(text, integer, text, bigint, jsonb) from public;
grant execute on function lease_credit(text, integer, text, bigint, jsonb) to tollgate_gateway;

-- Called without an overdraft by gateways of releases up to schema 35 while they are being replaced. It stays until a
-- contract migration drops it.
create or replace function lease_credit(node text, node_epoch integer, policy text, requests jsonb) returns jsonb
  language sql security definer set search_path from current
  return lease_credit(node, node_epoch, policy, null::bigint, requests);

revoke execute on function lease_credit(text, integer, text, jsonb) from public;
grant execute on function lease_credit(text, integer, text, jsonb) to tollgate_gateway;
