-- Notifies processes that cache a key, team, or organization whose budget has changed.
create or replace function tollgate_send_budget_notice() returns trigger
  language plpgsql
as $$
declare
  changed record := coalesce(new, old);
begin
  perform pg_notify('tollgate_notice', json_build_object('kind', 'organization', 'id', changed.organization_id)::text);
  return null;
end
$$;
