-- Deletes events that were delivered more than `delivered_before` ago.
create or replace function prune_outbox(delivered_before interval, at_most integer) returns integer
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

revoke execute on function prune_outbox from public;
grant execute on function prune_outbox to tollgate_worker;
