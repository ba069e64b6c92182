-- Reports whether a platform connection may see an organization's rows: those of the organization that it acts for, or
-- all as an administrator. A connection that sets neither sees none.
create or replace function tollgate_may_see(organization_id text) returns boolean
  language sql stable parallel safe
  return organization_id = current_setting('tollgate.organization_id', true)
      or current_setting('tollgate.administrator', true) = 'on';
