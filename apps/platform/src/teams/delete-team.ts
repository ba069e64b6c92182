import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { deleteTeam as markDeleted } from "@tollgate/db/teams/delete-team.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { ChangeAuthor } from "../audit-actor.ts";
import type { TeamRef } from "./update-team.ts";

/** Deletes a team and revokes its keys. The organization must be locked, so that no user joins the team meanwhile. */
export async function deleteTeam(
  transaction: TenantTransaction,
  { organizationId, teamId }: TeamRef,
  { actor, subjects = [] }: ChangeAuthor,
  now: Date,
): Promise<void> {
  const revokedKeys = await markDeleted(transaction, organizationId, teamId, now);
  if (revokedKeys === null) throw unknownObject("team");
  await writeAudit(transaction, {
    organizationId,
    actor,
    subjects,
    action: "team.deleted",
    target: { type: "team", id: teamId },
    after: { revokedKeys },
  });
}
