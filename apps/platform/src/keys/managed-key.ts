import { ManagementFailure, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { type KeyName, lockVisibleKey } from "@tollgate/db/keys/find-visible-key.ts";
import type { KeyReader, KeyRow } from "@tollgate/db/keys/key-view.ts";
import type { Membership } from "@tollgate/db/members/list-memberships.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import type { Caller } from "../caller.ts";
import { searchOwnOrganizations } from "../organizations/search-own-organizations.ts";
import type { Services } from "../services.ts";

/** Returns the caller's context for reading one organization's keys. */
export function readerOf({ userId }: Caller, { organizationId, role }: Membership, services: Services): KeyReader {
  const seesAllTeams = may({ organization: role }, "see_all_teams");
  return { organizationId, userId, seesAllTeams, now: services.now() };
}

export interface ManagedKey {
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
  if (key.creatorId !== caller.userId && !may({ organization: role, team: key.readerRole }, "manage_team_keys")) {
    throw new ManagementFailure(
      "ROLE_REQUIRED",
      "Only the creator of this key or an administrator of its team or organization can change it.",
    );
  }
  return { key, reader };
}

export function refuseRevoked(key: KeyRow): void {
  if (key.status !== "revoked") return;
  throw new ManagementFailure("KEY_REVOKED", "This key was revoked permanently. Create a new key.");
}
