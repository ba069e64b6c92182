import { sql } from "kysely";
import { type Invariant, movements, within } from "./invariant.ts";

const balanceEqualsPostings: Invariant = {
  id: "R1",
  title: "each organization's balance is the sum of its postings",
  checked: "organizations",
  differences: (scope) => [
    sql`
      with movements as (${movements(scope)})
      select organizations.id as organization_id, 'balance' as subject,
        coalesce(movements.balance, 0)::text as expected, coalesce(quota.balance::text, 'no quota row') as found,
        quota.balance - coalesce(movements.balance, 0) as amount
      from organizations
      left join organization_quota quota on quota.organization_id = organizations.id
      left join movements on movements.account = 'org:' || organizations.id || ':credits'
      where quota.balance is distinct from coalesce(movements.balance, 0) and ${within(scope, "organizations.id")}`,
  ],
};

const accountsSumToZero: Invariant = {
  id: "R2",
  title: "all accounts sum to zero",
  checked: "accounts",
  isGlobal: true,
  differences: (scope) => [
    // Sums accounts instead of postings, so that a posting from or to a nonexistent account leaves a remainder.
    sql`
      with movements as (${movements(scope)})
      select null as organization_id, 'all accounts' as subject, '0' as expected, sum(balance)::text as found,
        sum(balance) as amount
      from ledger_accounts join movements on movements.account = ledger_accounts.id
      having sum(balance) <> 0`,
  ],
};

const totalsEqualPostings: Invariant = {
  id: "R8",
  title: "the totals per entry kind are the sums of their postings and add up to the balance",
  checked: "organizations",
  differences: (scope) => [
    sql`
      with moved as (
        select entry.organization_id, entry.kind,
          sum(case when posting.destination like 'org:%' then posting.amount else -posting.amount end) as amount
        from ledger_transactions entry join ledger_postings posting on posting.transaction_id = entry.id
        where ${within(scope, "entry.organization_id")}
        group by entry.organization_id, entry.kind
      ), summed as (
        select organization_id,
          coalesce(sum(amount) filter (where kind = 'purchase'), 0) as purchased,
          coalesce(sum(amount) filter (where kind = 'grant'), 0) as granted,
          coalesce(sum(amount) filter (where kind = 'adjustment'), 0) as adjusted,
          -coalesce(sum(amount) filter (where kind in ('usage', 'usage_reversal')), 0) as used,
          -coalesce(sum(amount) filter (where kind in ('refund', 'dispute', 'dispute_won')), 0) as refunded,
          -coalesce(sum(amount) filter (where kind = 'expiry'), 0) as expired
        from moved
        group by organization_id
      )
      select quota.organization_id, total.name as subject, total.expected::text, total.found::text,
        total.found - total.expected as amount
      from organization_quota quota
      left join summed on summed.organization_id = quota.organization_id
      cross join lateral (values
        ('total_purchased', quota.total_purchased, coalesce(summed.purchased, 0)),
        ('total_granted', quota.total_granted, coalesce(summed.granted, 0)),
        ('total_adjusted', quota.total_adjusted, coalesce(summed.adjusted, 0)),
        ('total_used', quota.total_used, coalesce(summed.used, 0)),
        ('total_refunded', quota.total_refunded, coalesce(summed.refunded, 0)),
        ('total_expired', quota.total_expired, coalesce(summed.expired, 0)),
        ('the totals together', quota.total_purchased + quota.total_granted + quota.total_adjusted
          - quota.total_used - quota.total_refunded - quota.total_expired, quota.balance)
      ) as total (name, found, expected)
      where total.found <> total.expected and ${within(scope, "quota.organization_id")}`,
  ],
};

const systemAccountsHold: Invariant = {
  id: "clearing",
  title: "only accounts that allow it are below zero, and no credit is held once all requests are settled",
  checked: "accounts",
  differences: (scope) => [
    sql`
      with movements as (${movements(scope)})
      select ledger_accounts.organization_id, ledger_accounts.id as subject, 'zero or more' as expected,
        movements.balance::text as found, movements.balance as amount
      from ledger_accounts join movements on movements.account = ledger_accounts.id
      where not may_be_negative and movements.balance < 0`,
    sql`
      select organization_id, 'leased' as subject, '0' as expected, leased::text as found, leased as amount
      from organization_quota
      where ${scope.isDrained}::boolean and leased <> 0 and ${within(scope, "organization_id")}
      union all
      select organization_id, scope || ' ' || scope_id || ' from ' || starts_at, '0', leased::text, leased
      from budget_windows
      where ${scope.isDrained}::boolean and leased <> 0 and ${within(scope, "organization_id")}`,
  ],
};

export const balanceInvariants: readonly Invariant[] = [
  balanceEqualsPostings,
  accountsSumToZero,
  totalsEqualPostings,
  systemAccountsHold,
];
