import { isDuplicate } from "../database-away.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** What is absent stays as it is. */
export interface TeamChanges {
  readonly name?: string;
  /** Empty: every model. */
  readonly models?: readonly string[];
  readonly rpm?: number | null;
  readonly tpm?: number | null;
  readonly maxParallel?: number | null;
}

/** Changes a team. After `name_taken` the transaction is lost. */
export async function updateTeam(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
  changes: TeamChanges,
  now: Date,
): Promise<"updated" | "name_taken"> {
  const { name, models, rpm, tpm, maxParallel } = changes;
  try {
    await transaction
      .updateTable("teams")
      .set({
        ...(name !== undefined && { name }),
        ...(models !== undefined && { models: [...models] }),
        ...(rpm !== undefined && { rpm_limit: rpm }),
        ...(tpm !== undefined && { tpm_limit: tpm }),
        ...(maxParallel !== undefined && { max_parallel_requests: maxParallel }),
        updated_at: now,
      })
      .where("organization_id", "=", organizationId)
      .where("id", "=", teamId)
      .execute();
    return "updated";
  } catch (error) {
    if (isDuplicate(error, "teams_name")) return "name_taken";
    throw error;
  }
}
