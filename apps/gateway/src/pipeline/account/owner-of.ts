import type { Caller } from "../caller.ts";

/** To whom belongs what is kept for a caller: its team, else its user, else nobody but this key. */
export function ownerOf({ keyId, userId, teamId }: Pick<Caller, "keyId" | "userId" | "teamId">): string {
  if (teamId !== null) return `team:${teamId}`;
  return userId === null ? `key:${keyId}` : `user:${userId}`;
}
