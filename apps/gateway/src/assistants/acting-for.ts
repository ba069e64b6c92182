import type { Caller } from "../pipeline/caller.ts";
import type { Acting } from "./assistant-store.ts";

/** For whom a caller reads and writes: its team, else its user, else nobody but this key. */
export function actingFor({ keyId, userId, teamId, organizationId, role }: Caller): Acting {
  return {
    owner: teamId !== null ? `team:${teamId}` : userId !== null ? `user:${userId}` : `key:${keyId}`,
    isAdministrator: role === "proxy_admin",
    organizationId,
    keyId,
  };
}
