import type { TenantTransaction } from "../tenancy.ts";

/** Returns which of these organizations have no credit, including those not imported yet. */
export async function listWithoutCredit(
  transaction: TenantTransaction,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await transaction
    .selectFrom("organization_quota")
    .select("organization_id")
    .where("organization_id", "in", [...ids])
    .where("balance", ">", 0n)
    .execute();
  const paid = new Set(rows.map(({ organization_id }) => organization_id));
  return new Set(ids.filter((id) => !paid.has(id)));
}
