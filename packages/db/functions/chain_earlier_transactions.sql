-- Appends transactions that are in no chain yet: those from before the chain, those that the previous release wrote
-- during an upgrade, and losses. Appends at most this many, in the order of time, and returns their number.
create or replace function chain_earlier_transactions(at_most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  waiting record;
  former  text;
  chained integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('tollgate:ledger chain', 0));
  -- The migration missed what was committed while it ran. While others wait, nothing more is looked for.
  if now() < chained_since() + interval '1 day'
    and (select count(*) from (select from unchained_transactions limit at_most) as waiting_now) < at_most
  then
    insert into unchained_transactions (transaction_id, organization_id, created_at)
    select entry.id, entry.organization_id, entry.created_at
      from organizations as o
      join ledger_transactions as entry on entry.organization_id = o.id
       and entry.created_at >= chained_since() - interval '30 minutes' and entry.created_at < chained_since()
     where not exists (select from ledger_chain as c where c.transaction_id = entry.id)
    on conflict do nothing;
  end if;
  for waiting in
    select * from unchained_transactions order by organization_id, created_at, transaction_id limit at_most
  loop
    if waiting.organization_id is distinct from former then
      -- In the order of settlement, which locks several organizations.
      perform from organization_quota where organization_id = waiting.organization_id for update;
      former := waiting.organization_id;
    end if;
    if exists (select from ledger_transactions where id = waiting.transaction_id)
      and not exists (select from ledger_chain where transaction_id = waiting.transaction_id)
    then
      perform chain_transaction(waiting.transaction_id);
    end if;
    delete from unchained_transactions where transaction_id = waiting.transaction_id;
    chained := chained + 1;
  end loop;
  return chained;
end
$$;

revoke execute on function chain_earlier_transactions from public;
grant execute on function chain_earlier_transactions to tollgate_worker;
