import { isDuplicate } from "../database-errors.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** Changes to a team. Absent fields are left unchanged. */
export interface TeamChanges {
  readonly name?: string;
  /** Empty for all models. */
  readonly models?: readonly string[];
  readonly rpm?: number | null;
  readonly tpm?: number | null;
  readonly maxParallel?: number | null;
  readonly modelRpm?: Readonly<Record<string, number>>;
  readonly modelTpm?: Readonly<Record<string, number>>;
  readonly modelAliases?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly guardrails?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Updates a team. After `name_taken`, the transaction must be rolled back. */
export async function updateTeam(
  transaction: TenantTransaction,
  organizationId: string,
  teamId: string,
  changes: TeamChanges,
  now: Date,
): Promise<"updated" | "name_taken"> {
  const { name, models, rpm, tpm, maxParallel, modelRpm, modelTpm } = changes;
  const { modelAliases, tags, guardrails, metadata } = changes;
  try {
    await transaction
      .updateTable("teams")
      .set({
        ...(name !== undefined && { name }),
        ...(models !== undefined && { models: [...models] }),
        ...(rpm !== undefined && { rpm_limit: rpm }),
        ...(tpm !== undefined && { tpm_limit: tpm }),
        ...(maxParallel !== undefined && { max_parallel_requests: maxParallel }),
        ...(modelRpm !== undefined && { model_rpm_limits: { ...modelRpm } }),
        ...(modelTpm !== undefined && { model_tpm_limits: { ...modelTpm } }),
        ...(modelAliases !== undefined && { model_aliases: { ...modelAliases } }),
        ...(tags !== undefined && { tags: [...tags] }),
        ...(guardrails !== undefined && { guardrails: [...guardrails] }),
        ...(metadata !== undefined && { metadata: { ...metadata } }),
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
