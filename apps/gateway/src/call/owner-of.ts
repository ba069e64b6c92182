import type { Caller } from "./caller.ts";

/**
 * Returns the owner of data stored for a caller: the team, or the user if there is no team, or the key if there is
 * neither.
 */
export function ownerOf({ keyId, userId, teamId }: Pick<Caller, "keyId" | "userId" | "teamId">): string {
  if (teamId !== null) return `team:${teamId}`;
  return userId === null ? `key:${keyId}` : `user:${userId}`;
}
