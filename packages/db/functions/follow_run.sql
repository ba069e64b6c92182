-- Keeps the queue in line with a run. A run that was canceled while it waited stays in the queue, because a worker ends it.
create or replace function follow_run() returns trigger
  language plpgsql security definer set search_path from current
as $$
begin
  if tg_op = 'UPDATE' and new.status = old.status then
    return null;
  end if;
  if new.status = 'queued' then
    insert into run_queue (run_id, tenant, key_id, queued_at)
      values (new.id, coalesce(new.organization_id, 'none'), new.key_id, new.queued_at)
      on conflict (run_id) do update set tenant = excluded.tenant, key_id = excluded.key_id,
        queued_at = excluded.queued_at, worker_id = null, chosen_at = null;
    perform pg_notify('tollgate_run_queued', '');
  elsif new.status = 'in_progress' then
    update run_queue set worker_id = coalesce(worker_id, 'unknown'), chosen_at = null where run_id = new.id;
  elsif new.status <> 'cancelling' then
    delete from run_queue where run_id = new.id;
  end if;
  return null;
end
$$;

revoke execute on function follow_run from public;
