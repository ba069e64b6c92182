import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { toInvitation } from "@tollgate/contracts/management/invitation.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import {
  type AddInvitationOutcome,
  addInvitation,
  MAX_INVITATIONS_PER_MAILBOX,
} from "@tollgate/db/invitations/add-invitation.ts";
import { findInvitation } from "@tollgate/db/invitations/list-invitations.ts";
import { addEvent } from "@tollgate/db/outbox/add-event.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { makeLinkToken } from "@tollgate/domain/identity/link-token.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import type { TeamRole } from "@tollgate/domain/roles/roles.ts";
import { actorOf } from "../audit-actor.ts";
import type { Caller, Origin } from "../caller.ts";
import { chooseBaseUrl } from "../choose-base-url.ts";
import { makeLink, sendMail } from "../mail.ts";
import type { Answer } from "../operation.ts";
import type { Services } from "../services.ts";

const INVITATION_MS = 7 * 24 * 3_600_000;

interface Invitee {
  readonly organizationId: string;
  /** Team to invite the user to; null to invite the user only to the organization. */
  readonly teamId: string | null;
  readonly email: string;
  readonly role: TeamRole;
}

/**
 * Invites a user who isn't in the organization. The organization must be locked. Doesn't check whether the user has an
 * account, so that the response can't reveal whether one exists.
 */
export async function invite(
  transaction: TenantTransaction,
  input: {
    readonly caller: Caller;
    readonly origin: Origin;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  },
  services: Services,
  invitee: Invitee,
): Promise<Answer> {
  const { organizationId, teamId, email, role } = invitee;
  const settings = services.settings();
  const now = services.now();
  const { token, digest } = makeLinkToken();
  const id = makePrefixedId("inv", now.getTime());
  const expiresAt = new Date(now.getTime() + INVITATION_MS);
  const invitedBy = input.caller.userId;
  const outcome = await addInvitation(
    transaction,
    { id, organizationId, teamId, email, role, tokenDigest: digest, invitedBy, expiresAt },
    settings.limits,
    now,
  );
  if (outcome !== "added") throw refuse(outcome, services);
  const added = await findInvitation(transaction, organizationId, id);
  if (added === null) throw unknownObject("invitation");
  const link = makeLink(settings, "ui/invitations", token);
  const isMailed = await sendMail(transaction, services, {
    to: email,
    template: "invitation",
    data: {
      link,
      organizationName: added.organizationName,
      inviterName: added.inviterName,
      ...(added.teamName !== null && { teamName: added.teamName }),
    },
  });
  await addEvent(transaction, organizationId, "invitation.created", { invitationId: id, teamId, role });
  await writeAudit(transaction, {
    organizationId,
    actor: actorOf(input),
    action: "member.invited",
    target: { type: "invitation", id },
    after: { teamId, role },
    personal: { after: { email } },
  });
  const invitation = toInvitation(added, now);
  // Use this URL only in the response. Links in emails must not depend on the Host header.
  const publicUrl = chooseBaseUrl(settings, input.headers.host);
  return {
    status: 202,
    body: {
      status: "invited",
      invitation,
      inviteUrl: isMailed ? null : makeLink({ publicUrl }, "ui/invitations", token),
    },
    replayBody: { status: "invited", invitation, inviteUrl: null },
  };
}

function refuse(outcome: Exclude<AddInvitationOutcome, "added">, services: Services): Failure {
  if (outcome === "mailbox_limit") {
    // The limit counts all organizations and also addresses without an account, so it reveals no account.
    return new Failure(
      "LIMIT_REACHED",
      `An email address can receive ${MAX_INVITATIONS_PER_MAILBOX} invitations per day. Try again tomorrow.`,
    );
  }
  const { invitationsPerDayPerOrganization, pendingInvitationsPerOrganization } = services.settings().limits;
  if (outcome === "daily_limit") {
    return new Failure(
      "LIMIT_REACHED",
      `The organization has reached its limit of ${invitationsPerDayPerOrganization} invitations per day. Try again tomorrow.`,
    );
  }
  return new Failure(
    "LIMIT_REACHED",
    `The organization has reached its limit of ${pendingInvitationsPerOrganization} open invitations. Cancel some first.`,
  );
}
