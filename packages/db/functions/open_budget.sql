-- Returns a budget window with this node's lease of it. Creates both on first use.
create or replace function open_budget(organization text, node text, node_epoch integer, purse jsonb) returns leased_purse
  language plpgsql
as $$
declare
  of_scope text := purse #>> '{window,scope}';
  of_scope_id text := purse #>> '{window,scopeId}';
  since timestamptz := to_timestamp((purse #>> '{window,startsAtMs}')::numeric / 1000);
  until timestamptz;
  opened leased_purse;
begin
  for attempt in 1 .. 2 loop
    select w.organization_id, w.scope, w.scope_id, w.starts_at, null, l.granted, l.returned, l.recall_seen, l.outstanding,
           (purse ->> 'limit')::bigint - w.spent, w.leased, w.mode, w.largest_hold, w.largest_hold_at, w.recall
      into opened
      from budget_windows w
      join budget_leases l using (organization_id, scope, scope_id, starts_at)
     where w.organization_id = organization and w.scope = of_scope and w.scope_id = of_scope_id and w.starts_at = since
       and l.node_id = node and l.epoch = node_epoch;
    exit when found;
    until := coalesce(to_timestamp((purse #>> '{window,endsAtMs}')::numeric / 1000), 'infinity');
    if not exists (select from budget_windows where organization_id = organization and scope = of_scope
                      and scope_id = of_scope_id and starts_at = since) then
      insert into budget_windows (organization_id, scope, scope_id, starts_at, ends_at, amount, spent)
      values (organization, of_scope, of_scope_id, since, until, (purse ->> 'limit')::bigint,
              sum_spent(organization, of_scope, of_scope_id, since, until));
    end if;
    insert into budget_leases (organization_id, scope, scope_id, starts_at, node_id, epoch)
    values (organization, of_scope, of_scope_id, since, node, node_epoch);
  end loop;
  return opened;
end
$$;
