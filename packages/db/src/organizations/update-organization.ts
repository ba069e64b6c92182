import type { NanoUsd } from "@tollgate/domain/money.ts";
import { isDuplicate } from "../database-errors.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** Changes to an organization. Absent fields stay unchanged. */
export interface OrganizationChanges {
  readonly name?: string;
  readonly billingEmail?: string | null;
  readonly lowBalanceThreshold?: NanoUsd | null;
  readonly logPrompts?: boolean;
  readonly logRetentionDays?: number;
  readonly timezone?: string;
}

/**
 * Changes an organization. `name_taken`: its owner has another organization with that name. The transaction must then
 * be rolled back.
 */
export async function updateOrganization(
  transaction: TenantTransaction,
  organizationId: string,
  changes: OrganizationChanges,
  now: Date,
): Promise<"updated" | "name_taken"> {
  // Lock the quota row before the organization's row, as everywhere else.
  if (changes.lowBalanceThreshold !== undefined) {
    await transaction
      .updateTable("organization_quota")
      .set({ low_balance_threshold: changes.lowBalanceThreshold })
      .where("organization_id", "=", organizationId)
      .execute();
  }
  try {
    await transaction
      .updateTable("organizations")
      .set({
        ...(changes.name !== undefined && { name: changes.name }),
        ...(changes.billingEmail !== undefined && { billing_email: changes.billingEmail }),
        ...(changes.logPrompts !== undefined && { log_prompts: changes.logPrompts }),
        ...(changes.logRetentionDays !== undefined && { log_retention_days: changes.logRetentionDays }),
        ...(changes.timezone !== undefined && { timezone: changes.timezone }),
        updated_at: now,
      })
      .where("id", "=", organizationId)
      .execute();
    return "updated";
  } catch (error) {
    if (isDuplicate(error, "organizations_name")) return "name_taken";
    throw error;
  }
}
