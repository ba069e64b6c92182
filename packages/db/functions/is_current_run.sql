-- Reports whether the process may still use this lease, no matter how long it hasn't responded.
create or replace function is_current_run(node text, run integer) returns boolean
  language sql stable
  return exists (select from gateway_nodes where node_id = node and epoch <= run);

revoke execute on function is_current_run from public;
