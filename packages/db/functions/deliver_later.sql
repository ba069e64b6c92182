-- Enqueues one delivery job per transaction that adds events to the outbox. The job key is unique to the transaction:
-- with a shared key, concurrent settlements would wait for each other.
create or replace function deliver_later() returns trigger
  language plpgsql security definer set search_path from current
as $$
declare
  this text := pg_current_xact_id()::text;
begin
  if current_setting('tollgate.delivered_by', true) is distinct from this and exists (select from added) then
    perform enqueue_job('deliver_outbox', '{}', null, 'deliver_outbox:' || this);
    perform set_config('tollgate.delivered_by', this, true);
  end if;
  return null;
end
$$;
