import { type RateLimits, toLimitColumns } from "../rate-limits.ts";
import { blockByOperator } from "../teams/block-by-operator.ts";
import { insertTeam } from "../teams/insert-team.ts";
import type { TenantTransaction } from "../tenancy.ts";
import { differingFields, type ImportOutcome } from "./compare-record.ts";
import { type BudgetImport, importBudget } from "./import-budget.ts";
import { type ImportContext, importer } from "./importer.ts";

export interface TeamImport extends RateLimits {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly models: readonly string[];
  readonly modelAliases: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly isBlocked: boolean;
  readonly budget: BudgetImport | null;
}

/** Creates or updates a team. A block for a negative balance is set by Tollgate and is not changed. */
export async function importTeam(
  transaction: TenantTransaction,
  team: TeamImport,
  { now, audit }: ImportContext,
): Promise<ImportOutcome> {
  const { id, organizationId, budget, isBlocked, ...wanted } = team;
  const row = await transaction.selectFrom("teams").selectAll().where("id", "=", id).executeTakeFirst();
  if (row !== undefined && row.deleted_at !== null) return { kind: "kept", reason: "the team was deleted in Tollgate" };
  const fields: string[] = [];
  if (row === undefined) {
    const { name, models, modelAliases, tags, metadata, ...limits } = wanted;
    await insertTeam(transaction, { id, organizationId, name, models, modelAliases, tags, metadata, limits });
  } else {
    fields.push(...differingFields(currentOf(row), wanted));
    if (row.organization_id !== organizationId)
      return { kind: "kept", reason: "it belongs to another organization in Tollgate" };
    if (fields.length > 0) {
      const { name, models, modelAliases, tags, metadata, ...limits } = wanted;
      await transaction
        .updateTable("teams")
        .set({
          name,
          models: [...models],
          model_aliases: { ...modelAliases },
          tags: [...tags],
          metadata: { ...metadata },
          ...toLimitColumns(limits),
          updated_at: now,
        })
        .where("id", "=", id)
        .execute();
    }
  }
  // Only block, never unblock: a block in Tollgate may have a reason that isn't in the source.
  const isBlockedNow = isBlocked && row?.status !== "blocked";
  if (isBlockedNow) {
    await blockByOperator(transaction, id, now);
    fields.push("blocked");
  }
  if (await importBudget(transaction, { organizationId, scope: "team", scopeId: id }, budget)) fields.push("budget");
  if (row !== undefined && fields.length === 0) return { kind: "unchanged" };
  await audit(transaction, {
    organizationId,
    actor: importer,
    action: row === undefined ? "team.created" : "team.updated",
    target: { type: "team", id },
    after: {
      ...wanted,
      isBlocked,
      budget,
      ...(isBlockedNow && { status: "blocked", blockedReason: "admin" }),
      importedFrom: "litellm",
    },
  });
  return row === undefined ? { kind: "created" } : { kind: "changed", fields };
}

type TeamRow = Awaited<ReturnType<typeof selectTeam>>;
const selectTeam = (transaction: TenantTransaction) =>
  transaction.selectFrom("teams").selectAll().executeTakeFirstOrThrow();

function currentOf(row: TeamRow) {
  return {
    name: row.name,
    models: row.models,
    modelAliases: row.model_aliases,
    tags: row.tags,
    metadata: row.metadata as Readonly<Record<string, unknown>>,
    rpm: row.rpm_limit,
    tpm: row.tpm_limit,
    maxParallel: row.max_parallel_requests,
    modelRpm: row.model_rpm_limits,
    modelTpm: row.model_tpm_limits,
  };
}
