import { invalidField, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { CloseOrganizationBody } from "@tollgate/contracts/management/organization.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { closeOrganization } from "@tollgate/db/organizations/close-organization.ts";
import { findOrganization } from "@tollgate/db/organizations/list-organizations.ts";
import Type from "typebox";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { enterOwnOrganization, requirePermission } from "./enter-own-organization.ts";

export const closeOrganizationOperation = operation({
  ...write,
  recentAuthentication: true,
  id: "closeOrganization",
  summary: "Close an organization permanently; its keys are revoked, its ledger remains",
  tag: "organizations",
  path: "/api/gw/organizations/{id}/close",
  auth: "user",
  scope: "user",
  params: Type.Object({ id: PathId }),
  body: CloseOrganizationBody,
  answers: {
    200: {
      description: "The organization is closed and hidden from its members",
      schema: Type.Object({ closed: Type.Boolean(), revokedKeys: Type.Integer() }),
    },
  },
  handle: async (input, transaction, { now }) => {
    const { caller, params, body } = input;
    requirePermission(
      await enterOwnOrganization(transaction, caller, params.id, { locks: true }),
      "close_organization",
    );
    const organization = await findOrganization(transaction, params.id, caller.userId);
    if (organization === null) throw unknownObject("organization");
    if (body.confirm !== organization.name) throw invalidField("confirm", "must be the name of the organization");
    const revokedKeys = await closeOrganization(transaction, params.id, now());
    await writeAudit(transaction, {
      organizationId: params.id,
      actor: actorOf(input),
      action: "org.closed",
      target: { type: "organization", id: params.id },
      before: { status: "active" },
      after: { status: "closed", revokedKeys },
    });
    return { status: 200, body: { closed: true, revokedKeys: revokedKeys.length } };
  },
});
