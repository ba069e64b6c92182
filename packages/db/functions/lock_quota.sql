-- Locks a quota row and returns the balance. Platform connections can only read the quota, and must lock this row
-- before they change a team's status.
create or replace function lock_quota(of_organization text) returns bigint
  language plpgsql security definer set search_path from current
as $$
declare
  current_balance bigint;
begin
  if current_setting('role') = 'tollgate_platform' and not coalesce(tollgate_may_see(of_organization), false) then
    raise exception 'organization % is not the one this connection acts for', of_organization
      using errcode = 'insufficient_privilege';
  end if;
  select balance into current_balance from organization_quota where organization_id = of_organization for update;
  return current_balance;
end
$$;

revoke execute on function lock_quota from public;
grant execute on function lock_quota to tollgate_platform, tollgate_worker;
