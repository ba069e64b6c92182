-- Blocks all teams of an organization whose balance went below zero, unblocks those that were blocked only for debt
-- once the balance is zero or more, and adds the events to the outbox. The caller has locked the quota row. Runs after
-- every change of a balance. Returns the teams that are active again.
create or replace function apply_balance_rules(of_organization text, balance_before bigint, balance_after bigint) returns text[]
  language plpgsql security definer set search_path from current
as $$
declare
  changed   text[];
  team      text;
  threshold bigint;
  is_block  boolean := balance_after < 0;
begin
  if is_block then
    with blocked as (
      update teams set status = 'blocked', blocked_reason = 'negative_balance', blocked_at = now(), updated_at = now()
       where organization_id = of_organization and status = 'active'
      returning id
    )
    select array_agg(id order by id) into changed from blocked;
    if balance_before >= 0 then
      insert into outbox (organization_id, type, data)
      values (of_organization, 'balance.negative', jsonb_build_object('balance', balance_after::text));
    end if;
  elsif balance_after > balance_before then
    with unblocked as (
      update teams set status = 'active', blocked_reason = null, blocked_at = null, updated_at = now()
       where organization_id = of_organization and status = 'blocked' and blocked_reason = 'negative_balance'
      returning id
    )
    select array_agg(id order by id) into changed from unblocked;
  end if;

  select low_balance_threshold into threshold from organization_quota where organization_id = of_organization;
  if balance_before >= threshold and balance_after < threshold then
    insert into outbox (organization_id, type, data)
    values (of_organization, 'balance.low',
      jsonb_build_object('balance', balance_after::text, 'threshold', threshold::text));
  end if;

  foreach team in array coalesce(changed, '{}') loop
    insert into outbox (organization_id, type, data)
    values (of_organization, case when is_block then 'team.blocked' else 'team.unblocked' end,
      jsonb_build_object('teamId', team, 'reason', 'negative_balance'));
    perform append_audit(
      of_organization, '{"type": "system"}', case when is_block then 'team.blocked' else 'team.unblocked' end,
      jsonb_build_object('type', 'team', 'id', team), null,
      jsonb_build_object('status', case when is_block then 'active' else 'blocked' end),
      jsonb_build_object('status', case when is_block then 'blocked' else 'active' end, 'reason', 'negative_balance'));
  end loop;
  return case when is_block then '{}' else coalesce(changed, '{}') end;
end
$$;

revoke execute on function apply_balance_rules from public;
