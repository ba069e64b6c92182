-- Writes an allowance and this node's lease of it to their rows.
create or replace function store_purse(purse leased_purse, node text, node_epoch integer) returns void
  language plpgsql
as $$
begin
  if purse.scope is null then
    update organization_quota
       set leased = purse.leased, mode = purse.mode, largest_hold = purse.largest_hold,
           largest_hold_at = purse.largest_hold_at, recall = purse.recall
     where organization_id = purse.organization_id;
    update credit_leases
       set seq = purse.seq, granted = purse.granted, returned = purse.returned, recall_seen = purse.recall_seen
     where organization_id = purse.organization_id and node_id = node and epoch = node_epoch;
    return;
  end if;
  update budget_windows
     set amount = purse.balance + spent, leased = purse.leased, mode = purse.mode, largest_hold = purse.largest_hold,
         largest_hold_at = purse.largest_hold_at, recall = purse.recall
   where organization_id = purse.organization_id and scope = purse.scope and scope_id = purse.scope_id
     and starts_at = purse.starts_at;
  update budget_leases
     set granted = purse.granted, returned = purse.returned, recall_seen = purse.recall_seen
   where organization_id = purse.organization_id and scope = purse.scope and scope_id = purse.scope_id
     and starts_at = purse.starts_at and node_id = node and epoch = node_epoch;
end
$$;
