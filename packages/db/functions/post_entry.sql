-- Posts one entry other than usage, once per key. For purchases, refunds, and disputes, `counterparty` is the payment
-- provider's account; the other kinds have a fixed account. Only an adjustment can have a negative amount.
-- Outcomes: posted, replayed (the same entry was posted before), key_reused (another entry was posted with this key).
create or replace function post_entry(
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
  change     bigint; -- change of the balance
  new_number bigint; -- number of the recall
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
         -- Gateways must not spend idle credit that they leased before a debit.
         mode = case when change < 0 then 'exact' else mode end,
         recall = recall + case when change < 0 then 1 else 0 end,
         version = version + 1, updated_at = now()
   where organization_id = entry_organization
  returning recall into new_number;
  perform chain_transaction(new_id);
  if entry_kind = 'grant' and entry_expires_at is not null then
    -- The part that pays off a debt is already spent.
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

revoke execute on function post_entry from public;
grant execute on function post_entry to tollgate_worker, tollgate_platform;
