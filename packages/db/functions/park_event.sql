-- Stores an event that can't be settled, with the reason. Returns false if the ledger already has it.
create or replace function park_event(event jsonb, why text) returns boolean
  language plpgsql security definer set search_path from current
as $$
#variable_conflict use_column
declare
  event_id     uuid;
  organization text := event ->> 'organizationId';
begin
  begin
    event_id := (event ->> 'id')::uuid;
  exception when data_exception then
    null;
  end;
  event_id := coalesce(event_id, md5(event::text)::uuid);
  perform from organization_quota where organization_id = organization for update;
  if exists (select from known_events(array[event_id])) then
    return false;
  end if;
  insert into parked_events (id, organization_id, reason, event) values (event_id, organization, why, event)
  on conflict (id) do update set reason = excluded.reason, parked_at = now(), redriven_at = null;
  begin
    perform return_to_leases(event);
  exception when data_exception then
    null; -- If the event can't be parsed, its amount stays leased until the lease is closed or reclaimed.
  end;
  return true;
end
$$;

revoke execute on function park_event from public;
grant execute on function park_event to tollgate_gateway, tollgate_worker;
