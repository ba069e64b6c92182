-- Records an event of a payment provider once, and returns the purchase that it belongs to. The provider acts for no
-- organization, so this function does nothing else; the caller continues within the returned organization.
-- Outcomes: noted (the purchase is locked), waiting (the purchase isn't known yet), known (the event was recorded
-- before).
create or replace function note_payment_event(
  from_provider text, new_event text, event_kind text, of_purchase text, of_payment text, event_facts jsonb
) returns table (outcome text, purchase_id text, organization_id text)
  language plpgsql security definer set search_path from current
as $$
#variable_conflict use_column
declare
  bought purchases;
  payer  text; -- purchase that this payment belongs to
begin
  insert into webhook_events (provider, event_id, kind, payment_id, facts)
  values (from_provider, new_event, event_kind, of_payment, event_facts)
  on conflict do nothing;
  if not found then
    return query select 'known', null::text, null::text;
    return;
  end if;
  if of_payment is not null then
    -- The lock keeps an event of a payment from missing a purchase that is being linked to it.
    perform pg_advisory_xact_lock(hashtextextended('tollgate:payment:' || from_provider || ':' || of_payment, 0));
    select id into payer from purchases where provider = from_provider and provider_payment_id = of_payment;
  end if;
  select * into bought from purchases where id = coalesce(of_purchase, payer) for update;
  if not found then
    return query select 'waiting', null::text, null::text;
    return;
  end if;
  update webhook_events
     set purchase_id = bought.id, organization_id = bought.organization_id,
         is_foreign = provider <> bought.provider or coalesce(payer <> bought.id, false)
   where provider = from_provider and purchase_id is null
     and (event_id = new_event or payment_id = of_payment and coalesce(payer, bought.id) = bought.id);
  return query select 'noted', bought.id, bought.organization_id;
end
$$;

revoke execute on function note_payment_event from public;
grant execute on function note_payment_event to tollgate_platform, tollgate_worker;
