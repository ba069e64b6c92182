export const userFields = [
  "id",
  "email",
  "name",
  "role",
  "status",
  "emailVerified",
  "createdAt",
  "lastLoginAt",
] as const;
