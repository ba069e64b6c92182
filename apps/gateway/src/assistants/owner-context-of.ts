import { type Caller, isMaster } from "../call/caller.ts";
import { ownerOf } from "../call/owner-of.ts";
import type { OwnerContext } from "./assistant-store.ts";

/** Returns the owner on whose behalf a caller reads and writes. */
export function actingFor(caller: Caller): OwnerContext {
  const { keyId, organizationId } = caller;
  return { owner: ownerOf(caller), isAdministrator: isMaster(caller), organizationId, keyId };
}
