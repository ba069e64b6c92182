import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { UserDeleted } from "@tollgate/contracts/management/user.ts";
import { type AuditActor, writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { addEvent } from "@tollgate/db/outbox/add-event.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { holdUser } from "@tollgate/db/users/change-user.ts";
import { type ErasureOutcome, eraseUser } from "@tollgate/db/users/erase-user.ts";
import Type from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { operation, write } from "../../operation.ts";
import { readUserId } from "./read-user-id.ts";
import { refuseLastAdministrator } from "./update-user.ts";

export const deleteUserOperation = operation({
  ...write,
  method: "DELETE",
  recentAuthentication: true,
  timeoutMs: 60_000,
  id: "deleteUser",
  summary: "Erase a user; ledger, usage, and audit entries remain without personal data",
  tag: "admin",
  path: "/api/admin/users/{id}",
  auth: "administrator",
  scope: "administrator",
  params: Type.Object({ id: PathId }),
  answers: { 200: { description: "The user's personal data is erased", schema: UserDeleted } },
  async handle(input, transaction, services) {
    const userId = readUserId(input.params.id);
    if (userId === input.caller.userId) {
      throw new Failure("SELF", "You cannot delete your own account. Ask another administrator.");
    }
    const user = await holdUser(transaction, userId);
    if (user === null) throw unknownObject("user");
    refuseLastAdministrator(user, { status: "disabled" });
    const outcome = await eraseUser(transaction, userId, services.now());
    if (outcome.kind !== "erased") throw refuseErasure(outcome);
    await record(transaction, userId, outcome, administratorOf(input));
    return { status: 200, body: { deleted: true } };
  },
});

async function record(
  transaction: TenantTransaction,
  userId: number,
  { closed, left, revokedInvitations }: Extract<ErasureOutcome, { kind: "erased" }>,
  actor: AuditActor,
): Promise<void> {
  const user = { type: "user", id: String(userId) };
  for (const organizationId of left) {
    await addEvent(transaction, organizationId, "member.removed", { userId, scope: "organization" });
  }
  const chains = [
    ...closed.map(({ id, revokedKeys }) => ({
      organizationId: id,
      action: "org.closed",
      target: { type: "organization", id },
      after: { status: "closed", revokedKeys },
    })),
    ...left.map((id) => ({ organizationId: id, action: "member.removed", target: user, after: {} })),
  ];
  // Each audit chain stays locked until the commit, so lock the chains in a fixed order to avoid deadlocks.
  for (const entry of chains.toSorted((one, other) => (one.organizationId < other.organizationId ? -1 : 1))) {
    await writeAudit(transaction, { actor, ...entry });
  }
  const after = {
    closedOrganizations: closed.map(({ id }) => id),
    ...(revokedInvitations.length > 0 && { revokedInvitations }),
  };
  await writeAudit(transaction, { organizationId: null, actor, action: "user.deleted", target: user, after });
}

function refuseErasure(outcome: Exclude<ErasureOutcome, { kind: "erased" }>): Failure {
  const { kind, organizationId } = outcome;
  if (kind === "last_owner") {
    return new Failure(
      "LAST_OWNER",
      `Organization ${organizationId} has other members but no other owner. Add another owner first.`,
      { publicDetails: { organizationId } },
    );
  }
  return new Failure(
    "NAME_TAKEN",
    `Organization ${organizationId} would pass to an owner who already has an organization with that name. Rename one of them first.`,
    { publicDetails: { organizationId } },
  );
}
