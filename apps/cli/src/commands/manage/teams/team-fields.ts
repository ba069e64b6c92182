/** Team field names. */
export const teamFields = [
  "id",
  "organizationId",
  "name",
  "status",
  "blockedReason",
  "blockedAt",
  "role",
  "memberCount",
  "keyCount",
  "budget",
  "rateLimit",
  "models",
  "createdAt",
  "updatedAt",
] as const;
