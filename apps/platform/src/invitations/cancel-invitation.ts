import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { revokeInvitation } from "@tollgate/db/invitations/end-invitation.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { actorOf } from "../audit-actor.ts";
import type { Caller, Origin } from "../caller.ts";

/** Cancels a pending invitation. The caller must have checked the permission. */
export async function cancelInvitation(
  transaction: TenantTransaction,
  input: { readonly caller: Caller; readonly origin: Origin },
  invitation: { readonly organizationId: string; readonly id: string; readonly teamId?: string | null },
  now: Date,
): Promise<void> {
  if (!(await revokeInvitation(transaction, invitation.organizationId, invitation, now))) {
    throw unknownObject("open invitation");
  }
  await writeAudit(transaction, {
    organizationId: invitation.organizationId,
    actor: actorOf(input),
    action: "member.invitation_revoked",
    target: { type: "invitation", id: invitation.id },
    before: { status: "pending" },
    after: { status: "revoked" },
  });
}
