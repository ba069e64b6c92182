-- Returns the number of live gateway processes. Only the lease functions write to the lease tables. They take locks in
-- this order: a node's row, quota rows by organization ID, and then the leases and budget windows of these
-- organizations.
create or replace function count_live_nodes() returns integer
  language sql stable
  return (select count(*)::integer from gateway_nodes where alive_until > now());
