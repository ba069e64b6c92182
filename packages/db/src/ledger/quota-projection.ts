import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Contents of an organization's quota row. */
export interface QuotaProjection {
  readonly balance: NanoUsd;
  readonly leased: NanoUsd;
  readonly totalPurchased: NanoUsd;
  readonly totalGranted: NanoUsd;
  readonly totalUsed: NanoUsd;
  readonly totalRefunded: NanoUsd;
  readonly totalExpired: NanoUsd;
  readonly totalAdjusted: NanoUsd;
}

const columns = sql`balance, leased, total_purchased as "totalPurchased", total_granted as "totalGranted",
  total_used as "totalUsed", total_refunded as "totalRefunded", total_expired as "totalExpired",
  total_adjusted as "totalAdjusted"`;

/**
 * Reads the stored row, and the row recomputed from postings and leases, in one snapshot. Returns null for an unknown
 * organization.
 */
export async function readQuotaProjections(
  transaction: TenantTransaction,
  organizationId: string,
): Promise<{ readonly stored: QuotaProjection; readonly recomputed: QuotaProjection } | null> {
  const { rows } = await sql<QuotaProjection & { version: "stored" | "recomputed" }>`
    select 'stored' as version, ${columns} from organization_quota where organization_id = ${organizationId}
    union all
    select 'recomputed', ${columns} from quota_from_books(${organizationId})`.execute(transaction);
  const find = (wanted: "stored" | "recomputed"): QuotaProjection | null => {
    const row = rows.find(({ version }) => version === wanted);
    if (row === undefined) return null;
    const { version: _, ...projection } = row;
    return projection;
  };
  const [stored, recomputed] = [find("stored"), find("recomputed")];
  return stored === null || recomputed === null ? null : { stored, recomputed };
}

/** Replaces the stored row with the recomputed one, blocks or unblocks teams accordingly, and writes an audit entry. */
export async function rebuildQuota(
  transaction: TenantTransaction,
  organizationId: string,
  actor: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { rows } = await sql<{ rebuilt: boolean }>`
    select rebuild_quota(${organizationId}, ${JSON.stringify(actor)}::jsonb) as rebuilt`.execute(transaction);
  return rows[0]?.rebuilt ?? false;
}
