import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { deleteTeam } from "@tollgate/db/teams/delete-team.ts";
import Type from "typebox";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { enterOrganizationOfTeam, requirePermission } from "../organizations/enter-own-organization.ts";

export const deleteTeamOperation = operation({
  ...write,
  method: "DELETE",
  idempotency: "none",
  bodyLimitBytes: 0,
  id: "deleteTeam",
  summary: "Delete a team and revoke its keys; its usage remains in the logs and ledger",
  tag: "teams",
  path: "/api/gw/teams/{id}",
  auth: "user",
  scope: "user",
  params: Type.Object({ id: PathId }),
  answers: { 204: { description: "The team is deleted; in-flight requests are still settled" } },
  handle: async (input, transaction, { now }) => {
    const { caller, params } = input;
    // Lock the organization, so that no user joins the team while it is being deleted.
    const { organizationId, standing: roles } = await enterOrganizationOfTeam(transaction, caller, params.id, {
      locks: true,
    });
    requirePermission(roles, "delete_team");
    const revokedKeys = await deleteTeam(transaction, organizationId, params.id, now());
    if (revokedKeys === null) throw unknownObject("team");
    await writeAudit(transaction, {
      organizationId,
      actor: actorOf(input),
      action: "team.deleted",
      target: { type: "team", id: params.id },
      after: { revokedKeys },
    });
    return { status: 204 };
  },
});
