import type { Caller } from "../caller.ts";

/** Returns the owner of data stored for a caller, which is the team, otherwise the user, and otherwise the key. */
export function ownerOf({ keyId, userId, teamId }: Pick<Caller, "keyId" | "userId" | "teamId">): string {
  if (teamId !== null) return `team:${teamId}`;
  return userId === null ? `key:${keyId}` : `user:${userId}`;
}
