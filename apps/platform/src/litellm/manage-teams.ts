import { Failure } from "@tollgate/contracts/failures.ts";
import { listManagedKeys, type ManagedKey } from "@tollgate/db/keys/managed-keys.ts";
import { findMember, findMemberByEmail, findTeamMember } from "@tollgate/db/members/list-members.ts";
import { lockOrganization } from "@tollgate/db/members/lock-organization.ts";
import { listManagedTeams, type ManagedTeam } from "@tollgate/db/teams/managed-teams.ts";
import type { TeamChanges } from "@tollgate/db/teams/update-team.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import type { Roles } from "@tollgate/domain/roles/permissions.ts";
import { setTeamBlock } from "../admin/teams/block-team.ts";
import { createTeam as addTeam } from "../teams/create-team.ts";
import { deleteTeam } from "../teams/delete-team.ts";
import { addMember, changeMemberRole, removeMember as dropMember, requireRoleGrant } from "../teams/team-members.ts";
import { updateTeam as changeTeam, type TeamRef } from "../teams/update-team.ts";
import { findOrganization, placeOf } from "./find-team.ts";
import { mergeBudget } from "./merge-budget.ts";
import type { Paged, PageParams } from "./page-headers.ts";
import {
  absent,
  auditActor,
  isElsewhere,
  type OwnerContext,
  requireAdministrator,
  requirePermissionIn,
  rolesIn,
  visibleTeams,
} from "./run-as-key-creator.ts";
import type { MemberPatch, PersonName, TeamPatch } from "./team-patch.ts";

interface TeamFilter {
  readonly organizationId: string | null;
  readonly userId: number | null;
  readonly name: string | null;
}

const SHOWN_KEYS = 100;

/** Creates a team. A user who creates a team becomes its administrator. */
export async function createTeam(
  acting: OwnerContext,
  patch: TeamPatch,
  members: readonly MemberPatch[],
): Promise<ManagedTeam> {
  const { transaction, now, limits } = acting;
  const organizationId = await findOrganization(acting, patch.organizationId);
  requirePermissionIn(acting, "create_team", organizationId);
  const id = makePrefixedId("team", now.getTime());
  const creatorId = acting.member?.userId ?? null;
  const { rpm = null, tpm = null, maxParallel = null, modelRpm = {}, modelTpm = {} } = patch;
  const added = addTeam(
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
      budget: patch.budget && mergeBudget(patch.budget, null),
    },
    {
      limits,
      ...auditActor(acting),
      audited: { ...patch },
      addMembers: async () => {
        if (members.length > 0) await lockOrganization(transaction, organizationId);
        for (const member of members) {
          // The creator is already a member.
          if ((await findUser(acting, organizationId, member.person)) === creatorId) continue;
          await putIntoTeam(acting, { organizationId, teamId: id }, member);
        }
      },
    },
    now,
  );
  await added.catch(renameTaken);
  if (patch.isBlocked === true) await block(acting, id, true);
  return readTeam(acting, id);
}

/** Updates the given fields of a team. Only platform administrators can block and unblock teams. */
export async function updateTeam(acting: OwnerContext, teamId: string, patch: TeamPatch): Promise<ManagedTeam> {
  const team = await placeOf(acting, teamId);
  const { isBlocked, budget, organizationId: wanted, ...changes } = patch;
  if (wanted !== undefined && wanted !== team.organizationId) {
    throw new Failure("invalid_request", "A team cannot move to another organization.", { param: "organization_id" });
  }
  if (isBlocked !== undefined) await block(acting, teamId, isBlocked);
  if (Object.keys(changes).length === 0 && budget === undefined) return readTeam(acting, teamId);
  requirePermissionIn(acting, "edit_team", team.organizationId, teamId);
  const before = await readTeam(acting, teamId);
  const shown = (state: ManagedTeam) => ({
    ...Object.fromEntries(Object.keys(changes).map((name) => [name, fieldOf(state, name)])),
    ...(budget && { budget: state.budget && { limit: state.budget.limit, period: state.budget.period } }),
  });
  const changed = changeTeam(
    acting.transaction,
    team,
    { changes: changes as TeamChanges, budget: budget && mergeBudget(budget, before.budget) },
    {
      read: () => readTeam(acting, teamId),
      audited: (after) => ({ before: shown(before), after: shown(after) }),
    },
    auditActor(acting),
    acting.now,
  );
  return changed.catch(renameTaken);
}

/** Deletes all given teams and their keys, or none of them if one team doesn't exist. */
export async function deleteTeams(acting: OwnerContext, teamIds: readonly string[]): Promise<void> {
  const teams: TeamRef[] = [];
  for (const teamId of new Set(teamIds)) teams.push(await placeOf(acting, teamId));
  const orderOf = ({ organizationId, teamId }: TeamRef) => `${organizationId} ${teamId}`;
  // Lock in a fixed order, so that concurrent deletions of the same teams don't deadlock.
  for (const team of teams.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))) {
    await lockOrganization(acting.transaction, team.organizationId);
    requirePermissionIn(acting, "delete_team", team.organizationId, team.teamId);
    await deleteTeam(acting.transaction, team, auditActor(acting), acting.now);
  }
}

