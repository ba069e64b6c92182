import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { findVisibleKey, type KeyName, lockVisibleKey } from "@tollgate/db/keys/find-visible-key.ts";
import type { KeyReader, KeyRow, KeyView } from "@tollgate/db/keys/key-view.ts";
import type { Membership } from "@tollgate/db/members/list-memberships.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { may, type Roles } from "@tollgate/domain/roles/permissions.ts";
import type { Caller } from "../caller.ts";
import { searchOwnOrganizations } from "../organizations/search-own-organizations.ts";
import type { Services } from "../services.ts";

/** Returns the caller's context for reading one organization's keys. */
export function readerOf({ userId }: Caller, { organizationId, role }: Membership, services: Services): KeyReader {
  const seesAllTeams = may({ organization: role }, "see_all_teams");
  return { organizationId, userId, seesAllTeams, now: services.now() };
}

interface ManagedKey {
  readonly key: KeyRow;
  readonly reader: KeyReader;
}

/** Locks a key in one of the caller's organizations, for a change that the caller may make. */
export async function holdManagedKey(
  transaction: TenantTransaction,
  caller: Caller,
  services: Services,
  name: KeyName,
): Promise<ManagedKey> {
  const held = await searchOwnOrganizations(transaction, caller, async (membership) => {
    const reader = readerOf(caller, membership, services);
    const key = await lockVisibleKey(transaction, reader, name);
    return key && { key, reader, role: membership.role };
  });
  if (held === null) throw unknownObject("API key");
  const { key, reader, role } = held;
  requireKeyManager(key.creatorId, { userId: caller.userId, roles: { organization: role, team: key.readerRole } });
  return { key, reader };
}

/** Throws unless the user created the key or manages the keys of its team. */
export function requireKeyManager(
  creatorId: number | null,
  { userId, roles }: { readonly userId: number; readonly roles: Roles },
): void {
  if (creatorId === userId || may(roles, "manage_team_keys")) return;
  throw new Failure(
    "ROLE_REQUIRED",
    "Only the creator of this key or an administrator of its team or organization can change it.",
  );
}

/** Returns a key that this transaction created or changed. */
export async function readChangedKey(transaction: TenantTransaction, reader: KeyReader, id: string): Promise<KeyView> {
  const key = await findVisibleKey(transaction, reader, { id });
  if (key === null) throw new Error("the changed key was not found");
  return key;
}

export function refuseRevoked(key: KeyRow): void {
  if (key.status !== "revoked") return;
  throw new Failure("KEY_REVOKED", "This key was revoked permanently. Create a new key.");
}
