-- Posts the costs of a batch that the operator pays, as one transaction that is named after the earliest call with a
-- loss. Unbilled calls are recorded but not posted: without billing, a loss reduces no revenue. Returns the transaction
-- ID, or null if no cost was posted.
create or replace function post_loss(fresh usage_events[], losers uuid[], losses json[]) returns text
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
  -- Only an organization has a balance after an entry, and this entry has no organization.
  insert into ledger_transactions (id, kind, organization_id, idempotency_key, actor, balance_after)
  values (new_id, 'loss', null, 'loss:' || first_id, 'system', 0);
  insert into ledger_postings (transaction_id, seq, source, destination, amount)
  values (new_id, 1, 'sys:loss', 'sys:revenue', total::bigint);
  -- No lock covers the chain of losses, so the worker appends to it.
  insert into unchained_transactions (transaction_id, created_at) values (new_id, now());
  return new_id;
end
$$;

revoke execute on function post_loss from public;
