/** The members of a membership. */
export const memberFields = ["memberId", "userId", "email", "name", "role", "joinedAt"] as const;
