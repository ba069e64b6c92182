import { Failure } from "@tollgate/contracts/failures.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { revokeWaysBack } from "@tollgate/db/invitations/end-invitation.ts";
import { listManagedKeys } from "@tollgate/db/keys/managed-keys.ts";
import { addTeamMember, changeTeamRole, removeTeamMember } from "@tollgate/db/members/change-team-member.ts";
import { findMember, findMemberByEmail, findTeamMember } from "@tollgate/db/members/list-members.ts";
import { lockOrganization } from "@tollgate/db/members/lock-organization.ts";
import { addEvent } from "@tollgate/db/outbox/add-event.ts";
import { createTeam as insertTeam } from "@tollgate/db/teams/create-team.ts";
import { deleteTeam } from "@tollgate/db/teams/delete-team.ts";
import { listManagedTeams, type ManagedTeam } from "@tollgate/db/teams/managed-teams.ts";
import { updateTeam as changeTeam, type TeamChanges } from "@tollgate/db/teams/update-team.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { canGrantTeamRole } from "@tollgate/domain/roles/permissions.ts";
import type { KeyState, MemberPatch, PersonName, TeamPatch } from "@tollgate/gateway/management/management.ts";
import { setTeamBlock } from "@tollgate/platform/admin/teams/block-team.ts";
import { requireAnotherAdmin } from "@tollgate/platform/teams/update-member.ts";
import { findOrganization, type Place, placeOf } from "./find-team.ts";
import {
  absent,
  auditActor,
  forbidden,
  type OwnerContext,
  requireAdministrator,
  requirePermission,
  rolesIn,
} from "./run-as-key-creator.ts";
import { writeBudget } from "./write-budget.ts";

const SHOWN_KEYS = 100;

/** Creates a team. A user who creates a team becomes its administrator. */
export async function createTeam(
  acting: OwnerContext,
  patch: TeamPatch,
  members: readonly MemberPatch[],
): Promise<ManagedTeam> {
  const { transaction, now, limits } = acting;
  const organizationId = await findOrganization(acting, patch.organizationId);
  requirePermission(acting, "create_team", organizationId);
  const id = makePrefixedId("team", now.getTime());
  const creatorId = acting.member?.userId ?? null;
  const { rpm = null, tpm = null, maxParallel = null, modelRpm = {}, modelTpm = {} } = patch;
  const outcome = await insertTeam(
    transaction,
    {
      id,
      organizationId,
      name: patch.name ?? id,
      models: patch.models ?? [],
      modelAliases: patch.modelAliases ?? {},
      tags: patch.tags ?? [],
      guardrails: patch.guardrails ?? [],
      metadata: patch.metadata ?? {},
      limits: { rpm, tpm, maxParallel, modelRpm, modelTpm },
      creatorId,
    },
    limits,
    now,
  );
  if (outcome === "limit_reached") {
    const most = limits.teamsPerOrganization;
    throw new Failure("conflict", `The organization has reached its limit of ${most} teams. Delete one first.`);
  }
  if (outcome === "name_taken") throw nameTaken();
  if (patch.budget) await writeBudget(acting, { scope: "team", organizationId, id }, patch.budget, null);
  if (members.length > 0) await lockOrganization(transaction, organizationId);
  for (const member of members) {
    // The creator is already a member.
    if ((await findUser(acting, organizationId, member.person)) === creatorId) continue;
    await putIntoTeam(acting, organizationId, id, member);
  }
  await audit(acting, organizationId, "team.created", id, { after: { ...patch } });
  if (patch.isBlocked === true) await block(acting, id, true);
  return readTeam(acting, id);
}

