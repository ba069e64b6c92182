import type { TenantTransaction } from "../tenancy.ts";

/** Returns the organizations in the list that have no credit, including organizations that aren't imported yet. */
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
