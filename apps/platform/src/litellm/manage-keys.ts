import { Failure } from "@tollgate/contracts/failures.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { changeKey, type KeyChange, rotateKey } from "@tollgate/db/keys/change-key.ts";
import { createKey, findKeyBounds, lockTeamForKey } from "@tollgate/db/keys/create-key.ts";
import { findManagedKey, lockManagedKey, type ManagedKey } from "@tollgate/db/keys/managed-keys.ts";
import { revokeKeys } from "@tollgate/db/keys/revoke-keys.ts";
import { findMemberRoles } from "@tollgate/db/members/find-member-roles.ts";
import { addEvent } from "@tollgate/db/outbox/add-event.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { reachesManagement } from "@tollgate/domain/roles/management-routes.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import type { KeyName, KeyPatch, MadeKey } from "@tollgate/gateway/management/management.ts";
import { readModels } from "@tollgate/platform/keys/key-limits.ts";
import { makeSecret } from "@tollgate/platform/keys/make-secret.ts";
import { findTeamOfKey } from "./find-team.ts";
import {
  absent,
  auditActor,
  forbidden,
  type OwnerContext,
  requirePermission,
  rolesIn,
  visibleTeams,
} from "./run-as-key-creator.ts";
import { writeBudget } from "./write-budget.ts";

/** Creates a key in the selected team for the selected user. */
export async function generateKey(acting: OwnerContext, patch: KeyPatch): Promise<MadeKey> {
  const { transaction, manager, now, limits } = acting;
  const { organizationId, teamId } = await findTeamOfKey(acting, patch.teamId);
  requirePermission(acting, "create_key", organizationId, teamId);
  requireRoutes(acting, patch.allowedRoutes ?? null);
  const userId = await chooseOwner(acting, organizationId, patch);
  const team = await lockTeamForKey(transaction, organizationId, teamId, userId ?? 0);
  if (team === null) throw absent("team");
  const secret = makeSecret();
  const id = makePrefixedId("key", now.getTime());
  const { rpm, tpm, maxParallel, modelRpm, modelTpm } = patch;
  const key = {
    id,
    organizationId,
    teamId,
    userId,
    name: patch.name ?? `key-${secret.stored.lastFour}`,
    ...secret.stored,
    expiresAt: patch.expiresAt ?? null,
    models: patch.models === undefined || patch.models.length === 0 ? [] : readModels(patch.models, team),
    allowedRoutes: patch.allowedRoutes ?? null,
    ...pick(patch, ["aliases", "tags", "guardrails", "metadata"]),
    limits: {
      rpm: rpm ?? null,
      tpm: tpm ?? null,
      maxParallel: maxParallel ?? null,
      modelRpm: modelRpm ?? {},
      modelTpm: modelTpm ?? {},
    },
  };
  const outcome = await createKey(transaction, key, limits.keysPerTeam);
  if (outcome.kind === "limit_reached") {
    throw new Failure(
      "conflict",
      `The team has reached its limit of ${limits.keysPerTeam} keys. Delete an unused key first.`,
    );
  }
  if (patch.isBlocked === true) await changeKey(transaction, organizationId, id, { isDisabled: true }, now);
  if (patch.budget) await writeBudget(acting, { scope: "key", organizationId, id }, patch.budget, null);
  await addEvent(transaction, organizationId, "key.created", { keyId: id, teamId, name: key.name });
  const { tokenHash: _, prefix: __, lastFour: ___, ...shown } = key;
  const { actor, subjects } = auditActor(acting);
  await writeAudit(transaction, {
    organizationId,
    actor,
    subjects,
    action: "key.created",
    target: { type: "key", id },
    after: { ...shown, budget: patch.budget ?? null, madeBy: manager.keyId },
  });
  return { key: await readKey(acting, id), secret: secret.token };
}

/** Updates the given fields of a key that the manager may change. */
export async function updateKey(acting: OwnerContext, name: KeyName, patch: KeyPatch): Promise<ManagedKey> {
  const before = await holdKey(acting, name);
  const after = await applyPatch(acting, before, patch);
  await writeKeyAudit(acting, before, after, after.isDisabled && !before.isDisabled ? "key.disabled" : "key.updated");
  return after;
}

