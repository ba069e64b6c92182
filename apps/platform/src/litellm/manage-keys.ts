import { Failure } from "@tollgate/contracts/failures.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import type { KeyName } from "@tollgate/db/keys/find-visible-key.ts";
import { findManagedKey, listManagedKeys, lockManagedKey, type ManagedKey } from "@tollgate/db/keys/managed-keys.ts";
import { findMemberRoles } from "@tollgate/db/members/find-member-roles.ts";
import { runInOrganization } from "@tollgate/db/tenancy.ts";
import { isPlatformAdministrator } from "@tollgate/db/users/is-platform-administrator.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { reachesManagement } from "@tollgate/domain/roles/management-routes.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import { createKey } from "../keys/create-key.ts";
import { makeSecret } from "../keys/make-secret.ts";
import { requireKeyManager } from "../keys/managed-key.ts";
import { removeKey } from "../keys/remove-key.ts";
import { requireOwnRole, rotateKey } from "../keys/rotate-key.ts";
import { applyKeyUpdate, updateKey as changeKey, type KeyUpdate } from "../keys/update-key.ts";
import { findTeamOfKey } from "./find-team.ts";
import type { KeyPatch } from "./key-patch.ts";
import { mergeBudget } from "./merge-budget.ts";
import type { Paged, PageParams } from "./page-headers.ts";
import {
  absent,
  asFailure,
  auditActor,
  forbidden,
  isElsewhere,
  type ManagementParts,
  type Manager,
  type OwnerContext,
  requirePermissionIn,
  rolesIn,
  visibleTeams,
} from "./run-as-key-creator.ts";

export interface MadeKey {
  readonly key: ManagedKey;
  /** Plaintext secret. Only this result contains it. */
  readonly secret: string;
}

interface KeyFilter {
  readonly teamId: string | null;
  readonly userId: number | null;
  readonly organizationId: string | null;
  readonly name: string | null;
  readonly key: KeyName | null;
}

/** Creates a key in the selected team for the selected user. */
export async function generateKey(acting: OwnerContext, patch: KeyPatch): Promise<MadeKey> {
  const { transaction, manager, member, now, limits } = acting;
  const { organizationId, teamId } = await findTeamOfKey(acting, patch.teamId);
  requirePermissionIn(acting, "create_key", organizationId, teamId);
  requireRoutes(acting, patch.allowedRoutes ?? null);
  const userId = await chooseOwner(acting, organizationId, patch);
  const secret = makeSecret();
  const id = makePrefixedId("key", now.getTime());
  const { rpm = null, tpm = null, maxParallel = null, modelRpm = {}, modelTpm = {} } = patch;
  const key = {
    id,
    organizationId,
    teamId,
    userId,
    name: patch.name ?? `key-${secret.stored.lastFour}`,
    expiresAt: patch.expiresAt ?? null,
    models: patch.models ?? [],
    allowedRoutes: patch.allowedRoutes ?? null,
    ...pick(patch, ["aliases", "tags", "guardrails", "metadata"]),
    limits: { rpm, tpm, maxParallel, modelRpm, modelTpm },
  };
  await createKey(
    transaction,
    {
      ...key,
      ...secret.stored,
      models: orAll(key.models),
      isDisabled: patch.isBlocked === true,
      budget: patch.budget && mergeBudget(patch.budget, null),
    },
    {
      kind: "manager",
      roles: member === null ? null : rolesIn(member, teamId),
      maxKeysPerTeam: limits.keysPerTeam,
      ...auditActor(acting),
      audited: { ...key, budget: patch.budget ?? null, madeBy: manager.keyId },
    },
    now,
  );
  return { key: await readKey(acting, id), secret: secret.token };
}

/** Updates the given fields of a key that the manager may change. */
export async function updateKey(acting: OwnerContext, name: KeyName, patch: KeyPatch): Promise<ManagedKey> {
  const before = await holdKey(acting, name);
  const update = readUpdate(acting, before, patch);
  const shown = { read: () => readKey(acting, before.id), audited: differences };
  return changeKey(acting.transaction, before, update, shown, auditActor(acting), acting.now);
}

