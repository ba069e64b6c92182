import type { TenantTransaction } from "@tollgate/db/tenancy.ts";

export interface NewOrganization {
  readonly id: string;
  readonly name: string;
  readonly models?: readonly string[];
  readonly rpmLimit?: number | null;
  readonly tpmLimit?: number | null;
}

/** Adds an organization. A duplicate ID is an error. */
export async function insertOrganization(transaction: TenantTransaction, organization: NewOrganization): Promise<void> {
  await transaction
    .insertInto("organizations")
    .values({
      id: organization.id,
      name: organization.name,
      models: [...(organization.models ?? [])],
      rpm_limit: organization.rpmLimit ?? null,
      tpm_limit: organization.tpmLimit ?? null,
    })
    .execute();
}
