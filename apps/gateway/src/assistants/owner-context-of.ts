import { ownerOf } from "../pipeline/account/owner-of.ts";
import type { Caller } from "../pipeline/caller.ts";
import type { OwnerContext } from "./assistant-store.ts";

/** Returns the owner on whose behalf a caller reads and writes. */
export function actingFor(caller: Caller): OwnerContext {
  const { keyId, organizationId, role } = caller;
  return { owner: ownerOf(caller), isAdministrator: role === "proxy_admin", organizationId, keyId };
}