/** Revokes all given keys, or none of them if one doesn't exist. */
export async function deleteKeys(acting: OwnerContext, names: readonly KeyName[]): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const name of names) ids.add((await findKey(acting, name)).id);
  const digests: string[] = [];
  // Lock in a fixed order, so that concurrent deletions of the same keys don't deadlock.
  for (const id of [...ids].toSorted()) {
    const key = await holdKey(acting, { id });
    await removeKey(acting.transaction, key, auditActor(acting), acting.now);
    digests.push(key.tokenHash);
  }
  return digests;
}

/** Replaces a key's secret. If the key has its creator's role, only its creator can regenerate it. */
export async function regenerateKey(
  acting: OwnerContext,
  name: KeyName,
  patch: KeyPatch,
  graceMs: number,
): Promise<MadeKey> {
  const { transaction, member, now } = acting;
  const before = await holdKey(acting, name);
  const { id, organizationId, allowedRoutes, userId: creatorId } = before;
  await requireOwnRole(transaction, { allowedRoutes, creatorId }, member?.userId ?? null);
  requireRoutes(acting, allowedRoutes);
  await applyKeyUpdate(transaction, before, readUpdate(acting, before, patch), now);
  const { token: secret } = await rotateKey(transaction, before, graceMs, now);
  const key = await readKey(acting, id);
  await writeAudit(transaction, {
    organizationId,
    ...auditActor(acting),
    action: "key.rotated",
    target: { type: "key", id },
    ...differences(before, key),
  });
  return { key, secret };
}

/** Returns a key that the manager can see. Other keys are reported as not found. */
export async function findKey(acting: OwnerContext, name: KeyName): Promise<ManagedKey> {
  const key = await findManagedKey(acting.transaction, filterOf(acting, name), acting.now);
  if (key === null) throw absent("key");
  return key;
}

/** Returns the calling key's own record, regardless of its creator's permissions. */
export async function findOwnKey(
  { db, now }: ManagementParts,
  { keyId, organizationId }: Manager,
): Promise<ManagedKey> {
  if (organizationId === null) {
    throw new Failure("not_found", "The master key has no record. Specify another key with `key`.", { param: "key" });
  }
  const filter = { ...everyKey, organizationId, key: { id: keyId } };
  const key = await runInOrganization(db, organizationId, (transaction) =>
    findManagedKey(transaction, filter, now()),
  ).catch((error: unknown) => {
    throw asFailure(error);
  });
  if (key === null) throw absent("key");
  return key;
}

/** Returns one page of the keys that the manager can see. */
export async function listKeys(
  acting: OwnerContext,
  { organizationId, teamId, userId, name, key }: KeyFilter,
  { page, pageSize }: PageParams,
): Promise<Paged<ManagedKey>> {
  const { transaction, member, now } = acting;
  if (isElsewhere(acting, organizationId)) return { items: [], total: 0 };
  const visible = visibleTeams(acting);
  const teamIds = teamId === null ? visible : visible === null || visible.includes(teamId) ? [teamId] : [];
  const wanted = {
    organizationId: member?.organizationId ?? organizationId,
    teamIds,
    userId,
    name,
    key,
    includesRevoked: false,
  };
  const { keys, total } = await listManagedKeys(transaction, wanted, {
    limit: pageSize,
    offset: (page - 1) * pageSize,
    now,
  });
  return { items: keys, total };
}

const everyKey = {
  organizationId: null,
  teamIds: null,
  userId: null,
  name: null,
  key: null,
  includesRevoked: false,
};

/** Returns the update that the patch describes, or throws if the manager may not make it. */
function readUpdate(acting: OwnerContext, before: ManagedKey, patch: KeyPatch): KeyUpdate {
  const { member } = acting;
  if (patch.teamId !== undefined && patch.teamId !== before.teamId) throw stays("team_id", "team");
  if (patch.userId !== undefined && patch.userId !== before.userId) throw stays("user_id", "user");
  if (member !== null && patch.allowedRoutes !== undefined && reachesManagement(patch.allowedRoutes)) {
    if (before.userId !== member.userId) throw managesForAnother();
  }
  requireRoutes(acting, patch.allowedRoutes ?? null);
  return {
    ...pick(patch, ["name", "expiresAt", "rpm", "tpm", "maxParallel", "modelRpm", "modelTpm"]),
    ...pick(patch, ["allowedRoutes", "aliases", "tags", "guardrails", "metadata"]),
    ...(patch.isBlocked !== undefined && { isDisabled: patch.isBlocked }),
    models: patch.models && orAll(patch.models),
    budget: patch.budget && mergeBudget(patch.budget, before.budget),
  };
}

