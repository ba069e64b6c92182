-- Appends one transaction to the chain of its organization, or to the chain `instance`. The caller holds the lock of the
-- chain: for an organization, its quota row.
create or replace function chain_transaction(of_transaction text) returns void
  language plpgsql security definer set search_path from current
  -- If the planner knows the days, it opens a few partitions instead of all.
  set plan_cache_mode = force_custom_plan
as $$
declare
  entry    ledger_transactions;
  owner    text;
  new_seq  bigint;
  previous bytea;
  salt     bytea := uuid_send(gen_random_uuid());
  rows     integer;
  since    date;
  digest   bytea;
  new_hash bytea;
  from_day date;
  to_day   date;
begin
  select * into strict entry from ledger_transactions where id = of_transaction;
  owner := coalesce(entry.organization_id, 'instance');
  if entry.organization_id is null then
    select c.seq + 1, c.hash into new_seq, previous from ledger_chain as c
     where c.organization_id = 'instance' order by c.seq desc limit 1;
    new_seq := coalesce(new_seq, 1);
  else
    select q.chain_seq + 1, q.chain_hash into strict new_seq, previous
      from organization_quota as q where q.organization_id = owner;
  end if;
  -- Only rows from before the chain: settlement chains its rows itself. The key names the first request. When they were
  -- settled, there were partitions for the next week, so rows of later days are in the default partition.
  if entry.kind = 'usage' then
    from_day := day_of_event(substr(entry.idempotency_key, 7)::uuid);
    to_day := (entry.created_at at time zone 'UTC')::date + 8;
    select count(*), min((e).day),
           sha256(string_agg(
             usage_facts(e) || usage_texts_digest(salt, (e).id, (e).request_id, (e).end_user, (e).session),
             ''::bytea order by (e).id))
      into rows, since, digest
      from (
        select stored from usage_events as stored
         where stored.transaction_id = entry.id and stored.chain_seq is null and stored.day between from_day and to_day
        union all
        select stored::usage_events from usage_events_other as stored
         where stored.transaction_id = entry.id and stored.chain_seq is null and stored.day > to_day
      ) as settled (e);
  elsif entry.kind = 'loss' then
    -- They were stored together with the loss, and only their time has an index.
    select count(*), sha256(string_agg(lost_attempt_facts(a), ''::bytea order by a.event_id, a.seq))
      into rows, digest
      from lost_attempts as a where a.created_at = entry.created_at and a.transaction_id = entry.id;
  end if;
  new_hash := ledger_chain_hash(previous, owner, new_seq, now(), salt, transaction_facts(entry, salt),
    coalesce(rows, 0), since, digest);
  insert into ledger_chain (organization_id, seq, transaction_id, usage_count, usage_since, usage_digest, salt,
    previous_hash, hash)
  values (owner, new_seq, entry.id, coalesce(rows, 0), since, digest, salt, previous, new_hash);
  update organization_quota set chain_seq = new_seq, chain_hash = new_hash where organization_id = entry.organization_id;
end
$$;

revoke execute on function chain_transaction from public;