/** Updates the given fields of a team. Only platform administrators can block and unblock teams. */
export async function updateTeam(acting: OwnerContext, teamId: string, patch: TeamPatch): Promise<ManagedTeam> {
  const { transaction, now } = acting;
  const { organizationId } = await placeOf(acting, teamId);
  const { isBlocked, budget, organizationId: wanted, ...changes } = patch;
  if (wanted !== undefined && wanted !== organizationId) {
    throw new Failure("invalid_request", "A team cannot move to another organization.", { param: "organization_id" });
  }
  if (isBlocked !== undefined) await block(acting, teamId, isBlocked);
  if (Object.keys(changes).length === 0 && budget === undefined) return readTeam(acting, teamId);
  requirePermission(acting, "edit_team", organizationId, teamId);
  const before = await readTeam(acting, teamId);
  const outcome = await changeTeam(transaction, organizationId, teamId, changes as TeamChanges, now);
  if (outcome === "name_taken") throw nameTaken();
  if (budget) await writeBudget(acting, { scope: "team", organizationId, id: teamId }, budget, before.budget);
  const after = await readTeam(acting, teamId);
  const shown = (team: ManagedTeam) => ({
    ...Object.fromEntries(Object.keys(changes).map((name) => [name, fieldOf(team, name)])),
    ...(budget && { budget: team.budget && { limit: team.budget.limit, period: team.budget.period } }),
  });
  await audit(acting, organizationId, "team.updated", teamId, { before: shown(before), after: shown(after) });
  return after;
}

/** Deletes all given teams and their keys, or none of them if one team doesn't exist. */
export async function deleteTeams(acting: OwnerContext, teamIds: readonly string[]): Promise<void> {
  const places: Place[] = [];
  for (const teamId of new Set(teamIds)) places.push(await placeOf(acting, teamId));
  const orderOf = ({ organizationId, teamId }: Place) => `${organizationId} ${teamId}`;
  // Lock in a fixed order, so that concurrent deletions of the same teams don't deadlock.
  for (const { organizationId, teamId } of places.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))) {
    await lockOrganization(acting.transaction, organizationId);
    requirePermission(acting, "delete_team", organizationId, teamId);
    const revokedKeys = await deleteTeam(acting.transaction, organizationId, teamId, acting.now);
    if (revokedKeys === null) throw absent("team");
    await audit(acting, organizationId, "team.deleted", teamId, { after: { revokedKeys } });
  }
}

/** Adds members of the organization to a team. Other users have to be invited on the platform. */
export async function addMembers(
  acting: OwnerContext,
  teamId: string,
  members: readonly MemberPatch[],
): Promise<ManagedTeam> {
  const organizationId = await enterTeam(acting, teamId);
  for (const member of members) await putIntoTeam(acting, organizationId, teamId, member);
  return readTeam(acting, teamId);
}

/** Changes a member's role. */
export async function updateMember(
  acting: OwnerContext,
  teamId: string,
  { person, role }: MemberPatch,
): Promise<ManagedTeam> {
  const { transaction } = acting;
  const organizationId = await enterTeam(acting, teamId);
  const member = await findMate(acting, organizationId, teamId, person);
  requireRole(acting, teamId, role);
  if (member.role !== role) {
    if (role === "member") await keepOneAdmin(acting, organizationId, teamId, member.userId);
    await changeTeamRole(transaction, organizationId, teamId, member.userId, role);
    await auditMember(acting, organizationId, "member.role_changed", member, {
      before: { teamId, role: member.role },
      after: { teamId, role },
    });
  }
  return readTeam(acting, teamId);
}

/** Removes a member from a team. */
export async function removeMember(acting: OwnerContext, teamId: string, person: PersonName): Promise<ManagedTeam> {
  const { transaction, now } = acting;
  const organizationId = await enterTeam(acting, teamId);
  const member = await findMate(acting, organizationId, teamId, person);
  if (member.role === "admin") await keepOneAdmin(acting, organizationId, teamId, member.userId);
  const revokedInvitations = await revokeWaysBack(transaction, organizationId, { email: member.email, teamId }, now);
  await removeTeamMember(transaction, organizationId, teamId, member.userId);
  await addEvent(transaction, organizationId, "member.removed", { userId: member.userId, teamId, scope: "team" });
  await auditMember(acting, organizationId, "member.removed", member, {
    before: { teamId, role: member.role },
    after: { revokedKeys: [], revokedInvitations },
  });
  return readTeam(acting, teamId);
}

/** Returns a team with its newest keys. */
export async function findTeam(
  acting: OwnerContext,
  teamId: string,
): Promise<{ readonly team: ManagedTeam; readonly keys: readonly KeyState[] }> {
  const { organizationId } = await placeOf(acting, teamId);
  requirePermission(acting, "see_team", organizationId, teamId);
  const filter = { organizationId, teamIds: [teamId], userId: null, name: null, key: null, includesRevoked: false };
  const page = { limit: SHOWN_KEYS, offset: 0, now: acting.now };
  const { keys } = await listManagedKeys(acting.transaction, filter, page);
  return { team: await readTeam(acting, teamId), keys };
}

