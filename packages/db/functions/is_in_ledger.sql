-- Reports whether an event is settled or parked. The day in the ID selects the only partition that can contain it, with
-- any query plan.
create or replace function is_in_ledger(event_id uuid) returns boolean
  language plpgsql stable
as $$
begin
  return exists (select from usage_events where day = day_of_event(event_id) and id = event_id)
      or exists (select from parked_events where id = event_id);
end
$$;
