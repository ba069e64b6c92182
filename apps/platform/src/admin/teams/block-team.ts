import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { AdminTeamAnswer, BlockBody, UnblockBody } from "@tollgate/contracts/management/user.ts";
import { type AuditActor, writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { addEvent } from "@tollgate/db/outbox/add-event.ts";
import { type AnyTeam, blockByOperator, holdTeam, unblockByOperator } from "@tollgate/db/teams/block-by-operator.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import Type from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { operation, write } from "../../operation.ts";

export const blockTeamOperation = operation({
  ...write,
  id: "blockTeam",
  summary: "Block a team regardless of its balance; purchases do not unblock it",
  tag: "admin",
  path: "/api/admin/teams/{id}/block",
  auth: "administrator",
  scope: "administrator",
  params: Type.Object({ id: PathId }),
  body: BlockBody,
  answers: { 200: { description: "The updated team", schema: AdminTeamAnswer } },
  async handle(input, transaction, services) {
    const { id: teamId } = input.params;
    const patch = { teamId, isBlocked: true, reason: input.body.reason, actor: administratorOf(input) };
    return { status: 200, body: { team: await setTeamBlock(transaction, { ...patch, now: services.now() }) } };
  },
});

export const unblockTeamOperation = operation({
  ...write,
  id: "unblockTeam",
  summary: "Unblock a team that an administrator blocked; blocks for a negative balance end when credit is added",
  tag: "admin",
  path: "/api/admin/teams/{id}/unblock",
  auth: "administrator",
  scope: "administrator",
  params: Type.Object({ id: PathId }),
  body: UnblockBody,
  answers: { 200: { description: "The updated team", schema: AdminTeamAnswer } },
  async handle(input, transaction, services) {
    const { id: teamId } = input.params;
    const patch = { teamId, isBlocked: false, reason: input.body.reason, actor: administratorOf(input) };
    return { status: 200, body: { team: await setTeamBlock(transaction, { ...patch, now: services.now() }) } };
  },
});

/** Blocks or unblocks a team as an administrator. Has no effect if the team is already in that state. */
export async function setTeamBlock(
  transaction: TenantTransaction,
  patch: {
    readonly teamId: string;
    readonly isBlocked: boolean;
    readonly reason?: string | undefined;
    readonly actor: AuditActor;
    readonly now: Date;
  },
): Promise<AnyTeam> {
  const { teamId, isBlocked, reason, actor, now } = patch;
  const held = await holdTeam(transaction, teamId);
  if (held === null) throw unknownObject("team");
  const { team: before, isInDebt } = held;
  if (isBlocked ? before.blockedReason === "admin" : before.status === "active") return before;
  if (!isBlocked && isInDebt && before.blockedReason === "negative_balance") {
    throw new Failure(
      "NEGATIVE_BALANCE",
      "The team is blocked because its organization's balance is below zero. Adding credit unblocks it.",
    );
  }
  const team = await (isBlocked ? blockByOperator : unblockByOperator)(transaction, before.id, now);
  await record(transaction, before, team, reason, actor);
  return team;
}

async function record(
  transaction: TenantTransaction,
  before: AnyTeam,
  after: AnyTeam,
  reason: string | undefined,
  actor: AuditActor,
): Promise<void> {
  const action = after.blockedReason === "admin" ? "team.blocked" : "team.unblocked";
  // Notify the organization only if the change affects calls.
  if (before.status !== after.status) {
    const data = { teamId: after.id, reason: after.blockedReason ?? before.blockedReason };
    await addEvent(transaction, after.organizationId, action, data);
  }
  await writeAudit(transaction, {
    organizationId: after.organizationId,
    actor,
    action,
    target: { type: "team", id: after.id },
    before: { status: before.status, blockedReason: before.blockedReason },
    after: { status: after.status, blockedReason: after.blockedReason, reason },
  });
}