/** Revokes all given keys, or none of them if one doesn't exist. */
export async function deleteKeys(acting: OwnerContext, names: readonly KeyName[]): Promise<readonly string[]> {
  const { transaction, now } = acting;
  const ids = new Set<string>();
  for (const name of names) ids.add((await findKey(acting, name)).id);
  const digests: string[] = [];
  // Lock in a fixed order, so that concurrent deletions of the same keys don't deadlock.
  for (const id of [...ids].toSorted()) {
    const key = await holdKey(acting, { id });
    await revokeKeys(transaction, key.organizationId, { keyId: key.id }, now);
    const { actor, subjects } = auditActor(acting);
    await writeAudit(transaction, {
      organizationId: key.organizationId,
      actor,
      subjects,
      action: "key.revoked",
      target: { type: "key", id: key.id },
      before: { status: key.status },
      after: { status: "revoked" },
    });
    digests.push(key.tokenHash);
  }
  return digests;
}

/** Replaces a key's secret. A management key has its creator's role, so only its creator can regenerate it. */
export async function regenerateKey(
  acting: OwnerContext,
  name: KeyName,
  patch: KeyPatch,
  graceMs: number,
): Promise<MadeKey> {
  const { transaction, member, now } = acting;
  const before = await holdKey(acting, name);
  if (member !== null && reachesManagement(before.allowedRoutes) && before.userId !== member.userId) {
    throw forbidden("This key manages on behalf of its creator. Only the creator can rotate it.");
  }
  requireRoutes(acting, before.allowedRoutes);
  await applyPatch(acting, before, patch);
  const secret = makeSecret();
  const previousValidUntil = graceMs === 0 ? null : new Date(now.getTime() + graceMs);
  await rotateKey(transaction, before.organizationId, before.id, { ...secret.stored, previousValidUntil }, now);
  const key = await readKey(acting, before.id);
  await writeKeyAudit(acting, before, key, "key.rotated");
  return { key, secret: secret.token };
}

/** Returns a key that the manager can see. Other keys are reported as not found. */
export async function findKey(acting: OwnerContext, name: KeyName): Promise<ManagedKey> {
  const key = await findManagedKey(acting.transaction, filterOf(acting, name), acting.now);
  if (key === null) throw absent("key");
  return key;
}

async function applyPatch(acting: OwnerContext, before: ManagedKey, patch: KeyPatch): Promise<ManagedKey> {
  const { transaction, member, now } = acting;
  const { id, organizationId, teamId } = before;
  if (patch.teamId !== undefined && patch.teamId !== teamId) throw stays("team_id", "team");
  if (patch.userId !== undefined && patch.userId !== before.userId) throw stays("user_id", "user");
  if (member !== null && patch.allowedRoutes !== undefined && reachesManagement(patch.allowedRoutes)) {
    if (before.userId !== member.userId) throw managesForAnother();
  }
  requireRoutes(acting, patch.allowedRoutes ?? null);
  const change: KeyChange = {
    ...pick(patch, ["name", "expiresAt", "rpm", "tpm", "maxParallel", "modelRpm", "modelTpm"]),
    ...pick(patch, ["allowedRoutes", "aliases", "tags", "guardrails", "metadata"]),
    ...(patch.isBlocked !== undefined && { isDisabled: patch.isBlocked }),
    ...(patch.models !== undefined && {
      models:
        patch.models.length === 0
          ? []
          : readModels(patch.models, await findKeyBounds(transaction, organizationId, teamId)),
    }),
  };
  await changeKey(transaction, organizationId, id, change, now);
  if (patch.budget) await writeBudget(acting, { scope: "key", organizationId, id }, patch.budget, before.budget);
  return readKey(acting, id);
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
  if (member === null || key.userId === member.userId) return key;
  if (!may(rolesIn(member, key.teamId), "manage_team_keys")) {
    throw forbidden("Only the creator of this key or an administrator of its team or organization can change it.");
  }
  return key;
}

function filterOf(acting: OwnerContext, key: KeyName) {
  return {
    organizationId: acting.member?.organizationId ?? null,
    teamIds: visibleTeams(acting),
    userId: null,
    name: null,
    key,
    includesRevoked: false,
  };
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
  return userId;
}

async function writeKeyAudit(
  acting: OwnerContext,
  before: ManagedKey,
  after: ManagedKey,
  action: string,
): Promise<void> {
  const changed = auditedFields.filter((field) => toText(before[field]) !== toText(after[field]));
  const fieldsOf = (key: ManagedKey) => Object.fromEntries(changed.map((field) => [field, key[field]]));
  const { actor, subjects } = auditActor(acting);
  await writeAudit(acting.transaction, {
    organizationId: before.organizationId,
    actor,
    subjects,
    action,
    target: { type: "key", id: before.id },
    before: fieldsOf(before),
    after: fieldsOf(after),
  });
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
