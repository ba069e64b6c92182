import { ManagementFailure, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { type KeyName, lockVisibleKey } from "@tollgate/db/keys/find-key.ts";
import type { KeyReader, KeyRow } from "@tollgate/db/keys/key-view.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import type { OrganizationInput } from "../operation.ts";
import type { Services } from "../services.ts";

type OrganizationCaller = OrganizationInput<unknown, unknown, unknown>["caller"];

/** Whom keys are read for. */
export function readerOf({ userId, organization }: OrganizationCaller, services: Services): KeyReader {
  return {
    organizationId: organization.id,
    userId,
    seesAllTeams: may({ organization: organization.role }, "see_all_teams"),
    now: services.now(),
  };
}

/** The key of that name, held for a change that this caller may make. */
export async function holdManagedKey(
  transaction: TenantTransaction,
  caller: OrganizationCaller,
  reader: KeyReader,
  name: KeyName,
): Promise<KeyRow> {
  const key = await lockVisibleKey(transaction, reader, name);
  if (key === null) throw unknownObject("API key");
  const standing = { organization: caller.organization.role, team: key.readerRole };
  if (key.creatorId !== caller.userId && !may(standing, "manage_team_keys")) {
    throw new ManagementFailure(
      "ROLE_REQUIRED",
      "Only who made this key, or an administrator of its team or organization, may change it.",
    );
  }
  return key;
}

export function refuseRevoked(key: KeyRow): void {
  if (key.status !== "revoked") return;
  throw new ManagementFailure("KEY_REVOKED", "This key was removed, which is final. Create another one.");
}
