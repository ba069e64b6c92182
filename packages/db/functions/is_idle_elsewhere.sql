-- Reports whether another live process may have idle credit of the allowance since this recall (null: ever).
-- Called only by functions up to schema 45, in statements that began before they were replaced. It stays until a
-- contract migration drops it.
create or replace function is_idle_elsewhere(purse leased_purse, node text, since_recall bigint) returns boolean
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
