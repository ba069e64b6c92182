-- Returns the values of an organization's quota row, computed only from postings and leases.
create or replace function quota_from_books(of_organization text) returns table (
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

revoke execute on function quota_from_books from public;
grant execute on function quota_from_books to tollgate_platform, tollgate_worker;
