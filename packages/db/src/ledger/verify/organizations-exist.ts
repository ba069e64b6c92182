import { sql } from "kysely";
import type { Invariant } from "./invariant.ts";

/** Organizations are closed and never deleted, so a record of an organization without its row was left behind. */
export const organizationsExist: Invariant = {
  id: "I11",
  title: "each organization that a ledger, usage, or audit record names still exists",
  checked: "organizations",
  isGlobal: true,
  differences: () => [
    sql`
      with named as (
        select organization_id as id, 'ledger entries' as records from ledger_transactions
        union all
        select organization_id, 'ledger accounts' from ledger_accounts
        union all
        select split_part(account, ':', 2), 'postings'
        from ledger_postings cross join lateral (values (source), (destination)) as moved (account)
        where account like 'org:%'
        union all
        select organization_id, 'balances' from organization_quota
        union all
        select organization_id, 'credit lots' from grant_lots
        union all
        select organization_id, 'leases' from credit_leases
        union all
        select organization_id, 'purchases' from purchases
        union all
        select organization_id, 'requests' from usage_events
        union all
        select organization_id, 'rollups' from usage_rollups
        union all
        select nullif(organization_id, ''), 'closed days' from usage_day_seals
        union all
        select organization_id, 'members' from organization_members
        union all
        select organization_id, 'teams' from teams
        union all
        select organization_id, 'audit entries' from audit_log
        union all
        select after ->> 'organizationId', 'sign-up' from audit_log where action = 'user.signed_up'
        union all
        select closed.id, 'erasure of its last member'
        from audit_log cross join lateral jsonb_array_elements_text(after -> 'closedOrganizations') as closed (id)
        where action = 'user.deleted'
      )
      select null::text as organization_id, named.id as subject, 'an organization' as expected,
        'only ' || string_agg(distinct named.records, ', ') as found, null::bigint as amount
      from (select distinct id, records from named) named
      where named.id is not null and not exists (select from organizations where organizations.id = named.id)
      group by named.id`,
  ],
};
