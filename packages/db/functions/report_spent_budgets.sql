-- Adds an event for each key budget that is used up, or has less left than the largest recent hold. Settlement doesn't
-- do this, because it would have to check for every call. Returns the number of events.
create or replace function report_spent_budgets() returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  told integer;
begin
  delete from spent_budget_notices as n using budget_windows as w
   where (w.organization_id, w.scope, w.scope_id, w.starts_at) = (n.organization_id, n.scope, n.scope_id, n.starts_at)
     and not is_spent(w);
  with spent as (
    insert into spent_budget_notices (organization_id, scope, scope_id, starts_at)
    select organization_id, scope, scope_id, starts_at from budget_windows as w
     where scope = 'key' and ends_at > now() and is_spent(w)
    on conflict do nothing
    returning organization_id, scope, scope_id, starts_at
  ), told_of as (
    insert into outbox (organization_id, type, data)
    select w.organization_id, 'key.budget_exhausted', jsonb_build_object('keyId', w.scope_id, 'limit', w.amount::text,
             'spent', w.spent::text, 'resetsAt', case when isfinite(w.ends_at) then w.ends_at end)
      from spent join budget_windows as w using (organization_id, scope, scope_id, starts_at)
    returning id
  )
  select count(*) into told from told_of;
  return told;
end
$$;

revoke execute on function report_spent_budgets from public;
grant execute on function report_spent_budgets to tollgate_worker;
