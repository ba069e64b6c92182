-- Notifies gateways of an organization whose budgets or prices changed.
create or replace function tollgate_send_budget_notice() returns trigger
  language plpgsql
as $$
declare
  changed record := coalesce(new, old);
begin
  perform record_change(json_build_object('kind', 'organization', 'id', changed.organization_id));
  return null;
end
$$;
