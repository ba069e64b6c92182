-- Reports whether the process that uses this lease, or that must deliver its events, hasn't responded for too long. If
-- the node has restarted, its start counts as the last heartbeat of the earlier run. A closing lease waits for the
-- events in the node's journal.
create or replace function is_forsaken(lease credit_leases, node gateway_nodes) returns boolean
  language sql stable
  return case (lease).state
    when 'active' then (node).alive_until + interval '5 seconds' < now()
      or ((lease).epoch < (node).epoch and (node).started_at + interval '35 seconds' < now())
    when 'closing' then (node).alive_until + interval '5 seconds' < now()
    else false
  end;
