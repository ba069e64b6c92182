-- What keeps the books from growing for ever: days are sealed, and what nobody needs any more is removed. Each function takes
-- so many rows at a time, so that no lock is held for long; whoever calls it goes on until it removes none.

-- Days that have been over for longer than that and can be sealed, oldest first: no gateway is known that may still bring
-- calls of them. One that is silent may come back with what its last word, or the day it fell silent on, left unsettled. A
-- call belongs to the day it began on, hence the day before those too.
create function list_days_to_seal(over_for_days integer) returns setof date
  language sql stable
as $$
  select past.day
    from (
      select to_date(right(c.relname, 8), 'YYYYMMDD') as day from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
       where i.inhparent = 'usage_events'::regclass and c.relname ~ '^usage_events_\d{8}$'
    ) as past
   where past.day < (now() at time zone 'UTC')::date - over_for_days
     and not exists (select from usage_day_seals as seal where seal.day = past.day)
     and not exists (
       select from gateway_nodes
        where past.day between (least(oldest_unconfirmed_at, alive_until) at time zone 'UTC')::date - 1
                           and (alive_until at time zone 'UTC')::date)
   order by past.day;
$$;

-- Windows of budgets that ended that long ago and of which nothing is set aside. A late event finds none to count in.
create function prune_budget_windows(ended_before interval, at_most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  organizations text[];
  removed       integer;
begin
  organizations := array(
    select distinct organization_id from (
      select organization_id from budget_windows where ends_at < now() - ended_before and leased = 0 limit at_most
    ) as ended
  );
  perform from organization_quota where organization_id = any (organizations) order by organization_id for update;
  with ended as (
    select organization_id, scope, scope_id, starts_at from budget_windows
     where organization_id = any (organizations) and ends_at < now() - ended_before and leased = 0 limit at_most
  ), leases as (
    delete from budget_leases as lease using ended
     where (lease.organization_id, lease.scope, lease.scope_id, lease.starts_at)
         = (ended.organization_id, ended.scope, ended.scope_id, ended.starts_at)
  )
  delete from budget_windows as w using ended
   where (w.organization_id, w.scope, w.scope_id, w.starts_at)
       = (ended.organization_id, ended.scope, ended.scope_id, ended.starts_at);
  get diagnostics removed = row_count;
  return removed;
end
$$;

-- Leases of runs that are over, begun that long ago, which no kept call was settled against: none ever was, or the run's
-- successor began before the oldest day that is kept. Others stay, because they and their calls prove each other. Of their
-- shares of budgets all go that hold nothing.
create function prune_leases(created_before interval, at_most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  shares integer;
  leases integer;
begin
  with over as (
    select organization_id, scope, scope_id, starts_at, node_id, epoch
      from budget_leases join credit_leases using (organization_id, node_id, epoch)
     where state in ('closed', 'reclaimed') and created_at < now() - created_before and budget_leases.outstanding = 0
       and not is_current_run(node_id, epoch)
     limit at_most
  )
  delete from budget_leases as lease using over
   where (lease.organization_id, lease.scope, lease.scope_id, lease.starts_at, lease.node_id, lease.epoch)
       = (over.organization_id, over.scope, over.scope_id, over.starts_at, over.node_id, over.epoch);
  get diagnostics shares = row_count;

  with over as (
    select organization_id, node_id, epoch from credit_leases as lease
     where state in ('closed', 'reclaimed') and created_at < now() - created_before and not is_current_run(node_id, epoch)
       and (settled = 0 or exists (
         select from credit_leases as later
          where later.organization_id = lease.organization_id and later.node_id = lease.node_id
            and later.epoch > lease.epoch
            and later.created_at < oldest_usage_day()::timestamp at time zone 'UTC'))
       and not exists (
         select from budget_leases as share
          where share.organization_id = lease.organization_id and share.node_id = lease.node_id
            and share.epoch = lease.epoch)
     limit at_most
  )
  delete from credit_leases as lease using over
   where (lease.organization_id, lease.node_id, lease.epoch) = (over.organization_id, over.node_id, over.epoch);
  get diagnostics leases = row_count;
  return shares + leases;
end
$$;

-- Whether the process may still believe in this lease, however long it was silent.
create function is_current_run(node text, run integer) returns boolean
  language sql stable
  return exists (select from gateway_nodes where node_id = node and epoch <= run);

-- Gateway processes that were last heard of that long ago and hold nothing. One that comes back knows its own epoch.
create function prune_nodes(silent_for interval) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  removed integer;
begin
  delete from gateway_nodes as node
   where alive_until < now() - silent_for
     and not exists (
       select from credit_leases as lease
        where lease.node_id = node.node_id and lease.state in ('active', 'lapsed', 'closing'));
  get diagnostics removed = row_count;
  return removed;
end
$$;

-- What was delivered that long ago.
create function prune_outbox(delivered_before interval, at_most integer) returns integer
  language plpgsql security definer set search_path from current
as $$
declare
  removed integer;
begin
  delete from outbox where id in (
    select id from outbox where delivered_at < now() - delivered_before order by id limit at_most
  );
  get diagnostics removed = row_count;
  return removed;
end
$$;

revoke execute on function list_days_to_seal, is_current_run, prune_budget_windows, prune_leases, prune_nodes, prune_outbox from public;
grant execute on function list_days_to_seal, prune_budget_windows, prune_leases, prune_nodes, prune_outbox to tollgate_worker;
