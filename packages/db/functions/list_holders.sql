-- Lists the other live processes that may have idle credit of the allowance: they have a lease, and haven't confirmed
-- since the latest recall that they returned the unused part.
create or replace function list_holders(purse leased_purse, node text) returns text[]
  language plpgsql stable
as $$
begin
  if purse.scope is null then
    return array(
      select node_id from credit_leases lease join gateway_nodes using (node_id, epoch)
       where lease.organization_id = purse.organization_id and lease.state = 'active' and lease.outstanding > 0
         and node_id <> node and alive_until > now() and lease.recall_seen < purse.recall
    );
  end if;
  return array(
    select node_id from budget_leases budget
      join credit_leases lease using (organization_id, node_id, epoch)
      join gateway_nodes using (node_id, epoch)
     where budget.organization_id = purse.organization_id and budget.scope = purse.scope
       and budget.scope_id = purse.scope_id and budget.starts_at = purse.starts_at and lease.state = 'active'
       and budget.outstanding > 0 and node_id <> node and alive_until > now() and budget.recall_seen < purse.recall
  );
end
$$;
