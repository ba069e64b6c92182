import { writeAudit } from "../audit/write-audit.ts";
import { enterOrganization, type TenantTransaction } from "../tenancy.ts";

/**
 * Assigns an organization without an owner to a user, who becomes its owner and an administrator of each of its teams.
 */
export async function adoptOrganization(
  transaction: TenantTransaction,
  organizationId: string,
  userId: number,
  now: Date,
): Promise<void> {
  await enterOrganization(transaction, organizationId);
  const adopted = await transaction
    .updateTable("organizations")
    .set({ owner_id: userId, updated_at: now })
    .where("id", "=", organizationId)
    .where("owner_id", "is", null)
    .returning("id")
    .executeTakeFirst();
  if (adopted === undefined) return;
  await transaction
    .insertInto("organization_members")
    .values({ organization_id: organizationId, user_id: userId, role: "owner", joined_at: now })
    .execute();
  const teams = await transaction
    .selectFrom("teams")
    .select("id")
    .where("organization_id", "=", organizationId)
    .execute();
  for (const { id } of teams) {
    await transaction
      .insertInto("team_members")
      .values({ organization_id: organizationId, team_id: id, user_id: userId, role: "admin", joined_at: now })
      .execute();
  }
  await transaction
    .updateTable("users")
    .set({ last_organization_id: organizationId })
    .where("id", "=", userId)
    .execute();
  for (const after of [{ role: "owner" }, ...teams.map(({ id }) => ({ role: "admin", teamId: id }))]) {
    await writeAudit(transaction, {
      organizationId,
      actor: { type: "system", id: null },
      action: "member.added",
      target: { type: "user", id: String(userId) },
      after,
      subjects: [userId],
    });
  }
}
