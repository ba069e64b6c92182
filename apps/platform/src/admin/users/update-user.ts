import { Failure } from "@tollgate/contracts/failures.ts";
import { invalidField, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { UserAnswer, UserChange } from "@tollgate/contracts/management/user.ts";
import { revokeSessions } from "@tollgate/db/accounts/sessions.ts";
import { type AuditActor, writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { revokeInvitationsOfUser } from "@tollgate/db/invitations/end-invitation.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { changeUser, type HeldUser, holdUser } from "@tollgate/db/users/change-user.ts";
import { findUser } from "@tollgate/db/users/list-users.ts";
import Type from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { operation, write } from "../../operation.ts";
import { readUserId } from "./read-user-id.ts";

export const updateUserOperation = operation({
  ...write,
  method: "PATCH",
  recentAuthentication: true,
  id: "updateUser",
  summary: "Rename, promote, demote, disable, or enable a user",
  tag: "admin",
  path: "/api/admin/users/{id}",
  auth: "administrator",
  scope: "administrator",
  params: Type.Object({ id: PathId }),
  body: UserChange,
  answers: { 200: { description: "The updated user", schema: UserAnswer } },
  async handle(input, transaction, services) {
    const { params, body } = input;
    if (Object.keys(body).length === 0) throw invalidField("role", "or another change is required");
    const before = await holdUser(transaction, readUserId(params.id));
    if (before === null) throw unknownObject("user");
    refuseLastAdministrator(before, body);
    const now = services.now();
    await changeUser(transaction, before.id, body, now);
    // Enabling a user again doesn't restore their sessions.
    if (body.status === "disabled") await revokeSessions(transaction, before.id, now);
    const revokedInvitations =
      body.status === "disabled" ? await revokeInvitationsOfUser(transaction, before.id, now) : [];
    await auditChanges(transaction, before, body, revokedInvitations, administratorOf(input));
    return { status: 200, body: { user: await findUser(transaction, before.id) } };
  },
});

/** Throws if the change would leave no active administrator. */
export function refuseLastAdministrator(user: HeldUser, change: UserChange): void {
  const isAdministrator = user.role === "admin" && user.status === "active";
  const staysOne = (change.role ?? user.role) === "admin" && (change.status ?? user.status) === "active";
  if (!isAdministrator || staysOne || user.hasOtherAdministrator) return;
  throw new Failure("LAST_ADMIN", "This is the last administrator. Promote another user first.");
}

async function auditChanges(
  transaction: TenantTransaction,
  before: HeldUser,
  change: UserChange,
  revokedInvitations: readonly string[],
  actor: AuditActor,
): Promise<void> {
  const entry = { organizationId: null, actor, target: { type: "user", id: String(before.id) } };
  const { role, status, name } = change;
  if (name !== undefined && name !== before.name) {
    const personal = { before: { name: before.name }, after: { name } };
    await writeAudit(transaction, { ...entry, action: "user.updated", personal, subjects: [before.id] });
  }
  if (status !== undefined && status !== before.status) {
    const action = status === "disabled" ? "user.disabled" : "user.enabled";
    const after = { status, ...(revokedInvitations.length > 0 && { revokedInvitations }) };
    await writeAudit(transaction, { ...entry, action, before: { status: before.status }, after });
  }
  if (role !== undefined && role !== before.role) {
    await writeAudit(transaction, {
      ...entry,
      action: "user.role_changed",
      before: { role: before.role },
      after: { role },
    });
  }
}
