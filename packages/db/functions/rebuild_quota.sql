-- Sets the quota row to the result of `quota_from_books`, blocks or unblocks teams by the new balance, and records the
-- previous values in the audit log. Returns false if the organization doesn't exist.
create or replace function rebuild_quota(of_organization text, by_actor jsonb) returns boolean
  language plpgsql security definer set search_path from current
as $$
declare
  former organization_quota;
  fresh  record;
begin
  if not coalesce(tollgate_may_see(of_organization), false) then
    raise exception 'organization % is not the one this connection acts for', of_organization using errcode = 'insufficient_privilege';
  end if;
  select * into former from organization_quota where organization_id = of_organization for update;
  if not found then
    return false;
  end if;
  select * into fresh from quota_from_books(of_organization);
  update organization_quota
     set balance = fresh.balance, leased = fresh.leased, total_purchased = fresh.total_purchased,
         total_granted = fresh.total_granted, total_used = fresh.total_used, total_refunded = fresh.total_refunded,
         total_expired = fresh.total_expired, total_adjusted = fresh.total_adjusted, version = version + 1, updated_at = now()
   where organization_id = of_organization;
  perform append_audit(of_organization, by_actor, 'credits.rebuilt', jsonb_build_object('type', 'organization', 'id', of_organization),
    null, jsonb_build_object('balance', former.balance::text, 'leased', former.leased::text),
    jsonb_build_object('balance', fresh.balance::text, 'leased', fresh.leased::text));
  perform apply_balance_rules(of_organization, former.balance, fresh.balance);
  return true;
end
$$;

revoke execute on function rebuild_quota from public;
grant execute on function rebuild_quota to tollgate_platform;
