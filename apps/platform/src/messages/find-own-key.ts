import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { type CallableKey, findCallableKey, type KeyReference } from "@tollgate/db/keys/find-callable-key.ts";
import { runAsUser } from "@tollgate/db/tenancy.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import type { Caller } from "../caller.ts";
import { searchOwnOrganizations } from "../organizations/search-own-organizations.ts";
import type { Services } from "../services.ts";

/** Returns a key in any of the caller's organizations that the caller may use. The key may be revoked. */
export async function findOwnKey(
  reference: KeyReference,
  caller: Caller,
  { db }: Pick<Services, "db">,
): Promise<CallableKey> {
  const { userId } = caller;
  const key = await runAsUser(db, userId, (transaction) =>
    searchOwnOrganizations(transaction, caller, ({ organizationId, role }) =>
      findCallableKey(transaction, organizationId, reference, {
        userId,
        seesAll: may({ organization: role }, "see_all_teams"),
      }),
    ),
  );
  if (key === null) throw unknownObject("API key");
  return key;
}
