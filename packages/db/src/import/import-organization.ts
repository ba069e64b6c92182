import type { TenantTransaction } from "../tenancy.ts";
import { differingFields, type ImportOutcome } from "./compare-record.ts";
import { type BudgetImport, importBudget } from "./import-budget.ts";
import { type ImportContext, importer } from "./importer.ts";

export interface OrganizationImport {
  readonly id: string;
  readonly name: string;
  readonly models: readonly string[];
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly budget: BudgetImport | null;
}

/** Creates or updates an organization. An existing owner is not changed. */
export async function importOrganization(
  transaction: TenantTransaction,
  { id, budget, ...wanted }: OrganizationImport,
  ownerId: number | null,
  { now, audit }: ImportContext,
): Promise<ImportOutcome> {
  const current = await transaction
    .selectFrom("organizations")
    .select(["name", "models", "rpm_limit as rpm", "tpm_limit as tpm", "status"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (current?.status === "closed") return { kind: "kept", reason: "it was closed in Tollgate" };
  const { name, models, rpm, tpm } = wanted;
  const columns = { name, models: [...models], rpm_limit: rpm, tpm_limit: tpm, updated_at: now };
  const fields = current === undefined ? [] : [...differingFields(current, wanted as typeof current)];
  if (current === undefined) {
    await transaction
      .insertInto("organizations")
      .values({ ...columns, id, owner_id: ownerId, created_at: now })
      .execute();
    if (ownerId !== null) {
      await transaction
        .insertInto("organization_members")
        .values({ organization_id: id, user_id: ownerId, role: "owner", joined_at: now })
        .execute();
    }
  } else if (fields.length > 0) {
    await transaction.updateTable("organizations").set(columns).where("id", "=", id).execute();
  }
  if (await importBudget(transaction, { organizationId: id, scope: "organization", scopeId: id }, budget)) {
    fields.push("budget");
  }
  if (current !== undefined && fields.length === 0) return { kind: "unchanged" };
  await audit(transaction, {
    organizationId: id,
    actor: importer,
    action: current === undefined ? "org.created" : "org.updated",
    target: { type: "organization", id },
    after: { ...wanted, budget, ...(current === undefined && { ownerId }), importedFrom: "litellm" },
  });
  return current === undefined ? { kind: "created" } : { kind: "changed", fields };
}
