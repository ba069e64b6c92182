import { listMemberships, type Membership } from "@tollgate/db/members/list-memberships.ts";
import { enterOrganization, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { Caller } from "../caller.ts";

/**
 * Enters the caller's organizations one after another, starting with the active one, until the search finds a result.
 * Returns null if no organization has a result.
 */
export async function searchOwnOrganizations<Found>(
  transaction: TenantTransaction,
  caller: Caller,
  look: (membership: Membership) => Promise<Found | null>,
): Promise<Found | null> {
  for (const membership of await listMemberships(transaction, caller.userId, caller.organization?.id ?? null)) {
    await enterOrganization(transaction, membership.organizationId);
    const found = await look(membership);
    if (found !== null) return found;
  }
  return null;
}
