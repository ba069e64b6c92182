/** Member field names. */
export const memberFields = ["memberId", "userId", "email", "name", "role", "joinedAt"] as const;