/** Returns null, which means all of the team's models, for an empty list. */
function orAll(models: readonly string[]): readonly string[] | null {
  return models.length === 0 ? null : models;
}

/**
 * Throws if the new key would have a management route that the calling key lacks, so that no key can grant more than it
 * has.
 */
function requireRoutes({ manager }: OwnerContext, routes: readonly string[] | null): void {
  const own = manager.allowedRoutes ?? [];
  if (manager.isMaster || own.includes("management")) return;
  const beyond = routes?.find((route) => reachesManagement([route]) && !own.includes(route));
  if (beyond !== undefined) throw forbidden(`This key cannot use ${beyond}, so it cannot grant access to it.`);
}

async function holdKey(acting: OwnerContext, name: KeyName): Promise<ManagedKey> {
  const key = await lockManagedKey(acting.transaction, filterOf(acting, name), acting.now);
  if (key === null) throw absent("key");
  const { member } = acting;
  if (member !== null) {
    requireKeyManager(key.userId, { userId: member.userId, roles: rolesIn(member, key.teamId) });
  }
  return key;
}

function filterOf(acting: OwnerContext, key: KeyName) {
  const organizationId = acting.member?.organizationId ?? null;
  return { ...everyKey, organizationId, teamIds: visibleTeams(acting), key };
}

async function readKey(acting: OwnerContext, id: string): Promise<ManagedKey> {
  const key = await findManagedKey(acting.transaction, filterOf(acting, { id }), acting.now);
  if (key === null) throw new Error("the saved key was not found");
  return key;
}

/** Returns the owner of a new key: the manager, or another user if the manager is permitted to choose one. */
async function chooseOwner({ transaction, member, manager }: OwnerContext, organizationId: string, patch: KeyPatch) {
  const own = member === null ? manager.userId : member.userId;
  const userId = patch.userId ?? own;
  if (userId === null || userId === own) return userId;
  if (member !== null && !may({ organization: member.role }, "manage_organization_members")) {
    throw forbidden("Only organization administrators can create keys for other users. Omit user_id.");
  }
  if (member !== null && reachesManagement(patch.allowedRoutes ?? null)) throw managesForAnother();
  if ((await findMemberRoles(transaction, organizationId, userId)) === null) throw absent("organization member");
  if (member !== null && (await isPlatformAdministrator(transaction, userId))) {
    throw forbidden("A key has its user's role, so you cannot create one for an administrator of the server.");
  }
  return userId;
}

/** Returns the changed fields with their values before and after. */
function differences(before: ManagedKey, after: ManagedKey) {
  const changed = auditedFields.filter((field) => toText(before[field]) !== toText(after[field]));
  const fieldsOf = (key: ManagedKey) => Object.fromEntries(changed.map((field) => [field, key[field]]));
  return { before: fieldsOf(before), after: fieldsOf(after) };
}

const auditedFields = [
  "name",
  "status",
  "models",
  "allowedRoutes",
  "aliases",
  "tags",
  "guardrails",
  "metadata",
  "limits",
  "expiresAt",
  "budget",
] as const;

const toText = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? member.toString() : member));

function stays(param: string, what: string): Failure {
  return new Failure("invalid_request", `A key cannot move to another ${what}. Generate a new key.`, { param });
}

function managesForAnother(): Failure {
  return forbidden("A management key has its user's role, so you cannot create one for another user.");
}

function pick<Patch extends object, Name extends keyof Patch>(
  patch: Patch,
  names: readonly Name[],
): Partial<Pick<Patch, Name>> {
  return Object.fromEntries(
    names.filter((name) => patch[name] !== undefined).map((name) => [name, patch[name]]),
  ) as Partial<Pick<Patch, Name>>;
}
