-- Takes back the credit of leases that lapsed more than `after` ago, and reports it. If their events still arrive, they
-- are charged from free credit.
create or replace function reclaim_leases(after interval, at_most integer)
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

revoke execute on function reclaim_leases from public;
grant execute on function reclaim_leases to tollgate_worker;
