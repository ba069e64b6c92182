import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import {
  NewOrganizationBody,
  OrganizationAnswer,
  toOrganization,
} from "@tollgate/contracts/management/organization.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { createOrganization } from "@tollgate/db/organizations/create-organization.ts";
import { findOrganization } from "@tollgate/db/organizations/list-organizations.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";

export const createOrganizationOperation = operation({
  ...write,
  id: "createOrganization",
  summary: "Create an organization that you own",
  tag: "organizations",
  path: "/api/gw/organizations",
  auth: "user",
  scope: "user",
  body: NewOrganizationBody,
  answers: { 201: { description: "The new organization", schema: OrganizationAnswer } },
  handle: async (input, transaction, { settings, now }) => {
    const { caller, body } = input;
    const { limits } = settings();
    const at = now();
    const id = makePrefixedId("org", at.getTime());
    const outcome = await createOrganization(transaction, { id, name: body.name, ownerId: caller.userId }, limits, at);
    if (outcome === "limit_reached") {
      throw new Failure(
        "LIMIT_REACHED",
        `You have reached the limit of ${limits.organizationsPerOwner} owned organizations. Close one, or transfer ownership of one.`,
      );
    }
    if (outcome === "name_taken") throw nameTaken();
    const organization = await findOrganization(transaction, id, caller.userId);
    if (organization === null) throw unknownObject("organization");
    await writeAudit(transaction, {
      organizationId: id,
      actor: actorOf(input),
      action: "org.created",
      target: { type: "organization", id },
      after: { ownerId: caller.userId },
      personal: { after: { name: body.name } },
    });
    return { status: 201, body: { organization: toOrganization(organization, caller.organization?.id ?? null) } };
  },
});

/** Creates the failure for an organization name that the owner already uses. */
export function nameTaken(): Failure {
  return new Failure("NAME_TAKEN", "The owner already has an organization with this name. Choose another name.");
}
