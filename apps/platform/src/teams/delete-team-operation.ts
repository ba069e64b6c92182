import { PathId } from "@tollgate/contracts/management/fields.ts";
import Type from "typebox";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { enterOrganizationOfTeam, requirePermission } from "../organizations/enter-own-organization.ts";
import { deleteTeam } from "./delete-team.ts";

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
    await deleteTeam(transaction, { organizationId, teamId: params.id }, { actor: actorOf(input) }, now());
    return { status: 204 };
  },
});
