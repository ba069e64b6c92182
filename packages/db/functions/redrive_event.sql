-- Settles a parked event again, on an operator's command. Its leased amounts were returned when it was parked.
create or replace function redrive_event(event_id uuid) returns text
  language plpgsql security definer set search_path from current
as $$
declare
  stored jsonb;
  result text;
begin
  perform from organization_quota
    where organization_id = (select organization_id from parked_events where id = event_id) for update;
  update parked_events set redriven_at = now() where id = event_id and redriven_at is null returning event into stored;
  if not found then
    return null;
  end if;
  select outcome into result from settle_usage(json_build_array(stored || '{"fromLease": "0", "budgets": []}'));
  return result;
end
$$;

revoke execute on function redrive_event from public;
grant execute on function redrive_event to tollgate_worker;
