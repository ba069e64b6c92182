-- Returns the leased amounts of a parked event to its leases, if the event can be parsed and the amounts are still
-- leased.
create or replace function return_to_leases(event jsonb) returns void
  language plpgsql security definer set search_path from current
as $$
#variable_conflict use_column
declare
  organization text := event ->> 'organizationId';
  node         text := event ->> 'nodeId';
  run          integer := (event ->> 'epoch')::integer;
  claimed      bigint := greatest((event ->> 'fromLease')::bigint, 0);
  share        record;
  freed        bigint;
begin
  select least(outstanding, claimed) into freed from credit_leases
   where organization_id = organization and node_id = node and epoch = run and state <> 'reclaimed';
  if freed > 0 then
    update credit_leases set returned = returned + freed,
        state = case when state = 'closing' and outstanding = freed then 'closed' else state end
     where organization_id = organization and node_id = node and epoch = run;
    update organization_quota set leased = leased - freed, version = version + 1, updated_at = now()
     where organization_id = organization;
  end if;
  for share in
    select scope, "scopeId" as scope_id, to_timestamp("startsAtMs" / 1000.0) as starts_at,
           greatest("fromLease", 0) as claimed
      from jsonb_to_recordset(event -> 'budgets')
        as s (scope text, "scopeId" text, "startsAtMs" numeric, "fromLease" bigint)
  loop
    select least(outstanding, share.claimed) into freed from budget_leases
     where organization_id = organization and scope = share.scope and scope_id = share.scope_id
       and starts_at = share.starts_at and node_id = node and epoch = run;
    continue when not coalesce(freed > 0, false);
    update budget_leases set returned = returned + freed
     where organization_id = organization and scope = share.scope and scope_id = share.scope_id
       and starts_at = share.starts_at and node_id = node and epoch = run;
    update budget_windows set leased = leased - freed
     where organization_id = organization and scope = share.scope and scope_id = share.scope_id
       and starts_at = share.starts_at;
  end loop;
end
$$;

revoke execute on function return_to_leases from public;
