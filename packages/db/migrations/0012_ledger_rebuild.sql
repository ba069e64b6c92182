-- What an organization's quota row should say, from the postings and leases alone.
create function quota_from_books(of_organization text) returns table (
  balance bigint, leased bigint, total_purchased bigint, total_granted bigint, total_used bigint, total_refunded bigint,
  total_expired bigint, total_adjusted bigint
)
  language sql stable
as $$
  with moved as (
    select entry.kind,
           case when posting.destination = 'org:' || of_organization || ':credits' then posting.amount else -posting.amount end as amount
      from ledger_transactions as entry join ledger_postings as posting on posting.transaction_id = entry.id
     where entry.organization_id = of_organization
  )
  select coalesce(sum(amount), 0)::bigint,
         (select coalesce(sum(outstanding), 0)::bigint from credit_leases
           where organization_id = of_organization and state <> 'reclaimed'),
         coalesce(sum(amount) filter (where kind = 'purchase'), 0)::bigint,
         coalesce(sum(amount) filter (where kind = 'grant'), 0)::bigint,
         -coalesce(sum(amount) filter (where kind in ('usage', 'usage_reversal')), 0)::bigint,
         -coalesce(sum(amount) filter (where kind in ('refund', 'dispute', 'dispute_won')), 0)::bigint,
         -coalesce(sum(amount) filter (where kind = 'expiry'), 0)::bigint,
         coalesce(sum(amount) filter (where kind = 'adjustment'), 0)::bigint
    from moved;
$$;

-- Writes that into the row, blocks or unblocks as the new balance wants it, and keeps what was there in the audit log.
-- False when there is no such organization.
create function rebuild_quota(of_organization text, by_actor jsonb) returns boolean
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

revoke execute on function rebuild_quota, quota_from_books from public;
grant execute on function rebuild_quota to tollgate_platform;
grant execute on function quota_from_books to tollgate_platform, tollgate_worker;