async function readTeam({ transaction, now }: OwnerContext, id: string): Promise<ManagedTeam> {
  const filter = { organizationId: null, ids: [id], memberId: null, name: null };
  const { teams } = await listManagedTeams(transaction, filter, { limit: 1, offset: 0, now });
  const [team] = teams;
  if (team === undefined) throw absent("team");
  return team;
}

/** Locks the organization, because membership changes are serialized. */
async function enterTeam(acting: OwnerContext, teamId: string): Promise<string> {
  const { organizationId } = await placeOf(acting, teamId);
  await lockOrganization(acting.transaction, organizationId);
  requirePermission(acting, "manage_team_members", organizationId, teamId);
  return organizationId;
}

async function putIntoTeam(
  acting: OwnerContext,
  organizationId: string,
  teamId: string,
  { person, role }: MemberPatch,
): Promise<void> {
  const { transaction, now } = acting;
  requireRole(acting, teamId, role);
  const userId = await findUser(acting, organizationId, person);
  if ((await findTeamMember(transaction, organizationId, teamId, userId)) !== null) {
    throw new Failure("conflict", "This user is already a member of the team.", { param: "member" });
  }
  await addTeamMember(transaction, organizationId, { teamId, userId, role, now });
  const added = await findTeamMember(transaction, organizationId, teamId, userId);
  if (added === null) throw new Error("the new member was not found");
  await addEvent(transaction, organizationId, "member.added", { userId, teamId, role });
  await auditMember(acting, organizationId, "member.added", added, { after: { teamId, role } });
}

async function findUser({ transaction }: OwnerContext, organizationId: string, person: PersonName): Promise<number> {
  const found =
    "userId" in person
      ? await findMember(transaction, organizationId, person.userId)
      : await findMemberByEmail(transaction, organizationId, person.email, null);
  if (found === null) {
    throw new Failure("not_found", "The organization has no such member. Invite the user first.");
  }
  return found.userId;
}

async function findMate(acting: OwnerContext, organizationId: string, teamId: string, person: PersonName) {
  const userId = await findUser(acting, organizationId, person);
  const member = await findTeamMember(acting.transaction, organizationId, teamId, userId);
  if (member === null) throw absent("team member");
  return member;
}

function requireRole({ member }: OwnerContext, teamId: string, role: "admin" | "member"): void {
  if (member !== null && !canGrantTeamRole(rolesIn(member, teamId), role)) {
    throw forbidden("Only team admins can make other members admins.");
  }
}

async function keepOneAdmin(
  acting: OwnerContext,
  organizationId: string,
  teamId: string,
  userId: number,
): Promise<void> {
  if (acting.member === null) return;
  await requireAnotherAdmin(acting.transaction, { organizationId, teamId, userId }, rolesIn(acting.member, teamId));
}

async function block(acting: OwnerContext, teamId: string, isBlocked: boolean): Promise<void> {
  requireAdministrator(acting);
  const { actor } = auditActor(acting);
  await setTeamBlock(acting.transaction, { teamId, isBlocked, actor, now: acting.now });
}

interface Change {
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

async function audit(
  acting: OwnerContext,
  organizationId: string,
  action: string,
  id: string,
  change: Change,
): Promise<void> {
  const entry = { organizationId, ...auditActor(acting), action, target: { type: "team", id }, ...change };
  await writeAudit(acting.transaction, entry);
}

async function auditMember(
  acting: OwnerContext,
  organizationId: string,
  action: string,
  member: { readonly userId: number; readonly email: string },
  change: Change,
): Promise<void> {
  const { actor, subjects } = auditActor(acting);
  await writeAudit(acting.transaction, {
    organizationId,
    actor,
    action,
    target: { type: "user", id: String(member.userId) },
    ...change,
    personal: { target: { email: member.email } },
    subjects: [...subjects, member.userId],
  });
}

function fieldOf(team: ManagedTeam, name: string): unknown {
  return name in team.limits ? team.limits[name as keyof typeof team.limits] : team[name as keyof ManagedTeam];
}

function nameTaken(): Failure {
  return new Failure("conflict", "Another team in the organization has this name.", { param: "team_alias" });
}