/** Adds members of the organization to a team. Other users have to be invited on the platform. */
export async function addMembers(
  acting: OwnerContext,
  teamId: string,
  members: readonly MemberPatch[],
): Promise<ManagedTeam> {
  const team = await enterTeam(acting, teamId);
  for (const member of members) await putIntoTeam(acting, team, member);
  return readTeam(acting, teamId);
}

/** Changes a member's role. */
export async function updateMember(
  acting: OwnerContext,
  teamId: string,
  { person, role }: MemberPatch,
): Promise<ManagedTeam> {
  const team = await enterTeam(acting, teamId);
  const member = await findMate(acting, team, person);
  requireRoleGrant(teamRoles(acting, teamId), role);
  const { transaction, now } = acting;
  await changeMemberRole(transaction, team, member, role, teamRoles(acting, teamId), auditActor(acting), now);
  return readTeam(acting, teamId);
}

/** Removes a member from a team. */
export async function removeMember(acting: OwnerContext, teamId: string, person: PersonName): Promise<ManagedTeam> {
  const { transaction, now } = acting;
  const team = await enterTeam(acting, teamId);
  const member = await findMate(acting, team, person);
  const removal = { roles: teamRoles(acting, teamId), revokesKeys: false };
  await dropMember(transaction, team, member, removal, auditActor(acting), now);
  return readTeam(acting, teamId);
}

/** Returns a team with its newest keys. */
export async function findTeam(
  acting: OwnerContext,
  teamId: string,
): Promise<{ readonly team: ManagedTeam; readonly keys: readonly ManagedKey[] }> {
  const { organizationId } = await placeOf(acting, teamId);
  requirePermissionIn(acting, "see_team", organizationId, teamId);
  const filter = { organizationId, teamIds: [teamId], userId: null, name: null, key: null, includesRevoked: false };
  const page = { limit: SHOWN_KEYS, offset: 0, now: acting.now };
  const { keys } = await listManagedKeys(acting.transaction, filter, page);
  return { team: await readTeam(acting, teamId), keys };
}

/** Returns one page of the teams that the manager can see. */
export async function listTeams(
  acting: OwnerContext,
  { organizationId, userId, name }: TeamFilter,
  { page, pageSize }: PageParams,
): Promise<Paged<ManagedTeam>> {
  const { transaction, member, now } = acting;
  if (isElsewhere(acting, organizationId)) return { items: [], total: 0 };
  const wanted = {
    organizationId: member?.organizationId ?? organizationId,
    ids: visibleTeams(acting),
    memberId: userId,
    name,
  };
  const { teams, total } = await listManagedTeams(transaction, wanted, {
    limit: pageSize,
    offset: (page - 1) * pageSize,
    now,
  });
  return { items: teams, total };
}

async function readTeam({ transaction, now }: OwnerContext, id: string): Promise<ManagedTeam> {
  const filter = { organizationId: null, ids: [id], memberId: null, name: null };
  const { teams } = await listManagedTeams(transaction, filter, { limit: 1, offset: 0, now });
  const [team] = teams;
  if (team === undefined) throw absent("team");
  return team;
}

/** Locks the organization, because membership changes are serialized. */
async function enterTeam(acting: OwnerContext, teamId: string): Promise<TeamRef> {
  const team = await placeOf(acting, teamId);
  await lockOrganization(acting.transaction, team.organizationId);
  requirePermissionIn(acting, "manage_team_members", team.organizationId, teamId);
  return team;
}

async function putIntoTeam(acting: OwnerContext, team: TeamRef, { person, role }: MemberPatch): Promise<void> {
  const { transaction, now } = acting;
  const { organizationId, teamId } = team;
  requireRoleGrant(teamRoles(acting, teamId), role);
  const userId = await findUser(acting, organizationId, person);
  if ((await findTeamMember(transaction, organizationId, teamId, userId)) !== null) {
    throw new Failure("conflict", "This user is already a member of the team.", { param: "member" });
  }
  await addMember(transaction, team, { userId, role }, auditActor(acting), now);
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

async function findMate(acting: OwnerContext, { organizationId, teamId }: TeamRef, person: PersonName) {
  const userId = await findUser(acting, organizationId, person);
  const member = await findTeamMember(acting.transaction, organizationId, teamId, userId);
  if (member === null) throw absent("team member");
  return member;
}

/** Returns the manager's roles in a team; null for platform administrators. */
function teamRoles({ member }: OwnerContext, teamId: string): Roles | null {
  return member === null ? null : rolesIn(member, teamId);
}

async function block(acting: OwnerContext, teamId: string, isBlocked: boolean): Promise<void> {
  requireAdministrator(acting);
  const { actor } = auditActor(acting);
  await setTeamBlock(acting.transaction, { teamId, isBlocked, actor, now: acting.now });
}

/** Throws the failure of a taken name with LiteLLM's field, and other errors unchanged. */
function renameTaken(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== "NAME_TAKEN") throw error;
  const message = "Another team in the organization has this name.";
  throw new Failure("conflict", message, { cause: error, param: "team_alias" });
}

function fieldOf(team: ManagedTeam, name: string): unknown {
  return name in team.limits ? team.limits[name as keyof typeof team.limits] : team[name as keyof ManagedTeam];
}
