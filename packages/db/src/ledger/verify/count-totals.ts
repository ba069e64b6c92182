import { sql, type Transaction } from "kysely";
import type { Tables } from "../../tables.generated.ts";
import { type Scope, type Totals, within } from "./invariant.ts";

/** Totals of a verification that could not count. */
export const NO_TOTALS: Totals = {
  organizations: 0n,
  events: 0n,
  transactions: 0n,
  postings: 0n,
  accounts: 0n,
  nodes: 0n,
  leases: 0n,
  purchases: 0n,
  teams: 0n,
  budgetWindows: 0n,
  lotsAndSeals: 0n,
  losses: 0n,
  rollups: 0n,
  auditRows: 0n,
  members: 0n,
  chainEntries: 0n,
};

/** Counts the records to check. Calls whose rows were dropped are counted from the totals of their closed days. */
export async function readTotals(snapshot: Transaction<Tables>, scope: Scope): Promise<Totals> {
  const inside = within(scope, "organization_id");
  const { rows } = await sql<Totals>`
    select
      (select count(*) from organizations where ${within(scope, "id")}) as organizations,
      (select count(*) from usage_events where ${inside})
        + (select coalesce(sum(events), 0)::bigint from usage_day_seals where day < ${scope.keptSince}::date and ${inside})
        as events,
      (select count(*) from ledger_transactions where ${inside}) as transactions,
      (select count(*) from ledger_postings
        where ${scope.organizationId}::text is null
          or transaction_id in (select id from ledger_transactions where ${inside})) as postings,
      (select count(*) from ledger_accounts where ${inside}) as accounts,
      (select count(*) from gateway_nodes) as nodes,
      (select count(*) from credit_leases where ${inside}) + (select count(*) from budget_leases where ${inside}) as leases,
      (select count(*) from ledger_transactions where kind = 'purchase' and ${inside}) as purchases,
      (select count(*) from teams where ${inside}) as teams,
      (select count(*) from budget_windows where ${inside}) as "budgetWindows",
      (select count(*) from grant_lots where ${inside}) + (select count(*) from usage_day_seals where ${inside})
        as "lotsAndSeals",
      (select count(*) from lost_attempts where ${inside})
        + (select count(*) from usage_events where loss > 0 and ${inside}) as losses,
      (select count(*) from usage_rollups where ${inside}) as rollups,
      (select count(*) from audit_log where ${inside}) as "auditRows",
      (select count(*) from ledger_chain where ${inside}) as "chainEntries",
      (select count(*) from users where ${scope.organizationId}::text is null)
        + (select count(*) from organization_members where ${inside}) + (select count(*) from team_members where ${inside})
        as members`.execute(snapshot);
  return rows[0] as Totals;
}
