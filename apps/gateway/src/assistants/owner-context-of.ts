import { type Caller, isMaster } from "../call/caller.ts";
import { ownerOf } from "../call/owner-of.ts";
import type { OwnerContext } from "./assistant-store.ts";

/** Returns the owner on whose behalf a caller reads and writes. */
export function actingFor(caller: Caller): OwnerContext {
  const { keyId, keyName, organizationId, organizationName } = caller;
  const owner = { owner: ownerOf(caller), isAdministrator: isMaster(caller) };
  return { ...owner, organizationId, organizationName, keyId, keyName };
}
