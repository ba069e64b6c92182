import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { nullable } from "@tollgate/contracts/management/fields.ts";
import { InvitationChoice } from "@tollgate/contracts/management/invitation.ts";
import { Organization, toOrganization } from "@tollgate/contracts/management/organization.ts";
import { Team } from "@tollgate/contracts/management/team.ts";
import { acceptInvitation } from "@tollgate/db/accounts/accept-invitation.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { findOrganization } from "@tollgate/db/organizations/list-organizations.ts";
import { addEvent } from "@tollgate/db/outbox/add-event.ts";
import { runUnauthenticated } from "@tollgate/db/tenancy.ts";
import Type from "typebox";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { readTeam } from "../teams/read-team.ts";
import { chooseInvitation } from "./choose-invitation.ts";

export const acceptInvitationOperation = operation({
  ...write,
  idempotency: "none",
  id: "acceptInvitation",
  summary: "Accept an invitation",
  tag: "teams",
  path: "/api/invitations/accept",
  auth: "user",
  scope: "own",
  body: InvitationChoice,
  answers: {
    200: {
      description: "Your new membership; team is null if the invitation was for the organization only",
      schema: Type.Object({ organization: Organization, team: nullable(Team) }),
    },
  },
  handle: async (input, { db, now }) => {
    const { caller, body } = input;
    const by = chooseInvitation(body, caller);
    const at = now();
    return runUnauthenticated(db, async (transaction) => {
      const accepted = await acceptInvitation(transaction, { by, userId: caller.userId, email: caller.email, now: at });
      if (accepted.kind === "unknown") throw unknownObject("open invitation");
      const { organizationId, teamId, role } = accepted;
      const organization = await findOrganization(transaction, organizationId, caller.userId);
      if (organization === null) throw unknownObject("open invitation");
      const team = teamId === null ? null : await readTeam(transaction, organizationId, teamId, caller.userId, at);
      await addEvent(transaction, organizationId, "member.added", { userId: caller.userId, teamId, role });
      await writeAudit(transaction, {
        organizationId,
        actor: actorOf(input),
        action: "member.added",
        target: { type: "user", id: String(caller.userId) },
        after: { teamId, role, invitationId: accepted.invitationId },
      });
      return {
        status: 200,
        body: { organization: toOrganization(organization, caller.organization?.id ?? null), team },
      };
    });
  },
});
