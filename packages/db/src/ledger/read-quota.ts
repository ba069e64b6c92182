import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Database } from "../connect.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** Totals of an organization's ledger entries. */
export interface Quota {
  readonly organizationId: string;
  readonly balance: NanoUsd;
  /** Part of the balance that is leased to gateways. */
  readonly leased: NanoUsd;
  readonly mode: "slices" | "exact";
  readonly totalPurchased: NanoUsd;
  readonly totalGranted: NanoUsd;
  /** Total usage, net of reversals. */
  readonly totalUsed: NanoUsd;
  /** Refunds and disputes, net of disputes won. */
  readonly totalRefunded: NanoUsd;
  readonly totalExpired: NanoUsd;
  readonly totalAdjusted: NanoUsd;
  readonly lowBalanceThreshold: NanoUsd | null;
  readonly version: bigint;
  readonly updatedAt: Date;
}

/** Returns the organization's quota, or null if it isn't visible. */
export async function readQuota(db: Database | TenantTransaction, organizationId: string): Promise<Quota | null> {
  const row = await db
    .selectFrom("organization_quota")
    .select([
      "organization_id as organizationId",
      "balance",
      "leased",
      "mode",
      "total_purchased as totalPurchased",
      "total_granted as totalGranted",
      "total_used as totalUsed",
      "total_refunded as totalRefunded",
      "total_expired as totalExpired",
      "total_adjusted as totalAdjusted",
      "low_balance_threshold as lowBalanceThreshold",
      "version",
      "updated_at as updatedAt",
    ])
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return row ?? null;
}
