import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import { type Quota, readQuota } from "../ledger/read-quota.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** An organization's credit and how much of it is reserved. */
export interface Credit extends Quota {
  /** Amount held by in-flight and unsettled calls, as last reported by gateways. */
  readonly held: NanoUsd;
  /** Calls in flight, as last reported by gateways. */
  readonly activeHolds: number;
  readonly teams: number;
  readonly blockedTeams: number;
}

/** Returns the organization's credit, or null if the organization isn't visible. */
export async function readCredit(transaction: TenantTransaction, organizationId: string): Promise<Credit | null> {
  const quota = await readQuota(transaction, organizationId);
  if (quota === null) return null;
  // A gateway reports a lease only when the used amount changes, so an old report is still valid. If a lease's process
  // stopped responding or has ended, everything outstanding may still be charged.
  const { rows } = await sql<Omit<Credit, keyof Quota>>`
    select held::bigint as held, active_holds::integer as "activeHolds", teams::integer as teams,
      blocked_teams::integer as "blockedTeams"
    from (
      select coalesce(sum(case when lease.state = 'active' then coalesce(use.in_use, 0) else lease.outstanding end), 0) as held,
        coalesce(sum(use.calls) filter (where lease.state = 'active'), 0) as active_holds
      from credit_leases lease left join lease_use use using (organization_id, node_id, epoch)
      where lease.organization_id = ${organizationId} and lease.state in ('active', 'lapsed', 'closing')
    ) as leases, (
      select count(*) as teams, count(*) filter (where status = 'blocked') as blocked_teams
      from teams where organization_id = ${organizationId} and deleted_at is null
    ) as counted`.execute(transaction);
  return { ...quota, ...(rows[0] as Omit<Credit, keyof Quota>) };
}
