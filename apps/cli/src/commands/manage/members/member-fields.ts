/** Field names of a member. */
export const memberFields = ["memberId", "userId", "email", "name", "role", "joinedAt"] as const;
